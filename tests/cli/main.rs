//! The program as people and programs meet it: arguments in, stdout, stderr and exit code out.
//!
//! Every test runs the real binary in a directory of its own (see `harness`). Expected text stands in the tests.

mod about;
mod bad_input;
mod clients;
mod clients_strict;
mod closing;
mod contributing;
mod damage;
mod dependencies;
mod doors;
mod editing;
mod filing;
mod fixtures;
mod graph;
mod harness;
mod help;
mod hooks;
mod init;
mod labels;
mod leaks;
mod links;
mod listing;
mod looking;
mod offering;
mod onboarding;
mod project;
mod projects;
mod proposals;
mod proposals_odd;
mod recover;
mod remarks;
mod repos;
mod repos_bad;
mod roles;
mod schemas;
mod searching;
mod settings;
mod showing;
mod starting;
mod surroundings;
mod transfer;
mod trust;
mod updating;
mod vcs_status;
