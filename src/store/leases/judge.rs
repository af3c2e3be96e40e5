//! Decides who may write an issue under a claim or a workflow's lock.
//!
//! | the issue is | the holder | another agent | a coordinator, a person |
//! |---|---|---|---|
//! | claimed | may, and the claim is renewed | may comment, label and link it; else exit 4 | may |
//! | claimed, but expired | exit 7: it must claim again | may | may |
//! | claimed by another since, or taken back | exit 7, until it claims again or lets go | | |
//!
//! Two sessions of one person, where clients identify them, count as two agents. An epoch given in `BD_LEASE` must be
//! that of the claim.

use super::messages::{claimed, locked, since, stale};
use crate::model::lease::{Holder, Lease, Standing};
use crate::store::error::LeaseError;
use crate::store::file_names::{LEASE_VARIABLE, LEASES_NAME};
use crate::store::state::leases::{parse, standing};
use crate::store::{Project, Result, Store};

/// Separates the items of several claims.
const SEPARATORS: [char; 2] = [',', ' '];

/// The result of checking a write against claims.
pub(in crate::store) type Fenced<T> = std::result::Result<T, Box<LeaseError>>;

impl Project {
    /// The epoch that the caller carries for its claim on an issue.
    fn token(&self, id: &str) -> Fenced<Option<i64>> {
        let Some(text) = self.host.env.var(LEASE_VARIABLE) else { return Ok(None) };
        carried(&text, id).map_err(|part| Box::new(LeaseError::BadToken { text: part.to_owned() }))
    }

    pub(in crate::store) fn is_mine(&self, lease: &Lease) -> bool {
        let name = self.actor();
        let holder = lease.holder.as_ref();
        holder.is_some_and(|holder| self.is_held_as(holder, name) && holder.agent.is_some() == self.agent.is_some())
    }

    /// The holder has this name and is not another session of the acting person.
    pub(in crate::store) fn is_held_as(&self, holder: &Holder, name: &str) -> bool {
        holder.name == name && !self.is_other_session(holder)
    }

    /// The claim was made in another session than the current one. A person without a session, and a claim made without
    /// one, match any.
    pub fn is_other_session(&self, holder: &Holder) -> bool {
        let sessions = self.session().zip(holder.session.as_deref());
        !holder.is_agent() && sessions.is_some_and(|(mine, theirs)| mine != theirs)
    }
}

impl Store {
    /// The claim or lock as held in memory, or else as stored on disk.
    pub(in crate::store) fn known_lease(&self, source: usize, id: &str) -> Option<Lease> {
        let home = self.lease_home(source);
        let key = self.lease_key(source, &home, id).ok()?;
        match self.held_home(home.path()) {
            Some(held) => held.known(&key),
            None => parse(&home.file(LEASES_NAME).read().unwrap_or_default()).remove(&key),
        }
    }

    /// Checks whether the acting agent may write on an issue, for data in the state home instead of the ledger.
    pub fn check_lease(&mut self, id: &str) -> Result<()> {
        self.read_again()?;
        let Some(source) = self.owner(id) else { return Ok(()) };
        Ok(self.judge_claim(source, id, || false, || false)?)
    }

    /// Refuses a write that another's claim forbids. Additions that anyone may make pass, and a claim on a finished
    /// issue has ended.
    pub(in crate::store) fn judge_claim(
        &self,
        source: usize,
        id: &str,
        was_done: impl Fn() -> bool,
        is_additive: impl Fn() -> bool,
    ) -> Fenced<()> {
        let Some(agent) = &self.agent else {
            return if self.session().is_some() {
                self.judge_session(source, id, was_done, is_additive)
            } else {
                Ok(())
            };
        };
        let now = self.host.clock.both();
        let lease = self.known_lease(source, id).unwrap_or_else(|| Lease::new(id));
        let stale = |held: i64| Box::new(stale(id, &agent.name, held, &lease, &now));
        let standing = standing(&lease, &now);
        if let Some(token) = self.token(id)? {
            let mine = lease.holder.as_ref().is_some_and(|holder| holder.name == agent.name);
            if token != lease.epoch || !mine || standing != Standing::Live {
                return Err(stale(token));
            }
        }
        if let Some(epoch) = lease.lost_by(&agent.name) {
            self.refused_to_loser.borrow_mut().insert(id.to_owned());
            return Err(stale(epoch));
        }
        // A merge may have closed the issue: then the claim is over, whatever the state home says.
        let Some(holder) = lease.holder.as_ref().filter(|_| !was_done()) else { return Ok(()) };
        match standing {
            Standing::Expired if holder.name == agent.name => Err(stale(lease.epoch)),
            Standing::Live if holder.name != agent.name && !agent.is_coordinator && !is_additive() => {
                Err(Box::new(claimed(id, &lease)))
            }
            _ => Ok(()),
        }
    }

    /// The same for a person's session: only the session that made a claim holds it.
    fn judge_session(
        &self,
        source: usize,
        id: &str,
        was_done: impl Fn() -> bool,
        is_additive: impl Fn() -> bool,
    ) -> Fenced<()> {
        let Some(lease) = self.known_lease(source, id) else { return Ok(()) };
        // A program started for the issue carries its epoch, whatever session it starts.
        if self.token(id)? == Some(lease.epoch) {
            return Ok(());
        }
        let is_other = lease.holder.as_ref().is_some_and(|holder| {
            holder.name == self.actor() && self.is_other_session(holder) && !was_done() && !is_additive()
        });
        match is_other && standing(&lease, &self.host.clock.both()) == Standing::Live {
            true => Err(Box::new(claimed(id, &lease))),
            false => Ok(()),
        }
    }

    /// Refuses a write that the lock of a workflow forbids.
    pub(in crate::store) fn judge_lock(&self, source: usize, id: &str, lock: &str) -> Fenced<()> {
        let Some(lease) = self.known_lease(source, lock) else { return Ok(()) };
        let now = self.host.clock.both();
        let standing = standing(&lease, &now);
        let mine = self.is_mine(&lease);
        if let Some(agent) = &self.agent {
            let lost = lease.lost_by(&agent.name).or((mine && standing == Standing::Expired).then_some(lease.epoch));
            let token = self.token(lock)?.filter(|token| !mine || *token != lease.epoch);
            if let Some(held) = lost.or(token) {
                let (id, name, epoch, why) = (id.to_owned(), agent.name.clone(), lease.epoch, since(&lease, &now));
                let holder = lease.holder.map(|holder| holder.name);
                return Err(Box::new(LeaseError::LockOver { id, name, held, epoch, holder, why }));
            }
        }
        if standing == Standing::Live && !mine {
            return Err(Box::new(locked(id, &lease)));
        }
        Ok(())
    }
}

/// The epoch of one issue in a list of `ID:EPOCH`, or the malformed part. An id may contain commas, blanks and colons,
/// so an epoch ends an item only at the end of the text or before a separator; a line that is one item for this issue
/// is read as that.
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

#[cfg(test)]
mod tests {
    use super::super::judge::*;

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
            // A number and a comma inside an id: on a line of its own it is read literally.
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
