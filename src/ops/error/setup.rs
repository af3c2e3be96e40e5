//! Why a settings file is not edited.

use std::path::PathBuf;

/// Why a file was not touched.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    #[error("{}:{line}: {what}", path.display())]
    Unreadable { path: PathBuf, line: usize, what: String },
    #[error("{} is a link that leads out of the project", path.display())]
    LeadsOut { path: PathBuf },
    #[error("{} is a link to {}, {why}", path.display(), target.display())]
    BadLink { path: PathBuf, target: PathBuf, why: &'static str },
    #[error("{} is read-only", path.display())]
    ReadOnly { path: PathBuf },
    #[error("{} exists, and bd did not write it", path.display())]
    Foreign { path: PathBuf },
    #[error("{} could end up in a pull request: version control does not ignore it, and you are a contributor here", path.display())]
    InPullRequest { path: PathBuf },
    #[error("{client} has no file for that in your home directory")]
    NotForUser { client: &'static str },
    #[error("{client} has no MCP entry, because many clients read its files")]
    NoServer { client: &'static str },
    #[error("HOME is not set")]
    NoHome,
}
