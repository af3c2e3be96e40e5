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
use crate::ops::{ISSUE_VARIABLE, Result, here};
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
    /// For the output of the check.
    scratch: TempDir,
    command: String,
    limit: i64,
}

impl Trial {
    /// Makes the checkout, at a commit of the one that work comes home to.
    pub(super) fn begin(home: &Store, parent: &Path, command: &str, commit: &str) -> Result<Self> {
        let directory = clear(home, parent)?;
        let limit = duration::parse(home.settings().word("land.timeout")).unwrap_or(LONGEST).min(LONGEST);
        let root = directory.join(format!("{NAME}{}", std::process::id()));
        let scratch = sys::path::private_scratch("bd-check-");
        let scratch = scratch.map_err(|e| StoreError::from(FsError::new("make", std::env::temp_dir(), e)))?;
        let trial = Trial { root, scratch, command: command.to_owned(), limit };
        let new = vcs::NewCheckout { path: trial.root.clone(), branch: None, base: Some(commit.to_owned()) };
        let parent = vcs::open(parent);
        parent.linking().and_then(|linking| linking.add_checkout(&new, &home.host().env)).map_err(StoreError::from)?;
        Ok(trial)
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
        if !self.root.join(".git").exists() {
            let why = "it deleted the checkout that it ran in".to_owned();
            return Err(WorkspaceError::CheckFails { command: self.command.clone(), why, output: String::new() }.into());
        }
        let wrote = Workspace {
            kind: Kind::Worktree,
            path: self.root.display().to_string(),
            parent: here::root(home).display().to_string(),
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

/// Removes the checkouts that landings have left behind, and returns the directory for a new one.
pub(super) fn clear(home: &Store, parent: &Path) -> Result<PathBuf> {
    let directory = places::base(home)?.join(home.repository_id(0)?);
    places::prepare(&directory)?;
    let vcs = vcs::open(parent);
    let is_left = |one: &vcs::Checkout| {
        let name = one.root.file_name().map(|name| name.to_string_lossy().into_owned());
        one.root.parent() == Some(&directory) && name.is_some_and(|name| name.starts_with(NAME))
    };
    for left in vcs.checkouts().into_iter().filter(is_left) {
        // The rest is deleted as plain files.
        let _ = vcs.landing().and_then(|landing| landing.drop_trial(&left.root, &home.host().env));
    }
    let left = sys::path::entries(&directory).map_err(|e| StoreError::from(FsError::new("read", &directory, e)))?;
    for left in left.flatten().filter(|left| left.file_name().to_string_lossy().starts_with(NAME)) {
        removal::remove(&left.path()).map_err(StoreError::from)?;
    }
    Ok(directory)
}
