//! The names under which a file is followed.

use std::path::{Path, PathBuf};

/// A file to follow through its past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trail {
    names: Vec<PathBuf>,
    usual: &'static [&'static str],
}

impl Trail {
    /// A file that has one name.
    pub fn of(file: &Path) -> Self {
        Trail { names: vec![file.to_owned()], usual: &[] }
    }

    /// A file with these names, of which each may exist. If one of its former names was a usual one for such a file,
    /// all usual names in that directory count.
    pub fn named(names: Vec<PathBuf>, usual: &'static [&'static str]) -> Self {
        Trail { names, usual }
    }

    /// The names at the end of the trail, from the root.
    pub fn names(&self) -> &[PathBuf] {
        &self.names
    }

    /// The usual names in the directory of a file.
    pub fn beside(&self, file: &Path) -> Vec<PathBuf> {
        self.usual.iter().map(|name| file.with_file_name(name)).collect()
    }

    /// The names that belong to a former one.
    pub(super) fn family(&self, former: PathBuf) -> Vec<PathBuf> {
        let usual = self.beside(&former);
        if usual.contains(&former) { usual } else { vec![former] }
    }
}
