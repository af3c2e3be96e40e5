//! What a workspace is to be.

use std::path::PathBuf;

use crate::model::workspace::Kind;

/// What is run in a new workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SetupWish {
    /// What the settings say.
    #[default]
    Usual,
    Nothing,
    Command(String),
}

/// A workspace to make.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceWish {
    /// The issue that it is for, by its full id.
    pub issue: Option<String>,
    pub workflow: Option<String>,
    /// The repo of the project that it is a checkout of; without one, the primary.
    pub repo: Option<usize>,
    /// Without one, what the settings say.
    pub kind: Option<Kind>,
    /// Without one, a new one with the name of the issue, or with that of the workspace.
    pub branch: Option<String>,
    /// Where a new branch begins; without one, at what is checked out in the parent.
    pub base: Option<String>,
    /// Without one, in the directory for workspaces.
    pub path: Option<PathBuf>,
    pub setup: SetupWish,
    /// Patterns of ignored files to copy, beside those of the settings.
    pub copy: Vec<String>,
    /// Whether an idle one may be taken; without a word, what the settings say.
    pub reuse: Option<bool>,
}
