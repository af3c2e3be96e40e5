//! A placeholder for a database: some clients of the original find a project only by `.beads/*.db`, and watch that
//! file.
//!
//! Owns `.beads/beads.db`, only in the primary repo and while `legacy.db` is set. It is never read. It is not empty:
//! the original would treat an empty file as a new database and write an empty ledger from it. An existing database is
//! only touched.

use std::path::{Path, PathBuf};

use super::databases::{TEXT, databases};
use super::paths;
use super::planning_repo::exclude_line;
use crate::store::Project;
use crate::sys::below;
use crate::sys::fs::{Dir, FsError};
use crate::vcs;

pub const PLACEHOLDER_NAME: &str = "beads.db";
/// Lines in `.beads/.gitignore` that cover it.
const IGNORED: [&str; 2] = ["*.db", PLACEHOLDER_NAME];

impl Project {
    /// Creates or touches the placeholder if the settings ask for one; otherwise removes it.
    pub fn keep_placeholder(&self) -> Result<(), FsError> {
        let beads = self.repos.primary_member().repo.beads();
        let dir = Dir::root(beads)?;
        if !self.settings.flag("legacy.db") {
            let is_ours = dir.starts_with(PLACEHOLDER_NAME, TEXT.as_bytes());
            return if is_ours { dir.remove(PLACEHOLDER_NAME) } else { Ok(()) };
        }
        if dir.regular_at(PLACEHOLDER_NAME)?.is_some() {
            return dir.touch(PLACEHOLDER_NAME);
        }
        keep_out_of_commits(beads)?;
        dir.create(PLACEHOLDER_NAME, TEXT.as_bytes(), &self.host.entropy).map(drop)
    }

    /// Databases that the original left in the primary repo.
    pub fn old_databases(&self) -> Vec<PathBuf> {
        databases(self.repos.primary_member().repo.beads())
    }

    /// Notifies old clients of a write. Failure is ignored: the write is on disk.
    pub(in crate::store) fn touch_placeholder(&self) {
        if self.settings.flag("legacy.db") {
            let _ = self.keep_placeholder();
        }
    }
}

/// Makes git ignore the placeholder if the ignore file of this directory does not.
fn keep_out_of_commits(beads: &Path) -> Result<(), FsError> {
    let known = below::text(beads, ".gitignore")?.unwrap_or_default();
    let Some(exclude) = vcs::exclude_file(beads).filter(|_| !known.lines().any(|line| IGNORED.contains(&line.trim())))
    else {
        return Ok(());
    };
    let root = vcs::root(beads).map(|root| paths::real(&root)).unwrap_or_default();
    let file = paths::real(beads).join(PLACEHOLDER_NAME);
    exclude_line(&exclude, &format!("/{}", file.strip_prefix(&root).unwrap_or(&file).display()))
}
