//! Whether private issues could reach the project by a commit or a push.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::snapshot::Snapshot;
use crate::ledger::Document;
use crate::model::proposal::{Owner, Visibility};
use crate::model::record::Record;
use crate::store::project::paths;
use crate::store::project::planning_repo::is_same_project;
use crate::store::{Result, StoreError};
use crate::vcs;

impl Snapshot {
    /// Whether an issue of the primary is in its file but in no ancestor commit: then only its author is concerned.
    pub(in crate::store) fn is_uncommitted(&self, id: &str) -> Result<bool> {
        let copies = self.working_copies(Some(0));
        for copy in copies.iter().filter(|copy| copy.vcs.is_versioned() && copy.members.contains(&0)) {
            let pairs = copy.sources.iter().zip(&copy.ledgers);
            for (_, ledger) in pairs.filter(|(source, _)| self.sources.member_of(**source) == 0) {
                let committed = copy.vcs.committed(ledger, &self.host.env)?.unwrap_or_default();
                if !Document::new(committed).has_id(id) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The same for the working copy that owns an issue.
    pub fn refuse_project_remote_of(&self, id: &str) -> Result<()> {
        let root = self.root_of(id)?;
        let member = self.repos.members.iter().position(|member| member.repo.root() == root).unwrap_or_default();
        self.refuse_project_remote(&root, &[member])
    }

    /// Refuses to send private issues from a working copy with these repos to where the project comes from. Checked
    /// before every push: a remote or a setting may have changed since the repo was joined, and a planning repo is also
    /// pushed from its own directory.
    pub fn refuse_project_remote(&self, root: &Path, members: &[usize]) -> Result<()> {
        self.read_ledgers()?;
        let mut local = false;
        let mut owners = HashSet::new();
        for source in (0..self.sources.len()).filter(|source| members.contains(&self.sources.member_of(*source))) {
            for id in self.sources.ids_mentioning(source, "\"local\"") {
                let line = self.line_in(source, &id).unwrap_or_default();
                let Ok(record) = Record::parse(&line) else { continue };
                if Visibility::of(&record) == Visibility::Local {
                    local = true;
                    owners.extend(Owner::of(&record));
                }
            }
        }
        // Planned for the same project that this working copy belongs to.
        if owners.iter().any(|owner| self.comes_from(owner, root)) {
            return Err(StoreError::WouldLeak { repo: self.name(members[0]).to_owned() });
        }
        let planned = members.iter().find(|member| self.is_planning(**member));
        let primary = self.repos.primary_member().repo.root();
        let concerns = !members.contains(&0) && (local || planned.is_some());
        if concerns && is_same_project(primary, root, &self.host.env) {
            return Err(StoreError::WouldLeak { repo: self.name(*planned.unwrap_or(&members[0])).to_owned() });
        }
        Ok(())
    }

    /// The working copies on whose remotes issues of this project are claimed, each with one of its repos. Private plans
    /// are claimed on no remote.
    pub fn claim_places(&self) -> Vec<(usize, PathBuf)> {
        let mut places: Vec<(usize, PathBuf)> = Vec::new();
        for (member, known) in self.repos.members.iter().enumerate() {
            let root = vcs::root(known.repo.root()).unwrap_or_else(|| known.repo.root().to_owned());
            if !self.is_planning(member) && !places.iter().any(|(_, place)| *place == root) {
                places.push((member, root));
            }
        }
        places
    }

    /// Identifies the clone in which an issue's repo is.
    pub fn clone_of(&self, id: &str) -> Result<String> {
        self.repository_id(self.sources.member_of(self.owner_of(id)?))
    }

    /// A private issue: of a planning repo, or one that says so, wherever this project was found.
    pub fn is_plan(&self, id: &str) -> Result<bool> {
        let source = self.owner_of(id)?;
        let is_local = |line: String| Record::parse(&line).is_ok_and(|it| Visibility::of(&it) == Visibility::Local);
        Ok(self.is_planning(self.sources.member_of(source)) || self.line_in(source, id).is_some_and(is_local))
    }

    /// The ledger of a repo in the default branch of its remote, as it was fetched last; `None` if that is not known.
    pub fn published(&self, member: usize) -> Result<Option<Document>> {
        self.published_at(member, None)
    }

    /// The same for a remote by its name.
    pub(in crate::store) fn published_at(&self, member: usize, remote: Option<&str>) -> Result<Option<Document>> {
        let Some(ledger) = self.ledger_path(member) else { return Ok(None) };
        let root = paths::real(&vcs::root(ledger).unwrap_or_default());
        let Ok(inside) = ledger.strip_prefix(&root) else { return Ok(None) };
        Ok(vcs::published(&root, remote, inside, &self.host.env)?.map(Document::new))
    }

    /// The root of the repo that owns an issue.
    pub fn root_of(&self, id: &str) -> Result<PathBuf> {
        let source = self.owner_of(id)?;
        Ok(self.repos.members[self.sources.member_of(source)].repo.root().to_owned())
    }
}
