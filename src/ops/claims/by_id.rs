//! Claiming and releasing issues, including side effects: registering the agent, the claim on the remote, messages to
//! former holders.

use super::remote;
use crate::model::change::Change;
use crate::model::issue::Status;
use crate::model::lease::{Holder, Standing};
use crate::model::message::{Kind, Urgency};
use crate::model::query::{Expr, Field, is_me};
use crate::model::state_id::AGENT;
use crate::ops::agents::{identity, roster};
use crate::ops::mail::{Letter, Sender};
use crate::ops::{self, OpError, Result, mail};
use crate::store::{AutoClaim, ClaimWish, Claimed, LeaseRow, Reclaimed, ReleaseWish, Row, Store, StoreError, Written};

/// Claims an issue by its full id. With `on_remote`, first on the git remote, where clones on other machines see it.
pub(crate) fn claim(store: &mut Store, id: &str, wish: &ClaimWish, on_remote: bool) -> Result<Claimed> {
    let wish = &identity::claiming(store, wish)?;
    let claimed = remote::claim(store, id, wish, on_remote)?;
    tell_former_holder(store, &claimed);
    Ok(claimed)
}

/// Claims the first ready issue that may be handed out. On a remote, issues held by other clones are skipped.
pub fn claim_ready(store: &mut Store, auto: &AutoClaim) -> Result<Option<Claimed>> {
    let wish = ClaimWish { to_write: true, ..identity::claiming(store, &auto.wish)? };
    let auto = &AutoClaim { wish, ..auto.clone() };
    // Issues held by silent or dead agents are ready again.
    if store.leases()?.iter().any(|row| row.standing == Standing::Expired) {
        // A claim that cannot be taken back is simply not handed out.
        let _ = reclaim(store, None, false);
    }
    let claimed = if store.settings().flag("claims.remote") {
        remote::claim_ready(store, auto)?
    } else {
        store.claim_ready(auto)?
    };
    if let Some(claimed) = &claimed {
        tell_former_holder(store, claimed);
    }
    Ok(claimed)
}

/// Assigns an issue to an agent or a person, and notifies them. For coordinators and people; another's valid claim is
/// not overridden.
pub fn assign(store: &mut Store, id: &str, to: &str) -> Result<Assigned> {
    identity::refuse_workers(store, "assign issues")?;
    let person = |name: &str| (name.to_owned(), format!("person:{name}"));
    let to = if is_me(to) { store.actor() } else { to };
    let (name, address) = match to.strip_prefix("person:") {
        Some(name) => person(name),
        None => match roster::find_agent(store, to) {
            Ok(seen) => (seen.agent.name, seen.agent.id),
            // A person knows people, too.
            Err(OpError::NoSuchAgent { typed }) if store.agent().is_none() && !typed.starts_with(AGENT) => {
                person(&typed)
            }
            Err(error) => return Err(error),
        },
    };
    let held = store.lease(id)?.filter(|row| row.standing == Standing::Live);
    if let Some(row) = held.filter(|row| row.lease.holder.as_ref().is_some_and(|holder| holder.name != name)) {
        return Err(StoreError::from(row.claimed()).into());
    }
    let written = store.change(id, vec![Change::Text(Field::Assignee, name.clone())])?;
    let title = written.issue().title;
    let letter = Letter {
        to: vec![address],
        kind: Kind::TaskAssignment,
        subject: Some(format!("assigned to you: {id}")),
        body: format!("{id}: {title}"),
        issue: Some(id.to_owned()),
        ..Letter::default()
    };
    let sent = mail::send(store, letter)?;
    Ok(Assigned { to: name, message: sent.message.id, written })
}

/// An issue that was assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assigned {
    pub to: String,
    pub message: String,
    pub written: Written,
}

/// Notifies the agent from whom a claim was taken. A failure does not affect the claim.
fn tell_former_holder(store: &mut Store, claimed: &Claimed) {
    let Some(from) = &claimed.taken_from else { return };
    let body = format!(
        "{} has {} now, under number {}. Your claim, number {}, is over: {}. Stop working on it.",
        claimed.holder.name, claimed.id, claimed.epoch, from.epoch, from.why
    );
    tell(store, &from.holder, &claimed.id, format!("you have lost {}", claimed.id), body);
}

/// Writes about an issue to its former holder, if that is an agent.
pub(in crate::ops) fn tell(store: &mut Store, holder: &Holder, id: &str, subject: String, body: String) {
    let Some(agent) = holder.agent.clone() else { return };
    let letter = Letter {
        from: Sender::System,
        to: vec![agent],
        kind: Kind::StatusUpdate,
        priority: Urgency::High,
        subject: Some(subject),
        body,
        issue: Some(id.to_owned()),
        ..Letter::default()
    };
    // An agent that never registered has no mailbox.
    let _ = mail::send(store, letter);
}

/// Takes back claims that expired or whose process is gone.
pub(crate) fn reclaim(store: &mut Store, id: Option<&str>, dry_run: bool) -> Result<Vec<Reclaimed>> {
    let taken = store.reclaim(id, dry_run)?;
    for one in taken.iter().filter(|_| !dry_run) {
        let body = format!("Your claim on {}, number {}, was taken back: nothing was heard of you.", one.id, one.epoch);
        tell(store, &one.holder, &one.id, format!("you have lost {}", one.id), body);
    }
    Ok(taken)
}

/// Renews the acting agent's claims, and returns the earliest expiry as RFC 3339.
pub(crate) fn first_expiry(store: &mut Store) -> Result<Option<String>> {
    let wait = store.lock_wait();
    Ok(store.renew_leases(true, wait)?)
}

/// Releases everything that an agent holds, and its unfinished assigned issues; returns the freed issues. Each gets the
/// reason.
pub(crate) fn release_all(store: &mut Store, name: &str, reason: Option<&str>) -> Result<Vec<String>> {
    let wish = ReleaseWish { reason: reason.map(str::to_owned), failed: None };
    let mut free = Vec::new();
    for row in held_by(store, name)? {
        if row.standing == Standing::Live {
            store.release(&row.id, &wish)?;
        } else {
            reclaim(store, Some(&row.id), false)?;
        }
        free.push(row.id);
    }
    store.unlock_all(name)?;
    for row in store.list(&Expr::text(Field::Assignee, name.to_owned()), Default::default(), None)?.rows {
        if row.issue.assignee.as_deref() == Some(name) && !row.issue.status.is_done() {
            let id = row.issue.id.clone();
            match unassign(store, &row, reason) {
                // Skip what this user may not write.
                Err(StoreError::ReadOnly { .. }) => continue,
                done => done?,
            }
            free.push(id);
        }
    }
    free.sort();
    free.dedup();
    Ok(free)
}

/// Removes the assignee of an issue.
fn unassign(store: &mut Store, row: &Row, reason: Option<&str>) -> std::result::Result<(), StoreError> {
    let mut changes = vec![Change::Text(Field::Assignee, String::new())];
    if row.issue.status.as_str() == "in_progress" {
        changes.push(Change::Status(Status::open()));
    }
    changes.extend(reason.map(|reason| Change::AddComment(ops::comment(store, format!("Released: {reason}"), None))));
    store.change(&row.issue.id, changes).map(drop)
}

/// Takes expired claims from an offline agent; returns the freed issues.
pub(crate) fn reclaim_from(store: &mut Store, name: &str) -> Result<Vec<String>> {
    let mut free = Vec::new();
    for row in held_by(store, name)?.into_iter().filter(|row| row.standing == Standing::Expired) {
        reclaim(store, Some(&row.id), false)?;
        free.push(row.id);
    }
    Ok(free)
}

fn held_by(store: &Store, name: &str) -> Result<Vec<LeaseRow>> {
    let rows = store.leases()?.into_iter();
    Ok(rows
        .filter(|row| row.lease.holder.as_ref().is_some_and(|holder| holder.name == name && holder.is_agent()))
        .collect())
}

/// Ends a command: tells remotes what has happened to claims, and resets lines of lost issues. Returns what failed.
pub fn end_command(store: &mut Store) -> Vec<String> {
    let mut stays = Vec::new();
    if let Err(error) = store.put_back_lost() {
        stays.push(format!("the ledger here still names you on an issue that you have lost: {error}"));
    }
    stays.extend(remote::follow(store));
    stays
}
