//! Findings of doctor.

use std::path::PathBuf;

use crate::model::words::words;

words! {
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// Works, but should be different.
        Note = "note",
        /// Something may surprise.
        Warning = "warning",
        /// Data is damaged.
        Damage = "damage",
    }
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

impl Health {
    pub fn in_file(&mut self, file: impl Into<PathBuf>) -> &mut Self {
        self.file = Some(file.into());
        self
    }

    /// Lines count from 1; without one, it is about the whole file.
    pub fn in_line(&mut self, file: impl Into<PathBuf>, line: usize) -> &mut Self {
        self.line = Some(line).filter(|line| *line > 0);
        self.in_file(file)
    }

    pub fn with(&mut self, remedy: impl Into<String>) {
        self.remedy = Some(remedy.into());
    }
}

/// Findings and repairs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Health>,
    pub fixed: Vec<String>,
}

impl Report {
    pub fn note(&mut self, message: impl Into<String>) -> &mut Health {
        self.find(Severity::Note, message)
    }

    pub fn warn(&mut self, message: impl Into<String>) -> &mut Health {
        self.find(Severity::Warning, message)
    }

    pub fn damage(&mut self, message: impl Into<String>) -> &mut Health {
        self.find(Severity::Damage, message)
    }

    /// Adds what was found, which may be in a file and have a remedy.
    pub fn find(&mut self, severity: Severity, message: impl Into<String>) -> &mut Health {
        let message = message.into();
        self.findings.push(Health { severity, file: None, line: None, message, remedy: None });
        self.findings.last_mut().expect("it was just put there")
    }
}
