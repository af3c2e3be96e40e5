//! probe
pub mod cache;
pub mod cli;
pub mod ledger;
pub mod model;
pub mod ops;
pub mod store;
pub mod sys;
pub mod vcs;
pub mod view;
