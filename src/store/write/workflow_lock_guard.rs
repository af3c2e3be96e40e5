//! How the lock of a workflow restricts a write.
//!
//! It covers the line of the workflow, its tasks, and issues that would become tasks. Work on tasks that have begun
//! continues; only their place in the order is part of the plan.

use super::guard_input::GuardedEdit;
use super::intent::Intent;
use crate::ledger::Document;
use crate::model::dependency::Dependency;
use crate::model::issue;
use crate::model::lease::{Lease, Standing};
use crate::model::record::Record;
use crate::model::workflow::{Task, Workflow};
use crate::store::error::LeaseError;
use crate::store::leases::Fenced;
use crate::store::read::index::expected;
use crate::store::state::leases::standing;
use crate::store::state::tables::LEASES;
use crate::store::{Snapshot, Store};

/// Keys that anyone may change in a locked workflow and its tasks.
const OPEN_KEYS: [&str; 3] = ["comments", "updated_at", "field_times"];

impl Snapshot {
    /// The workflow of a line, which may be one itself or a task of it: its ledger, issue and `wf_` id.
    fn workflow_of(
        &self,
        source: usize,
        document: &Document,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Option<(usize, String, String)> {
        for line in [before, after].into_iter().flatten() {
            let Ok(record) = Record::parse(line) else { continue };
            if let Some(workflow) = Workflow::of(&record) {
                return Some((source, record.string("id")?.into_owned(), workflow.id));
            }
            let edges = record.elements("dependencies").into_iter().filter_map(Dependency::decode);
            for parent in edges.filter(|edge| edge.kind.is_parent_child()).map(|edge| edge.target) {
                let found = self.line_near(source, document, &parent);
                if let Some((place, workflow)) = found.and_then(|(n, line)| Some((n, Workflow::of_line(&line)?))) {
                    return Some((place, parent, workflow.id));
                }
            }
        }
        None
    }

    /// The line of an issue, from this ledger as just read, or from another of the project.
    fn line_near(&self, source: usize, document: &Document, id: &str) -> Option<(usize, String)> {
        if let Some(line) = document.effective_line(id) {
            return Some((source, line));
        }
        (0..self.sources.len()).filter(|other| *other != source).find_map(|other| {
            let line = match self.sources.read_of(other) {
                Some((document, _)) => document.effective_line(id),
                None => {
                    let ledger = self.sources.ledger(other);
                    let read = ledger.read(|| expected(ledger.path())).ok()?;
                    read.document.effective_line(id)
                }
            };
            line.map(|line| (other, line))
        })
    }

    /// Another task of a workflow with this name.
    fn task_named(&self, workflow: &str, name: &str, besides: &str) -> Option<String> {
        (0..self.sources.len()).find_map(|source| {
            self.sources.ids_mentioning(source, workflow).into_iter().filter(|id| id != besides).find(|id| {
                let line = self.line_in(source, id).unwrap_or_default();
                Record::parse(&line).is_ok_and(|record| {
                    let is_named = Task::of(&record).is_some_and(|task| task.name == name);
                    is_named
                        && !issue::status_of(&record).is_tombstone()
                        && parents_of(&record).iter().any(|parent| parent == workflow)
                })
            })
        })
    }
}

/// Refuses a change of one line that the workflow's lock forbids. Tasks can still be claimed.
pub(super) fn refuse(guarded: &GuardedEdit<'_>) -> Fenced<()> {
    let GuardedEdit { store, source, document, id, before, after, .. } = *guarded;
    let home = store.lease_home(source);
    let may_be_locked = match store.held_home(home.path()) {
        Some(held) => held.has_locks(),
        None => LEASES.file(&home).exists(),
    };
    if !may_be_locked {
        return Ok(());
    }
    let Some((place, workflow, lock)) = store.workflow_of(source, document, before, after) else { return Ok(()) };
    let is_claim = guarded.intent == Intent::Claim && workflow != id;
    if is_claim || !changes_plan(&workflow, before, after, || is_live(store, source, id, |_| true), id) {
        return Ok(());
    }
    store.judge_lock(place, &workflow, &lock)
}

/// Refuses to move a task into or out of a workflow against its plan: an agent does that by an edge only while it plans
/// the workflow, under its lock. No workflow gets two tasks with one name.
pub(super) fn refuse_moves(guarded: &GuardedEdit<'_>) -> Fenced<()> {
    let GuardedEdit { store, source, document, id, .. } = *guarded;
    let (Some(Ok(was)), Some(Ok(is))) = (guarded.before.map(Record::parse), guarded.after.map(Record::parse)) else {
        return Ok(());
    };
    let Some(task) = Task::of(&was) else { return Ok(()) };
    let (left, joined) = (parents_of(&was), parents_of(&is));
    if left == joined {
        return Ok(());
    }
    let workflow = |parent: &String| {
        let (place, line) = store.line_near(source, document, parent)?;
        Some((place, parent.clone(), Workflow::of_line(&line)?.id))
    };
    let joins: Vec<_> = joined.iter().filter(|one| !left.contains(one)).filter_map(workflow).collect();
    for (_, parent, _) in &joins {
        if let Some(other) = store.task_named(parent, &task.name, id) {
            let (workflow, name) = (parent.clone(), task.name);
            return Err(Box::new(LeaseError::SameName { workflow, name, other }));
        }
    }
    let leaves = left.iter().filter(|one| !joined.contains(one)).filter_map(workflow);
    for (place, parent, lock) in leaves.chain(joins) {
        if store.agent.as_ref().is_some_and(|agent| !agent.is_coordinator)
            && !is_live(store, place, &lock, |lease| store.is_mine(lease))
        {
            return Err(Box::new(LeaseError::OfPlan { id: id.to_owned(), workflow: parent }));
        }
    }
    Ok(())
}

/// A matching holder has a valid claim or lock.
fn is_live(store: &Store, source: usize, id: &str, is_meant: impl Fn(&Lease) -> bool) -> bool {
    let now = store.host.clock.both();
    store.known_lease(source, id).is_some_and(|lease| is_meant(&lease) && standing(&lease, &now) == Standing::Live)
}

/// Whether a change of a line affects the workflow or its plan, rather than work in progress.
fn changes_plan(
    workflow: &str,
    before: Option<&str>,
    after: Option<&str>,
    is_held: impl Fn() -> bool,
    id: &str,
) -> bool {
    let Some(before) = before.and_then(|line| Record::parse(line).ok()) else { return true };
    let status = issue::status_of(&before);
    let Some(after) = after.and_then(|line| Record::parse(line).ok()) else {
        // A finished task may be removed from the file: history keeps it.
        return !status.is_done();
    };
    let differs = |a: &Record<'_>, b: &Record<'_>| {
        a.iter().any(|(key, value)| !OPEN_KEYS.contains(&key.as_ref()) && b.raw(&key) != Some(value))
    };
    let is_started = status.as_str() == "in_progress" || (!status.is_done() && is_held());
    if id == workflow || !is_started {
        return differs(&before, &after) || differs(&after, &before);
    }
    // The type and existence of an issue are part of the plan.
    let is_gone = issue::status_of(&after).is_tombstone();
    is_gone || before.raw("title") != after.raw("title") || order_of(&before) != order_of(&after)
}

fn parents_of(record: &Record<'_>) -> Vec<String> {
    let edges = record.elements("dependencies").into_iter().filter_map(Dependency::decode);
    edges.filter(|edge| edge.kind.is_parent_child()).map(|edge| edge.target).collect()
}

/// The edges of a line that affect the order of work.
fn order_of(record: &Record<'_>) -> Vec<(String, String)> {
    let edges = record.elements("dependencies").into_iter().filter_map(Dependency::decode);
    let mut order: Vec<_> =
        edges.filter(|edge| edge.kind.orders_work()).map(|edge| (edge.kind.to_string(), edge.target)).collect();
    order.sort();
    order
}
