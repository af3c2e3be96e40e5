//! Why a configured repo is not, or not completely, part of the project.

use std::path::{Path, PathBuf};

use crate::store::BEADS_DIR;

/// The setting that joins repos.
const ADDITIONAL: &str = "repos.additional";

/// Why a configured repo is not, or not completely, part of the project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoProblem {
    #[error("{key} names {text}, but that directory does not exist ({})", path.display())]
    Missing { key: &'static str, text: String, path: PathBuf },
    #[error("{key} names {text}: {} has no {BEADS_DIR} directory and no ledger", path.display())]
    NoRepo { key: &'static str, text: String, path: PathBuf },
    #[error("{key} names {text}: {message}")]
    Unusable { key: &'static str, text: String, path: PathBuf, message: String },
    #[error(
        "{key} names {text}, outside of this repository, in a file that is committed; it is not used until you trust it"
    )]
    Untrusted { key: &'static str, text: String, path: PathBuf },
    #[error("repos.additional lists {name} twice ({first} and {second}); it counts once")]
    Twice { name: String, first: String, second: String },
    #[error("repos.exclude in the committed file names {text}, which you have joined; it stays")]
    Joined { text: String, path: PathBuf },
    #[error("{name} is inside the working copy of {outer}, so its files can be committed there by accident")]
    Nested { name: String, outer: String },
}

impl RepoProblem {
    /// A joined repo that is only left out.
    pub fn is_unused(&self) -> bool {
        match self {
            RepoProblem::Missing { key, .. } | RepoProblem::NoRepo { key, .. } | RepoProblem::Untrusted { key, .. } => {
                *key == ADDITIONAL
            }
            _ => false,
        }
    }

    /// The actual or expected path of the repo that is left out.
    pub fn left_out(&self) -> Option<&Path> {
        match self {
            RepoProblem::Missing { path, .. }
            | RepoProblem::NoRepo { path, .. }
            | RepoProblem::Unusable { path, .. }
            | RepoProblem::Untrusted { path, .. } => Some(path),
            RepoProblem::Twice { .. } | RepoProblem::Joined { .. } | RepoProblem::Nested { .. } => None,
        }
    }
}
