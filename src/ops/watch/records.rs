//! Changes of checkpoints, failed runs, agents, workspaces and syncs: two states of their files are compared.

use std::collections::BTreeMap;

use super::event::{EventKind, RecordNews};
use crate::model::agent::Status;
use crate::model::checkpoint::Noted;
use crate::model::row::Row;
use crate::model::workspace::State;
use crate::ops::Result;
use crate::store::{AGENTS, CHECKPOINTS, LeaseRow, RecordError, SYNCS, StateTable, Store, Table, WORKSPACES};

/// The state of each record, by its table and id.
pub(super) type Records = BTreeMap<String, String>;

/// The records as they are, and what is new since the earlier state.
pub(super) fn news(store: &Store, before: &Records) -> Result<(Records, Vec<(EventKind, RecordNews)>)> {
    let (mut now, mut found) = (Records::new(), Vec::new());
    let mut see = |key: String, state: String, kind: &dyn Fn(Option<&str>) -> Option<EventKind>, news: RecordNews| {
        let old = before.get(&key).map(String::as_str);
        found.extend(kind(old).filter(|_| old != Some(&state)).map(|kind| (kind, news)));
        now.insert(key, state);
    };
    for one in rows(store, &CHECKPOINTS)? {
        if let Noted::Checkpoint(one) = one {
            let added = |old: Option<&str>| old.is_none().then_some(EventKind::CheckpointAdded);
            see(format!("checkpoint {}", one.id), String::new(), &added, RecordNews::Checkpoint(*one));
        }
    }
    for LeaseRow { id, lease, title, .. } in store.lease_records()? {
        let attempts = lease.attempts;
        let failed = |old: Option<&str>| {
            let known = old.and_then(|old| old.parse().ok()).unwrap_or(0);
            (attempts > known).then_some(EventKind::RunFailed)
        };
        see(format!("run {id}"), attempts.to_string(), &failed, RecordNews::Run { id, title, lease });
    }
    for one in rows(store, &AGENTS)? {
        let is_gone = one.status == Status::Gone;
        let kind = |old: Option<&str>| match (old, is_gone) {
            (None, true) => None,
            (_, true) => Some(EventKind::AgentGone),
            (_, false) => Some(EventKind::AgentRegistered),
        };
        let state = if is_gone { "gone" } else { "here" };
        see(format!("agent {}", one.id), state.to_owned(), &kind, RecordNews::Agent(one));
    }
    for one in rows(store, &WORKSPACES)? {
        let state = one.state;
        let kind = |old: Option<&str>| match (old, state) {
            (None, State::Removed) => None,
            (None, _) => Some(EventKind::WorkspaceCreated),
            (_, State::Removed) => Some(EventKind::WorkspaceRemoved),
            (_, _) => Some(EventKind::WorkspaceChanged),
        };
        see(format!("workspace {}", one.id), state.word().to_owned(), &kind, RecordNews::Workspace(one));
    }
    for one in rows(store, &SYNCS)? {
        see(format!("sync {}", one.id), one.at.clone(), &|_| Some(EventKind::Synced), RecordNews::Sync(one));
    }
    Ok((now, found))
}

fn rows<T: Row>(store: &Store, table: &Table<T>) -> Result<Vec<T>> {
    let state = store.state();
    let mut all = Vec::new();
    for (inside, name) in table.spot().files(&state).map_err(RecordError::from)? {
        let document = store.records(&state.inside(inside).file(&name))?;
        all.extend(table.rows(&document).collect::<Vec<T>>());
    }
    Ok(all)
}
