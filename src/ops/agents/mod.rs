//! Agents: who they are, who is registered, and whether they are still there.

pub(in crate::ops) mod identity;
pub(in crate::ops) mod primed;
pub(in crate::ops) mod roster;
