//! What doctor finds.

use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Works, but is not as it should be.
    Note,
    /// Something may surprise.
    Warning,
    /// Something is damaged.
    Damage,
}

/// One thing that doctor found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub severity: Severity,
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    pub message: String,
    /// What can be done about it.
    pub remedy: Option<String>,
}

/// What was found, and what was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Health>,
    pub fixed: Vec<String>,
}
