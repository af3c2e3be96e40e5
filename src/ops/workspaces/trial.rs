//! The checkout in which work is merged and checked before it comes home.
//!
//! It is a linked worktree on no branch, beside the workspaces, and exists only during a landing. One that a killed
//! process left is removed by the next landing.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::lines::bring_home;
use super::setup::{Failed, Shell};
use super::{WorkspaceError, places};
use crate::model::duration;
use crate::model::time::SECOND;
use crate::model::workspace::{Kind, Workspace};
use crate::ops::{ISSUE_VARIABLE, Result};
use crate::store::{Store, StoreError};
use crate::sys::fs::FsError;
use crate::sys::removal;
use crate::{sys, vcs};

const NAME: &str = ".landing-";
const LOG: &str = "check.log";
/// The longest time for a check, in nanoseconds.
const LONGEST: i64 = 15 * 60 * SECOND;

pub(super) struct Trial {
    pub root: PathBuf,
    parent: PathBuf,
    /// For the output of the check.
    scratch: TempDir,
    command: String,
    limit: i64,
}

impl Trial {
    /// Makes the checkout, at a commit of the one that work comes home to.
    pub(super) fn begin(home: &Store, parent: &Path, command: &str, commit: &str) -> Result<Self> {
        let repo = home.repository_id(0)?;
        let directory = places::base(home)?.join(repo);
        places::prepare(&directory)?;
        let limit = duration::parse(home.settings().word("land.timeout")).unwrap_or(LONGEST).min(LONGEST);
        let left = sys::path::entries(&directory).map_err(|e| StoreError::from(FsError::new("read", &directory, e)))?;
        let left = left.flatten();
        for left in left.filter(|left| left.file_name().to_string_lossy().starts_with(NAME)) {
            remove(home, parent, &left.path())?;
        }
        // git refuses a path that it still knows from one whose removal was interrupted.
        let root = directory.join(format!("{NAME}{}", std::process::id()));
        let scratch = sys::path::private_scratch("bd-check-");
        let scratch = scratch.map_err(|e| StoreError::from(FsError::new("make", std::env::temp_dir(), e)))?;
        let trial = Trial { root, parent: parent.to_owned(), scratch, command: command.to_owned(), limit };
        let new = vcs::NewCheckout { path: trial.root.clone(), branch: None, base: Some(commit.to_owned()) };
        let parent = vcs::open(&trial.parent);
        parent.linking().and_then(|linking| linking.add_checkout(&new, &home.host().env)).map_err(StoreError::from)?;
        Ok(trial)
    }

    pub(super) fn end(&self, home: &Store) -> Result<()> {
        remove(home, &self.parent, &self.root)
    }

    pub(super) fn set_to(&self, home: &Store, commit: &str) -> Result<()> {
        let there = vcs::open(&self.root);
        Ok(there.landing().and_then(|landing| landing.set_to(commit, &home.host().env)).map_err(StoreError::from)?)
    }

    /// Runs the check on what is checked out there. Issues that it writes there are brought home.
    pub(super) fn check(&self, home: &mut Store, commit: &str, issue: Option<&str>) -> Result<Option<Failed>> {
        let shell = Shell {
            command: self.command.clone(),
            directory: self.root.clone(),
            vars: issue.iter().map(|id| (ISSUE_VARIABLE.to_owned(), (*id).to_owned())).collect(),
            log: self.scratch.path().join(LOG),
            limit: self.limit,
        };
        let failed = shell.run(home)?;
        let wrote = Workspace {
            kind: Kind::Worktree,
            path: self.root.display().to_string(),
            parent: self.parent.display().to_string(),
            base_commit: Some(commit.to_owned()),
            ..Workspace::default()
        };
        bring_home(home, &wrote, &self.root)?;
        match failed {
            Some(failed) if failed.is_interrupted => {
                Err(WorkspaceError::CheckInterrupted { command: self.command.clone() }.into())
            }
            failed => Ok(failed),
        }
    }

    /// Refuses to blame the work for what fails without it.
    pub(super) fn refuse_without(&self, home: &mut Store, commit: &str) -> Result<()> {
        self.set_to(home, commit)?;
        match self.check(home, commit, None)? {
            None => Ok(()),
            Some(Failed { why, output, .. }) => {
                Err(WorkspaceError::CheckFails { command: self.command.clone(), why, output }.into())
            }
        }
    }
}

fn remove(home: &Store, parent: &Path, root: &Path) -> Result<()> {
    if vcs::root(root).as_deref() == Some(root) {
        // The rest is deleted as plain files.
        let _ = vcs::remove_checkout(&*vcs::open(parent), root, true, &home.host().env);
    }
    Ok(removal::remove(root).map_err(StoreError::from)?)
}
