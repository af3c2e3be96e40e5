//! probe
pub mod model;
