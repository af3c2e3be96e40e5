//! Stories and conformance: what `bd` does, command by command, law by law, with each version control system.
//!
//! ```sh
//! cargo test --test stories cli::claim         # a part of them
//! ```
//!
//! Every test works in a directory of its own and may run beside any other. Tests that start many processes at once, kill
//! them or trace them are in `proofs`. How much a test tries depends on the level of effort: see `docs/evidence.md`.

mod architecture;
mod cli;
mod docs;
mod leaks;
mod library;
mod properties;
mod support;
mod vcs;
