//! Who holds what.

use std::collections::{BTreeMap, BTreeSet};

use super::standing;
use crate::model::lease::{Lease, Standing};
use crate::store::{Result, Store};

/// A claim as an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRow {
    /// The issue.
    pub id: String,
    pub title: Option<String>,
    pub lease: Lease,
    pub standing: Standing,
}

impl LeaseRow {
    /// What another is told who wants the issue.
    pub fn claimed(&self) -> super::LeaseError {
        super::fence::claimed(&self.id, &self.lease)
    }
}

impl Store {
    /// Every claim of the project that somebody holds, over or not, in the order of their issues.
    pub fn leases(&mut self) -> Result<Vec<LeaseRow>> {
        self.refresh()?;
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for source in 0..self.sources.len() {
            let now = self.host.clock.both();
            for (id, lease) in self.leases_of(source)? {
                if lease.holder.is_none() || !seen.insert(id.clone()) {
                    continue;
                }
                let standing = standing(&lease, &now);
                let title = self.get(&id)?.map(|row| row.issue.title);
                found.push(LeaseRow { id, title, lease, standing });
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(found)
    }

    /// Everything that is known of claims in the project, also of those that ended, in the order of their issues.
    pub fn lease_records(&mut self) -> Result<Vec<LeaseRow>> {
        self.refresh()?;
        let mut found: BTreeMap<String, LeaseRow> = BTreeMap::new();
        for source in 0..self.sources.len() {
            let now = self.host.clock.both();
            for (id, lease) in self.leases_of(source)? {
                let standing = standing(&lease, &now);
                found.entry(id.clone()).or_insert(LeaseRow { id, title: None, lease, standing });
            }
        }
        Ok(found.into_values().collect())
    }

    /// What is known of the claims on one issue.
    pub fn lease(&mut self, id: &str) -> Result<Option<LeaseRow>> {
        let source = self.owner_of(id)?;
        let now = self.host.clock.both();
        let found = self.leases_of(source)?.remove(id);
        Ok(found.map(|lease| LeaseRow { id: id.to_owned(), title: None, standing: standing(&lease, &now), lease }))
    }

    /// Issues of this project that somebody else holds right now.
    pub(in crate::store) fn held_by_others(&mut self) -> Result<Vec<String>> {
        if (0..self.sources.len()).all(|source| !self.lease_home(source).path().join(super::LEASES_NAME).exists()) {
            return Ok(Vec::new());
        }
        let me = self.actor().to_owned();
        let mut found = Vec::new();
        for source in 0..self.sources.len() {
            let now = self.host.clock.both();
            let known = self.leases_of(source)?;
            let others = known.into_iter().filter(|(_, lease)| {
                lease.holder.as_ref().is_some_and(|holder| holder.name != me) && standing(lease, &now) == Standing::Live
            });
            found.extend(others.map(|(id, _)| id));
        }
        Ok(found)
    }
}
