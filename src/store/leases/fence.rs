//! What claims say to a write: who may change a claimed issue, and what a change means for the claim.
//!
//! | the issue is | the holder | another agent | a coordinator, a person |
//! |---|---|---|---|
//! | claimed | may, and the claim is renewed | may comment, label and link it; else exit 4 | may |
//! | claimed, time is over | exit 7: it must claim again | may | may |
//! | claimed by another since, or taken back | exit 7, until it claims again or lets go | | |
//!
//! A number given in `BD_LEASE` must be that of the claim. The lock of a workflow is asked as well: see `lock_fence.rs`.

use super::error::LeaseError;
use super::key::issue_of;
use super::known::{Leases, parse};
use super::{LEASE_VARIABLE, standing};
use crate::ledger::{Document, Edit};
use crate::model::issue;
use crate::model::lease::{Lease, Now, Standing};
use crate::model::record::Record;
use crate::store::names::LEASES_NAME;
use crate::store::{Project, Result, Store, Warning};

/// What anybody may change of an issue that another holds: it adds something, and takes nothing away.
const OPEN_KEYS: [&str; 5] = ["comments", "labels", "dependencies", "updated_at", "field_times"];

/// What stands between the numbers of several claims.
const SEPARATORS: [char; 2] = [',', ' '];

/// What claims say to a write.
pub(super) type Fenced<T> = std::result::Result<T, Box<LeaseError>>;

/// What a write means for the claims on its issues, once it is on disk.
#[derive(Debug, Default)]
pub struct Settled {
    /// Keys and the lines before and after.
    lines: Vec<(String, Option<String>, Option<String>)>,
}

impl Settled {
    /// Notes one issue that the write changes.
    pub fn line(key: String, before: Option<&str>, after: Option<&str>) -> Self {
        Settled { lines: vec![(key, before.map(str::to_owned), after.map(str::to_owned))] }
    }
}

impl Project {
    /// The number of its claim on an issue that the caller carries.
    pub(super) fn token(&self, id: &str) -> Fenced<Option<i64>> {
        let Some(text) = self.host.env.var(LEASE_VARIABLE) else { return Ok(None) };
        carried(&text, id).map_err(|part| Box::new(LeaseError::BadToken { text: part.to_owned() }))
    }
}

impl Store {
    /// Refuses a change of one issue that the claims forbid.
    pub(in crate::store) fn fence(
        &self,
        source: usize,
        id: &str,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Fenced<()> {
        if self.agent.is_none() {
            return Ok(());
        }
        let home = self.lease_home(source);
        let known = match self.held_home(home.path()) {
            Some(held) => held.all(),
            None => parse(&home.file(LEASES_NAME).read().unwrap_or_default()),
        };
        let Ok(key) = self.lease_key(source, &home, id) else { return Ok(()) };
        let was_done = state(before).is_some_and(|was| was.1);
        self.judge(&known, &key, id, was_done, || is_additive(before, after))
    }

    /// Whether the acting agent may write on an issue at all, for what goes to the state home and not to the ledger.
    pub fn check_lease(&mut self, id: &str) -> Result<()> {
        self.read_ledgers()?;
        let Some(source) = self.sources.owner(id) else { return Ok(()) };
        Ok(self.fence(source, id, None, None)?)
    }

    fn judge(&self, known: &Leases, key: &str, id: &str, was_done: bool, is_additive: impl Fn() -> bool) -> Fenced<()> {
        let Some(agent) = &self.agent else { return Ok(()) };
        let now = self.host.clock.both();
        let fresh = Lease::new(key);
        let lease = known.get(key).unwrap_or(&fresh);
        let stale = |held: i64, why: String| {
            Box::new(LeaseError::Stale {
                id: id.to_owned(),
                name: agent.name.clone(),
                held,
                epoch: lease.epoch,
                holder: lease.holder.as_ref().map(|holder| holder.name.clone()),
                why,
            })
        };
        let held = |lease: &Lease| standing(lease, &now);
        // Whoever decides over the claim has looked at it, under the same lock.
        if self.claiming.borrow().as_deref() == Some(id) {
            return Ok(());
        }
        if let Some(token) = self.token(id)? {
            let mine = lease.holder.as_ref().is_some_and(|holder| holder.name == agent.name);
            if token != lease.epoch || !mine || held(lease) != Standing::Live {
                return Err(stale(token, since(lease, &now)));
            }
        }
        if let Some(epoch) = lease.lost_by(&agent.name) {
            return Err(stale(epoch, since(lease, &now)));
        }
        // A merge may have closed the issue: then the claim is over, whatever the state home still says.
        let Some(holder) = lease.holder.as_ref().filter(|_| !was_done) else { return Ok(()) };
        match held(lease) {
            Standing::Expired if holder.name == agent.name => Err(stale(lease.epoch, since(lease, &now))),
            Standing::Live if holder.name != agent.name && !agent.is_coordinator && !is_additive() => {
                Err(Box::new(claimed(id, lease)))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what the claims forbid of the edits of one ledger, and notes what they mean for claims.
    pub(in crate::store) fn fence_edits(&self, source: usize, document: &Document, edits: &[Edit]) -> Fenced<Settled> {
        let home = self.lease_home(source);
        if !home.path().join(LEASES_NAME).exists() {
            return Ok(Settled::default());
        }
        let mut settled = Settled::default();
        for edit in edits {
            let text = |line: usize| std::str::from_utf8(document.text(line)).ok();
            let (id, before, after) = match edit {
                Edit::Set { line, id, text: after } => (id.clone(), text(*line), Some(after.as_str())),
                Edit::Insert { id, text: after } => (id.clone(), None, Some(after.as_str())),
                Edit::Remove { line } => match document.record(*line).and_then(|record| record.string("id")) {
                    Some(id) => (id.into_owned(), text(*line), None),
                    None => continue,
                },
                Edit::Sort | Edit::Normalise | Edit::Resolve { .. } => continue,
            };
            self.fence(source, &id, before, after)?;
            self.fence_lock(source, document, &id, before, after)?;
            if let Ok(key) = self.lease_key(source, &home, &id) {
                settled.lines.extend(Settled::line(key, before, after).lines);
            }
        }
        Ok(settled)
    }

    /// After a write: a claim ends with the work, and its holder's is renewed. The write stands whatever becomes of this.
    pub(in crate::store) fn settle_leases(&self, source: usize, settled: &Settled) {
        let home = self.lease_home(source);
        let Some(held) = self.held_home(home.path()) else { return };
        let now = self.host.clock.both();
        let mut changed = Vec::new();
        for (key, before, after) in &settled.lines {
            changed.extend(self.ended_lock(source, after.as_deref()));
            let mut lease = held.lease(key);
            let Some(holder) = &lease.holder else { continue };
            let (was, is) = (state(before.as_deref()), state(after.as_deref()));
            let (stopped, reassigned) = match (&was, &is) {
                (Some(was), Some(is)) => {
                    // One that was closed by a merge has a claim that nobody ended.
                    let stopped = (was.0 == "in_progress" && is.0 != "in_progress") || is.1 || was.1;
                    (stopped, was.2.as_deref() == Some(holder.name.as_str()) && is.2 != was.2)
                }
                _ => (false, false),
            };
            let mine = self.agent.as_ref().is_some_and(|agent| agent.name == holder.name);
            if let Some(version) = holder.remote.clone().filter(|_| stopped || reassigned) {
                self.ended_remotely.borrow_mut().push((issue_of(key).to_owned(), version));
            }
            if reassigned && !mine && !stopped {
                lease.take_away();
            } else if stopped || reassigned {
                if is.as_ref().is_some_and(|is| is.1) {
                    (lease.attempts, lease.last_error) = (0, None);
                }
                lease.end();
            } else if !(mine && lease.wants_renewal(&now) && lease.renew(&now)) {
                continue;
            }
            changed.push(lease);
        }
        if changed.is_empty() {
            return;
        }
        if let Err(error) = held.put(&changed, &self.host.entropy) {
            self.unjournaled.borrow_mut().push(Warning::NotSettled { message: error.to_string() });
        }
    }
}

/// The number of one issue in a list of `ID:EPOCH`, or the part of it that is none. An id may hold commas, blanks and colons, so a
/// number ends an item only where the text or a separator follows; a line that is one item for this issue is taken as that.
fn carried<'a>(text: &'a str, id: &str) -> std::result::Result<Option<i64>, &'a str> {
    let mut found = None;
    for line in text.lines().map(str::trim_ascii) {
        if let Some(epoch) = line.strip_prefix(id).and_then(|rest| rest.strip_prefix(':')?.parse().ok()) {
            return Ok(Some(epoch));
        }
        let mut rest = line.trim_start_matches(SEPARATORS);
        while !rest.is_empty() {
            let is_end = |at: &usize| *at == rest.len() || rest[*at..].starts_with(SEPARATORS);
            let ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).filter(is_end);
            let mut items = ends.filter_map(|at| Some((rest[..at].rsplit_once(':')?, at)));
            let item = items.find_map(|((named, epoch), at)| Some((named, epoch.parse::<i64>().ok()?, at)));
            let Some((named, epoch, at)) = item else { return Err(rest) };
            found = found.or((named == id).then_some(epoch));
            rest = rest[at..].trim_start_matches(SEPARATORS);
        }
    }
    Ok(found)
}

/// Status, whether that is the end of the work, and assignee of a line.
fn state(line: Option<&str>) -> Option<(String, bool, Option<String>)> {
    let record = Record::parse(line?).ok()?;
    let status = issue::status_of(&record);
    let assignee = record.text_of("assignee").map(|name| name.into_owned());
    Some((status.as_str().to_owned(), status.is_done(), assignee))
}

/// The change only adds what anybody may add.
fn is_additive(before: Option<&str>, after: Option<&str>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let (Ok(before), Ok(after)) = (Record::parse(before), Record::parse(after)) else { return false };
    let same = |a: &Record<'_>, b: &Record<'_>| {
        a.iter().all(|(key, value)| OPEN_KEYS.contains(&key.as_ref()) || b.raw(&key) == Some(value))
    };
    same(&before, &after) && same(&after, &before)
}

/// Why a claim is not valid any more.
pub(super) fn since(lease: &Lease, now: &Now) -> String {
    match &lease.holder {
        Some(holder) if standing(lease, now) == Standing::Live => {
            format!("{} holds it, epoch {}", holder.name, lease.epoch)
        }
        Some(holder) => match holder.expires {
            Some(at) => format!("it ended at {at}"),
            None => "its process is gone".to_owned(),
        },
        None => "it was given back or taken back".to_owned(),
    }
}

pub(super) fn claimed(id: &str, lease: &Lease) -> LeaseError {
    let holder = lease.holder.as_ref();
    LeaseError::Claimed {
        id: id.to_owned(),
        holder: holder.map(|holder| holder.name.clone()).unwrap_or_default(),
        agent: holder.and_then(|holder| holder.agent.clone()),
        epoch: lease.epoch,
        expires: holder.and_then(|holder| holder.expires).map(|at| at.to_string()),
        worktree: holder.and_then(|holder| holder.worktree.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_caller_carries() {
        for (text, id, expected) in [
            ("bd-a:2", "bd-a", Ok(Some(2))),
            ("bd-b:9,bd-a:2", "bd-a", Ok(Some(2))),
            ("bd-b:9, bd-a:2 ", "bd-a", Ok(Some(2))),
            ("bd-b:9 bd-a:2", "bd-b", Ok(Some(9))),
            ("bd-b:9\nbd-a:2\n", "bd-a", Ok(Some(2))),
            ("bd-b:9", "bd-a", Ok(None)),
            ("", "bd-a", Ok(None)),
            ("m-x,y:1", "m-x,y", Ok(Some(1))),
            ("m-x,y:1", "y", Ok(None)),
            ("a:1,m-x,y:2,My Project-1:3", "m-x,y", Ok(Some(2))),
            ("a:1,m-x,y:2,My Project-1:3", "My Project-1", Ok(Some(3))),
            ("a:b:7", "a:b", Ok(Some(7))),
            // A number and a comma inside of an id: on a line of its own it is what it looks like.
            ("m-x:1,y:4", "m-x:1,y", Ok(Some(4))),
            ("a:1\nm-x:1,y:4", "m-x:1,y", Ok(Some(4))),
            ("bd-a", "bd-a", Err("bd-a")),
            ("bd-a:", "bd-a", Err("bd-a:")),
            ("bd-a:x", "bd-a", Err("bd-a:x")),
            ("bd-b:1,bd-a", "bd-b", Err("bd-a")),
        ] {
            assert_eq!(carried(text, id), expected, "{text:?} {id}");
        }
    }
}
