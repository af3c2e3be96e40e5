//! Exchange with other clones: sync, hooks, leak check, conflicts.

pub(in crate::store) mod guard;
pub(in crate::store) mod hooks;
pub(in crate::store) mod leaks;
pub(in crate::store) mod resolve;
pub(in crate::store) mod sync;
