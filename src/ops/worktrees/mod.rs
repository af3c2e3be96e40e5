//! Checkouts that people make, list and remove.

pub(in crate::ops) mod change;
pub(in crate::ops) mod status;
