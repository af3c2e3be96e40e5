//! The project that a planning issue belongs to. Several projects may share a planning repo: each hands out and
//! proposes its own issues.

use std::collections::HashMap;
use std::path::Path;

use super::outside::Others;
use crate::model::proposal::{Owner, is_companion_line};
use crate::model::record::Record;
use crate::model::{issue, state_id};
use crate::store::{Project, Result, Snapshot, StoreError};
use crate::sys::fs::FileStamp;
use crate::vcs::{self, Identity};

impl Project {
    /// Whether a record names this repo.
    pub(in crate::store) fn is_owner(&self, owner: &Owner, repo: usize) -> bool {
        let root = self.repos.members[repo].repo.root();
        let own = || Identity::of(root, &self.host.env);
        vcs::has_commit(root, &owner.id)
            || self.known_repository_id(repo).as_ref() == Some(&owner.id)
            || owner.remotes.iter().chain([&owner.id]).any(|remote| own().has_remote(remote))
    }

    /// Whether a working copy belongs to the project that a record names, judging by its history and its remotes.
    pub(in crate::store) fn comes_from(&self, owner: &Owner, root: &Path) -> bool {
        let own = || Identity::of(root, &self.host.env);
        vcs::begins_with(root, &owner.id) || owner.remotes.iter().any(|remote| own().has_remote(remote))
    }

    /// A repo of this project, other than planning repos, is the project that a record names.
    fn is_ours(&self, owner: &Owner) -> bool {
        (0..self.repos.members.len()).any(|repo| !self.is_planning(repo) && self.is_owner(owner, repo))
    }

    /// A plan was filed neither for a repo nor for this project, which may propose its plans to every repo it joins.
    pub(in crate::store) fn is_of_another(&self, owner: &Owner, repo: usize) -> bool {
        !self.is_owner(owner, repo) && (repo == 0 || !self.is_owner(owner, 0))
    }

    /// Refuses to propose an issue to a repo if it was filed for another project.
    pub(in crate::store) fn refuse_other_project(&self, id: &str, planning: &Record<'_>, repo: usize) -> Result<()> {
        match Owner::of(planning).filter(|owner| self.is_of_another(owner, repo)) {
            Some(owner) => Err(StoreError::OtherProject { id: id.to_owned(), project: owner.name }),
            None => Ok(()),
        }
    }
}

impl Snapshot {
    /// The record of this project in planning issues.
    pub fn project_record(&self) -> Result<Owner> {
        self.read_ledgers()?;
        self.owner_record(0)
    }

    /// Planning issues without a project: they belong to every project that uses the repo.
    pub fn without_project(&self) -> Result<Vec<String>> {
        self.read_ledgers()?;
        let mut found = Vec::new();
        for source in self.planning_sources() {
            let Some((document, _)) = self.sources.read_of(source) else { continue };
            let records = (0..document.len()).filter_map(|line| document.record(line));
            let open = records.filter(|record| Owner::of(record).is_none() && !issue::status_of(record).is_done());
            found.extend(open.filter_map(|record| record.string("id").map(|id| id.into_owned())));
        }
        Ok(found)
    }

    /// The record of a repo in planning issues: one already in use, else its first commit, the address of its remote,
    /// or an id of its own.
    pub(in crate::store) fn owner_record(&self, repo: usize) -> Result<Owner> {
        let name = self.prefix(repo)?;
        let root = self.repos.members[repo].repo.root().to_owned();
        let identity = Identity::of(&root, &self.host.env);
        // A minted id is unknown in other clones: prefer the first commit, once there is one.
        let lasts = |owner: &Owner| !state_id::is(state_id::REPOSITORY, &owner.id);
        let known = self.recorded().into_iter().find(|owner| lasts(owner) && self.is_owner(owner, repo));
        let id = known.map(|owner| owner.id).or_else(|| vcs::first_commit(&root)).or_else(|| identity.server());
        let id = id.map_or_else(|| self.repository_id(repo), Ok)?;
        Ok(Owner { id, name, remotes: identity.recorded() })
    }

    /// The record for issues that are filed, moved or imported into a repo: in a planning repo the project they come
    /// from, elsewhere none.
    pub fn planned_for(&self, repo: usize) -> Result<Option<Owner>> {
        self.is_planning(repo).then(|| self.owner_record(0)).transpose()
    }

    /// The prefix of new ids in a repo. An issue planned for this project has the project's prefix: it may be proposed
    /// one day.
    pub fn new_prefix(&self, repo: usize) -> Result<String> {
        self.prefix(if self.is_planning(repo) { 0 } else { repo })
    }

    /// Every project named in lines of planning repos.
    fn recorded(&self) -> Vec<Owner> {
        let mut found: Vec<Owner> = self.planned().map(|(.., owner)| owner).collect();
        found.sort();
        found.dedup_by(|a, b| a.id == b.id);
        found
    }

    /// The issues in planning repos that name a project: the ledger, the id, the line and the project.
    fn planned(&self) -> impl Iterator<Item = (usize, String, String, Owner)> {
        self.planning_sources().flat_map(move |source| {
            self.sources.ids_mentioning(source, "\"project\"").into_iter().filter_map(move |id| {
                let line = self.line_in(source, &id)?;
                let owner = Owner::of_line(&line)?;
                Some((source, id, line, owner))
            })
        })
    }

    pub(in crate::store) fn planning_sources(&self) -> impl Iterator<Item = usize> {
        (0..self.sources.len()).filter(|source| self.is_planning(self.sources.member_of(*source)))
    }

    /// Issues in planning repos only that belong to other projects, each with its project. They are not handed out
    /// here, and only proposed on request.
    pub fn of_other_projects(&self) -> Result<&HashMap<String, Owner>> {
        let others = self.others.get(|earlier| {
            if !(0..self.repos.members.len()).any(|repo| self.is_planning(repo)) {
                return Ok::<_, StoreError>(Others::default());
            }
            self.read_ledgers()?;
            let stamps: Vec<FileStamp> =
                (0..self.sources.len()).filter_map(|source| Some(*self.sources.read_of(source)?.1)).collect();
            let known = earlier.take_if(|known| known.stamps == stamps);
            Ok(known.unwrap_or_else(|| Others { found: self.find_others(), stamps }))
        })?;
        Ok(&others.found)
    }

    fn find_others(&self) -> HashMap<String, Owner> {
        let mut is_ours: HashMap<String, bool> = HashMap::new();
        let mut found = HashMap::new();
        for (_, id, _, owner) in self.planned().filter(|(source, id, ..)| self.owner(id) == Some(*source)) {
            if !*is_ours.entry(owner.id.clone()).or_insert_with(|| self.is_ours(&owner)) {
                found.insert(id, owner);
            }
        }
        found
    }

    /// The planning issues filed for a project, by its name or id; `.` is this one.
    pub(in crate::store) fn ids_of_project(&self, text: &str, in_part: bool) -> Vec<String> {
        let is_meant = |owner: &Owner| match text {
            "." => self.is_ours(owner),
            text if in_part => owner.name.contains(text),
            text => owner.name == text || owner.id == text,
        };
        let mut known: HashMap<Owner, bool> = HashMap::new();
        let issues = self.planned().filter(|(.., line, _)| !is_companion_line(line.as_bytes()));
        let meant = issues.filter(|(.., owner)| *known.entry(owner.clone()).or_insert_with_key(is_meant));
        meant.map(|(_, id, ..)| id).collect()
    }

    /// Refuses the name of a project without planning issues here.
    pub fn check_project(&self, text: &str) -> Result<()> {
        self.read_ledgers()?;
        let own = self.prefix(0)?;
        if text == "." || text == own || !self.ids_of_project(text, false).is_empty() {
            return Ok(());
        }
        let others = self.recorded().into_iter().map(|owner| owner.name).filter(|name| *name != own);
        let mut known: Vec<String> = others.collect();
        known.dedup();
        known.insert(0, own.clone());
        Err(StoreError::NoSuchProject { text: text.to_owned(), known })
    }
}
