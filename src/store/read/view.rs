//! What the ledgers of a project say: read, kept up to date with the files, and asked. A view changes no ledger.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::path::Path;

use super::grounds::Grounds;
use super::others::{Others, Siblings};
use super::source::Sources;
use crate::cache::Cache;
use crate::ledger::{Document, Ledger, LedgerError};
use crate::store::project::place;
use crate::store::project::repos::unknown_ids;
use crate::store::{Project, Refresh, Repo, Result, StoreError, Warning, claims};
use crate::sys::looks;

/// The issues of a project, as its files have them.
#[derive(Debug)]
pub struct View {
    pub(in crate::store) project: Project,
    pub(in crate::store) sources: Sources,
    pub(in crate::store) cache: Cache,
    /// How often repos and ledgers were numbered anew.
    pub(in crate::store) numbering: u64,
    /// What went wrong beside a write that stands.
    pub(in crate::store) notices: Vec<Warning>,
    /// Writes that stand and are not in the log.
    pub(in crate::store) unlogged: RefCell<Vec<Warning>>,
    /// Planning issues of other projects, as last found.
    pub(in crate::store) others: Others,
    /// What other checkouts say, as last read.
    pub(in crate::store) siblings: Siblings,
    /// The claims, as last read.
    pub(in crate::store) known_leases: Option<claims::KnownLeases>,
    /// What answers rested on when somebody last asked whether they still hold.
    pub(in crate::store) grounds: Grounds,
}

impl Deref for View {
    type Target = Project;

    fn deref(&self) -> &Project {
        &self.project
    }
}

impl DerefMut for View {
    fn deref_mut(&mut self) -> &mut Project {
        &mut self.project
    }
}

impl View {
    pub(in crate::store) fn of(project: Project) -> Result<Self> {
        let sources = Sources::of(&project.repos, unknown_ids(&project.settings, &project.repos), &project.host)?;
        Ok(View {
            project,
            sources,
            cache: Cache::empty(),
            numbering: 0,
            notices: Vec::new(),
            unlogged: RefCell::default(),
            others: Others::default(),
            siblings: Siblings::default(),
            known_leases: None,
            grounds: Grounds::default(),
        })
    }

    /// Looks for settings, repos and ledgers anew, after one came or went.
    pub fn reopen(&mut self) -> Result<()> {
        if self.sources.is_held() {
            return Err(LedgerError::Unstable { path: self.settings.files.shared.clone() }.into());
        }
        self.project.reread()?;
        self.numbering += 1;
        let unknown = unknown_ids(&self.settings, &self.repos);
        self.sources = Sources::of(&self.repos, unknown, &self.host)?;
        self.cache = Cache::empty();
        self.siblings = Siblings::default();
        self.known_leases = None;
        Ok(())
    }

    /// Brings a repo into the view that a command names: one of the project, or a guest for this once.
    pub fn join(&mut self, text: &str) -> Result<usize> {
        if let Some(repo) = self.find_repo(text) {
            return Ok(repo);
        }
        let path = place::expand(text, self.host.env.cwd(), &self.host.env);
        if Repo::at(&path, String::new()).is_none() {
            let known = self.repos.members.iter().map(|member| member.name.clone()).collect();
            return Err(if text.contains(['/', '~']) || path.exists() {
                StoreError::NotARepo { path }
            } else {
                StoreError::NoSuchRepo { text: text.to_owned(), known }
            });
        }
        self.given.guests.push(place::real(&path).display().to_string());
        self.reopen()?;
        self.find_repo(text).ok_or(StoreError::NotARepo { path })
    }

    /// The ledgers and their text, as last read, with the repo that each belongs to.
    pub fn documents(&self) -> Vec<(usize, &Ledger, &Document)> {
        self.sources.documents().collect()
    }

    /// The ledger of a repo, the first one if there are two.
    pub fn ledger_path(&self, repo: usize) -> Option<&Path> {
        self.sources.of_member(repo).first().map(|source| self.sources.ledger(*source).path())
    }

    /// Notes that the remote still knows a claim that has ended here.
    pub fn claim_stays(&mut self, id: &str, message: String) {
        self.notices.push(Warning::ClaimStays { id: id.to_owned(), message });
    }

    /// The prefix of new ids in a repo: as configured, here or for the original, else the one most ids bear, else made from the
    /// directory's name.
    pub fn prefix(&mut self, repo: usize) -> Result<String> {
        if let Some(prefix) = self.repos.members[repo].named_prefix() {
            return Ok(prefix);
        }
        self.read_ledgers()?;
        let usual = self.sources.usual_prefix(&self.cache, repo)?;
        Ok(usual.unwrap_or_else(|| self.repos.members[repo].repo.default_prefix()))
    }

    /// Brings the answers up to date with the files.
    pub fn refresh(&mut self) -> Result<Refresh> {
        self.look_around()?;
        let refreshed = self.sources.refresh(&mut self.cache)?;
        self.show_own()?;
        Ok(refreshed)
    }

    /// Brings the documents up to date. Enough for ids; the cache is filled only if it was before.
    pub(in crate::store) fn read_ledgers(&mut self) -> Result<()> {
        self.sources.read(&mut self.cache)
    }

    /// Notices settings that were edited, and repos that came or went. Repos may have other numbers afterwards.
    pub(in crate::store) fn look_around(&mut self) -> Result<()> {
        // Under the locks of several operations repos keep their numbers.
        if !self.sources.is_held() && self.surroundings.iter().any(|(path, known)| looks::stamp(path) != *known) {
            self.homes.borrow_mut().clear();
            let (settings, repos, surroundings) = self.given.read(&self.repo, &self.host)?;
            if settings != self.settings || repos != self.repos || self.sources.have_moved(&repos) {
                self.reopen()?;
            } else {
                self.surroundings = surroundings;
            }
        }
        Ok(())
    }

    /// What is odd about the files, the repos and the settings, as of the last refresh.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut found: Vec<Warning> = self.settings.broken.iter().cloned().map(Warning::Config).collect();
        found.extend(self.settings.unknown().cloned().map(Warning::UnknownKey));
        found.extend(self.settings.overruled().cloned().map(Warning::Held));
        found.extend(self.repos.problems.iter().cloned().map(Warning::Repo));
        for member in self.repos.members.iter().skip(1) {
            found.extend(member.broken.clone().map(Warning::Config));
        }
        for (member, message) in self.sources.troubles() {
            found.push(Warning::Unread { repo: self.name(member).to_owned(), message });
        }
        found.extend(self.removed());
        found.extend(self.sibling_problems().cloned());
        let lines = self.sources.warnings();
        if (0..self.sources.len()).any(|source| self.sources.is_frozen(source)) {
            // No file has these lines now, and nothing can be mended.
            found.extend((!lines.is_empty()).then_some(Warning::DamagedThen { lines: lines.len() }));
        } else {
            found.extend(lines.into_iter().map(Warning::Line));
        }
        found.extend(self.damaged_records.borrow().iter().cloned());
        found.extend(self.unlogged.borrow().iter().cloned());
        found.extend(self.notices.iter().cloned());
        found
    }
}
