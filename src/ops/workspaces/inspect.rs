//! Inspects a workspace: reasons against removing it, and whether its work is merged.
//!
//! Only what is provably stored elsewhere may be removed. If that is unknown, it counts as something that would be
//! lost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::lines::{Homeward, homeward};
use super::proof;
use crate::model::lease::{Owner, Standing};
use crate::model::time::{DAY, Instant};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::removal_reasons::{Loss, Reason};
use crate::ops::workspace_records::{Known, known};
use crate::ops::worktrees::status::held_in;
use crate::ops::{Result, removal_reasons};
use crate::store::{LeaseRow, Store, StoreError, Worktree, real_path};
use crate::sys::{processes, removal};
use crate::vcs::{Merged, Origin};
use crate::{sys, vcs};

/// How long a process that only inspects the directory may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// The state of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inspection {
    /// The reasons against removing it.
    pub reasons: Vec<Reason>,
    /// How its work was merged into the branch it started from.
    pub merged: Option<Merged>,
    /// It has no commits of its own.
    pub is_untouched: bool,
    /// What its ledger has and its parent's lacks; it can be brought home.
    pub homeward: Homeward,
}

/// Context for inspecting workspaces.
pub(super) struct Around {
    pub leases: Vec<LeaseRow>,
    pub all: Vec<Known>,
    /// The caller's current directory.
    pub cwd: PathBuf,
}

impl Around {
    pub(super) fn of(store: &Store, cwd: &Path) -> Result<Self> {
        Ok(Around { leases: store.leases()?, all: known(store)?, cwd: cwd.to_owned() })
    }
}

/// The reasons against removing a workspace.
pub fn reasons(store: &Store, one: &Workspace, cwd: &Path) -> Result<Vec<Reason>> {
    let around = Around::of(store, cwd)?;
    match around.all.iter().find(|known| known.workspace.id == one.id) {
        Some(known) => Ok(inspect(store, known, Path::new(&one.path), &around)?.reasons),
        None => Ok(vec![Reason::new(Loss::NotOurs, "it is not recorded")]),
    }
}

/// Inspects a workspace, whose directory may have been renamed meanwhile.
pub(super) fn inspect(store: &Store, known: &Known, at: &Path, around: &Around) -> Result<Inspection> {
    let one = &known.workspace;
    let mut look = Inspection::default();
    if let Some(why) = proof::doubt(store, known, at) {
        look.reasons.push(Reason::new(Loss::NotOurs, why));
        return Ok(look);
    }
    look.reasons.extend(at_work(store, one, at, &around.cwd));
    look.reasons.extend(inside(one, at, around));
    let worktree = as_worktree(one, at);
    let on_issue = |row: &&LeaseRow| {
        let is_busy = one.state == State::Active && one.issue.as_ref() == Some(&row.id);
        is_busy && !held_in(&around.leases, &worktree).any(|held| held.id == row.id)
    };
    look.reasons.extend(removal_reasons::of_leases(held_in(&around.leases, &worktree)));
    look.reasons.extend(removal_reasons::of_leases(around.leases.iter().filter(on_issue)));
    // One that was never ready was never used.
    if one.ready_at.is_some() || one.is_adopted || one.state == State::Orphaned {
        files(store, one, at, &mut look);
    }
    look.reasons.sort_by_key(|reason| reason.loss);
    look.reasons.dedup();
    Ok(look)
}

pub(super) fn as_worktree(one: &Workspace, at: &Path) -> Worktree {
    Worktree {
        id: one.worktree_id.clone(),
        name: one.id.clone(),
        root: at.to_owned(),
        branch: one.branch.clone(),
        is_main: false,
        is_here: false,
        exists: true,
        gone_at: None,
    }
}

/// Who works there right now.
fn at_work(store: &Store, one: &Workspace, at: &Path, cwd: &Path) -> Vec<Reason> {
    let mut found = Vec::new();
    let is_inside = |path: &Path| real_path(path).starts_with(at);
    let here = Reason::new(Loss::CurrentDirectory, "the current directory is inside of it");
    if is_inside(cwd) || is_inside(store.host().env.cwd()) {
        found.push(here.clone());
    }
    // Our own helper processes do not count.
    store.host().env.residents().dismiss();
    for process in lasting(at) {
        found.push(match process.is_ours {
            true => here.clone(),
            false => Reason::new(Loss::Process, format!("process {} ({}) works there", process.pid, process.name)),
        });
    }
    let own = i64::from(std::process::id());
    if let Some(owner) = one.owner.as_ref().filter(|owner| owner.pid != own) {
        found.extend(
            match owner_lives(store, one, owner) {
                Some(true) => Some(format!("process {} works there", owner.pid)),
                Some(false) => None,
                None => Some(format!(
                    "process {} of {} may work there, which cannot be known from here",
                    owner.pid,
                    one.host.as_deref().unwrap_or("another place")
                )),
            }
            .map(|text| Reason::new(Loss::Process, text)),
        );
    }
    found
}

/// The processes that stay in a directory: one that only inspects it is gone soon.
fn lasting(at: &Path) -> Vec<processes::Running> {
    let until = std::time::Instant::now() + PATIENCE;
    let mut found = processes::inside(at).unwrap_or_default();
    while found.iter().any(|one| !one.is_ours) && std::time::Instant::now() < until {
        std::thread::sleep(PATIENCE / 10);
        let now = processes::inside(at).unwrap_or_default();
        found.retain(|one| now.contains(one));
    }
    found
}

/// Whether the process that makes, removes or uses a workspace is alive; `None` if unknown. One of an earlier boot is
/// dead, and an unknown one counts as dead after a day.
pub(super) fn owner_lives(store: &Store, one: &Workspace, owner: &Owner) -> Option<bool> {
    if let Some(known) = sys::is_alive(owner) {
        return Some(known);
    }
    let boot = |text: &str| text.split(' ').next().map(str::to_owned);
    let here = sys::owner(std::process::id());
    let is_earlier = here.is_some_and(|here| boot(&here.boot) != boot(&owner.boot)) && one.host == sys::host_name();
    let last = [&one.updated_at, &one.used_at]
        .into_iter()
        .flatten()
        .chain([&one.created_at])
        .find_map(|at| Instant::parse(at));
    let age = last.map(|at| store.host().clock.now().nanos().saturating_sub(at.nanos()));
    if is_earlier || age.is_some_and(|age| age > DAY) { Some(false) } else { None }
}

/// Other checkouts and repositories inside it.
fn inside(one: &Workspace, at: &Path, around: &Around) -> Vec<Reason> {
    let mut found = Vec::new();
    if let Some(place) = removal::mount_below(at) {
        found.push(Reason::new(Loss::Mount, format!("something is mounted in it, at {}", place.display())));
    }
    match vcs::repository_inside(at) {
        Ok(None) => {}
        Ok(Some(inner)) => {
            let text = format!("another repository is inside, at {}; remove that one first", inner.display());
            found.push(Reason::new(Loss::Repository, text));
        }
        Err(error) => found.push(Reason::new(Loss::Unknown, format!("not all of it can be looked at: {error}"))),
    }
    let is_there = |other: &&Known| other.workspace.state != State::Removed && other.workspace.id != one.id;
    for other in around.all.iter().filter(is_there) {
        if Path::new(&other.workspace.parent).starts_with(&one.path) {
            let text = format!("the workspace {} was made from it", other.workspace.id);
            found.push(Reason::new(Loss::Child, text));
        }
    }
    if one.kind != Kind::Worktree {
        for other in vcs::open(at).checkouts().into_iter().filter(|other| other.exists && other.root != at) {
            let text = format!("the checkout {} belongs to it", other.root.display());
            found.push(Reason::new(Loss::Child, text));
        }
    }
    found
}

/// Files, commits and issues that would be lost.
fn files(store: &Store, one: &Workspace, at: &Path, look: &mut Inspection) {
    let unknown = |error: String| Reason::new(Loss::Unknown, format!("cannot tell what would be lost: {error}"));
    if let Err(error) = store.refuse_programs_of(at) {
        look.reasons.push(unknown(error.to_string()));
        return;
    }
    let (env, vcs) = (&store.host().env, vcs::open(at));
    // Ledgers are judged by their content.
    match unmerged(store, one, at) {
        Ok(found) => look.homeward = found,
        Err(error) => look.reasons.push(unknown(error.to_string())),
    }
    let is_ledger = |path: &PathBuf| look.homeward.ledgers.contains(path);
    match vcs.work(env) {
        Ok(mut work) => {
            work.changed.retain(|path| !is_ledger(path));
            work.untracked.retain(|path| !is_ledger(path));
            look.reasons.extend(removal_reasons::of_files(&work));
        }
        Err(error) => look.reasons.push(unknown(error.to_string())),
    }
    let origin =
        Origin { root: Path::new(&one.parent), base: one.base.as_deref(), base_commit: one.base_commit.as_deref() };
    match vcs.whereabouts(&origin, env) {
        Ok(found) => {
            look.reasons.extend(found.unsaved.iter().map(removal_reasons::of_unsaved));
            let work = vcs::Work { loose: found.loose, stashes: found.stashes, ..vcs::Work::default() };
            look.reasons.extend(removal_reasons::of_commits(&work));
            if let Some(first) = found.tags.first() {
                let more =
                    if found.tags.len() > 1 { format!(" and {} more", found.tags.len() - 1) } else { String::new() };
                look.reasons.push(Reason::new(Loss::Tags, format!("the tag {first}{more} is nowhere else")));
            }
            (look.merged, look.is_untouched) = (found.merged, found.is_untouched);
        }
        Err(error) => look.reasons.push(unknown(error.to_string())),
    }
    if look.homeward.has_others {
        look.reasons.push(Reason::new(Loss::Ledger, "its ledger has lines that are not issues and exist nowhere else"));
    }
}

/// The directory of the repo in a workspace's parent checkout.
pub(super) fn parent_of(one: &Workspace) -> PathBuf {
    let inside = one.work_dir.as_deref().and_then(|dir| Path::new(dir).strip_prefix(&one.path).ok());
    Path::new(&one.parent).join(inside.unwrap_or(Path::new("")))
}

/// Issues that its ledger has and its parent's lacks.
fn unmerged(store: &Store, one: &Workspace, at: &Path) -> Result<Homeward> {
    match store.opened_at(&parent_of(one)) {
        Ok(parent) => homeward(&parent, one, at),
        Err(StoreError::NoLedger { .. } | StoreError::NoRepository { .. }) => Ok(Homeward::default()),
        Err(error) => Err(error.into()),
    }
}

/// Someone holds a claim there.
pub(super) fn is_leased(one: &Workspace, leases: &[LeaseRow]) -> bool {
    let worktree = as_worktree(one, Path::new(&one.path));
    let is_live = |row: &&LeaseRow| row.standing == Standing::Live;
    held_in(leases, &worktree).any(|row| is_live(&row))
        || leases.iter().filter(is_live).any(|row| one.issue.as_ref() == Some(&row.id))
}
