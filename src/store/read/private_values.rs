//! This user's private status, assignee, dates and estimate: of issues they proposed, and of issues they claimed but
//! may not write.
//!
//! The project's ledger does not have them, and no write uses them: they are only shown in answers.

use crate::cache::{Key, Own};
use crate::model::change::mirror;
use crate::model::field::Field;
use crate::model::lease::Standing;
use crate::model::proposal::Proposal;
use crate::model::record::Record;
use crate::model::{field, issue};
use crate::store::{Access, Result, Snapshot};

impl Snapshot {
    /// Adds this user's private values to the index, once. What it queries must not depend on it.
    pub(in crate::store) fn show_own(&self) -> Result<()> {
        self.own.get(|_| {
            let own = match self.has_roles() && !self.is_past() {
                true => self.own_values()?,
                false => Vec::new(),
            };
            self.sources.ask(|cache| cache.set_own(&own))
        })?;
        Ok(())
    }

    fn own_values(&self) -> Result<Vec<(Key, Own)>> {
        let mut own = self.own_planned()?;
        for (key, claim) in self.own_claimed()? {
            match own.iter_mut().find(|(known, _)| *known == key) {
                Some((_, one)) => (one.status, one.assignee) = (claim.status, claim.assignee),
                None => {
                    let line = self.sources.ask(|cache| cache.line_values(key))?;
                    own.push((key, Own { status: claim.status, assignee: claim.assignee, ..line }));
                }
            }
        }
        Ok(own)
    }

    /// Proposed issues whose planning copies contain more than the target may know.
    fn own_planned(&self) -> Result<Vec<(Key, Own)>> {
        let mut found = Vec::new();
        let pairs = self.sources.pairs().iter().map(|pair| (pair, true));
        for ((planning, target), is_open) in pairs.chain(self.sources.accepted_pairs().iter().map(|pair| (pair, false)))
        {
            let (source, _) = self.sources.place(*planning)?;
            if !self.is_planning(self.sources.member_of(source)) {
                continue;
            }
            let (ours, theirs) = (self.sources.text(*planning)?, self.sources.text(*target)?);
            let (Ok(ours), Ok(theirs)) = (Record::parse(&ours), Record::parse(&theirs)) else { continue };
            // The target's line can belong to another proposal, or be a stranger's.
            let id = |record: &Record<'_>| Proposal::of(record).map(|proposal| proposal.id);
            if id(&ours) != id(&theirs) {
                continue;
            }
            let line = self.sources.ask(|cache| cache.line_values(*target))?;
            let planned = self.sources.ask(|cache| cache.line_values(*planning))?;
            let (status, assignee) = match is_open {
                true => mirror::own_state(&ours, &theirs).unwrap_or((line.status.clone(), line.assignee.clone())),
                false => (line.status.clone(), line.assignee.clone()),
            };
            let (due, defer) = (line.due.or(planned.due), line.defer.or(planned.defer));
            let own = Own { status, assignee, due, defer, from: None };
            // Values without a column in the cache.
            let mut others = field::with(|row| row.own && row.column.is_none()).map(Field::key);
            let more = others.any(|key| theirs.raw(key).is_none() && ours.raw(key).is_some());
            found.extend((own != line || more).then_some((*target, Own { from: Some(*planning), ..own })));
        }
        Ok(found)
    }

    /// Issues of the project that are claimed here and that this user may not write.
    fn own_claimed(&self) -> Result<Vec<(Key, Own)>> {
        let now = self.host.clock.both();
        // Callers that ask for claims report unreadable ones.
        let Ok(claims) = self.claims() else { return Ok(Vec::new()) };
        let live =
            claims.iter().filter(|(_, lease)| crate::store::state::leases::standing(lease, &now) == Standing::Live);
        let held = live.filter_map(|(id, lease)| Some((id.clone(), lease.holder.as_ref()?.name.clone())));
        let held: Vec<(String, String)> = held.collect();
        let mut found: Vec<(Key, Own)> = Vec::new();
        for (id, name) in held {
            let Some(source) = self.owner(&id).filter(|n| self.sources.member_of(*n) == 0) else { continue };
            let line = self.line_in(source, &id).unwrap_or_default();
            let Ok(record) = Record::parse(&line) else { continue };
            let assignee = record.text_of("assignee").filter(|known| *known != name);
            if issue::status_of(&record).as_str() != "open" || assignee.is_some() {
                continue;
            }
            if self.access_to_line(0, &id, &line)? == Access::Write {
                continue;
            }
            let own = Own { status: "in_progress".to_owned(), assignee: Some(name), ..Own::default() };
            found.extend(
                self.sources
                    .ask(|cache| cache.key_of(&id))?
                    .filter(|key| found.iter().all(|(known, _)| known != key))
                    .map(|key| (key, own)),
            );
        }
        Ok(found)
    }
}
