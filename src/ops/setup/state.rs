//! The requested action, and the state of a file afterwards.

use crate::model::words::words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupAction {
    Install,
    Check,
    Remove,
    Print,
}

words! {
    /// The state of a file, or what became of it.
    pub enum SetupState {
        Installed = "installed",
        Missing = "missing",
        Outdated = "outdated",
        /// It is there, with changes of the user's.
        Edited = "edited",
        /// It is there, and a setting of the client turns it off.
        Disabled = "disabled",
        Added = "added",
        Updated = "updated",
        Removed = "removed",
        /// It is not as `bd` wrote it, or still needed.
        Kept = "kept",
    }
}

impl SetupState {
    /// Whether a client finds what it needs.
    pub fn is_in_effect(self) -> bool {
        matches!(self, SetupState::Installed | SetupState::Edited)
    }
}
