//! Ending claims that the ledgers contradict.
//!
//! When two clones claim one issue, the merge decides between them, and the result can arrive by a sync, the merge
//! driver, a pull, or a merge in another checkout. A claim ends as soon as the line here, alone or merged with that of
//! another checkout, says that someone else works on the issue or that it is done. The loser's line is reset to what
//! the others have, with its own timestamps, so that a later merge replaces nothing of the winner's.

use crate::model::field::Field;
use crate::model::issue;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::lease::{Holder, Lease};
use crate::model::merge::{merge_issue, set_at, with_state_of};
use crate::model::record::Record;
use crate::store::state::leases::is_lock;
use crate::store::write::Intent;
use crate::store::{Access, Result, Scope, Snapshot, Store, Write};

/// A claim on an issue that the ledgers give to someone else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overruled {
    pub id: String,
    pub epoch: i64,
    pub holder: Holder,
    /// Who works on it, or closed it.
    pub by: Option<String>,
    pub is_done: bool,
}

impl Snapshot {
    /// The owner of a claimed issue according to the ledgers, if not the holder of the claim.
    pub(in crate::store) fn overruled(&self, id: &str, lease: &Lease) -> Result<Option<Overruled>> {
        let Some(holder) = &lease.holder else { return Ok(None) };
        let Some(row) = self.get(id)? else { return Ok(None) };
        let verdict = |line: &str| {
            let record = Record::parse(line).ok()?;
            let status = issue::status_of(&record);
            let assignee = record.text_of(Field::Assignee.key());
            // The line may still name the previous holder, from whom the issue was taken.
            let by = assignee.filter(|name| *name != holder.name && lease.lost_by(name).is_none());
            let is_lost = status.is_done() || status.as_str() == "in_progress" && by.is_some();
            let (id, by) = (id.to_owned(), by.map(|name| name.into_owned()));
            let (epoch, holder, is_done) = (lease.epoch, holder.clone(), status.is_done());
            is_lost.then_some(Overruled { id, epoch, holder, by, is_done })
        };
        if let Some(found) = verdict(&row.line) {
            return Ok(Some(found));
        }
        for other in self.lines_elsewhere(id)?.into_iter().filter(|other| verdict(&other.line).is_some()) {
            // Without a common ancestor, there is no way to distinguish changes from what was true before the claim.
            let Some(base) = other.common(id) else { continue };
            let merged = merge_issue(base.as_deref(), &row.line, &other.line, Dialect::default());
            if let Some(found) = merged.and_then(|merged| verdict(&merged.line)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl Store {
    /// Ends claims on issues that the ledgers give to someone else: the actor's, or everyone's.
    pub fn yield_overruled(&mut self, everybody: bool) -> Result<Vec<Overruled>> {
        let mut held = self.claims()?.to_vec();
        held.retain(|(id, lease)| lease.holder.is_some() && !is_lock(id) && (everybody || self.is_mine(lease)));
        let mut ended = Vec::new();
        for (id, lease) in held {
            if let Some(found) = self.overruled(&id, &lease)?
                && self.yield_lease(&id, lease.epoch)?
            {
                ended.push(found);
            }
        }
        Ok(ended)
    }

    /// Resets lines of issues that the actor lost and was refused to what the others have.
    pub fn put_back_lost(&mut self) -> Result<()> {
        let lost = std::mem::take(&mut *self.refused_to_loser.borrow_mut());
        for id in lost {
            self.restore_state(&id)?;
        }
        Ok(())
    }

    /// Resets the state of an issue here to what the others have, if its line still says that the actor works on it.
    fn restore_state(&mut self, id: &str) -> Result<()> {
        let me = self.actor().to_owned();
        let is_mine = |line: &str| {
            Record::parse(line).is_ok_and(|record| {
                issue::status_of(&record).as_str() == "in_progress"
                    && record.text_of(Field::Assignee.key()).as_deref() == Some(me.as_str())
            })
        };
        self.look_again()?;
        let Some(row) = self.get(id)?.filter(|row| is_mine(&row.line)) else { return Ok(()) };
        if self.access_to(&row)? != Access::Write {
            return Ok(());
        }
        let others = self.lines_elsewhere(id)?.into_iter().map(|other| other.line);
        let others = others.chain(self.committed_version(id)).filter(|line| !is_mine(line));
        let latest = others.max_by_key(|line| Record::parse(line).map(|record| set_at(&record).at).ok());
        let Some(theirs) = latest else { return Ok(()) };
        let dialect = DialectEvidence::of(&row.line).or(Dialect::default());
        let line = with_state_of(&row.line, &theirs, self.host.clock.now(), dialect);
        let repo = self.owner_of(id)?;
        let write = Write::Put { id: id.to_owned(), line, repo: self.sources.member_of(repo) };
        self.write_one(Scope::Issues(vec![id.to_owned()]), Intent::Claim, write).map(drop)
    }
}
