//! Shared by all tests: the level of effort, programs that may be missing, temporary directories, fixtures that are
//! built once, and waiting for a condition.

#![allow(dead_code, reason = "two test programs share this, and neither uses all of it")]

pub mod checkouts;
pub mod dice;
pub mod effort;
pub mod fixture;
pub mod harness;
pub mod ledger;
pub mod place;
pub mod process;
pub mod programs;
pub mod project;
pub mod repos;
pub mod schema;
pub mod terminal;
pub mod user;
pub mod wait;
