//! Making, removing and forgetting checkouts.
//!
//! A checkout is removed only if everything in it is elsewhere too, or after its files were kept. Files that version control
//! ignores go with the directory. Records of checkouts that are gone are dropped on request only.

use std::path::{Path, PathBuf};

use super::status::held_in;
use crate::model::lease::Standing;
use crate::model::state_id;
use crate::model::state_id::CHECKPOINT;
use crate::model::workspace::{State, Workspace};
use crate::ops::{OpError, Result, losses, workspace_records};
use crate::store::{Elsewhere, LeaseRow, Store, StoreError, Worktree};
use crate::vcs::{NewCheckout, Snapshot, SyncError, Why, Work};
use crate::{sys, vcs};

/// A checkout to make.
#[derive(Debug, Clone, Default)]
pub struct WorktreeWish {
    pub name: String,
    /// Without one, a branch with the name of the checkout.
    pub branch: Option<String>,
    /// Where a new branch begins.
    pub base: Option<String>,
    /// Without one, beside the main checkout.
    pub path: Option<PathBuf>,
}

/// What was kept of a checkout before it was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFiles {
    /// What `bd worktree restore` wants to know.
    pub key: String,
    /// The same in the terms of version control.
    pub name: String,
    pub files: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedWorktree {
    pub worktree: Worktree,
    pub kept: Option<KeptFiles>,
    /// What stood against it and did not count.
    pub forced: Vec<String>,
}

/// What is left of checkouts that are gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedWorktrees {
    pub applied: bool,
    /// Directories that version control keeps for checkouts that are not there.
    pub records: Vec<PathBuf>,
    /// Checkouts that version control takes for gone and that are elsewhere: it is told where.
    pub moved: Vec<Worktree>,
    /// Checkouts that are gone; what they left in the state home stays.
    pub gone: Vec<Worktree>,
}

pub fn create_worktree(store: &mut Store, wish: &WorktreeWish) -> Result<Worktree> {
    let plain = wish.name.replace('/', "-");
    let is_odd = plain.is_empty() || plain.starts_with(['-', '.']) || plain.chars().any(char::is_control);
    if is_odd || plain == "main" {
        return Err(OpError::BadWorktreeName { name: wish.name.clone() });
    }
    let all = store.worktrees_with_ids()?;
    let main = all.iter().find(|one| one.is_main && one.exists);
    let here = all.iter().find(|one| one.is_here).map_or(store.repo().root(), |one| &one.root);
    let path = match (&wish.path, main) {
        (Some(path), _) => path.clone(),
        (None, Some(main)) => {
            let repo = main.root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            main.root.with_file_name(format!("{repo}-{plain}"))
        }
        // Beside the others of a bare repository.
        (None, None) => here.with_file_name(&plain),
    };
    let vcs = vcs::open(here);
    store.refuse_programs_of(here)?;
    let branch = Some(wish.branch.clone().unwrap_or_else(|| wish.name.clone()));
    let new = NewCheckout { path, branch, base: wish.base.clone() };
    let made = vcs.linking().and_then(|linking| linking.add_checkout(&new, &store.host().env));
    Ok(store.adopt_worktree(&made.map_err(StoreError::from)?.root)?)
}

/// Removes a checkout. With `force` its files are kept first, and only what cannot be kept stands against it.
pub fn remove_worktree(store: &mut Store, typed: &str, force: bool, cwd: &Path) -> Result<RemovedWorktree> {
    let worktree = store.find_worktree(typed)?;
    let kept = |reasons: Vec<String>| OpError::WorktreeKept {
        name: worktree.name.clone(),
        root: worktree.root.clone(),
        reasons,
    };
    if !worktree.exists {
        return Err(OpError::WorktreeGone { name: worktree.name });
    }
    if worktree.is_main {
        return Err(kept(vec!["it is the main checkout, which holds the repository".to_owned()]));
    }
    let of_job =
        |one: &Workspace| one.state != State::Removed && !one.is_adopted && worktree.root == Path::new(&one.path);
    if let Some(one) = workspace_records::workspaces(store)?.into_iter().find(of_job) {
        return Err(kept(vec![format!("it is the workspace {}; remove it with `bd workspace remove`", one.id)]));
    }
    let is_inside = |path: &Path| sys::path::real(path).is_ok_and(|path| path.starts_with(&worktree.root));
    if worktree.is_here || is_inside(cwd) || is_inside(store.host().env.cwd()) {
        return Err(kept(vec!["the current directory is inside of it".to_owned()]));
    }
    store.refuse_programs_of(&worktree.root)?;
    let env = store.host().env.clone();
    let there = vcs::open(&worktree.root);
    let work = there.work(&env).map_err(StoreError::from)?;
    let (leases, unmerged) = (store.leases()?, store.unmerged_in(&worktree)?);
    let reasons = reasons(&work, held_in(&leases, &worktree), &unmerged);
    if !force && !reasons.is_empty() {
        return Err(kept(reasons));
    }
    let saved = if force { Some(keep_files(store, there.as_ref(), &kept)?) } else { None };
    let mut begun = false;
    // Whoever claims something there meanwhile must not lose the ground.
    let removed = store.keep_still().map_err(OpError::from).and_then(|_still| {
        let (leases, before) = (store.leases()?, leases);
        let is_new = |row: &&LeaseRow| row.standing == Standing::Live && !before.iter().any(|old| old.id == row.id);
        if let Some(row) = held_in(&leases, &worktree).find(is_new) {
            return Err(kept(vec![format!("{} was claimed there just now", row.id)]));
        }
        let here = vcs::open(store.repo().beads());
        begun = true;
        let removed = vcs::remove_checkout(&*here, &worktree.root, force, &env);
        Ok(removed.map_err(StoreError::from)?)
    });
    let is_whole = |error: &OpError| !begun || matches!(error, OpError::Store(StoreError::Vcs(SyncError::Kept { .. })));
    match (removed, saved) {
        (Ok(()), kept) => {
            store.mark_gone(std::slice::from_ref(&worktree))?;
            Ok(RemovedWorktree { worktree, kept, forced: reasons })
        }
        (Err(error), None) => Err(error),
        // Everything is there still; what was kept of it is of no use.
        (Err(error), Some(saved)) if is_whole(&error) && there.drop_snapshot(&saved.key, &env).is_ok() => Err(error),
        (Err(error), Some(saved)) => {
            Err(OpError::HalfRemoved { name: worktree.name, key: saved.key, error: Box::new(error) })
        }
    }
}

/// Keeps the files of a checkout, all of them or none.
fn keep_files(store: &Store, there: &dyn vcs::Vcs, kept: &dyn Fn(Vec<String>) -> OpError) -> Result<KeptFiles> {
    let env = &store.host().env;
    let key = state_id::mint(CHECKPOINT, store.host().entropy.bytes());
    let snapshot = there.snapshot(&key, u64::MAX, env).map_err(StoreError::from)?;
    let lost = not_kept(&snapshot);
    if !lost.is_empty() {
        there.drop_snapshot(&key, env).map_err(StoreError::from)?;
        return Err(kept(lost));
    }
    Ok(KeptFiles { key, name: snapshot.name, files: snapshot.files.len() })
}

/// What a snapshot does not hold and should, each in words.
pub(in crate::ops) fn not_kept(snapshot: &Snapshot) -> Vec<String> {
    let lost = snapshot.left_out.iter().filter(|one| one.why != Why::Special);
    lost.map(|one| format!("{} cannot be kept: {}", one.path.display(), one.why)).collect()
}

/// What stands against removing a checkout, each in words.
fn reasons<'a>(work: &Work, leases: impl Iterator<Item = &'a LeaseRow>, unmerged: &[Elsewhere]) -> Vec<String> {
    let mut reasons = losses::of_files(work);
    reasons.extend(losses::of_commits(work));
    reasons.extend(losses::of_leases(leases));
    reasons.extend(losses::of_ledger(unmerged));
    losses::texts(&reasons)
}

/// Writes the files of a removed checkout into a directory that is not there or empty. Gives it, and the directory in it that
/// holds what was staged and is another version than the file.
pub fn restore_worktree(store: &Store, key: &str, to: &Path) -> Result<(PathBuf, Option<PathBuf>)> {
    let to = store.host().env.cwd().join(to);
    let vcs = vcs::open(store.repo().beads());
    let staged = vcs.restore_snapshot(key, &to, &store.host().env).map_err(StoreError::from)?;
    let staged = staged.map(|name| to.join(name));
    Ok((to, staged))
}

/// Tells what is left of checkouts that are gone, and drops it if asked to: the records of version control. Lines of the registry
/// are marked, and what a checkout left in the state home stays.
pub fn prune_worktrees(store: &mut Store, apply: bool) -> Result<PrunedWorktrees> {
    let all = store.worktrees_with_ids()?;
    let env = store.host().env.clone();
    let vcs = vcs::open(store.repo().beads());
    let checkouts = vcs.checkouts();
    let mut records = vcs.prune_checkouts(true, &env).map_err(StoreError::from)?;
    // The directory of one that is elsewhere must not be dropped: its index and its HEAD are in there.
    let admin_of = |one: &Worktree| vcs::open(&one.root).admin_dir();
    let there = all.iter().filter(|one| one.exists);
    let moved: Vec<Worktree> =
        there.filter(|one| admin_of(one).is_some_and(|admin| records.contains(&admin))).cloned().collect();
    records.retain(|admin| !moved.iter().any(|one| admin_of(one).as_ref() == Some(admin)));
    // One that is locked may be on a disk that is not mounted.
    let waits = |one: &Worktree| {
        let same = checkouts.iter().find(|known| known.root == one.root && !known.exists);
        same.is_some_and(|known| !records.contains(&known.admin))
    };
    let gone: Vec<Worktree> =
        all.iter().filter(|one| !one.exists && one.gone_at.is_none() && !waits(one)).cloned().collect();
    if apply {
        repair(&moved, store)?;
        store.mark_gone(&gone)?;
        if !records.is_empty() {
            let dropped = vcs.prune_checkouts(true, &env).map_err(StoreError::from)?;
            if let Some(other) = dropped.iter().find(|admin| !records.contains(admin)) {
                let why = format!("{} belongs to a checkout that is elsewhere", other.display());
                let (name, root) = ("its record".to_owned(), other.clone());
                return Err(OpError::WorktreeKept { name, root, reasons: vec![why] });
            }
            vcs.prune_checkouts(false, &env).map_err(StoreError::from)?;
        }
    }
    Ok(PrunedWorktrees { applied: apply, records, moved, gone })
}

/// Tells version control where checkouts are that were moved; gives them.
pub fn repair_worktrees(store: &mut Store) -> Result<Vec<Worktree>> {
    let env = store.host().env.clone();
    let lost = vcs::open(store.repo().beads()).prune_checkouts(true, &env).map_err(StoreError::from)?;
    let own = store.worktree()?;
    let all = store.worktrees_with_ids()?;
    let is_lost = |one: &&Worktree| {
        let recorded = |admin: &PathBuf| lost.contains(admin) || (one.root == own.root && vcs::is_misplaced(&one.root));
        one.exists && vcs::open(&one.root).admin_dir().as_ref().is_some_and(recorded)
    };
    let moved: Vec<Worktree> = all.iter().filter(is_lost).cloned().collect();
    repair(&moved, store)?;
    Ok(moved)
}

fn repair(moved: &[Worktree], store: &Store) -> Result<()> {
    for one in moved {
        vcs::repair_checkout(&one.root, &store.host().env).map_err(StoreError::from)?;
    }
    Ok(())
}
