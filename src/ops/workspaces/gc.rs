//! Garbage collection: removes workspaces that are no longer needed, oldest first; each that stays has a reason.
//!
//! Only reports unless applied. Also finishes what a crash interrupted, closes records of missing directories, and sets
//! aside directories without a record. A failure with one does not stop the others; it is recorded.

use std::collections::HashMap;
use std::path::Path;

use super::inspect::Around;
use super::orphans::{Orphan, put_aside};
use super::removal::Removal;
use super::remove::remove_known;
use super::steps::note_removed;
use super::survey::{Class, GcRow, Surveyed, note_merged, survey};
use super::{WorkspaceError, artifacts, finish, proof};
use crate::model::time::DAY;
use crate::model::workspace::{State, Workspace};
use crate::ops::workspace_records as records;
use crate::ops::{OpError, Result};
use crate::store::Store;
use crate::sys::tree;

/// How long an idle workspace is kept by default.
pub const IDLE_DAYS: i64 = 7;

/// What to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GcWish {
    /// Idle ones unused for this long, in nanoseconds.
    pub older_than: i64,
    /// Idle ones beyond this total size in bytes.
    pub max_size: Option<u64>,
    /// Idle ones beyond this number.
    pub max_count: Option<usize>,
    /// Only directories that version control ignores as a whole.
    pub artifacts_only: bool,
    pub apply: bool,
}

impl Default for GcWish {
    fn default() -> Self {
        GcWish { older_than: IDLE_DAYS * DAY, max_size: None, max_count: None, artifacts_only: false, apply: false }
    }
}

#[derive(Debug, Clone)]
pub struct Gc {
    pub applied: bool,
    pub rows: Vec<GcRow>,
    pub orphans: Vec<Orphan>,
    /// The bytes freed, or that would be.
    pub freed: u64,
}

pub fn gc(store: &Store, wish: &GcWish, cwd: &Path) -> Result<Gc> {
    store.worktree()?;
    let around = Around::of(store, cwd)?;
    let all = survey(store, &around)?;
    let orphans = if wish.artifacts_only { Vec::new() } else { put_aside(store, wish.apply)? };
    let chosen = choose(store, &all, wish);
    let mut rows = Vec::new();
    let step = store.activity().begin(if wish.apply { "removing workspaces" } else { "measuring workspaces" });
    for (n, (found, (goes, why))) in all.iter().zip(chosen).enumerate() {
        step.at(n as u64, all.len() as u64);
        let mut row = GcRow {
            workspace: found.known.workspace.clone(),
            class: found.class,
            goes,
            why,
            reasons: found.look.reasons.clone(),
            bytes: size(&found.known.workspace),
            done: false,
            error: None,
        };
        match wish.artifacts_only {
            true => artifacts::clear(store, found, wish.apply, &mut row),
            false => clear(store, found, wish.apply, &around, &mut row),
        }
        rows.push(row);
    }
    let gone = |row: &&GcRow| row.goes && row.error.is_none() && (row.done || !wish.apply);
    let freed = rows.iter().filter(gone).map(|row| row.bytes).sum();
    Ok(Gc { applied: wish.apply, rows, orphans, freed })
}

/// The disk space that removing it frees.
fn size(one: &Workspace) -> u64 {
    if !proof::has_right(one) {
        return 0;
    }
    tree::usage(Path::new(&one.path)).map_or(0, |usage| usage.bytes.saturating_sub(usage.shared))
}

/// Which to remove, and why, or why not.
fn choose(store: &Store, all: &[Surveyed], wish: &GcWish) -> Vec<(bool, String)> {
    let cleanup = store.settings().flag("workspace.cleanup_on_complete");
    let is_old = |one: &Surveyed| one.age >= wish.older_than;
    let mut chosen: Vec<(bool, String)> = all
        .iter()
        .map(|one| match one.class {
            Class::Crashed => (true, "the process that made or removed it is gone".to_owned()),
            Class::Gone => (true, "its directory is gone".to_owned()),
            Class::Abandoned => (true, "it is abandoned".to_owned()),
            Class::Merged => {
                let into = one.look.merged.as_ref().map(|merged| format!(" into {}", merged.into));
                (true, format!("its work is merged{}", into.unwrap_or_default()))
            }
            Class::Failed => (true, "it could not be made".to_owned()),
            Class::Closed if cleanup || is_old(one) => (true, "its issue is closed".to_owned()),
            Class::Idle if is_old(one) => (true, "nobody has used it for long".to_owned()),
            Class::Closed | Class::Idle => (false, "it was used recently".to_owned()),
            Class::InUse => (false, "somebody works in it".to_owned()),
            Class::Adopted => (false, "its files were there before".to_owned()),
            Class::Orphaned => (false, "it was put aside".to_owned()),
        })
        .collect();
    let stays = |one: &Surveyed, goes: bool| !goes || !one.look.reasons.is_empty();
    let takes_room = |one: &Surveyed| !matches!(one.class, Class::Adopted | Class::Orphaned | Class::Gone);
    let sizes: HashMap<&str, u64> = match wish.max_size {
        Some(_) => all.iter().map(|one| (one.known.workspace.id.as_str(), size(&one.known.workspace))).collect(),
        None => HashMap::new(),
    };
    let size_of = |one: &Surveyed| sizes.get(one.known.workspace.id.as_str()).copied().unwrap_or_default();
    let left: Vec<&Surveyed> = all
        .iter()
        .zip(&chosen)
        .filter(|(one, (goes, _))| takes_room(one) && stays(one, *goes))
        .map(|(one, _)| one)
        .collect();
    let (mut count, mut bytes) = (left.len(), left.iter().map(|one| size_of(one)).sum::<u64>());
    for (one, (goes, why)) in all.iter().zip(chosen.iter_mut()) {
        let too_many = wish.max_count.is_some_and(|most| count > most);
        let too_large = wish.max_size.is_some_and(|most| bytes > most);
        let is_free = matches!(one.class, Class::Closed | Class::Idle) && one.look.reasons.is_empty();
        if *goes || !is_free || !(too_many || too_large) {
            continue;
        }
        let what = if too_many { "there are too many" } else { "all together are too large" };
        (*goes, *why) = (true, format!("{what}, and it is among the oldest"));
        count -= 1;
        bytes = bytes.saturating_sub(size_of(one));
    }
    chosen
}

fn clear(store: &Store, found: &Surveyed, apply: bool, around: &Around, row: &mut GcRow) {
    let is_whole = !matches!(found.class, Class::Crashed | Class::Gone);
    if row.goes && is_whole && !row.reasons.is_empty() {
        row.goes = false;
    }
    if !apply {
        return;
    }
    let done = match found.class {
        _ if !row.goes => match found.class {
            Class::Merged => note_merged(store, found).map(|one| (one, false)),
            _ => return,
        },
        Class::Crashed => finish::finish(store, &found.known, around).map(|one| (one, true)),
        Class::Gone => note_removed(store, &found.known, None).map(|one| (one, true)),
        _ => remove_known(store, &found.known, Removal::default(), around).map(|removed| (removed.workspace, true)),
    };
    match done {
        Ok((workspace, done)) => {
            // One restored after a crash is idle again, and may be removed the next time.
            row.done = done && workspace.state == State::Removed;
            row.workspace = workspace;
        }
        Err(error) => {
            if let OpError::Workspace(WorkspaceError::Kept { reasons, .. }) = &error {
                row.reasons.clone_from(reasons);
            }
            let text = error.to_string();
            // The next run tries again, whether or not this can be recorded.
            let noted = records::set(store, &found.known, |one| Workspace { error: Some(text.clone()), ..one });
            row.error = Some(match noted {
                Ok(_) => text,
                Err(other) => format!("{text}; {other}"),
            });
        }
    }
}
