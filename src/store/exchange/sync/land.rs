//! Bringing the commits of another checkout into this one, as a sync brings those of a remote.

use std::path::Path;

use super::RepoSync;
use crate::store::read::working_copies::WorkingCopy;
use crate::store::{Result, Snapshot, Store};
use crate::vcs::{self, Integrated, Integration, Route, SyncError};

/// Commits to bring home.
#[derive(Debug, Clone, Copy)]
pub struct Arriving<'a> {
    /// The last of them.
    pub commit: &'a str,
    /// The branch, for people.
    pub branch: &'a str,
}

impl Arriving<'_> {
    fn message(&self) -> String {
        format!("merge {}", self.branch)
    }
}

/// What bringing commits home did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landed {
    /// The commit that was checked out before.
    pub before: String,
    pub after: String,
    /// Both sides had changed one of these issues.
    pub merged: Vec<String>,
}

impl Snapshot {
    /// The working copy of the primary, with version control.
    fn own_copy(&self) -> Result<WorkingCopy> {
        let copies = self.versioned_copies(Some(0))?;
        let own = copies.into_iter().find(|copy| copy.members.contains(&0) && copy.vcs.is_versioned());
        own.ok_or_else(|| SyncError::NoVcs { root: self.repo.root().to_owned() }.into())
    }

    /// The commit that is checked out in the working copy of the primary.
    pub fn checked_out(&self) -> Result<String> {
        let copy = self.own_copy()?;
        let head = copy.vcs.head(&self.host.env)?;
        head.ok_or_else(|| SyncError::NoVcs { root: copy.root.clone() }.into())
    }

    /// Whether a commit is in the history of what is checked out in the working copy of the primary.
    pub fn contains(&self, commit: &str) -> Result<bool> {
        let (copy, env) = (self.own_copy()?, &self.host.env);
        let (Some(head), Some(commit)) = (copy.vcs.head(env)?, copy.vcs.resolve(commit, env)?) else {
            return Ok(false);
        };
        let areas = copy.areas();
        let route = Route { ledgers: &areas, with_code: true, dry_run: None, env };
        Ok(copy.vcs.landing()?.between(&head, &commit, &route)?.is_empty())
    }

    /// The files besides ledgers that are changed and not committed.
    pub fn changed_code(&self) -> Result<Vec<std::path::PathBuf>> {
        let copy = self.own_copy()?;
        self.refuse_programs(&copy)?;
        let mut changed = copy.vcs.work(&self.host.env)?.changed;
        let areas = copy.areas();
        changed.retain(|file| !areas.iter().any(|area| area.holds(file)));
        Ok(changed)
    }

    /// Copies the commits of a branch of another checkout into the repository of the primary. Returns the last one.
    pub fn take_branch(&self, from: &Path, branch: &str) -> Result<String> {
        let copy = self.own_copy()?;
        self.refuse_programs(&copy)?;
        self.refuse_programs_of(from)?;
        Ok(copy.vcs.landing()?.take_branch(from, branch, &self.host.env)?)
    }

    /// Merges commits in another checkout of the repository that no other process uses, and returns the commit with both.
    pub fn try_landing(&self, root: &Path, arriving: &Arriving<'_>) -> Result<String> {
        let copy = WorkingCopy { vcs: vcs::open(root), root: root.to_owned(), ..self.own_copy()? };
        self.merge_sides(&copy, &mut RepoSync::default(), &arriving.message(), None, |merge| {
            copy.vcs.landing()?.land(arriving.commit, arriving.branch, merge)
        })?;
        let head = copy.vcs.head(&self.host.env)?;
        head.ok_or_else(|| SyncError::NoVcs { root: root.to_owned() }.into())
    }
}

impl Store {
    /// Brings commits into the checkout of the primary. Changes of its ledger are committed first. With `tried_on`, the
    /// commits were tried on that one: `None` if code has come since.
    pub fn land(&mut self, arriving: &Arriving<'_>, tried_on: Option<&str>) -> Result<Option<Landed>> {
        self.look_again()?;
        self.refuse_broken()?;
        let env = self.host.env.clone();
        let copy = self.own_copy()?;
        let landing = copy.vcs.landing()?;
        self.refuse_programs(&copy)?;
        self.refuse_filtered(&copy)?;
        // A ledger that is never committed stays so.
        let is_committed =
            copy.ledgers.iter().all(|ledger| copy.vcs.committed(ledger, &env).is_ok_and(|known| known.is_some()));
        let commits = is_committed && self.owns(&copy)?;
        if commits {
            self.guard_commit(&copy)?;
        }
        let locks = self.lock_ledgers(&copy.sources)?;
        if commits {
            self.commit_locked(&copy, None)?;
        }
        let before = copy.vcs.head(&env)?.unwrap_or_default();
        if let Some(tried_on) = tried_on {
            let areas = copy.areas();
            let route = Route { ledgers: &areas, with_code: true, dry_run: None, env: &env };
            if landing.between(tried_on, &before, &route)?.iter().any(|commit| commit.has_code) {
                return Ok(None);
            }
        }
        let mut one = RepoSync::default();
        let message = arriving.message();
        let land = |merge: Integration<'_>| landing.land(arriving.commit, arriving.branch, merge);
        let done = self.merge_sides(&copy, &mut one, &message, None, land)?;
        drop(locks);
        if done != Integrated::UpToDate {
            self.touch_placeholder();
            self.prune_logs(&copy);
        }
        self.host.env.residents().dismiss();
        let after = copy.vcs.head(&env)?.unwrap_or_default();
        let merged = one.merged.into_iter().map(|line| line.id).collect();
        Ok(Some(Landed { before, after, merged }))
    }
}
