//! Moving to another state home: records are copied and read back, and what was there before stays where it is.

use std::path::{Path, PathBuf};

use super::{CoordinationError, Result};
use crate::ledger::Document;
use crate::model::record::Record;
use crate::store::{LEASES_NAME, Put, RecordError, StateDir, StateHome, StateMode, Store};
use crate::sys::below;
use crate::sys::fs::FsError;

/// Files of the state home itself that are copied; the rest belongs to the repository and stays with it.
const FILES: [&str; 5] = ["registry.jsonl", "agents.jsonl", LEASES_NAME, "reservations.jsonl", "workspaces.jsonl"];
/// Files whose records name their repository where several share a home.
const NAMING_THEIR_REPO: [&str; 2] = ["reservations.jsonl", "checkpoints.jsonl"];
/// Directories whose files are copied, with all that is in them.
const DIRECTORIES: [&str; 2] = ["mail", "wt"];

/// What a move did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMoved {
    pub from: StateHome,
    pub to: StateHome,
    /// Files, relative to both homes, and how many records of each are new there.
    pub copied: Vec<(String, usize)>,
}

/// Copies the records of the project's state home to that of another mode, and has `switch` make it the one in use. Who has waited
/// for the old one meanwhile is refused, and finds the new one on the next try.
pub fn move_state<E: From<CoordinationError>>(
    store: &mut Store,
    to: StateMode,
    switch: impl FnOnce(&mut Store) -> std::result::Result<(), E>,
) -> std::result::Result<StateMoved, E> {
    let from = store.state();
    let target = StateDir::of(store.state_home_in(to));
    if from.home().mode == StateMode::Named || from.path() == target.path() {
        let moved = plan_move(store, to)?;
        switch(store)?;
        return Ok(moved);
    }
    let wait = store.lock_wait();
    let failed = |error: RecordError| E::from(error.into());
    target.mark_in_use().map_err(failed)?;
    // Nothing changes on either side meanwhile. Two moves in opposite directions must not wait for each other.
    let mut homes = [&from, &target];
    homes.sort_by(|a, b| a.path().cmp(b.path()));
    let locks = homes.iter().map(|home| home.lock(wait)).collect::<std::result::Result<Vec<_>, _>>().map_err(failed)?;
    // Other repositories go on using one that several share.
    let leaves = !from.is_shared();
    let moving = || -> Result<StateMoved> {
        if leaves {
            from.mark_moved(target.path(), false)?;
        }
        // Whoever has a lock inside was there before the mark: its records are copied too.
        for directory in files(&from)?.into_iter().filter_map(|(inside, _)| inside) {
            drop(from.inside(&directory).lock_marked(wait)?);
        }
        copy_all(store, &from, &target, false)
    };
    let moved = match moving() {
        Ok(moved) => moved,
        Err(error) => {
            from.mark_in_use().map_err(failed)?;
            return Err(error.into());
        }
    };
    if let Err(error) = switch(store) {
        from.mark_in_use().map_err(failed)?;
        return Err(error);
    }
    if leaves {
        from.mark_moved(target.path(), true).map_err(failed)?;
    }
    drop(locks);
    Ok(moved)
}

/// What a move would copy.
pub fn plan_move(store: &mut Store, to: StateMode) -> Result<StateMoved> {
    let from = store.state();
    if from.home().mode == StateMode::Named {
        return Err(CoordinationError::NamedHome { path: from.path().to_owned() });
    }
    let target = StateDir::of(store.state_home_in(to));
    if from.path() == target.path() {
        return Ok(StateMoved { from: from.home().clone(), to: target.home().clone(), copied: Vec::new() });
    }
    copy_all(store, &from, &target, true)
}

fn copy_all(store: &Store, from: &StateDir, target: &StateDir, dry_run: bool) -> Result<StateMoved> {
    let mut moved = StateMoved { from: from.home().clone(), to: target.home().clone(), copied: Vec::new() };
    let mut plans = Vec::new();
    for (directory, name) in files(from)? {
        let (source, goal) = match &directory {
            Some(inside) => (from.inside(inside), target.inside(inside)),
            None => (from.clone(), target.clone()),
        };
        let shown = directory.map_or_else(|| name.clone(), |inside| format!("{inside}/{name}"));
        let there = goal.file(&name).read()?;
        let mut new = Vec::new();
        for (id, line) in records(store, &source.file(&name).read()?, &name, from, target)? {
            match there.effective(&id).map(|at| there.text(at)) {
                None => new.push((id, line)),
                Some(known) if known == line.as_bytes() => {}
                Some(_) => {
                    let (from, to) = (from.path().join(&shown), target.path().join(&shown));
                    return Err(CoordinationError::BothKnow { from, to, id });
                }
            }
        }
        plans.push((shown, goal, name, new));
    }
    for (shown, goal, name, new) in plans {
        if !dry_run && !new.is_empty() {
            copy(store, &goal, target, &name, &new)?;
        }
        moved.copied.push((shown, new.len()));
    }
    Ok(moved)
}

/// Writes records and reads them back.
fn copy(store: &Store, goal: &StateDir, target: &StateDir, name: &str, new: &[(String, String)]) -> Result<()> {
    let entropy = &store.host().entropy;
    let file = goal.file(name);
    let puts = || new.iter().map(|(id, text)| Put::Line { id: id.clone(), text: text.clone() }).collect::<Vec<_>>();
    if goal.path() == target.path() {
        file.edit_held::<RecordError>(entropy, |_| Ok(puts()))?;
    } else {
        let held = goal.lock(store.lock_wait())?;
        file.edit::<RecordError>(&held, entropy, |_| Ok(puts()))?;
    }
    let written = file.read()?;
    for (id, text) in new {
        if written.effective(id).is_none_or(|at| written.text(at) != text.as_bytes()) {
            let problem = std::io::Error::other(format!("{id} is not there after it was written"));
            return Err(RecordError::from(FsError::new("verify", file.path(), problem)).into());
        }
    }
    Ok(())
}

/// The records of a file as the other home knows them. An issue has another name where several repositories share a home.
fn records(
    store: &Store,
    document: &Document,
    name: &str,
    from: &StateDir,
    to: &StateDir,
) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let repo = store.clone_id()?;
    let own = format!("{repo}/");
    let leases = name == LEASES_NAME;
    for record in (0..document.len()).filter_map(|line| document.record(line)) {
        let Some(id) = record.string("id").map(|id| id.into_owned()) else { continue };
        let renamed = match (leases, from.is_shared(), shares(to)) {
            (true, true, false) => match id.strip_prefix(&own) {
                Some(issue) => Some(issue.to_owned()),
                // Another repository's.
                None => continue,
            },
            (true, false, true) => Some(format!("{own}{id}")),
            _ => None,
        };
        found.push(match renamed {
            Some(id) => (id.clone(), with_id(&record, &id)),
            None if NAMING_THEIR_REPO.contains(&name) => match told_of_repo(&record, &repo, from, to) {
                Some(line) => (id, line),
                // Another repository's.
                None => continue,
            },
            None => (id, record.text().to_owned()),
        });
    }
    Ok(found)
}

/// The line with its repository in it where several share a home, and without it where they do not.
fn told_of_repo(record: &Record<'_>, repo: &str, from: &StateDir, to: &StateDir) -> Option<String> {
    let dialect = crate::model::json::Dialect::default();
    match (from.is_shared(), shares(to)) {
        (true, false) if record.string("repo").as_deref() == Some(repo) => {
            Some(record.with(&[("repo", None)], dialect))
        }
        (true, false) => None,
        (false, true) => Some(record.with(&[("repo", Some(dialect.string(repo)))], dialect)),
        _ => Some(record.text().to_owned()),
    }
}

fn with_id(record: &Record<'_>, id: &str) -> String {
    let dialect = crate::model::json::Dialect::default();
    record.with(&[("id", Some(dialect.string(id)))], dialect)
}

/// Whether several repositories will use a home that may not be there yet.
fn shares(home: &StateDir) -> bool {
    home.is_shared() || (!home.exists() && home.home().mode == StateMode::Global)
}

/// The files of records of a home: the directory inside of it, and the name.
fn files(home: &StateDir) -> Result<Vec<(Option<String>, String)>> {
    let mut found: Vec<(Option<String>, String)> =
        FILES.iter().filter(|name| home.path().join(name).exists()).map(|name| (None, (*name).to_owned())).collect();
    for directory in DIRECTORIES {
        collect(home.path(), Path::new(directory), &mut found).map_err(RecordError::from)?;
    }
    Ok(found)
}

fn collect(home: &Path, inside: &Path, found: &mut Vec<(Option<String>, String)>) -> std::result::Result<(), FsError> {
    let path: PathBuf = home.join(inside);
    let names = match below::names(home, inside) {
        Err(error) if error.is_missing() => return Ok(()),
        names => names?,
    };
    for name in names {
        if path.join(&name).symlink_metadata().is_ok_and(|found| found.is_dir()) {
            if name != "lock" {
                collect(home, &inside.join(&name), found)?;
            }
        } else if name.ends_with(".jsonl") {
            found.push((Some(inside.display().to_string()), name));
        }
    }
    Ok(())
}
