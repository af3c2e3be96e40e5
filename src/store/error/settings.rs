//! Errors in settings, as they are written and as they are edited.

use std::path::PathBuf;

use crate::sys::fs::FsError;
use crate::sys::lock::LockError;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Fs(#[from] FsError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("{path}: {key} is not a table, so {name} cannot be set in it")]
    Shape { path: String, key: String, name: String },
    #[error("cannot record that something is yours: {0}")]
    NoPlace(Box<SettingsError>),
    #[error("{path} kept changing while it was edited")]
    Unstable { path: String },
}

/// A key that means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    pub path: PathBuf,
    pub line: usize,
    pub name: String,
    pub nearest: Option<String>,
}

/// Why a config is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ConfigFault {
    /// It cannot be read, or says what makes no sense.
    #[default]
    Broken,
    /// It is not known to be this user's.
    Unmarked,
    /// It calls this a workspace of a repository that does not know it.
    Stray,
}

/// A config that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", path.display(), if *line > 0 { format!(":{line}:{column}") } else { String::new() })]
pub struct ConfigError {
    pub path: PathBuf,
    /// From 1; 0 if the file could not be read at all.
    pub line: usize,
    pub column: usize,
    pub message: String,
    pub fault: ConfigFault,
}

impl ConfigError {
    /// About a file as a whole.
    pub fn whole(path: impl Into<PathBuf>, message: impl Into<String>, fault: ConfigFault) -> Self {
        ConfigError { path: path.into(), line: 0, column: 0, message: message.into(), fault }
    }
}
