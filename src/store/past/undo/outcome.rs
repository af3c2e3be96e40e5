//! What came of an undo.

/// A write that is undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneWrite {
    /// The command, if known.
    pub command: String,
    pub at: String,
    /// The commit that shows it, if the log does not have it.
    pub commit: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoAction {
    /// Values are reverted.
    Reverted,
    /// The write had added the issue.
    Removed,
    /// The write had removed the line.
    Restored,
}

/// The effect of an undo on one issue in one repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneIssue {
    pub id: String,
    pub source_repo: String,
    pub action: UndoAction,
    /// The reverted fields.
    pub fields: Vec<String>,
    /// The resulting line.
    pub line: Option<String>,
}

/// The writes that were undone, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undo {
    /// Newest first.
    pub writes: Vec<UndoneWrite>,
    pub issues: Vec<UndoneIssue>,
    /// Repairs in between, which are not undone.
    pub repairs: Vec<UndoneWrite>,
}
