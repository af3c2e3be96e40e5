//! Moving to another state home: records are copied and verified, and the originals stay.
//!
//! Both homes may have been used before, so they are merged: agents are matched by name, and of two records with one
//! id, the one in use or the later one wins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ledger::Document;
use crate::model::agent::Agent;
use crate::model::checkpoint::Checkpoint;
use crate::model::json::Dialect;
use crate::model::lease::{Lease, Standing};
use crate::model::record::{KeyEdit, Record};
use crate::model::row::Row;
use crate::model::state_id::CHECKPOINT;
use crate::ops::checkpoints::renumbered;
use crate::ops::{ConfigRequest, OpError, Result, configure};
use crate::store::settings::Origin;
use crate::store::{
    AGENTS, LEASES, MAIL, Put, RecordError, Spot, StateDir, StateHome, StateMode, StateTable, Store, TABLES,
};
use crate::sys;
use crate::sys::fs::FsError;

/// The result of a move, or what it would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMoved {
    pub from: StateHome,
    pub to: StateHome,
    /// Files, relative to both homes, and how many records of each are new or later there.
    pub copied: Vec<(String, usize)>,
}

/// A planned move.
struct Route {
    from: StateDir,
    target: StateDir,
    /// Commands use the copied records, so these win where both homes have one.
    is_from_in_use: bool,
    /// The source is unused afterwards.
    leaves: bool,
}

impl Route {
    /// To the home of another mode, from one that was named; by default the current one.
    fn of(store: &Store, to: Option<StateMode>, named: Option<&Path>) -> Result<Self> {
        let current = store.state();
        let target = to.map_or_else(|| current.clone(), |mode| StateDir::of(store.state_home_in(mode)));
        let from = match named {
            None => current.clone(),
            Some(path) => StateDir::of(StateHome::alone(path.to_owned(), StateMode::Named, "it was named")),
        };
        let is_named = from.home().mode == StateMode::Named;
        if is_named && !from.exists() {
            return Err(OpError::NoStateHome { path: from.path().to_owned() });
        }
        if to.is_none() && from.path() == target.path() {
            return Err(OpError::NoWhere { path: from.path().to_owned() });
        }
        from.check()?;
        let is_from_in_use = from.path() == current.path();
        // Other repositories continue to use a shared home, and a named one may be anyone's.
        let leaves = is_from_in_use && !is_named && !from.is_shared();
        Ok(Route { from, target, is_from_in_use, leaves })
    }

    fn is_nowhere(&self) -> bool {
        self.from.path() == self.target.path()
    }
}

/// Copies agents, claims, mail and checkpoints to the state home of another mode, which is used from now on. With
/// `from`, merges the records of an unused home. A process that was waiting for the old one is refused, and finds the new
/// one on its next try.
pub fn move_state(store: &mut Store, to: Option<&str>, from: Option<&Path>, dry_run: bool) -> Result<StateMoved> {
    if let Some(to) = to.filter(|to| !StateMode::CHOICES.contains(to)) {
        return Err(OpError::Usage(format!("--to must be one of {}, not {to:?}", StateMode::CHOICES.join(" "))));
    }
    let route = Route::of(store, to.map(StateMode::requested), from)?;
    if dry_run {
        return copy_all(store, &route, true);
    }
    let switch = |store: &mut Store| match to {
        Some(to) => configure(store, &ConfigRequest::setting("state.mode", to, Some(Origin::Personal))).map(drop),
        None => Ok(()),
    };
    if route.is_nowhere() {
        switch(store)?;
        return copy_all(store, &route, true);
    }
    let Route { from, target, leaves, .. } = &route;
    let wait = store.lock_wait();
    target.mark_in_use()?;
    // Nothing changes on either side meanwhile. Two moves in opposite directions must not deadlock. A named home is
    // only read.
    let mut homes = vec![target];
    homes.extend((from.home().mode != StateMode::Named).then_some(from));
    homes.sort_by(|a, b| a.path().cmp(b.path()));
    let locks = homes.iter().map(|home| home.lock(wait)).collect::<std::result::Result<Vec<_>, _>>()?;
    let moving = || -> Result<StateMoved> {
        if *leaves {
            from.mark_moved(target.path(), false)?;
            // A process with a lock inside started before the mark: its records are copied too.
            for (_, inside, _) in files(from)?.into_iter().filter(|(_, inside, _)| inside != Path::new("")) {
                drop(from.inside(&inside).lock_marked(wait)?);
            }
        }
        copy_all(store, &route, false)
    };
    let stays = |error| match leaves {
        true => from.mark_in_use().err().map_or(error, OpError::from),
        false => error,
    };
    let moved = moving().map_err(stays)?;
    switch(store).map_err(stays)?;
    if *leaves {
        from.mark_moved(target.path(), true)?;
    }
    drop(locks);
    Ok(moved)
}

/// Copies records, or with `dry_run` only returns what that would do.
fn copy_all(store: &Store, route: &Route, dry_run: bool) -> Result<StateMoved> {
    let Route { from, target, .. } = route;
    let mut moved = StateMoved { from: from.home().clone(), to: target.home().clone(), copied: Vec::new() };
    if route.is_nowhere() {
        return Ok(moved);
    }
    let agents = same_agents(&AGENTS.file(from).read()?, &AGENTS.file(target).read()?);
    let mut plans = Vec::new();
    for (table, inside, name) in files(from)? {
        let (source, goal) = (from.inside(&inside), target.inside(&inside));
        // The name of an agent's box is its id.
        let there = name.strip_suffix(".jsonl").and_then(|id| agents.get(id));
        let named = there.map_or_else(|| name.clone(), |id| format!("{id}.jsonl"));
        let shown = inside.join(&named).display().to_string();
        let known = goal.file(&named).read()?;
        let mut new = Vec::new();
        for (id, line) in records(store, &source.file(&name).read()?, table, from, target)? {
            let (id, line) = as_known_there(id, line, &agents);
            match known.effective_line(&id) {
                None => new.push((id, line)),
                Some(other) if other == line => {}
                // It never changes, but for a number that it got there.
                Some(_) if id.starts_with(CHECKPOINT) => {}
                Some(other) => {
                    let (used, unused) = if route.is_from_in_use { (&line, &other) } else { (&other, &line) };
                    let Some(settled) = settle(store, table, used, unused)? else {
                        let (from, to) = (from.path().join(&shown), target.path().join(&shown));
                        return Err(OpError::BothKnow { from, to, id });
                    };
                    new.extend((settled != other).then_some((id, settled)));
                }
            }
        }
        plans.push((shown, goal, named, new));
    }
    renumber(store, target, plans.iter_mut().flat_map(|(_, _, _, new)| new))?;
    for (shown, goal, name, new) in plans {
        if !dry_run && !new.is_empty() {
            copy(store, &goal, target, &name, &new)?;
        }
        moved.copied.push((shown, new.len()));
    }
    Ok(moved)
}

/// Gives copied checkpoints new numbers where the other home has used theirs.
fn renumber<'a>(store: &Store, target: &StateDir, lines: impl Iterator<Item = &'a mut (String, String)>) -> Result<()> {
    let is_checkpoint = |(id, _): &&mut (String, String)| id.starts_with(CHECKPOINT);
    let lines: Vec<&mut (String, String)> = lines.filter(is_checkpoint).collect();
    let records = lines.iter().filter_map(|(_, line)| Record::parse(line).ok());
    let copied: Vec<Checkpoint> = records.filter_map(|record| Checkpoint::parse(&record)).collect();
    if copied.is_empty() {
        return Ok(());
    }
    let new = renumbered(store, target, &copied)?;
    for (id, line) in lines {
        if let (Some(number), Ok(record)) = (new.get(id), Record::parse(line)) {
            let text = record.with(&[("number", Some(number.to_string()))], Dialect::default());
            *line = text;
        }
    }
    Ok(())
}

/// Agents that both homes know by one name under different ids: the id here, and the other home's, which stays.
fn same_agents(here: &Document, there: &Document) -> BTreeMap<String, String> {
    let known: BTreeMap<String, String> = AGENTS.rows(there).map(|agent| (agent.name, agent.id)).collect();
    let same = AGENTS.rows(here).filter_map(|agent| Some((agent.id, known.get(&agent.name)?.clone())));
    same.filter(|(here, there)| here != there).collect()
}

/// A record with the other home's ids for the same agents.
fn as_known_there(id: String, line: String, agents: &BTreeMap<String, String>) -> (String, String) {
    let Ok(record) = Record::parse(&line) else { return (id, line) };
    let dialect = Dialect::default();
    let mut edits: Vec<KeyEdit> = Vec::new();
    for key in ["id", "agent", "from_agent"] {
        let there = record.string(key).and_then(|known| agents.get(known.as_ref()));
        edits.extend(there.map(|there| (key, Some(dialect.string(there)))));
    }
    if edits.is_empty() {
        return (id, line);
    }
    let text = record.with(&edits, dialect);
    (agents.get(&id).cloned().unwrap_or(id), text)
}

/// The winner where two homes have different records with one id: the later one, if known, or that of the current home.
/// `None` if two hold one issue, and neither may lose it without being asked.
fn settle(store: &Store, table: Spot, used: &str, other: &str) -> Result<Option<String>> {
    let (Ok(ours), Ok(theirs)) = (Record::parse(used), Record::parse(other)) else { return Ok(Some(used.to_owned())) };
    if table == AGENTS.spot() {
        // Its own later description wins, and parts that exist only elsewhere are kept.
        let heard = |record: &Record<'_>| Agent::parse(record).map(|agent| agent.heartbeat);
        let mut edits = only_in(&theirs, &ours, &["runtime", "capabilities", "metadata"]);
        if heard(&theirs) > heard(&ours) {
            edits.extend(theirs.raw("heartbeat").map(|raw| ("heartbeat", Some(raw.to_owned()))));
        }
        return Ok(Some(ours.with(&edits, Dialect::default())));
    }
    if table == MAIL.spot() {
        // The text of a message never changes; each mark was made once.
        let edits = only_in(&theirs, &ours, &["read_at", "ack_at", "archived_at"]);
        return Ok(Some(ours.with(&edits, Dialect::default())));
    }
    match (table == LEASES.spot(), Lease::parse(&ours), Lease::parse(&theirs)) {
        (true, Some(mine), Some(other)) => Ok(is_theirs(store, &mine, &other)?.map(|wins| {
            let epoch = mine.epoch.max(other.epoch).to_string();
            let record = if wins { &theirs } else { &ours };
            record.with(&[("epoch", Some(epoch))], Dialect::default())
        })),
        _ => Ok(Some(used.to_owned())),
    }
}

/// The values of these keys that only one record has.
fn only_in(one: &Record<'_>, other: &Record<'_>, keys: &[&'static str]) -> Vec<KeyEdit> {
    let missing = keys.iter().filter(|key| other.raw(key).is_none());
    missing.filter_map(|key| Some((*key, Some(one.raw(key)?.to_owned())))).collect()
}

/// Whether the second of two claims on one issue is valid; `None` if both are, with different holders.
fn is_theirs(store: &Store, ours: &Lease, theirs: &Lease) -> Result<Option<bool>> {
    let now = store.host().clock.both();
    let holds = |lease: &Lease| {
        let holder = lease.holder.as_ref().filter(|_| lease.standing(&now) == Standing::Live)?;
        (!holder.owner.as_ref().is_some_and(sys::is_gone)).then(|| holder.name.clone())
    };
    Ok(match (holds(ours), holds(theirs)) {
        (Some(one), Some(other)) if one != other => None,
        (Some(_), Some(_)) => Some(theirs.epoch > ours.epoch),
        // It may have been released since, in the current home: the ledger knows who works on it.
        (None, Some(name)) => {
            let issue = ours.id.rsplit('/').next().unwrap_or_default();
            let issue = store.get(issue)?.map(|row| row.issue);
            let works = |name: &String| {
                issue.is_some_and(|one| one.status.as_str() == "in_progress" && one.assignee.as_ref() == Some(name))
            };
            Some(works(&name))
        }
        _ => Some(false),
    })
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

/// The records of a file in the other home's terms: where several repositories share a home, issues have other keys,
/// and other records name their repository.
fn records(
    store: &Store,
    document: &Document,
    table: Spot,
    from: &StateDir,
    to: &StateDir,
) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let (repo, dialect) = (store.clone_id()?, Dialect::default());
    let own = format!("{repo}/");
    let is_lease = table == LEASES.spot();
    for record in (0..document.len()).filter_map(|line| document.record(line)) {
        let Some(id) = record.string("id").map(|id| id.into_owned()) else { continue };
        let (id, edit) = match (from.is_shared(), shares(to)) {
            (true, false) if is_lease => match id.strip_prefix(&own) {
                Some(issue) => (issue.to_owned(), Some(("id", Some(dialect.string(issue))))),
                // Another repository's.
                None => continue,
            },
            (true, false) if table.names_repo => match record.string("repo").as_deref() == Some(repo.as_str()) {
                true => (id, Some(("repo", None))),
                false => continue,
            },
            (false, true) if is_lease => {
                let id = format!("{own}{id}");
                let raw = dialect.string(&id);
                (id, Some(("id", Some(raw))))
            }
            (false, true) if table.names_repo => (id, Some(("repo", Some(dialect.string(&repo))))),
            _ => (id, None),
        };
        found.push((id, edit.map_or_else(|| record.text().to_owned(), |edit| record.with(&[edit], dialect))));
    }
    Ok(found)
}

/// Whether several repositories will use a home, which may not exist yet.
fn shares(home: &StateDir) -> bool {
    home.is_shared() || (!home.exists() && home.home().mode == StateMode::Global)
}

/// The record files of a home: table, directory inside it, and name. Those that can be found out again are not moved.
fn files(home: &StateDir) -> Result<Vec<(Spot, PathBuf, String)>> {
    let mut found = Vec::new();
    for spot in TABLES.iter().map(|table| table.spot()).filter(|spot| !spot.is_found_again) {
        let files = spot.files(home).map_err(RecordError::from)?;
        found.extend(files.into_iter().map(|(inside, name)| (spot, inside, name)));
    }
    Ok(found)
}
