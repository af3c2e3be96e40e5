//! What is to be done, and what a file is afterwards.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupAction {
    Install,
    Check,
    Remove,
    Print,
}

/// The state of a file, or what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupState {
    Installed,
    Missing,
    Outdated,
    /// It is there, with changes of the user's.
    Edited,
    /// It is there, and a setting of the client turns it off.
    Disabled,
    Added,
    Updated,
    Removed,
    /// It is not as `bd` wrote it, or still needed.
    Kept,
}

impl SetupState {
    pub fn word(self) -> &'static str {
        match self {
            SetupState::Installed => "installed",
            SetupState::Missing => "missing",
            SetupState::Outdated => "outdated",
            SetupState::Edited => "edited",
            SetupState::Disabled => "disabled",
            SetupState::Added => "added",
            SetupState::Updated => "updated",
            SetupState::Removed => "removed",
            SetupState::Kept => "kept",
        }
    }

    /// Whether a client finds what it needs.
    pub fn is_in_effect(self) -> bool {
        matches!(self, SetupState::Installed | SetupState::Edited)
    }
}
