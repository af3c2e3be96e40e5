//! The description of a workspace to make.

use std::path::PathBuf;

use crate::model::workspace::Kind;

/// What to run in a new workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SetupWish {
    /// As in the settings.
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
    /// The repo of the project it is a checkout of; by default the primary.
    pub repo: Option<usize>,
    /// By default as in the settings.
    pub kind: Option<Kind>,
    /// By default a new one, named after the issue or the workspace.
    pub branch: Option<String>,
    /// Where a new branch starts; by default at the parent's checked-out commit.
    pub base: Option<String>,
    /// By default in the directory for workspaces.
    pub path: Option<PathBuf>,
    pub setup: SetupWish,
    /// Patterns of ignored files to copy, in addition to the settings'.
    pub copy: Vec<String>,
    /// Whether an idle one may be reused; by default as in the settings.
    pub reuse: Option<bool>,
}
