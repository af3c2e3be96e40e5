//! Who holds what.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::lease::{Lease, Now, Standing};
use crate::store::error::LeaseError;
use crate::store::file_names::LEASES_NAME;
use crate::store::state::leases::{KnownLeases, is_lock, issue_of, parse, standing};
use crate::store::state::stamps::Stamps;
use crate::store::state::tables::LEASES;
use crate::store::{Result, Snapshot};

/// A claim, as reported to the caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRow {
    /// The issue.
    pub id: String,
    pub title: Option<String>,
    pub lease: Lease,
    pub standing: Standing,
}

impl LeaseRow {
    /// The error for someone else who wants the issue.
    pub fn claimed(&self) -> LeaseError {
        super::messages::claimed(&self.id, &self.lease)
    }
}

impl Snapshot {
    /// Every claim of the project with a holder, expired or not, sorted by issue.
    pub fn leases(&self) -> Result<Vec<LeaseRow>> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for source in 0..self.sources.len() {
            let now = self.host.clock.both();
            for (id, lease) in self.leases_of(source)? {
                if lease.holder.is_none() || is_lock(&id) || !seen.insert(id.clone()) {
                    continue;
                }
                let standing = standing(&lease, &now);
                let row = self.get(&id)?;
                // A merge may have closed the issue, or given it to someone else.
                if self.overruled(&id, &lease)?.is_some() {
                    continue;
                }
                found.push(LeaseRow { id, title: row.map(|row| row.issue.title), lease, standing });
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }

    /// Every record of a claim in the project, ended ones included, sorted by issue.
    pub fn lease_records(&self) -> Result<Vec<LeaseRow>> {
        let now = self.host.clock.both();
        let mut found: BTreeMap<&str, LeaseRow> = BTreeMap::new();
        for (id, lease) in self.claims()?.iter().filter(|(id, _)| !is_lock(id)) {
            let row =
                || LeaseRow { id: id.clone(), title: None, lease: lease.clone(), standing: standing(lease, &now) };
            found.entry(id).or_insert_with(row);
        }
        Ok(found.into_values().collect())
    }

    /// Every claim of the project with a holder, expired or not, by issue; no ended ones.
    pub fn claims_now(&self) -> Result<Vec<LeaseRow>> {
        if self.is_past() {
            return Ok(Vec::new());
        }
        let mut all = self.lease_records()?;
        all.retain(|row| row.lease.holder.is_some());
        Ok(all)
    }

    /// The claim record of one issue.
    pub fn lease(&self, id: &str) -> Result<Option<LeaseRow>> {
        let source = self.lease_source(id)?;
        let now = self.host.clock.both();
        let found = self.leases_of(source)?.remove(id);
        Ok(found.map(|lease| LeaseRow { id: id.to_owned(), title: None, standing: standing(&lease, &now), lease }))
    }

    /// Issues of this project that are held in a checkout right now, each with its holder; read from disk, whatever the
    /// ledgers say.
    pub fn held_in_worktree(&self, worktree_id: &str) -> Result<Vec<(String, String)>> {
        let now = self.host.clock.both();
        let mut found = Vec::new();
        for source in 0..self.sources.len() {
            for (id, lease) in self.leases_of(source)? {
                let is_live = standing(&lease, &now) == Standing::Live;
                let holder = lease.holder.filter(|one| is_live && one.worktree_id.as_deref() == Some(worktree_id));
                found.extend(holder.map(|holder| (id, holder.name)));
            }
        }
        Ok(found)
    }

    /// Issues of this project that others hold right now.
    pub(in crate::store) fn held_by_others(&self) -> Result<Vec<String>> {
        let claims = self.claims()?;
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        let (me, now) = (self.actor(), self.host.clock.both());
        let others = claims.iter().filter(|(_, lease)| self.is_of_another(lease, me, &now));
        Ok(others.map(|(id, _)| id.clone()).collect())
    }

    /// Someone else's claim on one issue.
    pub(in crate::store) fn held_by_another(&self, id: &str) -> Result<Option<Lease>> {
        let (me, now) = (self.actor(), self.host.clock.both());
        let is_it = |(known, lease): &&(String, Lease)| known == id && self.is_of_another(lease, me, &now);
        let found = self.claims()?.iter().find(is_it);
        Ok(found.map(|(_, lease)| lease.clone()))
    }

    /// All claims on issues of this project, read again only if they changed.
    pub(in crate::store) fn claims(&self) -> Result<&[(String, Lease)]> {
        Ok(&self.all_claims()?.all)
    }

    fn all_claims(&self) -> Result<&KnownLeases> {
        self.known_leases.get(|earlier| {
            let paths = |source| LEASES.file(&self.lease_home(source)).paths().collect::<Vec<_>>();
            let paths: BTreeSet<PathBuf> = (0..self.sources.len()).flat_map(paths).collect();
            if let Some(known) = earlier.take_if(|known| known.stamps.paths().eq(&paths) && known.stamps.hold()) {
                return Ok(known);
            }
            let stamps = Stamps::of(paths.into_iter().collect());
            let mut all = Vec::new();
            for source in 0..self.sources.len() {
                all.extend(self.leases_of(source)?);
            }
            let mut of_workflows = Vec::new();
            for home in self.lease_homes(0..self.sources.len()) {
                let known = parse(&self.records(&home.file(LEASES_NAME))?).into_iter();
                let tasks = known.filter(|(_, lease)| lease.holder.as_ref().is_some_and(|one| one.workflow.is_some()));
                of_workflows.extend(tasks.map(|(key, lease)| (issue_of(&key).to_owned(), lease)));
            }
            Ok(KnownLeases { stamps, all, of_workflows })
        })
    }

    /// The claims on tasks of workflows in all state homes of the project, including those of repos that are not in it.
    pub(in crate::store) fn claims_of_workflows(&self) -> Result<&[(String, Lease)]> {
        Ok(&self.all_claims()?.of_workflows)
    }

    fn is_of_another(&self, lease: &Lease, me: &str, now: &Now) -> bool {
        let holder = lease.holder.as_ref();
        holder.is_some_and(|holder| !self.is_held_as(holder, me)) && standing(lease, now) == Standing::Live
    }
}
