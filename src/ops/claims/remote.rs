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

use crate::model::duration;
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
pub(super) const SKEW: i64 = 300 * SECOND;
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

pub(super) fn leases_at(store: &Store, root: &Path) -> Result<Vec<RemoteLease>> {
    store.refuse_programs_of(root)?;
    let claims = vcs::remote_claims(root, &store.host().env)?;
    Ok(claims.iter().map(RemoteLease::of).collect())
}

/// Claims an issue. `requested`, or if the settings say so, first on the git remote, where clones on other machines see
/// it.
pub(in crate::ops) fn claim(store: &mut Store, id: &str, wish: &ClaimWish, requested: bool) -> Result<Claimed> {
    // Private plans are claimed where they are.
    let is_wanted = store.settings().flag("claims.remote") && !store.is_plan(id)?;
    if !requested && !is_wanted {
        return Ok(store.claim(id, wish)?);
    }
    // The remote is the project's: the claim of a user who may not write there stays local.
    match store.access_by_id(id)? {
        Access::Write => claim_there(store, id, wish, requested),
        Access::Read(_) if !requested => Ok(store.claim(id, wish)?),
        Access::Read(reason) => {
            let (what, repo) = (format!("a claim on {id}"), "the remote".to_owned());
            Err(StoreError::ReadOnly { what, repo, reason }.into())
        }
    }
}

fn claim_there(store: &mut Store, id: &str, wish: &ClaimWish, requested: bool) -> Result<Claimed> {
    // If the claim is hopeless here, do not ask the remote.
    let me = store.actor().to_owned();
    let known = store.lease(id)?;
    let is_live = known.as_ref().is_some_and(|row| row.standing == Standing::Live);
    let holder = known.and_then(|row| row.lease.holder);
    if is_live && holder.as_ref().is_some_and(|holder| holder.name != me) && wish.takeover.is_none() {
        return Ok(store.claim(id, wish)?);
    }
    let earlier = holder.and_then(|holder| holder.remote);
    let (version, is_ours) = match take(store, id, wish, earlier.as_deref(), 1) {
        Ok(Taken::New(version)) => (version, true),
        Ok(Taken::OfThisClone(held)) => (held.version, false),
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
        Ok(claimed) if is_ours => Ok(claimed),
        // The claim there is still that of the former holder, who may just be giving it back.
        Ok(claimed) => renew(store, id).map(|()| claimed),
        Err(error) => {
            // Another agent of this clone may have been faster here, and hold what was claimed there.
            let live = store.lease(id)?.filter(|row| row.standing == Standing::Live);
            let is_in_use = live.and_then(|row| row.lease.holder?.remote).is_some_and(|held| held == version);
            if is_ours && earlier.is_none() && !is_in_use {
                end(store, id, &version)?;
            }
            Err(error.into())
        }
    }
}

/// How a claim on the remote was won.
enum Taken {
    /// By a push, which made this version.
    New(String),
    /// It is this clone's already: the state home decides who has it.
    OfThisClone(RemoteLease),
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
            let is_free = |held: &RemoteLease| {
                // Nothing is handed out that the ledgers here do not have.
                Ok::<_, OpError>(store.get(&held.id)?.is_none() || may_take(store, held, &auto.wish, now)?)
            };
            let taken = known.into_iter().map(|held| Ok((is_free(&held)?, held.id)));
            let taken = taken.collect::<Result<Vec<_>>>()?;
            passed.extend(taken.into_iter().filter(|(may, _)| !may).map(|(_, id)| id));
        }
    }
    Ok(None)
}

/// Wins the claim on the remote. `earlier` is the version that the remote had when this clone claimed the issue last.
fn take(store: &Store, id: &str, wish: &ClaimWish, earlier: Option<&str>, epoch: i64) -> Result<Taken> {
    let root = place(store, id)?;
    let env = store.host().env.clone();
    let now = store.host().clock.now();
    let (mut expected, mut epoch) = (earlier.map(str::to_owned), epoch);
    let mut held = None;
    for _ in 0..TRIES {
        let text = text(store, id, wish, epoch)?;
        held = match vcs::swap_remote_claim(&root, id, expected.as_deref(), Some(&text), &env)? {
            Swap::Done { version } => return Ok(Taken::New(version)),
            Swap::Lost { current } => current.as_ref().map(RemoteLease::of),
        };
        if let Some(held) = &held {
            if !may_take(store, held, wish, now)? {
                return Err(lost(id, held).into());
            }
            if is_live_here(store, held, now)? {
                return Ok(Taken::OfThisClone(held.clone()));
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

/// The remote has a claim of this clone that is not over.
fn is_live_here(store: &Store, held: &RemoteLease, now: Instant) -> Result<bool> {
    Ok(held.closed.is_none() && !held.is_over(now) && held.clone == Some(store.clone_of(&held.id)?))
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

/// Says on the remote that the issue is closed, unless another clone has claimed it there. Returns that claim.
fn close(store: &Store, id: &str, version: &str) -> Result<Option<RemoteLease>> {
    let (root, env) = (place(store, id)?, store.host().env.clone());
    let now = store.host().clock.now();
    let (mut expected, mut held) = (Some(version.to_owned()), None);
    for _ in 0..TRIES {
        let text = closed_text(store, id, 0)?;
        held = match vcs::swap_remote_claim(&root, id, expected.as_deref(), Some(&text), &env)? {
            Swap::Done { .. } => return Ok(None),
            Swap::Lost { current } => current.as_ref().map(RemoteLease::of),
        };
        if let Some(other) = held.take_if(|held| !matches!(is_live_here(store, held, now), Ok(true))) {
            return Ok(Some(other).filter(|other| other.closed.is_none()));
        }
        expected = held.as_ref().map(|held| held.version.clone());
    }
    Ok(held)
}

pub(super) fn closed_text(store: &Store, id: &str, epoch: i64) -> Result<String> {
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

/// Removes a claim from the remote, whatever is known of it here. That of another clone needs a reason, like a
/// takeover.
pub(in crate::ops) fn release(store: &Store, id: &str, reason: Option<&str>) -> Result<bool> {
    let root = place(store, id)?;
    let env = store.host().env.clone();
    let Some(current) = vcs::remote_claim(&root, id, &env)? else { return Ok(false) };
    let held = RemoteLease::of(&current);
    let is_ours = held.clone == Some(store.clone_of(id)?);
    let live = store.lease(id)?.filter(|row| row.standing == Standing::Live);
    // A claim of another agent of this clone is taken over here.
    let is_in_use = live.and_then(|row| row.lease.holder).is_some_and(|holder| is_ours && holder.name != store.actor());
    if is_in_use || (reason.is_none() && !is_ours) {
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
            RemoteChange::Closed => close(store, &id, &version),
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
    let mut taken = take(store, id, &wish, holder.remote.as_deref(), epoch);
    for _ in 0..TRIES {
        // Another agent of this clone made it, and is just giving it back.
        let Ok(Taken::OfThisClone(held)) = &taken else { break };
        taken = take(store, id, &wish, Some(held.version.clone()).as_deref(), epoch);
    }
    match taken {
        Ok(Taken::New(version)) => Ok(store.note_remote(id, epoch, version)?),
        Ok(Taken::OfThisClone(_)) => Ok(()),
        Err(error @ OpError::Store(StoreError::Lease(_))) => {
            store.yield_lease(id, epoch)?;
            // The claim on the remote is another clone's.
            drop(store.remote_news());
            Err(error)
        }
        Err(error) => Err(error),
    }
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
pub(super) fn content(store: &Store, clone: &str, id: &str, epoch: i64, expires: Instant) -> Object {
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
    // A claim contains its issue's id.
    if store.is_plan(id)? {
        return Err(StoreError::Private { id: id.to_owned(), repo: "a remote".to_owned() }.into());
    }
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
