//! probe
pub mod ledger;
pub mod model;
pub mod sys;
