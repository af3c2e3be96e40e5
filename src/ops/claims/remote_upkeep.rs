//! Whether remotes take claims, and what is removed or corrected there.

use std::path::Path;

use super::remote::{RemoteLease, SKEW, closed_text, content, leases_at};
use crate::ledger::Document;
use crate::model::issue;
use crate::model::lease::Standing;
use crate::model::time::{DAY, Instant};
use crate::ops::{OpError, Result};
use crate::store::Store;
use crate::vcs::{self, Swap, SyncError};

/// How long clones are given to fetch what has been published.
const NEWS: i64 = DAY;

/// Makes a claim on the remote of a working copy and removes it, to see that the remote takes any.
pub(in crate::ops) fn probe(store: &Store, root: &Path) -> Result<()> {
    store.refuse_programs_of(root)?;
    let (id, env) = (store.clone_id()?, &store.host().env);
    let text = content(store, &id, &id, 0, store.host().clock.now()).finish();
    if let Swap::Done { version } = vcs::swap_remote_claim(root, &id, None, Some(&text), env)? {
        vcs::swap_remote_claim(root, &id, Some(&version), None, env)?;
    }
    Ok(())
}

/// Removes the claims of this clone from all remotes, and returns how many there were.
pub(in crate::ops) fn release_all(store: &Store) -> Result<usize> {
    let mut removed = 0;
    for (member, root) in store.claim_places() {
        let held = match leases_at(store, &root) {
            Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) if member > 0 => continue,
            held => held?,
        };
        let clone = store.repository_id(member)?;
        for one in held.iter().filter(|one| one.clone.as_ref() == Some(&clone) && one.closed.is_none()) {
            let done = vcs::swap_remote_claim(&root, &one.id, Some(&one.version), None, &store.host().env)?;
            removed += usize::from(matches!(done, Swap::Done { .. }));
        }
    }
    Ok(removed)
}

/// Brings remotes in step with this clone, and removes what is old news there.
pub(in crate::ops) fn tidy(store: &Store) -> Result<()> {
    for (member, root) in store.claim_places() {
        let held = match leases_at(store, &root) {
            Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => continue,
            held => held?,
        };
        let published = store.published(member)?;
        for one in held {
            if let Some(text) = stale(store, &one, published.as_ref())? {
                vcs::swap_remote_claim(&root, &one.id, Some(&one.version), text.as_deref(), &store.host().env)?;
            }
        }
    }
    Ok(())
}

/// The new text of a claim that contradicts this clone; `Some(None)` if it is to be removed.
fn stale(store: &Store, held: &RemoteLease, published: Option<&Document>) -> Result<Option<Option<String>>> {
    let now = store.host().clock.now();
    let old = |at: Instant| now >= at.plus_nanos(NEWS);
    if held.expires.is_some_and(old) {
        return Ok(Some(None));
    }
    if let Some(closed) = held.closed {
        let others_know = published.is_some_and(|ledger| {
            let line = ledger.find(&held.id).last().and_then(|line| ledger.record(*line));
            line.is_none_or(|line| issue::status_of(&line).is_done())
        });
        return Ok((old(closed) && others_know).then_some(None));
    }
    // A claim of this clone that ended when the remote could not be told; a new one may not be recorded here yet.
    let Some(row) = store.get(&held.id)? else { return Ok(None) };
    let is_own = held.clone == Some(store.clone_of(&held.id)?);
    let is_new = Instant::parse(&held.acquired).is_none_or(|at| now < at.plus_nanos(SKEW));
    if !is_own || is_new || store.lease(&held.id)?.is_some_and(|row| row.standing == Standing::Live) {
        return Ok(None);
    }
    let is_done = row.issue.status.is_done() || store.is_done_elsewhere(&held.id)?;
    Ok(Some(is_done.then(|| closed_text(store, &held.id, held.epoch)).transpose()?))
}
