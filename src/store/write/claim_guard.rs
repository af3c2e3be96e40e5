//! Claims and a write: whether a claim forbids it, and what the write means for claims once it is on disk.

use crate::ledger::LineChange;
use crate::model::issue;
use crate::model::lease::{Lease, Now};
use crate::model::record::Record;
use crate::model::workflow::Workflow;
use crate::store::leases::{Fenced, NEEDS_ATTENTION};
use crate::store::{RemoteChange, Store, Warning};

/// Keys that anyone may change in an issue that another holds: additions only.
const OPEN_KEYS: [&str; 5] = ["comments", "labels", "dependencies", "updated_at", "field_times"];

/// Refuses a change of one line that the claim on its issue forbids.
pub(super) fn refuse(store: &Store, source: usize, id: &str, before: Option<&str>, after: Option<&str>) -> Fenced<()> {
    let was_done = || state(before).is_some_and(|was| was.1);
    store.judge_claim(source, id, was_done, || is_additive(before, after))
}

impl Store {
    /// After a write: ends the claims whose work has ended, and renews the writer's. A failure here does not undo the
    /// write.
    pub(super) fn settle_claims(&self, source: usize, changes: &[LineChange]) {
        let home = self.lease_home(source);
        let Some(held) = self.held_home(home.path()) else { return };
        let now = self.host.clock.both();
        let mut changed = Vec::new();
        for LineChange { id, before, after } in changes {
            let lease = |id: &str| Some(held.lease(&self.lease_key(source, &home, id).ok()?));
            changed.extend(ended_workflow(after.as_deref()).and_then(|workflow| lease(&workflow)).and_then(ended));
            let Some(known) = lease(id) else { continue };
            let mut lease = known.clone();
            let needs_attention = |line: &Option<String>| has_label(line.as_deref(), NEEDS_ATTENTION);
            if needs_attention(before) && !needs_attention(after) {
                // Somebody has looked at it.
                lease.attempts = 0;
            }
            self.settle_holder(&mut lease, before.as_deref(), after.as_deref(), &now);
            changed.extend((lease != known).then_some(lease));
        }
        if changed.is_empty() {
            return;
        }
        if let Err(error) = held.put(&changed, &self.host.entropy) {
            self.notices.add(Warning::NotSettled { message: error.to_string() });
        }
    }

    /// Ends or renews the claim on an issue whose line has changed.
    fn settle_holder(&self, lease: &mut Lease, before: Option<&str>, after: Option<&str>, now: &Now) {
        let Some(holder) = &lease.holder else { return };
        let (was, is) = (state(before), state(after));
        let (stopped, reassigned) = match (&was, &is) {
            (Some(was), Some(is)) => {
                // An issue closed by a merge may still have a claim.
                let stopped = (was.0 == "in_progress" && is.0 != "in_progress") || is.1 || was.1;
                (stopped, was.2.as_deref() == Some(holder.name.as_str()) && is.2 != was.2)
            }
            _ => (false, false),
        };
        let mine = self.agent.as_ref().is_some_and(|agent| agent.name == holder.name);
        if stopped || reassigned {
            let is_done = is.as_ref().is_some_and(|is| is.1);
            self.tell_remote(lease, if is_done { RemoteChange::Closed } else { RemoteChange::Ended });
        }
        if reassigned && !mine && !stopped {
            lease.take_away();
        } else if stopped || reassigned {
            if is.as_ref().is_some_and(|is| is.1) {
                (lease.attempts, lease.last_error) = (0, None);
            }
            lease.end();
        } else if mine && lease.wants_renewal(now) {
            lease.renew(now);
        }
    }
}

/// A line's status, whether that ends the work, and the assignee.
fn state(line: Option<&str>) -> Option<(String, bool, Option<String>)> {
    let record = Record::parse(line?).ok()?;
    let status = issue::status_of(&record);
    let assignee = record.text_of("assignee").map(|name| name.into_owned());
    Some((status.as_str().to_owned(), status.is_done(), assignee))
}

fn has_label(line: Option<&str>, label: &str) -> bool {
    let record = line.and_then(|line| Record::parse(line).ok());
    record.is_some_and(|record| issue::labels_of(&record).iter().any(|one| one == label))
}

/// The change only makes additions that anyone may make.
fn is_additive(before: Option<&str>, after: Option<&str>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let (Ok(before), Ok(after)) = (Record::parse(before), Record::parse(after)) else { return false };
    let same = |a: &Record<'_>, b: &Record<'_>| {
        a.iter().all(|(key, value)| OPEN_KEYS.contains(&key.as_ref()) || b.raw(&key) == Some(value))
    };
    same(&before, &after) && same(&after, &before)
}

/// The `wf_` id of a finished workflow, whose lock is now useless.
fn ended_workflow(after: Option<&str>) -> Option<String> {
    let record = Record::parse(after?).ok()?;
    Some(Workflow::of(&record).filter(|_| issue::status_of(&record).is_done())?.id)
}

fn ended(mut lease: Lease) -> Option<Lease> {
    lease.holder.as_ref()?;
    lease.end();
    Some(lease)
}
