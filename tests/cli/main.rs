//! The program as people and programs meet it: arguments in, stdout, stderr and exit code out.
//!
//! Every test runs the real binary in a directory of its own (see `harness`). Expected text stands in the tests.

mod about;
mod bad_input;
mod clients;
mod clients_strict;
mod closing;
mod damage;
mod dependencies;
mod editing;
mod filing;
mod fixtures;
mod graph;
mod harness;
mod help;
mod init;
mod labels;
mod links;
mod listing;
mod looking;
mod offering;
mod proposals;
mod remarks;
mod schemas;
mod searching;
mod showing;
mod starting;
mod surroundings;
mod transfer;
mod updating;
mod vcs_status;
