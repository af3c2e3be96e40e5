//! Agents: identity, registration and liveness.

pub(in crate::ops) mod identity;
pub(in crate::ops) mod primed;
pub(in crate::ops) mod roster;
