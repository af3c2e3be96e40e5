//! All agents of a project in one view: those of every clone on this machine, and of other machines as far as remotes
//! show them; and the work that waits for somebody.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::shared::{FleetMachine, machines};
use super::{Fleet, fleet};
use crate::model::checkpoint::Checkpoint;
use crate::model::lease::Standing;
use crate::model::time::{Instant, SECOND};
use crate::ops::agents::roster::{Seen, all};
use crate::ops::claims::abandoned::abandoned;
use crate::ops::clones::others;
use crate::ops::{
    CheckpointFilter, OpError, RemoteLease, Result, Whose, checkpoints, here, parse_query, remote_leases,
    workspace_records,
};
use crate::store::{LeaseRow, Row, Store, StoreError, Warning, real_path};
use crate::vcs::SyncError;

/// How long a close counts as recent.
const RECENT: i64 = 3600 * SECOND;

/// What to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FleetWish {
    /// Remotes, too; otherwise files alone.
    pub remotes: bool,
}

/// Everything that is known of a project's agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    pub fleet: Fleet,
    pub clones: Vec<FleetClone>,
    /// Claims of clones on other machines, with the titles that the ledgers here know.
    pub remote: Vec<(RemoteLease, Option<String>)>,
    /// Other machines that show their agents in `fleet.remote`.
    pub machines: Vec<FleetMachine>,
    pub finished: Vec<FinishedWork>,
    /// Issues in progress that no one holds.
    pub unheld: Vec<DoneIssue>,
    /// Issues that were closed in the last hour.
    pub done: Vec<DoneIssue>,
    /// What could not be looked at.
    pub problems: Vec<String>,
}

/// A clone on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetClone {
    pub path: PathBuf,
    pub is_here: bool,
    /// Its agents that have not unregistered, and people who hold something; by name.
    pub members: Vec<FleetMember>,
}

/// An agent, or a person who holds issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMember {
    pub name: String,
    /// `None` for a person.
    pub seen: Option<Seen>,
    pub holds: Vec<Doing>,
}

/// A held issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doing {
    pub claim: LeaseRow,
    /// A private issue is not shown to other machines.
    pub is_private: bool,
    /// The latest one of the issue.
    pub checkpoint: Option<Checkpoint>,
}

/// A workspace whose issue is closed there and not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedWork {
    pub id: String,
    pub title: String,
    pub workspace: String,
    pub branch: Option<String>,
    pub clone: PathBuf,
    pub is_private: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoneIssue {
    pub id: String,
    pub title: String,
    pub assignee: Option<String>,
    /// When it was closed, or changed last.
    pub at: Option<Instant>,
}

impl DoneIssue {
    fn of(row: &Row, at: Option<Instant>) -> Self {
        let (id, title) = (row.issue.id.clone(), row.issue.title.clone());
        DoneIssue { id, title, assignee: row.issue.assignee.clone(), at }
    }
}

/// Looks at everything. Files that cannot be read are named, and the rest is shown.
pub fn overview(store: &mut Store, wish: FleetWish) -> Result<Overview> {
    store.look_again()?;
    let mut found = Overview {
        fleet: fleet(store),
        clones: Vec::new(),
        remote: Vec::new(),
        machines: Vec::new(),
        finished: Vec::new(),
        unheld: Vec::new(),
        done: Vec::new(),
        problems: Vec::new(),
    };
    let (mut unheld, mut done, mut ids) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::from([store.known_clone_id()]));
    let root = here::root(store);
    add_clone(store, root, true, &mut found, &mut unheld, &mut done)?;
    let others = others(store);
    found.problems.extend(others.as_ref().err().map(ToString::to_string));
    for path in others.unwrap_or_default() {
        let added = store.opened_at(&path).map_err(OpError::from).and_then(|mut there| {
            there.look_again()?;
            ids.insert(there.known_clone_id());
            let added = add_clone(&mut there, path.clone(), false, &mut found, &mut unheld, &mut done);
            found.problems.extend(there.notices().iter().filter_map(damage));
            added
        });
        found.problems.extend(added.err().map(|error| format!("{}: {error}", path.display())));
    }
    let held: BTreeSet<String> = found
        .clones
        .iter()
        .flat_map(|clone| &clone.members)
        .flat_map(|member| &member.holds)
        .map(|doing| doing.claim.id.clone())
        .collect();
    unheld.retain(|id, _| !held.contains(id) && !done.contains_key(id));
    if wish.remotes {
        let ids: BTreeSet<String> = ids.into_iter().flatten().collect();
        add_remotes(store, &ids, &mut found)?;
        unheld.retain(|id, _| !found.remote.iter().any(|(lease, _)| lease.id == *id));
    }
    found.unheld = unheld.into_values().collect();
    found.done = done.into_values().collect();
    found.done.sort_by(|a, b| (b.at, &a.id).cmp(&(a.at, &b.id)));
    Ok(found)
}

/// A record of another clone that cannot be read.
fn damage(warning: &Warning) -> Option<String> {
    match warning {
        Warning::Record { path, line, what } => Some(format!("{}:{line}: {what}", path.display())),
        _ => None,
    }
}

fn add_clone(
    store: &mut Store,
    path: PathBuf,
    is_here: bool,
    found: &mut Overview,
    unheld: &mut BTreeMap<String, DoneIssue>,
    done: &mut BTreeMap<String, DoneIssue>,
) -> Result<()> {
    let members = members(store)?;
    for row in abandoned(store)?.into_iter().map(|(row, _)| row) {
        let at = row.issue.updated_at.as_ref().map(|at| at.instant);
        unheld.entry(row.issue.id.clone()).or_insert_with(|| DoneIssue::of(&row, at));
    }
    let since = store.host().clock.now().plus_nanos(-RECENT);
    let recent = parse_query(store, &format!("status=closed closed>={since}"))?;
    for row in store.list(&recent, Default::default(), None)?.rows {
        let at = row.issue.closed_at.as_ref().map(|at| at.instant);
        done.entry(row.issue.id.clone()).or_insert_with(|| DoneIssue::of(&row, at));
    }
    found.finished.extend(finished(store, &path)?);
    found.clones.push(FleetClone { path, is_here, members });
    Ok(())
}

fn members(store: &Store) -> Result<Vec<FleetMember>> {
    let mut holds: BTreeMap<(bool, String), Vec<Doing>> = BTreeMap::new();
    let mut claims = store.leases()?;
    claims.retain(|row| row.standing == Standing::Live);
    let mut latest: BTreeMap<String, Checkpoint> = BTreeMap::new();
    if !claims.is_empty() {
        let every = CheckpointFilter { whose: Whose::All, ..CheckpointFilter::default() };
        let rows = checkpoints(store, &every)?.rows.into_iter().map(|row| row.checkpoint);
        latest.extend(rows.map(|checkpoint| (checkpoint.issue.clone(), checkpoint)));
    }
    for claim in claims {
        let Some(holder) = &claim.lease.holder else { continue };
        let key = (holder.is_agent(), holder.name.clone());
        let checkpoint = latest.get(&claim.id).cloned();
        let is_private = store.is_plan(&claim.id).unwrap_or(true);
        holds.entry(key).or_default().push(Doing { claim, is_private, checkpoint });
    }
    let agents = all(store)?.into_iter().filter(Seen::is_registered).map(|seen| {
        let name = seen.agent.name.clone();
        FleetMember { holds: holds.remove(&(true, name.clone())).unwrap_or_default(), seen: Some(seen), name }
    });
    let mut members: Vec<FleetMember> = agents.collect();
    members.extend(holds.into_iter().map(|((_, name), holds)| FleetMember { name, seen: None, holds }));
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

/// Work that is finished in workspaces of a clone and not merged.
fn finished(store: &Store, path: &Path) -> Result<Vec<FinishedWork>> {
    let mut found = Vec::new();
    for one in workspace_records::workspaces(store)?.into_iter().filter(|one| one.state.is_usable()) {
        let (Some(id), Some(worktree)) = (&one.issue, &one.worktree_id) else { continue };
        let is_it = |other: &&crate::store::Elsewhere| other.worktree_id.as_ref() == Some(worktree);
        let elsewhere = store.elsewhere(id)?;
        let Some(there) = elsewhere.iter().find(is_it) else { continue };
        let is_done = crate::model::issue::Status::new(there.status.as_str()).is_done();
        let is_open_here = store.get(id)?.is_some_and(|row| !row.issue.status.is_done());
        if is_done && is_open_here && real_path(Path::new(&one.parent)) == real_path(path) {
            found.push(FinishedWork {
                id: id.clone(),
                title: there.title.clone(),
                workspace: one.id.clone(),
                branch: one.branch.clone(),
                clone: path.to_owned(),
                is_private: store.is_plan(id).unwrap_or(true),
            });
        }
    }
    Ok(found)
}

/// Adds the claims of other machines, and what these show in `fleet.remote`.
fn add_remotes(store: &Store, own: &BTreeSet<String>, found: &mut Overview) -> Result<()> {
    if found.fleet.is_on {
        match remote_leases(store) {
            Ok(claims) => {
                for claim in claims.into_iter().filter(|claim| !claim.clone.as_ref().is_some_and(|id| own.contains(id)))
                {
                    let title = store.get(&claim.id)?.map(|row| row.issue.title);
                    found.remote.push((claim, title));
                }
            }
            Err(OpError::Remote(SyncError::Unsupported { .. } | SyncError::NoVcs { .. })) => {}
            Err(error) => found.problems.push(error.to_string()),
        }
    }
    match machines(store, own) {
        Ok((machines, problems)) => {
            found.machines = machines;
            found.problems.extend(problems);
        }
        Err(OpError::Store(error @ StoreError::UntrustedPrograms { .. })) => return Err(error.into()),
        Err(error) => found.problems.push(error.to_string()),
    }
    Ok(())
}
