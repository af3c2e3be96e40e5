//! Gives planning issues the project's prefix before they are proposed, so that the name of a private repo is not
//! published.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Copies;
use super::pair::NewLine;
use crate::ledger::Document;
use crate::model::id::IssueId;
use crate::model::lease::Lease;
use crate::model::merge::join_copies;
use crate::model::proposal::{FORMER_ID, Names, Owner, Proposal};
use crate::model::record::Record;
use crate::model::{id, proposal};
use crate::store::Put;
use crate::store::error::LeaseError;
use crate::store::state::record_error::RecordError;
use crate::store::state::tables::{LEASES, TABLES};
use crate::store::{Project, Result, Snapshot, StateDir, Store};

impl Project {
    fn needs_name(&self, id: &str, planning: &Record<'_>, member: usize, repo: usize, prefix: &str) -> bool {
        let of_id = id::prefix_of(id).unwrap_or_default();
        let owner = Owner::of(planning);
        let is_elsewhere = owner.as_ref().is_some_and(|owner| self.is_of_another(owner, repo));
        let published = !is_elsewhere && Proposal::of(planning).is_some_and(|known| known.target == prefix);
        if of_id == prefix || published {
            return false;
        }
        let planner = &self.repos.members[member];
        let is_private = planner.named_prefix().as_deref() == Some(of_id) || planner.repo.default_prefix() == of_id;
        owner.is_none() || is_elsewhere || is_private
    }

    /// Renames these issues in checkpoints, mail, reservations and workspaces.
    pub(in crate::store) fn rename_records(&self, names: &Names) -> Result<()> {
        let mut homes: HashMap<_, StateDir> = HashMap::new();
        for member in 0..self.repos.members.len() {
            let state = StateDir::of(self.state_home_of(member));
            homes.insert(state.path().to_owned(), state);
        }
        for state in homes.into_values().filter(StateDir::exists) {
            for (inside, name) in TABLES.iter().flat_map(|table| table.spot().files(&state).unwrap_or_default()) {
                let directory = state.inside(inside);
                let file = directory.file(&name);
                let document = file.read()?;
                let of = |document: &Document| -> Vec<Put> {
                    let records = (0..document.len()).filter_map(|line| document.record(line));
                    records.filter_map(|record| renamed_record(&record, names)).collect()
                };
                if of(&document).is_empty() {
                    continue;
                }
                let lock = directory.lock(self.lock_wait)?;
                file.edit::<RecordError>(&lock, &self.host.entropy, |document| Ok(of(document)))?;
            }
        }
        Ok(())
    }
}

impl Snapshot {
    /// The new ids of issues before they are proposed to a repo. An id stays if it has the repo's prefix, was chosen
    /// for it, or was used in an earlier proposal to it.
    pub(super) fn new_names(&self, ids: &[String], target: usize, repo: usize) -> Result<Names> {
        let prefix = self.prefix(repo)?;
        let now = self.host.clock.now();
        let mut names = Names::new();
        for old in ids {
            let Copies { planning: Some((source, line)), .. } = self.copies_of(old, target) else { continue };
            let Ok(record) = Record::parse(&line) else { continue };
            if !self.needs_name(old, &record, self.sources.member_of(source), repo, &prefix) {
                continue;
            }
            let title = record.string("title").unwrap_or_default();
            let new = loop {
                let new = IssueId::mint(&prefix, &title, "", now, self.host.entropy.bytes());
                let is_taken = names.values().any(|known| known == new.as_str());
                if !is_taken && self.holders(new.as_str()).is_empty() {
                    break new.to_string();
                }
            };
            names.insert(old.clone(), new);
        }
        Ok(names)
    }

    /// The planning issue that had this id before it was proposed.
    pub(in crate::store) fn renamed_from(&self, typed: &str) -> Option<String> {
        self.former_ids().remove(typed)
    }

    /// The ids that planning issues had before they were proposed, with their current ones.
    pub(in crate::store) fn former_ids(&self) -> HashMap<String, String> {
        let renamed = self.planning_sources().flat_map(|source| {
            let ids = self.sources.ids_mentioning(source, FORMER_ID).into_iter();
            ids.filter_map(move |id| {
                let line = self.line_in(source, &id)?;
                let former = Record::parse(&line).ok()?.string(FORMER_ID)?.into_owned();
                Some((former, id))
            })
        });
        renamed.collect()
    }

    /// Refuses if a remote has a claim: it would keep the old id.
    pub(in crate::store) fn may_rename_claims(&self, source: usize, names: &Names) -> Result<()> {
        let leases = self.leases_of(source)?;
        for (id, lease) in leases.iter().filter(|(id, _)| names.contains_key(*id)) {
            if let Some(holder) = lease.holder.as_ref().filter(|holder| holder.remote.is_some()) {
                let (id, holder, epoch) = (id.clone(), holder.name.clone(), lease.epoch);
                let (agent, expires, worktree, session) = (None, None, None, None);
                return Err(LeaseError::Claimed { id, holder, agent, epoch, expires, worktree, session }.into());
            }
        }
        Ok(())
    }
}

impl Store {
    /// Renames planning issues in place: their lines, references, claims and other records. One ledger is rewritten in
    /// one step.
    pub(super) fn rename_planned(&mut self, names: &Names) -> Result<()> {
        if names.is_empty() {
            return Ok(());
        }
        let sources: Vec<usize> = self.planning_sources().collect();
        let words: Vec<&str> = names.keys().map(String::as_str).collect();
        self.rename_issues(&sources, names, &words, proposal::renamed)
    }

    /// The same in any ledgers; only lines with one of the words are examined.
    pub(in crate::store) fn rename_issues(
        &mut self,
        sources: &[usize],
        names: &Names,
        words: &[&str],
        renamed: impl Fn(&str, &Names) -> Option<String>,
    ) -> Result<()> {
        let locks = self.lock(sources)?;
        self.read_again()?;
        let mut parts: BTreeMap<usize, Vec<NewLine>> = BTreeMap::new();
        for source in sources {
            let ids: BTreeSet<String> =
                words.iter().flat_map(|word| self.sources.ids_mentioning(*source, word)).collect();
            for id in ids {
                let line = self.line_in(*source, &id).unwrap_or_default();
                let Some(new) = renamed(&line, names) else { continue };
                let lines = parts.entry(*source).or_default();
                match names.get(&id) {
                    Some(name) => {
                        // An existing line with the new id is not overwritten.
                        let known = self.line_in(*source, name);
                        let dialect = self.stamp("", &new).dialect;
                        let both = known.and_then(|known| join_copies(&known, &new, dialect));
                        lines.extend([(id, None), (name.clone(), Some(both.unwrap_or(new)))]);
                    }
                    None => lines.push((id, Some(new))),
                }
            }
        }
        for (lock, lines) in locks.iter().filter_map(|(source, lock)| Some((lock, parts.get(source)?))) {
            self.may_put_lines(lock, lines)?;
        }
        for source in sources {
            self.may_rename_claims(*source, names)?;
        }
        let mut written = Vec::new();
        for (source, lock) in locks.iter() {
            let Some(lines) = parts.get(source) else { continue };
            if self.put_lines(lock, lines)? {
                written.push((*source, self.record_of(*source, lines)));
            }
            self.rename_claims(*source, names)?;
        }
        drop(locks);
        self.rename_records(names)?;
        self.commit_ledgers(&written);
        self.read_ledgers()
    }

    pub(in crate::store) fn rename_claims(&mut self, source: usize, names: &Names) -> Result<()> {
        let home = self.lease_home(source);
        if !LEASES.file(&home).exists() {
            return Ok(());
        }
        let held = self.hold(home.clone())?;
        let mut changed: Vec<Lease> = Vec::new();
        for (old, new) in names {
            let mut lease = held.lease(&self.lease_key(source, &home, old)?);
            if lease.epoch == 0 {
                continue;
            }
            changed.push(Lease { id: self.lease_key(source, &home, new)?, ..lease.clone() });
            lease.end();
            changed.push(lease);
        }
        Ok(self.put_leases(&held, &changed)?)
    }
}

fn renamed_record(record: &Record<'_>, names: &Names) -> Option<Put> {
    let new = names.get(record.string("issue")?.as_ref())?;
    let dialect = crate::model::json::Dialect::default();
    let text = record.with(&[("issue", Some(dialect.string(new)))], dialect);
    Some(Put::Line { id: record.string("id")?.into_owned(), text })
}
