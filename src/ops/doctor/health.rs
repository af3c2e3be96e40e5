//! Findings of doctor.

use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Works, but should be different.
    Note,
    /// Something may surprise.
    Warning,
    /// Data is damaged.
    Damage,
}

/// A single finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub severity: Severity,
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    pub message: String,
    /// How to fix it.
    pub remedy: Option<String>,
}

/// Findings and repairs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Health>,
    pub fixed: Vec<String>,
}
