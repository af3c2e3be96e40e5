//! A lease: who works on an issue, under which number, and until when.
//!
//! The epoch of an issue grows with every grant and never decreases, so a holder that was suspended can be
//! distinguished from its successor. A lease that has ended keeps its epoch, the failures, and the agents that lost it
//! without releasing it: they are refused until they claim again or release it.

use serde::{Deserialize, Serialize, Serializer};

use super::row;
use super::time::Instant;

/// A moment on the monotonic clock: milliseconds since a boot, and which boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticks {
    pub boot: String,
    #[serde(rename = "deadline_ms")]
    pub millis: i64,
}

/// The current time on both clocks. Without ticks the wall clock decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    pub wall: Instant,
    pub ticks: Option<Ticks>,
}

/// The process to which a lease is bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    pub pid: i64,
    #[serde(rename = "pid_boot")]
    pub boot: String,
    /// Its start time as the kernel reports it: a reused pid is another process.
    #[serde(rename = "pid_start")]
    pub start: String,
}

/// The process of a lease, in the order in which leases have its keys.
fn boot_first<S: Serializer>(owner: &Option<Owner>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Process<'a> {
        pid_boot: &'a str,
        pid: i64,
        pid_start: &'a str,
    }
    let process = owner.as_ref().map(|one| Process { pid_boot: &one.boot, pid: one.pid, pid_start: &one.start });
    process.serialize(serializer)
}

/// Who works on the issue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Holder {
    /// The name that the ledger has as assignee.
    #[serde(rename = "holder")]
    pub name: String,
    /// An agent's id. A person has none, and a person's lease does not expire.
    pub agent: Option<String>,
    #[serde(default)]
    pub acquired: String,
    #[serde(default)]
    pub renewed: String,
    /// Nanoseconds; `None` never expires.
    #[serde(rename = "ttl_ms", default, with = "row::millis")]
    pub ttl: Option<i64>,
    pub expires: Option<Instant>,
    /// The same on the monotonic clock.
    #[serde(rename = "..deadline")]
    pub deadline: Option<Ticks>,
    #[serde(rename = "..owner", serialize_with = "boot_first")]
    pub owner: Option<Owner>,
    pub host: Option<String>,
    pub worktree_id: Option<String>,
    pub worktree: Option<String>,
    /// The version of the claim on the remote, if it was made there.
    pub remote: Option<String>,
    /// The workflow of the task, by its `wf_` id, so that readers who cannot see the task can count it.
    pub workflow: Option<String>,
    /// The client session in which a person's agent took it: that person's other sessions count as other holders.
    pub session: Option<String>,
}

impl Holder {
    pub fn is_agent(&self) -> bool {
        self.agent.is_some()
    }
}

/// An agent or person whose lease was taken away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    #[serde(deserialize_with = "row::exact")]
    pub holder: String,
    /// The lease's epoch.
    pub epoch: i64,
}

/// The claims on one issue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Lease {
    /// The issue; with the repo before it if several repos share a state home.
    pub id: String,
    /// The epoch of the last grant.
    pub epoch: i64,
    #[serde(rename = "..")]
    pub holder: Option<Holder>,
    /// The number of failed attempts.
    #[serde(default, skip_serializing_if = "row::is_default")]
    pub attempts: i64,
    pub last_error: Option<String>,
    #[serde(default, deserialize_with = "row::list")]
    pub lost: Vec<Lost>,
}

/// The state of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Free,
    Live,
    /// It has timed out, or its process is gone, and it was not taken over yet.
    Expired,
}

impl Lease {
    pub fn new(id: &str) -> Self {
        Lease { id: id.to_owned(), ..Lease::default() }
    }

    /// Its state, without looking at its process.
    pub fn standing(&self, now: &Now) -> Standing {
        match &self.holder {
            None => Standing::Free,
            Some(holder) if is_over(holder.deadline.as_ref(), holder.expires, now) => Standing::Expired,
            Some(_) => Standing::Live,
        }
    }

    /// Grants the issue to a holder, under the next epoch. An earlier holder that did not release it has lost it.
    pub fn grant(&mut self, holder: Holder) {
        self.take_away();
        self.lost.retain(|lost| lost.holder != holder.name);
        self.epoch = self.epoch.saturating_add(1);
        self.holder = Some(holder);
    }

    /// Ends the lease against its holder's will.
    pub fn take_away(&mut self) {
        if let Some(old) = self.holder.take().filter(Holder::is_agent) {
            self.lost.retain(|lost| lost.holder != old.name);
            self.lost.push(Lost { holder: old.name, epoch: self.epoch });
        }
    }

    /// Ends the lease at its holder's request.
    pub fn end(&mut self) {
        self.holder = None;
    }

    /// Extends the lease, unless it has expired.
    pub fn renew(&mut self, now: &Now) -> bool {
        if self.standing(now) != Standing::Live {
            return false;
        }
        let Some(holder) = &mut self.holder else { return false };
        holder.renewed = now.wall.to_string();
        (holder.expires, holder.deadline) = ends(holder.ttl, now);
        true
    }

    /// Whether a renewal is worth a write: a quarter of the time has passed.
    pub fn wants_renewal(&self, now: &Now) -> bool {
        let ttl = self.holder.as_ref().and_then(|holder| holder.ttl);
        ttl.zip(self.time_left(now)).is_some_and(|(ttl, left)| left <= ttl / 4 * 3)
    }

    /// The remaining nanoseconds; `None` if it never expires.
    pub fn time_left(&self, now: &Now) -> Option<i64> {
        let Holder { expires: Some(expires), deadline, .. } = self.holder.as_ref()? else { return None };
        Some(match (deadline, &now.ticks) {
            (Some(end), Some(ticks)) if end.boot == ticks.boot => (end.millis - ticks.millis).saturating_mul(1_000_000),
            _ => expires.nanos().saturating_sub(now.wall.nanos()),
        })
    }

    /// The epoch under which someone lost it.
    pub fn lost_by(&self, name: &str) -> Option<i64> {
        self.lost.iter().find(|lost| lost.holder == name).map(|lost| lost.epoch)
    }
}

/// The end of a lease that is granted or renewed now, on both clocks.
pub fn ends(ttl: Option<i64>, now: &Now) -> (Option<Instant>, Option<Ticks>) {
    let Some(ttl) = ttl else { return (None, None) };
    let later =
        |ticks: &Ticks| Ticks { boot: ticks.boot.clone(), millis: ticks.millis.saturating_add(ttl / 1_000_000) };
    (Some(now.wall.plus_nanos(ttl)), now.ticks.as_ref().map(later))
}

/// Whether an end has come: by the clock that does not jump, if it is of the same boot, else by the wall clock.
pub fn is_over(deadline: Option<&Ticks>, expires: Option<Instant>, now: &Now) -> bool {
    match (deadline, &now.ticks, expires) {
        (Some(end), Some(ticks), _) if end.boot == ticks.boot => ticks.millis >= end.millis,
        (_, _, Some(expires)) => now.wall >= expires,
        (_, _, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record::Record;
    use crate::model::row::Row;
    use crate::model::time::SECOND;

    fn at(wall: i64, boot: &str, millis: i64) -> Now {
        Now { wall: Instant::from_nanos(wall * SECOND), ticks: Some(Ticks { boot: boot.into(), millis }) }
    }

    fn held(name: &str, now: &Now, ttl: Option<i64>) -> Holder {
        let (expires, deadline) = ends(ttl, now);
        let agent = ttl.map(|_| "ag_000000000001".to_owned());
        Holder { name: name.into(), agent, ttl, expires, deadline, ..Holder::default() }
    }

    #[test]
    fn a_lease_comes_back_as_it_was() {
        let now = at(1_700_000_000, "b", 77);
        let mut lease = Lease::new("bd-\"1");
        assert_eq!(Lease::parse(&Record::parse(&lease.line()).unwrap()), Some(lease.clone()));
        let full = Holder {
            acquired: "a".into(),
            renewed: "r".into(),
            owner: Some(Owner { boot: "b".into(), pid: 12, start: "99".into() }),
            host: Some("h".into()),
            worktree_id: Some("wt_1".into()),
            worktree: Some("main".into()),
            remote: Some("c0ffee".into()),
            workflow: Some("wf_0123456789ab".into()),
            ..held("ann", &now, Some(5 * SECOND))
        };
        lease.grant(full);
        lease.grant(held("bob", &now, None));
        (lease.attempts, lease.last_error) = (2, Some("no\nluck".into()));
        assert_eq!(Lease::parse(&Record::parse(&lease.line()).unwrap()), Some(lease));
    }

    #[test]
    fn the_number_never_goes_back() {
        let now = at(0, "b", 0);
        let mut lease = Lease::new("x");
        for expected in 1..5 {
            lease.grant(held("ann", &now, Some(SECOND)));
            assert_eq!(lease.epoch, expected);
            lease.end();
            assert_eq!((lease.epoch, lease.standing(&now)), (expected, Standing::Free));
        }
    }

    #[test]
    fn who_lost_it_is_known_until_it_claims_again() {
        let now = at(0, "b", 0);
        let mut lease = Lease::new("x");
        lease.grant(held("ann", &now, Some(SECOND)));
        lease.grant(held("bob", &now, Some(SECOND)));
        assert_eq!((lease.lost_by("ann"), lease.lost_by("bob")), (Some(1), None));
        lease.take_away();
        lease.grant(held("ann", &now, Some(SECOND)));
        assert_eq!((lease.lost_by("ann"), lease.lost_by("bob")), (None, Some(2)));
    }

    #[test]
    fn the_clock_that_does_not_jump_decides() {
        let start = at(1000, "b", 1000);
        let mut lease = Lease::new("x");
        lease.grant(held("ann", &start, Some(5 * SECOND)));
        // The wall clock is an hour ahead or behind, which does not matter.
        assert_eq!(lease.standing(&at(4600, "b", 5999)), Standing::Live);
        assert_eq!(lease.standing(&at(0, "b", 6000)), Standing::Expired);
        // After a reboot only the wall clock is left.
        assert_eq!(lease.standing(&at(1004, "c", 0)), Standing::Live);
        assert_eq!(lease.standing(&at(1005, "c", 0)), Standing::Expired);
        assert_eq!(lease.standing(&Now { wall: Instant::from_nanos(1004 * SECOND), ticks: None }), Standing::Live);
    }

    #[test]
    fn what_is_over_is_not_renewed_and_a_persons_never_ends() {
        let mut lease = Lease::new("x");
        lease.grant(held("ann", &at(0, "b", 0), Some(4 * SECOND)));
        assert!(!lease.wants_renewal(&at(0, "b", 900)) && lease.wants_renewal(&at(0, "b", 1100)));
        assert!(lease.renew(&at(3, "b", 3000)));
        assert_eq!(lease.standing(&at(0, "b", 6999)), Standing::Live);
        assert!(!lease.renew(&at(9, "b", 7000)));
        lease.grant(held("ann", &at(0, "b", 0), None));
        assert_eq!(lease.standing(&at(i64::MAX / SECOND, "b", i64::MAX)), Standing::Live);
    }
}
