//! Claims between machines: a ref on the git remote, changed only by compare-and-swap, so that two clones cannot both
//! win.
//!
//! The remote is asked before the state home and without any lock. The winner then claims locally; if that fails, the
//! claim on the remote is released. Clocks of machines differ: another's claim counts as expired only five minutes
//! after its end.

use std::path::PathBuf;

use crate::model::duration;
use crate::model::json::Object;
use crate::model::lease::Standing;
use crate::model::record::Record;
use crate::model::time::{Instant, SECOND};
use crate::ops::{OpError, Result};
use crate::store::{Access, AutoClaim, ClaimWish, Claimed, LeaseError, Store, StoreError};
use crate::vcs::{self, RemoteClaim, Swap, SyncError};

/// How far the clocks of two machines may differ.
const SKEW: i64 = 300 * SECOND;

/// The greatest plausible epoch: it can still be incremented, and every JSON reader can represent it.
const GREATEST_EPOCH: i64 = 1 << 52;

/// A parsed claim on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteLease {
    /// The issue.
    pub id: String,
    pub version: String,
    pub holder: String,
    pub agent: Option<String>,
    pub epoch: i64,
    pub acquired: String,
    pub expires: Option<Instant>,
    pub host: Option<String>,
    /// The clone that made it.
    pub clone: Option<String>,
}

impl RemoteLease {
    fn of(claim: &RemoteClaim) -> Self {
        // No claim can have a greater epoch.
        let is_possible =
            |record: &Record<'_>| record.integer("epoch").is_none_or(|epoch| (0..=GREATEST_EPOCH).contains(&epoch));
        let record = Record::parse(claim.text.trim()).ok().filter(is_possible);
        let text = |key: &str| record.as_ref().and_then(|record| record.text_of(key)).map(|text| text.into_owned());
        RemoteLease {
            id: claim.id.clone(),
            version: claim.version.clone(),
            // An unreadable claim cannot be taken by anyone.
            holder: text("holder").unwrap_or_else(|| "somebody".to_owned()),
            agent: text("agent"),
            epoch: record.as_ref().and_then(|record| record.integer("epoch")).unwrap_or(0),
            acquired: text("acquired").unwrap_or_default(),
            expires: text("expires").and_then(|at| Instant::parse(&at)),
            host: text("host"),
            clone: text("clone"),
        }
    }

    pub fn is_over(&self, now: Instant) -> bool {
        self.expires.is_some_and(|at| now >= at.plus_nanos(SKEW))
    }
}

/// All claims on the project's remote.
pub fn remote_leases(store: &Store) -> Result<Vec<RemoteLease>> {
    let root = place(store, None)?;
    let claims = vcs::remote_claims(&root, &store.host().env)?;
    Ok(claims.iter().map(RemoteLease::of).collect())
}

/// `requested` means that the caller asked for it, not only the settings.
pub(in crate::ops) fn claim(store: &mut Store, id: &str, wish: &ClaimWish, requested: bool) -> Result<Claimed> {
    // If the claim is hopeless here, do not ask the remote.
    let me = store.actor().to_owned();
    let known = store.lease(id)?.filter(|row| row.standing == Standing::Live).and_then(|row| row.lease.holder);
    if known.as_ref().is_some_and(|holder| holder.name != me) && wish.takeover.is_none() {
        return Ok(store.claim(id, wish)?);
    }
    let version = match take(store, id, wish) {
        Ok(version) => version,
        // A repo without remotes has no clones that could claim.
        Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) if !requested => {
            return Ok(store.claim(id, wish)?);
        }
        Err(error) => return Err(error),
    };
    let claimed = store.claim(id, &ClaimWish { remote: Some(version.clone()), ..wish.clone() });
    match claimed {
        Ok(claimed) => Ok(claimed),
        Err(error) => {
            let had = known.is_some_and(|holder| holder.remote.is_some());
            if !had {
                end(store, id, &version)?;
            }
            Err(error.into())
        }
    }
}

pub(in crate::ops) fn claim_ready(store: &mut Store, auto: &AutoClaim) -> Result<Option<Claimed>> {
    let now = store.host().clock.now();
    let mut passed: Vec<String> = Vec::new();
    let clone = store.clone_id()?;
    let known = match remote_leases(store) {
        Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => Vec::new(),
        other => other?,
    };
    let others = known.into_iter().filter(|one| one.clone.as_ref() != Some(&clone) && !one.is_over(now));
    passed.extend(others.map(|one| one.id));
    while let Some(id) = store.next_to_hand_out(auto, &passed)? {
        // The remote is not asked about issues that this user may not write.
        if store.access_by_id(&id)? != Access::Write {
            passed.push(id);
            continue;
        }
        match claim(store, &id, &auto.wish, false) {
            Ok(claimed) => return Ok(Some(claimed)),
            Err(OpError::Store(StoreError::Lease(_) | StoreError::Change(_) | StoreError::WouldLeak { .. })) => {
                passed.push(id)
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// Wins the claim on the remote, and returns its version.
fn take(store: &Store, id: &str, wish: &ClaimWish) -> Result<String> {
    let root = place(store, Some(id))?;
    let clone = store.clone_id()?;
    let me = store.actor().to_owned();
    let env = store.host().env.clone();
    let now = store.host().clock.now();
    let current = vcs::remote_claim(&root, id, &env)?;
    let held = current.as_ref().map(RemoteLease::of);
    let mine = held.as_ref().is_some_and(|held| held.holder == me && held.clone.as_ref() == Some(&clone));
    if let Some(held) = held.as_ref().filter(|held| !mine && !held.is_over(now) && wish.takeover.is_none()) {
        return Err(lost(id, held).into());
    }
    let epoch = held.as_ref().map_or(0, |held| held.epoch) + i64::from(!mine);
    let text = text(store, id, wish, epoch, &clone);
    let expected = current.as_ref().map(|claim| claim.version.as_str());
    match vcs::swap_remote_claim(&root, id, expected, Some(&text), &env)? {
        Swap::Done { version } => Ok(version),
        Swap::Lost { current } => {
            let unknown = || RemoteClaim { id: id.to_owned(), version: String::new(), text: String::new() };
            Err(lost(id, &RemoteLease::of(&current.unwrap_or_else(unknown))).into())
        }
    }
}

/// Removes a claim from the remote if it is still this version. Returns the claim that replaced it, if any.
pub(in crate::ops) fn end(store: &Store, id: &str, version: &str) -> Result<Option<RemoteLease>> {
    let root = place(store, Some(id))?;
    let env = store.host().env.clone();
    match vcs::swap_remote_claim(&root, id, Some(version), None, &env)? {
        Swap::Done { .. } | Swap::Lost { current: None } => Ok(None),
        Swap::Lost { current: Some(other) } => Ok(Some(RemoteLease::of(&other))),
    }
}

/// Removes a claim of this clone from the remote, whatever is known of it here.
pub(in crate::ops) fn release(store: &Store, id: &str) -> Result<bool> {
    let root = place(store, Some(id))?;
    let env = store.host().env.clone();
    let Some(current) = vcs::remote_claim(&root, id, &env)? else { return Ok(false) };
    let held = RemoteLease::of(&current);
    if held.clone.as_ref() != Some(&store.clone_id()?) {
        return Err(lost(id, &held).into());
    }
    match vcs::swap_remote_claim(&root, id, Some(&current.version), None, &env)? {
        Swap::Lost { current: Some(other) } => Err(lost(id, &RemoteLease::of(&other)).into()),
        Swap::Done { .. } | Swap::Lost { current: None } => Ok(true),
    }
}

/// Renews the acting agent's claims on the remote.
pub(in crate::ops) fn renew(store: &mut Store) -> Result<()> {
    let Some(name) = store.agent().map(|agent| agent.name.clone()) else { return Ok(()) };
    let rows = store.leases()?;
    for row in rows {
        let mine = row.lease.holder.as_ref().is_some_and(|holder| holder.name == name && holder.remote.is_some());
        if mine && row.standing == Standing::Live {
            let ttl = row.lease.holder.as_ref().and_then(|holder| holder.ttl);
            claim(store, &row.id, &ClaimWish { ttl, ..ClaimWish::default() }, true)?;
        }
    }
    Ok(())
}

fn lost(id: &str, held: &RemoteLease) -> StoreError {
    LeaseError::Claimed {
        id: id.to_owned(),
        holder: held.holder.clone(),
        agent: held.agent.clone(),
        epoch: held.epoch,
        expires: held.expires.map(|at| at.to_string()),
        worktree: held.host.as_ref().map(|host| format!("a clone on {host}")),
        session: None,
    }
    .into()
}

fn text(store: &Store, id: &str, wish: &ClaimWish, epoch: i64, clone: &str) -> String {
    let usual = duration::parse(store.settings().word("lease.ttl"));
    let ttl = match (store.agent().is_some(), wish.forever) {
        (_, true) => None,
        (false, false) => wish.ttl,
        (true, false) => wish.ttl.or(usual),
    };
    let now = store.host().clock.now();
    let agent = store.agent().and_then(|agent| agent.id.clone());
    let holder = store.actor().to_owned();
    let host = crate::sys::host_name();
    Object::new()
        .text("id", id)
        .number("epoch", epoch)
        .text("holder", &holder)
        .optional("agent", agent.as_deref())
        .text("acquired", &now.to_string())
        .optional("expires", ttl.map(|ttl| now.plus_nanos(ttl).to_string()).as_deref())
        .optional("host", host.as_deref())
        .text("clone", clone)
        .finish()
}

/// The working copy whose remote has the claims on an issue, once its programs are agreed to.
fn place(store: &Store, id: Option<&str>) -> Result<PathBuf> {
    let root = match id {
        Some(id) => {
            let root = store.root_of(id)?;
            // A claim contains its issue's id: private ones are not sent to the project's remote.
            store.refuse_project_remote_of(id)?;
            root
        }
        None => store.repo().root().to_owned(),
    };
    let root = vcs::root(&root).unwrap_or(root);
    store.refuse_programs_of(&root)?;
    Ok(root)
}

#[cfg(test)]
mod tests {
    use super::super::remote::*;

    fn read(text: &str) -> RemoteLease {
        RemoteLease::of(&RemoteClaim { id: "bd-1".into(), version: "v".into(), text: text.into() })
    }

    #[test]
    fn a_claim_with_a_number_that_cannot_be_is_not_understood() {
        let past = "2020-01-01T00:00:00.000Z";
        let with = |epoch: &str| {
            read(&format!("{{\"id\":\"bd-1\",\"epoch\":{epoch},\"holder\":\"bob\",\"expires\":\"{past}\"}}"))
        };
        let usual = with("7");
        assert_eq!((usual.holder.as_str(), usual.epoch, usual.expires.is_some()), ("bob", 7, true));
        for epoch in ["9223372036854775807", "-1", "-9223372036854775808", "4503599627370497"] {
            let odd = with(epoch);
            assert_eq!((odd.holder.as_str(), odd.epoch), ("somebody", 0), "{epoch}");
            assert!(!odd.is_over(Instant::from_nanos(i64::MAX)), "nobody's to take without a word: {epoch}");
        }
    }
}
