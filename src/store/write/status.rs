//! Guards of an issue's status against other issues: a task is not claimed by writing its status, a workflow's status
//! follows its state, an issue with open blockers is not closed by mistake, and nothing starts to wait for a deleted
//! issue.

use super::guard_input::RestOfTransaction;
use super::intent::Write;
use crate::model::change::{Change, ChangeError, TaskEdit, WorkflowError};
use crate::model::dependency::DependencyType;
use crate::model::issue::{self, Status};
use crate::model::json::Json;
use crate::model::lease::Standing;
use crate::model::record::Record;
use crate::model::workflow::{SKIPPED, Task};
use crate::store::state::leases::standing;
use crate::store::{Result, Row, Snapshot, Store, TaskRow, TaskState, Warning};

const WORKS: &str = "in_progress";
const EPIC: &str = "epic";

/// What a change does to the status.
enum Aim {
    Ends,
    Becomes(Status),
}

impl Snapshot {
    /// Refuses a new parent or blocker that is deleted. Edges that only record an origin or a relation may name one,
    /// with a warning. The locks are held.
    pub(super) fn refuse_deleted_targets(&self, write: &Write) -> Result<()> {
        let parent = DependencyType::parent_child();
        let (id, new): (Option<&str>, Vec<(&String, &DependencyType)>) = match write {
            Write::File { issue, id, .. } => (
                id.as_ref().map(|id| id.as_str()),
                issue.dependencies.iter().map(|(target, kind)| (target, kind)).collect(),
            ),
            Write::Change { id, changes } => {
                let edges = changes.iter().filter_map(|change| match change {
                    Change::AddDependency { target, kind } => Some((target, kind)),
                    Change::Parent(Some(target)) => Some((target, &parent)),
                    _ => None,
                });
                (Some(id), edges.collect())
            }
            // A line from elsewhere is taken as it is.
            Write::Put { .. } => return Ok(()),
        };
        if new.is_empty() {
            return Ok(());
        }
        self.read_ledgers()?;
        let record_of = |id: &str| self.line_in(self.owner(id)?, id);
        let known = id.and_then(record_of).and_then(|line| Some(issue::dependencies_of(&Record::parse(&line).ok()?)));
        let is_new = |target: &str, kind: &DependencyType| {
            !known.iter().flatten().any(|edge| edge.target == target && edge.kind == *kind)
        };
        let is_deleted = |target: &str| {
            let line = record_of(target).unwrap_or_default();
            Record::parse(&line).is_ok_and(|record| issue::status_of(&record).is_tombstone())
        };
        for (target, kind) in new.into_iter().filter(|(target, kind)| is_new(target, kind) && is_deleted(target)) {
            if kind.orders_work() {
                return Err(ChangeError::Deleted(target.clone()).into());
            }
            let (id, target, kind) = (id.map(str::to_owned), target.clone(), kind.to_string());
            // Both copies of a proposed issue get the edge; warn once.
            self.notices.add(Warning::DeletedTarget { id, target, kind });
        }
        Ok(())
    }

    /// The issues that are neither closed in the same transaction nor in another checkout.
    fn still_open(&self, ids: Vec<String>, closed: &[String]) -> Result<Vec<String>> {
        let mut open = Vec::new();
        for id in ids.into_iter().filter(|id| !closed.contains(id)) {
            if !self.is_done_elsewhere(&id)? {
                open.push(id);
            }
        }
        Ok(open)
    }

    /// Someone holds it: then it is already counted, and the claim decides who may write.
    fn is_claimed(&self, id: &str) -> Result<bool> {
        let now = self.host.clock.both();
        Ok(self.claims()?.iter().any(|(known, lease)| known == id && standing(lease, &now) == Standing::Live))
    }
}

/// Refuses to claim a task against the rules of its workflow, or to change a workflow in a way its states do not allow.
/// The locks are held.
pub(super) fn refuse_taking(store: &mut Store, write: &Write, rest: &mut RestOfTransaction) -> Result<()> {
    let Some((id, aim)) = aim_of(write) else { return Ok(()) };
    store.look_again()?;
    let Some(row) = store.get(id)? else { return Ok(()) };
    if matches!(&aim, Aim::Becomes(status) if status.as_str() == WORKS)
        && Task::of_line(&row.line).is_some()
        && row.issue.status.as_str() != WORKS
        && !store.is_claimed(id)?
    {
        rest.taken.extend(store.refuse_task(&row, &rest.taken)?);
        return Ok(());
    }
    match write {
        Write::Change { changes, .. } => refuse_status(store, &row, &aim, is_forced(changes)),
        // A line from elsewhere is taken as it is; `bd doctor` reports contradictions.
        Write::File { .. } | Write::Put { .. } => Ok(()),
    }
}

/// Refuses to close an issue that waits for open ones, or an epic with open children, not counting those closed in the
/// same transaction. The locks are held.
pub(super) fn refuse_closing(store: &mut Store, write: &Write, rest: &mut RestOfTransaction) -> Result<()> {
    let (Write::Change { id, changes }, Some((_, Aim::Ends))) = (write, aim_of(write)) else { return Ok(()) };
    store.look_again()?;
    let Some(row) = store.get(id)?.filter(|row| !row.issue.status.is_done()) else { return Ok(()) };
    if !is_forced(changes) && !is_skipped(changes) {
        if row.issue.issue_type.as_str() == EPIC {
            let children = store.open_children(id)?;
            let children = store.still_open(children, &rest.closed)?;
            if !children.is_empty() {
                return Err(ChangeError::OpenChildren { id: id.clone(), children }.into());
            }
        }
        // Most issues wait for nothing, so the whole project need not be compared.
        let may_wait = row.issue.dependencies.iter().any(|edge| edge.kind.is_blocking()) || store.pair(id).is_some();
        if may_wait && !is_replaced(changes) {
            let blocked = store.obstacles(id)?.map(|blocked| blocked.blockers).unwrap_or_default();
            // An issue that waits for another to fail may be closed when it is no longer needed.
            let waits = blocked.into_iter().filter(|blocker| blocker.known && blocker.kind != "conditional-blocks");
            let mut blockers: Vec<String> = waits.map(|blocker| blocker.id).collect();
            blockers.dedup();
            let blockers = store.still_open(blockers, &rest.closed)?;
            if !blockers.is_empty() {
                return Err(ChangeError::OpenBlockers { id: id.clone(), blockers }.into());
            }
        }
    }
    rest.closed.push(id.clone());
    Ok(())
}

fn refuse_status(store: &Store, row: &Row, aim: &Aim, is_forced: bool) -> Result<()> {
    let was_done = row.issue.status.is_done();
    let Some(workflow) = store.as_workflow(row.clone()).filter(|_| !was_done) else { return Ok(()) };
    let id = row.issue.id.clone();
    match aim {
        Aim::Ends if is_forced => Ok(()),
        Aim::Ends => {
            let open = |task: &TaskRow| !task.is_done() && task.state() != TaskState::Unmerged;
            let tasks = store.tasks_of(&id)?.into_iter().filter(open).map(|task| task.task.name);
            let tasks: Vec<String> = tasks.collect();
            if tasks.is_empty() {
                Ok(())
            } else {
                Err(ChangeError::from(WorkflowError::OpenTasks { id, tasks }).into())
            }
        }
        Aim::Becomes(status) if *status == workflow.state.status() || *status == row.issue.status => Ok(()),
        Aim::Becomes(status) => {
            let (state, status) = (workflow.state, status.as_str().to_owned());
            Err(ChangeError::from(WorkflowError::StatusFollows { id, state, status }).into())
        }
    }
}

/// Open blockers or children are ignored.
fn is_forced(changes: &[Change]) -> bool {
    changes.contains(&Change::Force)
}

/// The changes skip a task, so it no longer waits for anything.
fn is_skipped(changes: &[Change]) -> bool {
    changes.iter().any(|change| match change {
        Change::Task(TaskEdit::Set { key: "outcome", value: Some(Json::Text(outcome)) }) => outcome == SKIPPED,
        _ => false,
    })
}

/// The changes replace this issue by another, so it no longer waits for anything.
fn is_replaced(changes: &[Change]) -> bool {
    let replaces = |kind: &DependencyType| ["duplicates", "supersedes"].contains(&kind.as_str());
    changes.iter().any(|change| matches!(change, Change::AddDependency { kind, .. } if replaces(kind)))
}

/// The issue whose status a write changes, and how.
fn aim_of(write: &Write) -> Option<(&str, Aim)> {
    let aim = |status: Status| if status.is_done() { Aim::Ends } else { Aim::Becomes(status) };
    match write {
        Write::File { .. } => None,
        Write::Put { id, line, .. } => {
            // Most lines are not tasks.
            let record = Record::parse(line).ok().filter(|record| issue::status_of(record).as_str() == WORKS)?;
            Some((id, aim(issue::status_of(&record))))
        }
        Write::Change { id, changes } => {
            let found = changes.iter().rev().find_map(|change| match change {
                Change::Status(status) => Some(aim(status.clone())),
                Change::Close { .. } => Some(Aim::Ends),
                Change::Defer { .. } => Some(Aim::Becomes(Status::new("deferred"))),
                Change::Claim { .. } => Some(Aim::Becomes(Status::new(WORKS))),
                _ => None,
            });
            found.map(|aim| (id.as_str(), aim))
        }
    }
}
