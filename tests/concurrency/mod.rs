//! Many processes on one ledger: contention, claims, kill -9, and other programs that work on the same files.
//!
//! Every test starts the real binary. None of them depends on who runs when: what needs a schedule makes it, or counts a round
//! that did not show it and tries again. `BD_PROOF=full` runs the figures of `docs/evidence.md`:
//!
//! ```sh
//! BD_PROOF=full cargo test --release --test proofs concurrency:: -- --nocapture --test-threads=1
//! ```

mod adds;
mod checkpoints;
mod claims;
mod fleet;
mod flow;
mod foreign_rewrite;
mod full_disk;
mod kills;
mod landing;
mod lock_gone;
mod moves;
mod one_issue;
mod read_only;
mod recovery;
mod remote_claims;
mod replans;
pub mod sandbox;
mod stale;
mod watch;
mod watch_files;
mod workflows;
mod workspaces;
