//! Clones that exchange their ledgers: that they all come to the same bytes, and that nothing acknowledged is lost on the way.
//!
//! `bd sync` is always the real binary, each clone has a home of its own, and git, jj and hg are the real programs; a missing
//! one is named and counted on stderr, and with `CI=true` it is a failure. How many seeds and operations are tried depends on
//! the level of effort; `BD_PROOF=full` runs the figures of `docs/evidence.md`:
//!
//! ```sh
//! BD_PROOF=full cargo test --release --test proofs sync:: -- --nocapture --test-threads=1
//! ```
//!
//! A story that fails prints its seed and keeps its directory; `BD_SEEDS=7..8` tells that one alone.

mod converge;
mod kills;
mod load;
mod person;
mod race;
mod states;
mod story;
mod three;
mod world;
