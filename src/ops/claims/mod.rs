//! Claiming and releasing issues.

pub(in crate::ops) mod abandoned;
pub(in crate::ops) mod by_id;
pub(in crate::ops) mod overruled;
pub(in crate::ops) mod remote;
pub(in crate::ops) mod remote_upkeep;
pub(in crate::ops) mod upkeep;

use std::time::Duration;

use super::{Batch, OpError, Result};
use crate::model::agent::INTERVAL;
use crate::model::change::Change;
use crate::model::duration;
use crate::model::lease::Standing;
use crate::model::time::Instant;
use crate::store::{ClaimWish, Claimed, LeaseError, LeaseRow, Reclaimed, ReleaseWish, Released, Store, StoreError};
use crate::sys;

/// The result for each named issue.
pub(super) type Each<T> = Vec<(String, std::result::Result<T, OpError>)>;

/// Claims several issues, named as people type them.
pub fn claim(store: &mut Store, typed: &[String], wish: &ClaimWish, remote: bool) -> Result<Each<Claimed>> {
    each(store, typed, |store, id| by_id::claim(store, id, wish, remote))
}

/// The same, with results as for changes of issues.
pub fn claim_each(store: &mut Store, typed: &[String], wish: &ClaimWish) -> Result<Batch> {
    let mut batch = Batch::default();
    for (typed, result) in claim(store, typed, wish, false)? {
        let written = result.map(|claimed| {
            batch.waiting.push((claimed.id, claimed.blockers));
            claimed.written
        });
        batch.results.push((typed, written));
    }
    batch.waiting.retain(|(_, blockers)| !blockers.is_empty());
    Ok(batch)
}

/// Claims issues and changes them in the same write.
pub fn claim_and_change(store: &mut Store, typed: &[String], changes: Vec<Change>) -> Result<Batch> {
    // Parents go the ordinary way, which checks for cycles.
    let (parents, with): (Vec<Change>, Vec<Change>) =
        changes.into_iter().partition(|change| matches!(change, Change::Parent(_)));
    let claimed = claim_each(store, typed, &ClaimWish { with, ..ClaimWish::default() })?;
    if parents.is_empty() {
        return Ok(claimed);
    }
    let taken: Vec<String> = claimed.written().map(|written| written.id.clone()).collect();
    let mut moved = super::change_each(store, &taken, |_| parents.clone())?.results.into_iter();
    let results = claimed.results.into_iter().map(|(typed, result)| match result {
        Ok(_) => (typed, moved.next().expect("one answer for each that was taken").1),
        refused => (typed, refused),
    });
    Ok(Batch { results: results.collect(), waiting: claimed.waiting })
}

/// Claims one issue, named as people name it. An expired claim on it is taken back first.
pub fn take(store: &mut Store, typed: &str, wish: &ClaimWish) -> Result<Claimed> {
    let id = store.resolve(typed)?;
    if store.lease(&id)?.is_some_and(|row| row.standing == Standing::Expired) {
        by_id::reclaim(store, Some(&id), false)?;
    }
    by_id::claim(store, &id, wish, false)
}

/// Renews a claim if it is still this one; returns the new expiry, `None` for never.
pub fn renew(store: &mut Store, id: &str, epoch: i64) -> Result<Option<Instant>> {
    Ok(store.renew_lease(id, epoch)?)
}

/// Releases one issue, if its claim is still this one.
pub fn give_back(store: &mut Store, id: &str, held: i64, wish: &ReleaseWish) -> Result<()> {
    let released = store.release(id, wish)?;
    if !released.was_lost {
        return Ok(());
    }
    let (id, name, why) = (id.to_owned(), store.actor().to_owned(), "it was taken over".to_owned());
    Err(StoreError::from(LeaseError::Stale { id, name, held, epoch: released.epoch, holder: None, why }).into())
}

/// Releases issues.
pub fn release(store: &mut Store, typed: &[String], wish: &ReleaseWish) -> Result<Each<Released>> {
    each(store, typed, |store, id| Ok(store.release(id, wish)?))
}

/// Takes back claims whose holders are gone.
pub fn reclaim(store: &mut Store, typed: Option<&str>, orphans: bool, dry_run: bool) -> Result<Vec<Reclaimed>> {
    let id = match typed.map(|typed| (typed, store.resolve(typed))) {
        // The issue may be on another branch: its claim is known by the full id.
        Some((typed, Err(StoreError::NotFound { .. }))) if store.leases()?.iter().any(|row| row.id == typed) => {
            Some(typed.to_owned())
        }
        other => other.map(|(_, id)| id).transpose()?,
    };
    match orphans {
        true => abandoned::free_abandoned(store, id.as_deref(), dry_run),
        false => by_id::reclaim(store, id.as_deref(), dry_run),
    }
}

/// Which claims to show.
#[derive(Debug, Clone, Default)]
pub struct LeaseFilter {
    pub expired: bool,
    pub holder: Option<String>,
    /// A checkout, by id, name or path.
    pub worktree: Option<String>,
}

/// Who holds what.
pub fn leases(store: &Store, filter: &LeaseFilter) -> Result<Vec<LeaseRow>> {
    let worktree = filter.worktree.as_deref().map(|text| store.find_worktree(text)).transpose()?;
    let mut rows = store.leases()?;
    rows.retain(|row| {
        let holder = row.lease.holder.as_ref();
        let named =
            |name: &String| holder.is_some_and(|holder| holder.name == *name || holder.agent.as_ref() == Some(name));
        let there = |id: &str| holder.is_some_and(|holder| holder.worktree_id.as_deref() == Some(id));
        (!filter.expired || row.standing == Standing::Expired)
            && filter.holder.as_ref().is_none_or(named)
            && worktree.as_ref().is_none_or(|one| one.id.as_deref().is_some_and(there))
    });
    Ok(rows)
}

/// Releases only the claims on the remote; with a reason, also those of other clones. Returns whether there were any.
pub fn release_remote(store: &mut Store, typed: &[String], reason: Option<&str>) -> Result<Each<(String, bool)>> {
    each(store, typed, |store, id| Ok((id.to_owned(), remote::release(store, id, reason)?)))
}

fn each<T>(
    store: &mut Store,
    typed: &[String],
    act: impl Fn(&mut Store, &str) -> std::result::Result<T, OpError>,
) -> Result<Each<T>> {
    let named = store.resolve_all(typed)?;
    Ok(named.into_iter().map(|one| (one.typed, act(store, &one.id))).collect())
}

/// How long to wait before claims are renewed again: well within the time that they last.
pub fn claim_pause(store: &Store) -> Duration {
    let lasts = duration::parse(store.settings().word("lease.ttl")).unwrap_or(0);
    Duration::from_nanos((lasts / 3).clamp(0, INTERVAL).unsigned_abs()).max(Duration::from_secs(1))
}

/// A claim that ends when this process does.
pub fn wish_of_process() -> ClaimWish {
    ClaimWish { owner: sys::owner(std::process::id()), ..ClaimWish::default() }
}
