//! What came of an undo.

/// A write that is taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneWrite {
    /// The command, where it is known.
    pub command: String,
    pub at: String,
    /// The commit that it is taken from, where the log knows nothing.
    pub commit: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoAction {
    /// Values go back.
    Reverted,
    /// The write had made the issue.
    Removed,
    /// The write had taken the line out.
    Restored,
}

/// What taking writes back does to one issue in one repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneIssue {
    pub id: String,
    pub source_repo: String,
    pub action: UndoAction,
    /// What goes back.
    pub fields: Vec<String>,
    /// The line as it is then.
    pub line: Option<String>,
}

/// What was, or would be, taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undo {
    /// Newest first.
    pub writes: Vec<UndoneWrite>,
    pub issues: Vec<UndoneIssue>,
    /// Writes in between that only put a file in order: they stay.
    pub repairs: Vec<UndoneWrite>,
}
