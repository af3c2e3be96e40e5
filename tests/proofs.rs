//! Proofs under stress: many processes on one ledger, kills at every step, clones that exchange their work, and every
//! system call of a write.
//!
//! ```sh
//! cargo test --test proofs                                                                  # short
//! BD_PROOF=full cargo test --release --test proofs -- --nocapture --test-threads=1          # the figures of docs/evidence.md
//! ```

mod bench;
mod concurrency;
mod support;
mod sync;
#[cfg(target_os = "linux")]
mod trace;
