//! Errors of checkpoints.

use crate::store::SyncError;

#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Snapshot(#[from] SyncError),
    #[error("no checkpoint matches {typed:?}")]
    NotFound { typed: String },
    #[error("{typed:?} is the beginning of several: {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
    #[error("{actor} has no issue in progress; name one")]
    NoIssue { actor: String },
    #[error("{actor} has several issues in progress; name one of {}", ids.join(" "))]
    SeveralIssues { actor: String, ids: Vec<String> },
    #[error("{word:?} is not a type of checkpoint; known: {}", crate::model::checkpoint::CheckpointKind::KNOWN.join(" "))]
    Kind { word: String },
    #[error("the summary is empty")]
    NoSummary,
    #[error("the detail is not one value of JSON")]
    Detail,
    #[error("{id} was made without --snapshot, so it has no files to restore")]
    NoSnapshot { id: String },
    #[error("{} exists and is not empty", path.display())]
    InTheWay { path: std::path::PathBuf },
}
