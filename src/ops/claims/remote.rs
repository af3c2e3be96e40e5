//! Claims between machines: a ref on the git remote, changed only by compare-and-swap, so that two clones cannot both
//! win.
//!
//! The remote is asked before the state home and without any lock: one push, which takes an issue that is not claimed
//! there. Only if that fails, the claim is read. The winner then claims locally; if that fails, the claim on the remote
//! is released. Clocks of machines differ: another's claim counts as expired only five minutes after its end.
//!
//! A close does not end a claim, because others cannot see it yet: the ref then says that the issue is closed, and is
//! removed when that is old news. What a claim says is listed in `docs/security.md`; there are no names in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ledger::Document;
use crate::model::duration;
use crate::model::issue;
use crate::model::json::Object;
use crate::model::lease::Standing;
use crate::model::merge::set_at;
use crate::model::record::Record;
use crate::model::time::{DAY, Instant, SECOND};
use crate::ops::agents::roster;
use crate::ops::{OpError, Result};
use crate::store::{Access, AutoClaim, ClaimWish, Claimed, LeaseError, RemoteChange, RemoteNews, Store, StoreError};
use crate::vcs::{self, RemoteClaim, Swap, SyncError};

/// How far the clocks of two machines may differ.
const SKEW: i64 = 300 * SECOND;
/// How long clones are given to fetch what has been published.
const NEWS: i64 = DAY;
/// How often a claim that others change is tried for.
const TRIES: usize = 4;

/// The greatest plausible epoch: it can still be incremented, and every JSON reader can represent it.
const GREATEST_EPOCH: i64 = 1 << 52;

/// A parsed claim on the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteLease {
    /// The issue.
    pub id: String,
    pub version: String,
    /// An agent's id; for a person, that of the clone.
    pub holder: String,
    pub agent: Option<String>,
    pub epoch: i64,
    pub acquired: String,
    pub expires: Option<Instant>,
    /// When the issue was closed, if that is why it cannot be claimed.
    pub closed: Option<Instant>,
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
            agent: None,
            epoch: record.as_ref().and_then(|record| record.integer("epoch")).unwrap_or(0),
            acquired: text("acquired").unwrap_or_default(),
            expires: text("expires").and_then(|at| Instant::parse(&at)),
            closed: text("closed").and_then(|at| Instant::parse(&at)),
            clone: text("clone"),
        }
    }

    pub fn is_over(&self, now: Instant) -> bool {
        self.expires.is_some_and(|at| now >= at.plus_nanos(SKEW))
    }
}

/// All claims on the remotes of the project's repos. `holder` is the name of an agent that is known here.
pub fn remote_leases(store: &Store) -> Result<Vec<RemoteLease>> {
    let names: BTreeMap<String, String> =
        roster::all(store)?.into_iter().map(|seen| (seen.agent.id, seen.agent.name)).collect();
    let mut all = Vec::new();
    for (member, root) in store.claim_places() {
        match leases_at(store, &root) {
            // A repo beside the project's own one may have no remote.
            Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) if member > 0 => {}
            found => all.extend(found?),
        }
    }
    for one in &mut all {
        one.agent = Some(one.holder.clone());
        one.holder = names.get(&one.holder).cloned().unwrap_or_else(|| one.holder.clone());
    }
    Ok(all)
}

fn leases_at(store: &Store, root: &Path) -> Result<Vec<RemoteLease>> {
    store.refuse_programs_of(root)?;
    let claims = vcs::remote_claims(root, &store.host().env)?;
    Ok(claims.iter().map(RemoteLease::of).collect())
}

/// `requested` means that the caller asked for it, not only the settings.
pub(in crate::ops) fn claim(store: &mut Store, id: &str, wish: &ClaimWish, requested: bool) -> Result<Claimed> {
    // If the claim is hopeless here, do not ask the remote.
    let me = store.actor().to_owned();
    let known = store.lease(id)?;
    let is_live = known.as_ref().is_some_and(|row| row.standing == Standing::Live);
    let holder = known.and_then(|row| row.lease.holder);
    if is_live && holder.as_ref().is_some_and(|holder| holder.name != me) && wish.takeover.is_none() {
        return Ok(store.claim(id, wish)?);
    }
    let earlier = holder.and_then(|holder| holder.remote);
    let version = match take(store, id, wish, earlier.as_deref()) {
        Ok(version) => version,
        // A repo without remotes has no clones that could claim.
        Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) if !requested => {
            return Ok(store.claim(id, wish)?);
        }
        // A server may take branches alone: then a claim is what it is without the setting.
        Err(OpError::Remote(error @ SyncError::Refused { .. })) if !requested => {
            let claimed = store.claim(id, wish)?;
            store.claim_is_local(error.to_string());
            return Ok(claimed);
        }
        Err(error) => return Err(error),
    };
    let claimed = store.claim(id, &ClaimWish { remote: Some(version.clone()), ..wish.clone() });
    match claimed {
        Ok(claimed) => Ok(claimed),
        Err(error) => {
            if earlier.is_none() {
                end(store, id, &version)?;
            }
            Err(error.into())
        }
    }
}

pub(in crate::ops) fn claim_ready(store: &mut Store, auto: &AutoClaim) -> Result<Option<Claimed>> {
    let now = store.host().clock.now();
    let mut passed = auto.passed.clone();
    let mut has_looked = false;
    while let Some(id) = store.next_to_hand_out(auto, &passed)? {
        passed.push(id.clone());
        // The remote is not asked about issues that this user may not write.
        if store.access_by_id(&id)? != Access::Write {
            continue;
        }
        match claim(store, &id, &auto.wish, false) {
            Ok(claimed) => return Ok(Some(claimed)),
            Err(OpError::Store(StoreError::Lease(_) | StoreError::Change(_) | StoreError::WouldLeak { .. })) => {}
            Err(error) => return Err(error),
        }
        // Somebody has it: ask once what else is taken.
        if !has_looked {
            has_looked = true;
            let known = match remote_leases(store) {
                Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => Vec::new(),
                other => other?,
            };
            let taken = known.into_iter().map(|held| Ok((may_take(store, &held, &auto.wish, now)?, held.id)));
            let taken = taken.collect::<Result<Vec<_>>>()?;
            passed.extend(taken.into_iter().filter(|(may, _)| !may).map(|(_, id)| id));
        }
    }
    Ok(None)
}

/// Wins the claim on the remote, and returns its version. `earlier` is the version that the remote had when this clone
/// claimed the issue last.
fn take(store: &Store, id: &str, wish: &ClaimWish, earlier: Option<&str>) -> Result<String> {
    let root = place(store, id)?;
    let env = store.host().env.clone();
    let now = store.host().clock.now();
    let (mut expected, mut epoch) = (earlier.map(str::to_owned), 1);
    let mut held = None;
    for _ in 0..TRIES {
        let text = text(store, id, wish, epoch)?;
        held = match vcs::swap_remote_claim(&root, id, expected.as_deref(), Some(&text), &env)? {
            Swap::Done { version } => return Ok(version),
            Swap::Lost { current } => current.as_ref().map(RemoteLease::of),
        };
        if let Some(held) = &held {
            if !may_take(store, held, wish, now)? {
                return Err(lost(id, held).into());
            }
            epoch = held.epoch + 1;
        }
        expected = held.as_ref().map(|held| held.version.clone());
    }
    let unknown = || RemoteLease::of(&RemoteClaim { id: id.to_owned(), ..RemoteClaim::default() });
    Err(lost(id, &held.unwrap_or_else(unknown)).into())
}

/// Whether a claim on the remote leaves the issue to this clone.
fn may_take(store: &Store, held: &RemoteLease, wish: &ClaimWish, now: Instant) -> Result<bool> {
    if held.is_over(now) {
        return Ok(true);
    }
    Ok(match held.closed {
        Some(closed) => is_open_again(store, &held.id, closed)?,
        // Within a clone the state home decides.
        None => wish.takeover.is_some() || held.clone == Some(store.clone_of(&held.id)?),
    })
}

/// The ledger here says that the issue was opened after that time.
fn is_open_again(store: &Store, id: &str, closed: Instant) -> Result<bool> {
    let Some(row) = store.get(id)? else { return Ok(false) };
    Ok(!row.issue.status.is_done() && set_at(&row.record()).at.is_some_and(|at| at > closed))
}

/// Removes a claim from the remote if it is still this version. Returns the claim that replaced it, if any.
fn end(store: &Store, id: &str, version: &str) -> Result<Option<RemoteLease>> {
    swap(store, id, version, None)
}

/// Says on the remote that the issue is closed, if the claim there is still this version.
fn close(store: &Store, id: &str, version: &str, epoch: i64) -> Result<Option<RemoteLease>> {
    let text = closed_text(store, id, epoch)?;
    swap(store, id, version, Some(text))
}

fn closed_text(store: &Store, id: &str, epoch: i64) -> Result<String> {
    let now = store.host().clock.now();
    let text = content(store, &store.clone_of(id)?, id, epoch, now.plus_nanos(closed_ttl(store)));
    Ok(text.text("closed", &now.to_string()).finish())
}

fn swap(store: &Store, id: &str, version: &str, text: Option<String>) -> Result<Option<RemoteLease>> {
    let root = place(store, id)?;
    let env = store.host().env.clone();
    match vcs::swap_remote_claim(&root, id, Some(version), text.as_deref(), &env)? {
        Swap::Done { .. } | Swap::Lost { current: None } => Ok(None),
        Swap::Lost { current: Some(other) } => Ok(Some(RemoteLease::of(&other))),
    }
}

/// Removes a claim of this clone from the remote, whatever is known of it here; with a reason, anybody's.
pub(in crate::ops) fn release(store: &Store, id: &str, reason: Option<&str>) -> Result<bool> {
    let root = place(store, id)?;
    let env = store.host().env.clone();
    let Some(current) = vcs::remote_claim(&root, id, &env)? else { return Ok(false) };
    let held = RemoteLease::of(&current);
    if held.clone != Some(store.clone_of(id)?) && reason.is_none() {
        return Err(lost(id, &held).into());
    }
    match end(store, id, &current.version)? {
        Some(other) => Err(lost(id, &other).into()),
        None => Ok(true),
    }
}

/// Tells remotes what has happened here to claims that were made there too. Returns what failed.
pub(in crate::ops) fn follow(store: &mut Store) -> Vec<String> {
    let mut latest: BTreeMap<String, RemoteNews> = BTreeMap::new();
    for news in store.remote_news() {
        // A close is more than the end that it brings.
        if latest.get(&news.id).is_none_or(|known| known.what != RemoteChange::Closed) {
            latest.insert(news.id.clone(), news);
        }
    }
    let mut stays = Vec::new();
    for (id, RemoteNews { version, what, .. }) in latest {
        let done = match what {
            RemoteChange::Renewed => renew(store, &id).map(|()| None),
            RemoteChange::Closed => close(store, &id, &version, 0),
            RemoteChange::Ended => end(store, &id, &version),
        };
        match done {
            Ok(None) => {}
            Ok(Some(other)) => stays.push(format!(
                "{id}: {} in another clone had taken it over on the remote, under number {}",
                other.holder, other.epoch
            )),
            Err(error) if what == RemoteChange::Renewed => {
                stays.push(format!("the claim on {id} was not renewed on the remote: {error}"));
            }
            Err(error) => stays.push(format!(
                "the remote still says that {id} is claimed: {error}; `bd sync` tells it, or `bd release --remote {id}`"
            )),
        }
    }
    stays
}

/// Renews a claim on the remote. If another clone has taken it there, it is lost here too.
fn renew(store: &mut Store, id: &str) -> Result<()> {
    let Some(row) = store.lease(id)?.filter(|row| row.standing == Standing::Live) else { return Ok(()) };
    let (epoch, Some(holder)) = (row.lease.epoch, row.lease.holder) else { return Ok(()) };
    let wish = ClaimWish { ttl: holder.ttl, forever: holder.ttl.is_none(), ..ClaimWish::default() };
    match take(store, id, &wish, holder.remote.as_deref()) {
        Ok(version) => Ok(store.note_remote(id, epoch, version)?),
        Err(error @ OpError::Store(StoreError::Lease(_))) => {
            store.yield_lease(id, epoch)?;
            // The claim on the remote is another clone's.
            drop(store.remote_news());
            Err(error)
        }
        Err(error) => Err(error),
    }
}

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

fn lost(id: &str, held: &RemoteLease) -> StoreError {
    if held.closed.is_some() {
        return LeaseError::ClosedElsewhere { id: id.to_owned() }.into();
    }
    LeaseError::Claimed {
        id: id.to_owned(),
        holder: held.holder.clone(),
        agent: Some(held.holder.clone()),
        epoch: held.epoch,
        expires: held.expires.map(|at| at.to_string()),
        worktree: Some("another clone".to_owned()),
        session: None,
    }
    .into()
}

fn text(store: &Store, id: &str, wish: &ClaimWish, epoch: i64) -> Result<String> {
    let usual = || duration::parse(store.settings().word("lease.ttl"));
    let is_agent = store.agent().is_some();
    // Nothing stays on a remote for ever.
    let ttl = wish.ttl.or_else(|| usual().filter(|_| is_agent && !wish.forever)).unwrap_or(closed_ttl(store));
    let expires = store.host().clock.now().plus_nanos(ttl);
    Ok(content(store, &store.clone_of(id)?, id, epoch, expires).finish())
}

/// What a claim says: opaque ids and times.
fn content(store: &Store, clone: &str, id: &str, epoch: i64, expires: Instant) -> Object {
    let agent = store.agent().and_then(|agent| agent.id.as_deref());
    Object::new()
        .text("id", id)
        .number("epoch", epoch)
        .text("holder", agent.unwrap_or(clone))
        .text("acquired", &store.host().clock.now().to_string())
        .text("expires", &expires.to_string())
        .text("clone", clone)
}

/// How long a claim says that the issue is closed, and how long one lasts that would not end.
fn closed_ttl(store: &Store) -> i64 {
    duration::parse(store.settings().word("claims.closed_ttl")).unwrap_or(14 * DAY)
}

/// The working copy whose remote has the claims on an issue, once its programs are agreed to.
fn place(store: &Store, id: &str) -> Result<PathBuf> {
    let root = store.root_of(id)?;
    // A claim contains its issue's id: private ones are not sent to the project's remote.
    store.refuse_project_remote_of(id)?;
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
