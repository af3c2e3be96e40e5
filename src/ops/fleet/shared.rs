//! What the clones of a user show each other: one ref for each in the private repository that `fleet.remote` names.
//!
//! It holds names and titles, so it must not be a repository of the project; private plans are only counted in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::overview::{Doing, FleetMember, FleetWish, overview};
use crate::model::fleet_note::{FleetNote, NotedAgent, NotedIssue};
use crate::model::record::Record;
use crate::model::row::Row as _;
use crate::ops::{OpError, Result, here};
use crate::store::{Store, StoreError};
use crate::sys;
use crate::vcs::{self, SyncError};

const SETTING: &str = "fleet.remote";
/// The largest note that is read or written.
const MAX: usize = 256 << 10;

/// Another machine's clone, as it was shown last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMachine {
    pub note: FleetNote,
}

/// The private repository, and the working copy from which it is reached.
fn place(store: &Store) -> Result<Option<(PathBuf, String)>> {
    let Some(address) = store.settings().own_text(SETTING).filter(|text| !text.is_empty()) else { return Ok(None) };
    let root = here::root(store);
    if vcs::is_own_remote(&root, address, &store.host().env) {
        return Err(OpError::Usage(format!("{SETTING} is a remote of this project, whose readers must not see names")));
    }
    store.refuse_programs_of(&root)?;
    Ok(Some((root, address.to_owned())))
}

/// Shows the other machines what this clone does.
pub fn publish(store: &mut Store) -> Result<()> {
    let Some((root, address)) = place(store)? else { return Ok(()) };
    let seen = overview(store, FleetWish { remotes: false })?;
    let Some(own) = seen.clones.iter().find(|clone| clone.is_here) else { return Ok(()) };
    let mut agents: Vec<NotedAgent> = own.members.iter().map(noted).collect();
    agents.retain(|agent| agent.status != "offline" || !agent.holds.is_empty());
    let held = || own.members.iter().flat_map(|member| &member.holds);
    let is_own = |one: &&super::FinishedWork| one.clone == own.path && !one.is_private;
    let finished = seen.finished.iter().filter(is_own).map(|one| NotedIssue {
        id: one.id.clone(),
        title: one.title.clone(),
        ..NotedIssue::default()
    });
    let note = FleetNote {
        id: store.clone_id()?,
        at: store.host().clock.now().to_string(),
        host: sys::host_name(),
        agents,
        finished: finished.collect(),
        private: held().filter(|doing| doing.is_private).count() as i64,
    };
    let text = note.line();
    if text.len() > MAX {
        return Err(OpError::TooLong { what: "list of agents", most: MAX });
    }
    put(&root, &address, &note.id, &text, store)
}

fn put(root: &Path, address: &str, id: &str, text: &str, store: &Store) -> Result<()> {
    vcs::put_fleet_note(root, address, id, text, &store.host().env)?;
    Ok(())
}

fn noted(member: &FleetMember) -> NotedAgent {
    let issue = |doing: &Doing| NotedIssue {
        id: doing.claim.id.clone(),
        title: doing.claim.title.clone().unwrap_or_default(),
        since: doing.claim.lease.holder.as_ref().map(|holder| holder.acquired.clone()),
        attempts: doing.claim.lease.attempts,
        last_error: doing.claim.lease.last_error.clone(),
        checkpoint: doing.checkpoint.as_ref().map(|one| format!("{}: {}", one.kind.as_str(), one.summary)),
    };
    NotedAgent {
        name: member.name.clone(),
        status: member.seen.as_ref().map_or("human", |seen| seen.status.word()).to_owned(),
        heartbeat: member.seen.as_ref().map(|seen| seen.agent.heartbeat.to_string()),
        holds: member.holds.iter().filter(|doing| !doing.is_private).map(issue).collect(),
    }
}

/// What the other machines show, without the clones of this one, and what cannot be read of it.
pub(super) fn machines(store: &Store, own: &BTreeSet<String>) -> Result<(Vec<FleetMachine>, Vec<String>)> {
    let Some((root, address)) = place(store)? else { return Ok(Default::default()) };
    let notes = match vcs::fleet_notes(&root, &address, &store.host().env) {
        Err(SyncError::Unsupported { .. } | SyncError::NoVcs { .. }) => Vec::new(),
        notes => notes.map_err(StoreError::from)?,
    };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for one in notes.into_iter().filter(|one| !own.contains(&one.id)) {
        let record = Record::parse(one.text.trim()).ok().filter(|_| one.text.len() <= MAX);
        match record.as_ref().and_then(FleetNote::parse).filter(|note| note.id == one.id) {
            Some(note) => found.push(FleetMachine { note }),
            None => problems.push(format!("the note of {} in {address} is not one that this bd can read", one.id)),
        }
    }
    found.sort_by(|a, b| (&a.note.host, &a.note.id).cmp(&(&b.note.host, &b.note.id)));
    Ok((found, problems))
}
