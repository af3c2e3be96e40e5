//! The state of a project's files: read once, and then the same for every question.
//!
//! Settings and repos are known from the start; ledgers, claims and other checkouts are each read once, on first use. A
//! snapshot changes no file, and no question changes it.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::PoisonError;

use super::fact::Fact;
use super::index::Sources;
use super::outside::{Others, Siblings};
use crate::cache::Cache;
use crate::ledger::{Document, Ledger, LedgerError};
use crate::store::project::home_contents::HomeContents;
use crate::store::project::repos::unknown_ids;
use crate::store::project::{mark, paths};
use crate::store::state::leases::KnownLeases;
use crate::store::{Project, Refresh, Repo, Result, StoreError, Warning};

/// The issues of a project, as in its files.
#[derive(Debug)]
pub struct Snapshot {
    pub(in crate::store) project: Project,
    pub(in crate::store) sources: Sources,
    /// Counts changes of the numbers of repos and ledgers.
    pub(in crate::store) numbering: u64,
    /// Set once private values have been added to the index.
    pub(in crate::store) own: Fact<()>,
    /// Planning issues of other projects.
    pub(in crate::store) others: Fact<Others>,
    /// The versions in other checkouts.
    pub(in crate::store) siblings: Fact<Siblings>,
    pub(in crate::store) known_leases: Fact<KnownLeases>,
}

/// Many threads may use one snapshot.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Snapshot>();
};

impl Deref for Snapshot {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl DerefMut for Snapshot {
    fn deref_mut(&mut self) -> &mut Project {
        &mut self.project
    }
}

impl Snapshot {
    pub(in crate::store) fn of(project: Project) -> Result<Self> {
        let sources = Sources::of(&project.repos, unknown_ids(&project.settings, &project.repos), &project.host)?;
        Ok(Snapshot {
            project,
            sources,
            numbering: 0,
            own: Fact::default(),
            others: Fact::default(),
            siblings: Fact::default(),
            known_leases: Fact::default(),
        })
    }

    /// Accepts contents of state homes as this user's own.
    pub fn trust_homes(&mut self, words: &[HomeContents]) -> Result<()> {
        for word in words.iter().filter(|word| !word.is_trusted) {
            mark::make(&word.home, &self.host.env, self.lock_wait)?;
        }
        self.reopen()
    }

    /// Finds settings, repos and ledgers again, after one appeared or was removed.
    pub fn reopen(&mut self) -> Result<()> {
        if self.sources.is_held() {
            return Err(LedgerError::Unstable { path: self.settings.files.shared.clone() }.into());
        }
        self.project.reread()?;
        self.numbering += 1;
        let unknown = unknown_ids(&self.settings, &self.repos);
        self.sources = Sources::of(&self.repos, unknown, &self.host)?;
        (self.others, self.siblings, self.known_leases) = (Fact::default(), Fact::default(), Fact::default());
        self.own = Fact::default();
        Ok(())
    }

    /// Starts the next snapshot: every further question reads again what has changed. Repos may have other numbers
    /// afterwards.
    pub fn look_again(&mut self) -> Result<()> {
        self.look_at_issues_again();
        // Under the locks of several operations repos keep their numbers.
        if !self.sources.is_held() && !self.seen.hold_so_far() {
            self.homes.lock().unwrap_or_else(PoisonError::into_inner).clear();
            let (settings, repos, seen) = self.given.read(&self.repo, &self.host)?;
            if settings != self.settings || repos != self.repos || self.sources.have_moved(&repos) {
                self.reopen()?;
            } else {
                self.project.seen = seen;
            }
        }
        Ok(())
    }

    /// The same with known settings and repos: a lock was just taken, or something written.
    pub(in crate::store) fn look_at_issues_again(&mut self) {
        self.sources.invalidate();
        self.own = Fact::default();
        self.others.invalidate();
        self.siblings.invalidate();
        self.known_leases.invalidate();
    }

    /// Updates at once, and returns what that took.
    pub fn refresh(&mut self) -> Result<Refresh> {
        self.look_again()?;
        self.show_own()?;
        self.sources.effort()
    }

    /// Turns off making an image. Returns whether the answer will be fast; if not, ledgers larger than this in total
    /// must be read.
    pub fn glance(&mut self, most: u64) -> bool {
        self.sources.glance(most)
    }

    /// Reads the ledgers if necessary.
    pub(in crate::store) fn read_ledgers(&self) -> Result<()> {
        self.sources.read()
    }

    /// Asks the index.
    pub(in crate::store) fn ask<T>(&self, question: impl FnOnce(&mut Cache) -> crate::cache::Result<T>) -> Result<T> {
        self.show_own()?;
        self.sources.ask(question)
    }

    /// Adds a repo that a command names: one of the project, or a temporary guest.
    pub fn join(&mut self, text: &str) -> Result<usize> {
        if let Some(repo) = self.find_repo(text) {
            return Ok(repo);
        }
        let path = paths::expand(text, self.host.env.cwd(), &self.host.env);
        if Repo::at(&path, String::new()).is_none() {
            let is_path = text.contains(['/', '~']) || path.exists();
            return Err(if is_path { StoreError::NotARepo { path } } else { self.no_such_repo(text) });
        }
        self.given.guests.push(paths::real(&path).display().to_string());
        self.reopen()?;
        self.find_repo(text).ok_or(StoreError::NotARepo { path })
    }

    /// The ledgers and their contents as last read, each with its repo.
    pub fn documents(&self) -> Vec<(usize, &Ledger, &Document)> {
        self.sources.documents().collect()
    }

    /// The ledger of a repo; the first if there are two.
    pub fn ledger_path(&self, repo: usize) -> Option<&Path> {
        self.sources.of_member(repo).first().map(|source| self.sources.ledger(*source).path())
    }

    /// Problems beside the actual result.
    pub fn notices(&self) -> Vec<Warning> {
        self.notices.all()
    }

    /// Records that a claim could not be made on the remote.
    pub fn claim_is_local(&self, message: String) {
        self.notices.add(Warning::ClaimIsLocal { message });
    }

    /// The prefix of new ids in a repo: as configured, here or for the original, else the most common one, else derived
    /// from the directory's name.
    pub fn prefix(&self, repo: usize) -> Result<String> {
        if let Some(prefix) = self.repos.members[repo].named_prefix() {
            return Ok(prefix);
        }
        let usual = self.sources.usual_prefix(repo)?;
        Ok(usual.unwrap_or_else(|| self.repos.members[repo].repo.default_prefix()))
    }

    /// Problems of files, repos and settings, as far as questions have found them.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut found: Vec<Warning> = self.settings.broken.iter().cloned().map(Warning::Config).collect();
        found.extend(self.settings.unknown().cloned().map(Warning::UnknownKey));
        found.extend(self.settings.overruled().cloned().map(Warning::Held));
        found.extend(self.repos.problems.iter().cloned().map(Warning::Repo));
        for member in self.repos.members.iter().skip(1) {
            found.extend(member.broken.clone().map(Warning::Config));
        }
        for (member, message) in self.sources.last_troubles() {
            found.push(Warning::Unread { repo: self.name(member).to_owned(), message });
        }
        found.extend(self.removed());
        found.extend(self.sibling_problems().cloned());
        let lines = self.sources.warnings();
        if self.is_past() {
            // These lines are in no current file, and cannot be repaired.
            found.extend((!lines.is_empty()).then_some(Warning::DamagedThen { lines: lines.len() }));
        } else {
            found.extend(lines.into_iter().map(Warning::Line));
        }
        found.extend(self.notices.all());
        found
    }
}
