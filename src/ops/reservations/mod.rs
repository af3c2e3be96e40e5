//! Reservations of files (`reservations.jsonl`): one record for each reserved glob.
//!
//! A request is granted completely or not at all. Reserving a glob again renews it. Expired ones do not count; a
//! week later the next write drops them.

pub(in crate::ops) mod typed;

pub use super::error::{Obstacle, ReservationError};

use self::typed::{anchored, anchored_all, plain, standpoint};
use crate::model::glob::Glob;
use crate::model::lease::Now;
use crate::model::reservation::{DEFAULT_TTL, Reservation};
use crate::model::state_id::{self, RESERVATION};
use crate::model::time::DAY;
use crate::ops::agents::identity;
use crate::ops::{OpError, Result, here};
use crate::store::{Put, RESERVATIONS, Store};
use crate::vcs;

/// How long an expired one is still shown.
const KEPT: i64 = 7 * DAY;

/// A request for a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReserveRequest {
    /// As typed, relative to the working directory.
    pub globs: Vec<String>,
    pub is_shared: bool,
    /// Nanoseconds; `None` lasts until it is released, which only people may request.
    pub ttl: Option<i64>,
    pub issue: Option<String>,
    pub reason: Option<String>,
}

impl Default for ReserveRequest {
    fn default() -> Self {
        ReserveRequest { globs: Vec::new(), is_shared: false, ttl: Some(DEFAULT_TTL), issue: None, reason: None }
    }
}

/// A reservation and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    pub reservation: Reservation,
    pub is_over: bool,
    pub is_mine: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checked {
    /// How many paths were checked.
    pub checked: usize,
    pub obstacles: Vec<Obstacle>,
}

/// Which reservations to release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Release {
    /// All of the actor's.
    All,
    /// By id, by the beginning of one, or by glob.
    These(Vec<String>),
}

/// Reserves globs, all or none.
pub fn reserve(store: &mut Store, request: &ReserveRequest) -> Result<Vec<Reserved>> {
    let globs = anchored_all(store, &request.globs)?;
    let issue = request.issue.as_deref().map(|typed| store.resolve(typed)).transpose()?;
    let holder = identity::ensure_actor(store)?;
    if request.ttl.is_none() && holder.agent.is_some() {
        return Err(ReservationError::Endless.into());
    }
    let worktree = store.worktree()?;
    let state = store.state();
    let lock = state.lock(store.lock_wait())?;
    let repo = here::repo(store, &state)?;
    let (now, entropy) = (store.host().clock.both(), &store.host().entropy);
    let mut reserved = Vec::new();
    RESERVATIONS.file(&state).edit::<OpError>(&lock, entropy, |document| {
        let known: Vec<Reservation> = RESERVATIONS.rows(document).collect();
        let obstacles = globs.iter().flat_map(|glob| {
            let forbids = |one: &&Reservation| one.forbids(&holder, repo.as_deref(), glob, request.is_shared, &now);
            let found = known.iter().filter(forbids);
            found.map(|one| Obstacle { wanted: glob.to_string(), reservation: one.clone() })
        });
        let obstacles: Vec<Obstacle> = obstacles.collect();
        if !obstacles.is_empty() {
            return Err(ReservationError::Reserved { obstacles }.into());
        }
        let mut puts = stale(&known, &now);
        reserved.clear();
        for glob in &globs {
            let text = glob.to_string();
            let mine = |one: &&Reservation| one.repo == repo && one.holder.is(&holder) && one.glob == text;
            let known = known.iter().find(mine);
            let mut one = match known.filter(|one| !one.is_over(&now)) {
                Some(one) => Reservation { renewed: Some(now.wall.to_string()), ..one.clone() },
                None => Reservation {
                    id: known.map_or_else(|| state_id::mint(RESERVATION, entropy.bytes()), |one| one.id.clone()),
                    glob: text,
                    repo: repo.clone(),
                    acquired: now.wall.to_string(),
                    ..Reservation::default()
                },
            };
            one.holder = holder.clone();
            one.is_shared = request.is_shared;
            one.issue = issue.clone().or(one.issue);
            one.reason = request.reason.clone().or(one.reason);
            (one.worktree_id, one.worktree) = (worktree.id.clone(), Some(worktree.name.clone()));
            one.last(request.ttl, &now);
            puts.retain(|put| !matches!(put, Put::Gone { id } if *id == one.id));
            puts.push(RESERVATIONS.put(document, &one.id, &one));
            reserved.push(Reserved { reservation: one, is_over: false, is_mine: true });
        }
        Ok(puts)
    })?;
    Ok(reserved)
}

/// The reservations of this repository: active ones, or expired ones.
pub fn reservations(store: &Store, mine: bool, over: bool) -> Result<Vec<Reserved>> {
    let (found, _) = read(store)?;
    Ok(found.into_iter().filter(|one| one.is_over == over && (one.is_mine || !mine)).collect())
}

/// Releases reservations, and returns them. Only a coordinator may release those of others.
pub fn release(store: &Store, which: &Release) -> Result<Vec<Reservation>> {
    let state = store.state();
    if !state.exists() {
        return match which {
            Release::These(typed) if !typed.is_empty() => {
                Err(ReservationError::NotReserved { typed: typed[0].clone() }.into())
            }
            _ => Ok(Vec::new()),
        };
    }
    let lock = state.lock(store.lock_wait())?;
    let (all, _) = read(store)?;
    let may = |one: &Reserved| one.is_mine || store.agent().is_some_and(|agent| agent.is_coordinator);
    let mut chosen: Vec<Reservation> = Vec::new();
    match which {
        Release::All => chosen.extend(all.into_iter().filter(|one| one.is_mine).map(|one| one.reservation)),
        Release::These(typed) => {
            for typed in typed {
                let found = named(store, &all, typed)?;
                let own: Vec<&&Reserved> = found.iter().filter(|one| may(one)).collect();
                match (own.as_slice(), found.first()) {
                    ([], None) => return Err(ReservationError::NotReserved { typed: typed.clone() }.into()),
                    ([], Some(other)) => {
                        let reservation = Box::new(other.reservation.clone());
                        return Err(ReservationError::ByOther { reservation }.into());
                    }
                    (own, _) => chosen.extend(own.iter().map(|one| one.reservation.clone())),
                }
            }
        }
    }
    let gone = || chosen.iter().map(|one| Put::Gone { id: one.id.clone() }).collect();
    RESERVATIONS.file(&state).edit::<OpError>(&lock, &store.host().entropy, |_| Ok(gone()))?;
    Ok(chosen)
}

/// Others' exclusive reservations of these paths, which are relative to the working directory.
pub fn check_paths(store: &Store, paths: &[String]) -> Result<Checked> {
    let (root, base) = standpoint(store);
    let cwd = store.host().env.cwd().to_owned();
    let paths: Vec<(String, bool)> =
        paths.iter().map(|typed| Ok((plain(typed, &root, &base)?, cwd.join(typed).is_dir()))).collect::<Result<_>>()?;
    check(store, &paths)
}

/// Whether files reserved by others may be committed nevertheless.
pub fn only_warns(store: &Store) -> bool {
    store.settings().word("reserve.mode") == "warn"
}

/// Others' exclusive reservations of the paths that git has staged.
pub fn check_staged(store: &Store) -> Result<Checked> {
    let root = here::root(store);
    let paths = vcs::staged_paths(&root, &store.host().env).map_err(|error| ReservationError::Staged(error.into()))?;
    let paths: Vec<(String, bool)> = paths.iter().map(|path| (path.to_string_lossy().into_owned(), false)).collect();
    check(store, &paths)
}

fn check(store: &Store, paths: &[(String, bool)]) -> Result<Checked> {
    let (all, now) = read(store)?;
    let who = here::acting(store);
    let mut checked = Checked { checked: paths.len(), ..Checked::default() };
    for (path, is_directory) in paths {
        let glob = Glob::path(path, *is_directory);
        // A shared reservation does not exclude others.
        let forbids = |one: &&Reservation| one.forbids(&who, one.repo.as_deref(), &glob, true, &now);
        let found = all.iter().map(|one| &one.reservation).filter(forbids);
        let wanted = if path.is_empty() { "." } else { path };
        checked.obstacles.extend(found.map(|one| Obstacle { wanted: wanted.to_owned(), reservation: one.clone() }));
    }
    Ok(checked)
}

/// Every reservation of this repository, oldest first.
fn read(store: &Store) -> Result<(Vec<Reserved>, Now)> {
    let who = here::acting(store);
    let state = store.state();
    state.check()?;
    let (now, repo) = (store.host().clock.both(), here::repo(store, &state)?);
    let document = store.records(&RESERVATIONS.file(&state))?;
    let found = RESERVATIONS.rows(&document).filter(|one| one.repo == repo);
    let mut found: Vec<Reserved> = found
        .map(|one| Reserved { is_over: one.is_over(&now), is_mine: one.holder.is(&who), reservation: one })
        .collect();
    found.sort_by_cached_key(|one| (one.reservation.acquired.clone(), one.reservation.glob.clone()));
    Ok((found, now))
}

fn stale(known: &[Reservation], now: &Now) -> Vec<Put> {
    let long_over = |one: &Reservation| {
        one.is_over(now) && one.expires.is_some_and(|at| now.wall.nanos().saturating_sub(at.nanos()) > KEPT)
    };
    known.iter().filter(|one| long_over(one)).map(|one| Put::Gone { id: one.id.clone() }).collect()
}

/// The reservations matching an id, the beginning of one, or a glob.
fn named<'a>(store: &Store, all: &'a [Reserved], typed: &str) -> Result<Vec<&'a Reserved>> {
    if typed.starts_with(RESERVATION) {
        let found: Vec<&Reserved> = all.iter().filter(|one| one.reservation.id.starts_with(typed)).collect();
        if found.len() > 1 {
            let candidates = found.iter().map(|one| one.reservation.id.clone()).collect();
            return Err(ReservationError::Ambiguous { typed: typed.to_owned(), candidates }.into());
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let (root, base) = standpoint(store);
    let glob = anchored(typed, &root, &base, store.host().env.cwd())?.to_string();
    Ok(all.iter().filter(|one| one.reservation.glob == glob).collect())
}
