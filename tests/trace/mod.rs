//! `bd`'s system calls, one by one, with strace as the witness: what reads must not do, the order of a write, and what
//! remains when any one of its calls fails, is interrupted, is delayed, or is its last.
//!
//! The normal run is short; the full one is
//!
//! ```sh
//! BD_PROOF=full cargo test --release --test proofs trace:: -- --nocapture --test-threads=1
//! ```

mod batch;
mod carried;
mod faults;
mod foreign;
mod kills;
mod landing;
mod moves;
mod order;
mod poll;
mod proposals;
mod reads;
mod start;
pub mod strace;
mod workspaces;
