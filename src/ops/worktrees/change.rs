//! Creating, removing and forgetting checkouts.
//!
//! A checkout is removed only if everything in it is also elsewhere, or after its files were saved. Ignored files are
//! deleted with the directory. Records of deleted checkouts are dropped only on request.

use std::path::{Path, PathBuf};

use super::status::held_in;
use crate::model::lease::Standing;
use crate::model::state_id::{self, CHECKPOINT};
use crate::model::workspace::{State, Workspace};
use crate::ops::{OpError, Result, removal_reasons, workspace_records};
use crate::store::{Elsewhere, LeaseRow, Store, StoreError, Worktree};
use crate::vcs::{NewCheckout, Snapshot, SyncError, Why, Work};
use crate::{sys, vcs};

/// A checkout to create.
#[derive(Debug, Clone, Default)]
pub struct WorktreeWish {
    pub name: String,
    /// By default a branch with the name of the checkout.
    pub branch: Option<String>,
    /// Where a new branch starts.
    pub base: Option<String>,
    /// By default beside the main checkout.
    pub path: Option<PathBuf>,
}

/// What was saved of a checkout before its removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFiles {
    /// The key for `bd worktree restore`.
    pub key: String,
    /// The same in version control's terms.
    pub name: String,
    pub files: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedWorktree {
    pub worktree: Worktree,
    pub kept: Option<KeptFiles>,
    /// The reasons that were overridden.
    pub forced: Vec<String>,
}

/// Remains of deleted checkouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedWorktrees {
    pub applied: bool,
    /// Version control's directories for missing checkouts.
    pub records: Vec<PathBuf>,
    /// Checkouts that version control considers missing but that were moved: it is told where.
    pub moved: Vec<Worktree>,
    /// Deleted checkouts; their data in the state home stays.
    pub gone: Vec<Worktree>,
}

pub fn create_worktree(store: &Store, wish: &WorktreeWish) -> Result<Worktree> {
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
    Ok(store.adopt_worktree(0, &made.map_err(StoreError::from)?.root)?)
}

/// Removes a checkout. With `force` its files are saved first, and only what cannot be saved prevents it.
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
    store.take_in_outboxes()?;
    let env = store.host().env.clone();
    let there = vcs::open(&worktree.root);
    let work = there.work(&env).map_err(StoreError::from)?;
    let (leases, unmerged) = (store.leases()?, store.unmerged_in(&worktree)?);
    let reasons = reasons(&work, held_in(&leases, &worktree), &unmerged);
    if !force && !reasons.is_empty() {
        return Err(kept(reasons));
    }
    let saved = if force { Some(keep_files(store, there.as_ref(), &kept)?) } else { None };
    let mut is_started = false;
    // No one can claim something there while its files are removed.
    let removed = store.hold_unchanged().map_err(OpError::from).and_then(|_still| {
        let (leases, before) = (store.leases()?, leases);
        let is_new = |row: &&LeaseRow| row.standing == Standing::Live && !before.iter().any(|old| old.id == row.id);
        if let Some(row) = held_in(&leases, &worktree).find(is_new) {
            return Err(kept(vec![format!("{} was claimed there just now", row.id)]));
        }
        let here = vcs::open(store.repo().beads());
        is_started = true;
        let removed = vcs::remove_checkout(&*here, &worktree.root, force, &env);
        Ok(removed.map_err(StoreError::from)?)
    });
    let is_whole =
        |error: &OpError| !is_started || matches!(error, OpError::Store(StoreError::Vcs(SyncError::Kept { .. })));
    match (removed, saved) {
        (Ok(()), kept) => {
            store.mark_gone(std::slice::from_ref(&worktree))?;
            Ok(RemovedWorktree { worktree, kept, forced: reasons })
        }
        (Err(error), None) => Err(error),
        // Everything still exists, so the saved files are useless.
        (Err(error), Some(saved)) if is_whole(&error) && there.drop_snapshot(&saved.key, &env).is_ok() => Err(error),
        (Err(error), Some(saved)) => {
            Err(OpError::HalfRemoved { name: worktree.name, key: saved.key, error: Box::new(error) })
        }
    }
}

/// Saves the files of a checkout, all or none.
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

/// What is missing from a snapshot, each described.
pub(in crate::ops) fn not_kept(snapshot: &Snapshot) -> Vec<String> {
    let lost = snapshot.left_out.iter().filter(|one| one.why != Why::Special);
    lost.map(|one| format!("{} cannot be kept: {}", one.path.display(), one.why)).collect()
}

/// The reasons against removing a checkout, each described.
fn reasons<'a>(work: &Work, leases: impl Iterator<Item = &'a LeaseRow>, unmerged: &[Elsewhere]) -> Vec<String> {
    let mut reasons = removal_reasons::of_files(work);
    reasons.extend(removal_reasons::of_commits(work));
    reasons.extend(removal_reasons::of_leases(leases));
    reasons.extend(removal_reasons::of_ledger(unmerged));
    removal_reasons::texts(&reasons)
}

/// Writes the files of a removed checkout into a missing or empty directory. Returns it, and the subdirectory with
/// staged versions that differ from the files.
pub fn restore_worktree(store: &Store, key: &str, to: &Path) -> Result<(PathBuf, Option<PathBuf>)> {
    let to = store.host().env.cwd().join(to);
    let vcs = vcs::open(store.repo().beads());
    let staged = vcs.restore_snapshot(key, &to, &store.host().env).map_err(StoreError::from)?;
    let staged = staged.map(|name| to.join(name));
    Ok((to, staged))
}

/// Returns the remains of deleted checkouts, and with `apply` drops version control's records. Lines of the registry
/// are marked, and a checkout's data in the state home stays.
pub fn prune_worktrees(store: &Store, apply: bool) -> Result<PrunedWorktrees> {
    let all = store.worktrees_with_ids()?;
    let env = store.host().env.clone();
    let vcs = vcs::open(store.repo().beads());
    let checkouts = vcs.checkouts();
    let mut records = vcs.prune_checkouts(true, &env).map_err(StoreError::from)?;
    // The directory of a moved one must not be dropped: it contains its index and its HEAD.
    let admin_of = |one: &Worktree| vcs::open(&one.root).admin_dir();
    let there = all.iter().filter(|one| one.exists);
    let moved: Vec<Worktree> =
        there.filter(|one| admin_of(one).is_some_and(|admin| records.contains(&admin))).cloned().collect();
    records.retain(|admin| !moved.iter().any(|one| admin_of(one).as_ref() == Some(admin)));
    // A locked one may be on a disk that is not mounted.
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

/// Tells version control the new paths of moved checkouts; returns them.
pub fn repair_worktrees(store: &Store) -> Result<Vec<Worktree>> {
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
