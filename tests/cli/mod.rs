//! The program as people and programs meet it: arguments in, stdout, stderr and exit code out.
//!
//! Every test runs the real binary in a directory of its own (see `support::harness`). Expected text stands in the tests. Each
//! folder is a subject; `cargo test --test stories cli::claim` runs one of them.

mod agents;
mod change;
mod claim;
mod find;
mod history;
mod plan;
mod repos;
mod safety;
mod share;
mod shell;
mod state;
mod workspace;
