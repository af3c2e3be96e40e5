//! The past: history, undo, prune, and what restores lines.

pub(in crate::store) mod history;
pub(in crate::store) mod prune;
pub(in crate::store) mod recover;
pub(in crate::store) mod restore;
pub(in crate::store) mod undo;
pub(in crate::store) mod watch;
