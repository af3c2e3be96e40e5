//! Workflows and their tasks as the ledgers and the claims have them, and which tasks may be handed out.
//!
//! Whether a task may be claimed is decided here, under the lock of the state home that knows the claims: so no two who claim at
//! once can both take the last free place of a workflow. What a task waits for is in the ledger, as edges.

use std::collections::{BTreeMap, BTreeSet};

use super::leases::{LeaseError, standing};
use super::{Result, Row, Store, StoreError};
use crate::cache::OpenTask;
use crate::model::change::ChangeError;
use crate::model::lease::{Holder, Standing};
use crate::model::record::Record;
use crate::model::state_id;
use crate::model::workflow::{SKIPPED, State, Task, Workflow, WorkflowError};

/// A workflow: its issue, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRow {
    pub row: Row,
    pub workflow: Workflow,
    /// How it stands. Another tool may have closed or reopened its issue: that counts.
    pub state: State,
    /// It did: the object in the line says something else.
    pub overruled: bool,
}

impl WorkflowRow {
    /// The workflow of an issue, if it is one.
    pub fn of(row: Row) -> Option<Self> {
        let record = Record::parse(&row.line).ok()?;
        let workflow = Workflow::of(&record)?;
        let (state, overruled) = Workflow::standing(&record)?;
        Some(WorkflowRow { workflow, state, overruled, row })
    }

    pub fn id(&self) -> &str {
        &self.row.issue.id
    }
}

/// A task of a workflow, with all that decides over it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    pub row: Row,
    pub task: Task,
    /// Who has claimed it, and whether that claim still holds.
    pub holder: Option<(Holder, Standing)>,
    /// Issues that it waits for.
    pub blockers: Vec<String>,
    /// The checkout in which it is closed, while that is not merged here.
    pub unmerged: Option<String>,
}

/// How a task stands. Only done and skipped are in the ledger as such; the rest follows from edges, claims and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TaskState {
    Pending,
    Blocked,
    InProgress,
    Failed,
    Deferred,
    /// Closed in another checkout.
    Unmerged,
    Completed,
    Skipped,
}

impl TaskState {
    pub const ALL: [TaskState; 8] = [
        TaskState::Pending,
        TaskState::Blocked,
        TaskState::InProgress,
        TaskState::Failed,
        TaskState::Deferred,
        TaskState::Unmerged,
        TaskState::Completed,
        TaskState::Skipped,
    ];

    pub fn word(self) -> &'static str {
        match self {
            TaskState::Pending => "pending",
            TaskState::Blocked => "blocked",
            TaskState::InProgress => "in_progress",
            TaskState::Failed => "failed",
            TaskState::Deferred => "deferred",
            TaskState::Unmerged => "unmerged",
            TaskState::Completed => "completed",
            TaskState::Skipped => "skipped",
        }
    }
}

impl TaskRow {
    pub fn id(&self) -> &str {
        &self.row.issue.id
    }

    pub fn is_done(&self) -> bool {
        self.row.issue.status.is_done()
    }

    /// Somebody works on it: by a claim, or by the ledger where no claim is known. A claim that is over counts for nothing.
    pub fn is_running(&self) -> bool {
        match &self.holder {
            _ if self.is_done() || self.unmerged.is_some() => false,
            Some((_, standing)) => *standing == Standing::Live,
            None => self.row.issue.status.as_str() == "in_progress",
        }
    }

    /// Its holder is silent or dead, and nobody has taken it yet.
    pub fn is_left(&self) -> bool {
        !self.is_done() && self.holder.as_ref().is_some_and(|(_, standing)| *standing == Standing::Expired)
    }

    pub fn state(&self) -> TaskState {
        match self.row.issue.status.as_str() {
            _ if self.is_done() && self.task.outcome.as_deref() == Some(SKIPPED) => TaskState::Skipped,
            "tombstone" => TaskState::Skipped,
            _ if self.is_done() => TaskState::Completed,
            _ if self.unmerged.is_some() => TaskState::Unmerged,
            _ if self.is_running() => TaskState::InProgress,
            _ if !self.blockers.is_empty() => TaskState::Blocked,
            "open" | "in_progress" if self.task.last_error.is_some() => TaskState::Failed,
            "open" | "in_progress" => TaskState::Pending,
            _ => TaskState::Deferred,
        }
    }
}

/// Why the tasks of a workflow are not handed out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    #[error("its workflow {workflow} is in no repo of this project")]
    Unknown { workflow: String },
    #[error("its workflow {workflow} goes over repos that this project does not have: {}", repos.join(" "))]
    Hidden { workflow: String, repos: Vec<String> },
    #[error("its workflow {workflow} is {state}{}", and_how(*state))]
    State { workflow: String, state: State },
    #[error("{running} of at most {most} tasks of its workflow {workflow} run already")]
    Full { workflow: String, running: usize, most: i64 },
}

/// The way on from a state in which no task is handed out.
fn and_how(state: State) -> String {
    let next = State::InProgress;
    match state.permit(next) {
        _ if state == State::Planning => "; bd workflow start hands its tasks out".to_owned(),
        Some(_) => format!("; bd workflow {} hands its tasks out", state.command_to(next)),
        None => ", and its tasks are not handed out any more".to_owned(),
    }
}

impl Store {
    /// A workflow by the id of its issue, what is enough of it, or its `wf_` id.
    pub fn find_workflow(&mut self, typed: &str) -> Result<WorkflowRow> {
        if state_id::is(state_id::WORKFLOW, typed) {
            let found = self.workflows()?.into_iter().find(|one| one.workflow.id == typed);
            return found.ok_or_else(|| StoreError::NotFound { typed: typed.to_owned() });
        }
        let row = self.find(typed)?;
        let id = row.issue.id.clone();
        WorkflowRow::of(row).ok_or_else(|| ChangeError::from(WorkflowError::NotWorkflow(id)).into())
    }

    /// All workflows, by the ids of their issues.
    pub fn workflows(&mut self) -> Result<Vec<WorkflowRow>> {
        self.refresh()?;
        let keys = self.cache.workflows()?;
        let rows = keys.into_iter().map(|key| self.row(key)).collect::<Result<Vec<_>>>()?;
        Ok(rows.into_iter().filter_map(WorkflowRow::of).collect())
    }

    /// The workflow that an issue is a task of, if it is one and the project has its workflow.
    pub fn workflow_above(&mut self, row: &Row) -> Result<Option<WorkflowRow>> {
        match (Task::of_line(&row.line), row.issue.parent()) {
            (Some(_), Some(parent)) => Ok(self.get(parent)?.and_then(WorkflowRow::of)),
            _ => Ok(None),
        }
    }

    /// The tasks of a workflow, named by the id of its issue, in their order.
    pub fn tasks_of(&mut self, workflow: &str) -> Result<Vec<TaskRow>> {
        let children = self.dependents(workflow)?.into_iter().filter(|(edge, _)| edge.kind == "parent-child");
        let now = self.host.clock.both();
        let mut tasks = Vec::new();
        // What was deleted is no task any more.
        let rows = children.filter_map(|(_, row)| row).filter(|row| !row.issue.status.is_tombstone());
        for row in rows.collect::<Vec<_>>() {
            let Some(mut task) = Task::of_line(&row.line) else { continue };
            let id = row.issue.id.clone();
            let lease = self.claims()?.iter().find(|(known, _)| *known == id).map(|(_, lease)| lease.clone());
            let holder = lease.and_then(|lease| {
                let standing = standing(&lease, &now);
                lease.holder.map(|holder| (holder, standing))
            });
            let (mut blockers, mut unmerged) = (Vec::new(), None);
            if !row.issue.status.is_done() {
                blockers = self.waits_for(&id)?;
                let elsewhere = self.elsewhere(&id)?;
                // A job that failed has said so where it ran.
                let failed = elsewhere.iter().filter_map(|other| Task::of_line(&other.line));
                if let Some(failed) =
                    failed.max_by_key(|other| other.attempts).filter(|other| other.attempts > task.attempts)
                {
                    (task.last_error, task.attempts) = (failed.last_error, failed.attempts);
                }
                unmerged = elsewhere.into_iter().find(|other| other.is_done()).map(|other| other.worktree);
            }
            tasks.push(TaskRow { row, task, holder, blockers, unmerged });
        }
        tasks.sort_by(|a, b| (a.task.order(), a.id()).cmp(&(b.task.order(), b.id())));
        Ok(tasks)
    }

    /// The open issues that one waits for, itself or through what it is below.
    fn waits_for(&mut self, id: &str) -> Result<Vec<String>> {
        let Some(blocked) = self.obstacles(id)? else { return Ok(Vec::new()) };
        let above = blocked.inherited.into_iter().flat_map(|inherited| inherited.blockers);
        let mut found: Vec<String> = blocked.blockers.into_iter().chain(above).map(|blocker| blocker.id).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Tasks that are not handed out because of how their workflows stand.
    pub fn withheld(&mut self) -> Result<BTreeMap<String, Withheld>> {
        let mut found = BTreeMap::new();
        let open = self.cache.open_tasks()?;
        let parents: BTreeSet<_> = open.iter().map(|task| (&task.parent, task.parent_key)).collect();
        for (parent, key) in parents {
            let tasks = || open.iter().filter(|task| task.parent == *parent);
            let workflow = key.map(|key| self.row(key)).transpose()?.map(WorkflowRow::of);
            let why = match workflow {
                None => Some(Withheld::Unknown { workflow: parent.clone() }),
                // Below an ordinary issue it is an ordinary one.
                Some(None) => None,
                Some(Some(workflow)) => match self.closed(&workflow) {
                    None => full(&workflow, self.count_running(tasks())?),
                    why => why,
                },
            };
            if let Some(why) = why {
                found.extend(tasks().map(|task| (task.id.clone(), why.clone())));
            }
        }
        Ok(found)
    }

    /// Why no task of a workflow is handed out, however few run.
    fn closed(&self, workflow: &WorkflowRow) -> Option<Withheld> {
        let id = || workflow.id().to_owned();
        if workflow.state != State::InProgress {
            return Some(Withheld::State { workflow: id(), state: workflow.state });
        }
        // How many run can be told only by one who sees all of them.
        let hidden = workflow.workflow.repos.iter().filter(|repo| self.find_repository(repo).is_none());
        let repos: Vec<String> = hidden.cloned().collect();
        (!repos.is_empty()).then(|| Withheld::Hidden { workflow: id(), repos })
    }

    /// How many of some tasks somebody works on; see [`TaskRow::is_running`].
    fn count_running<'a>(&mut self, tasks: impl Iterator<Item = &'a OpenTask>) -> Result<usize> {
        let is_past = (0..self.sources.len()).any(|source| self.sources.is_frozen(source));
        let now = self.host.clock.both();
        let mut running = 0;
        for task in tasks {
            let known = if is_past { &[] } else { self.claims()? };
            let lease = known.iter().find(|(id, lease)| *id == task.id && lease.holder.is_some());
            running += usize::from(match lease {
                Some((_, lease)) => standing(lease, &now) == Standing::Live,
                None => task.status == "in_progress" && (is_past || !self.is_done_elsewhere(&task.id)?),
            });
        }
        Ok(running)
    }

    /// Why one task is not handed out; nothing if it may be, or is no task.
    pub fn why_withheld(&mut self, id: &str) -> Result<Option<Withheld>> {
        self.refresh()?;
        Ok(self.withheld()?.remove(id))
    }

    /// Refuses to give out a task that is not to be worked on now. The lock of the state home is held, so the count stays.
    pub(super) fn refuse_task(&mut self, row: &Row) -> Result<()> {
        let id = row.issue.id.clone();
        let (Some(_), Some(parent)) = (Task::of_line(&row.line), row.issue.parent()) else { return Ok(()) };
        let withheld = |why| Err(LeaseError::Withheld { id: id.clone(), why }.into());
        let Some(above) = self.get(parent)? else {
            return withheld(Withheld::Unknown { workflow: parent.to_owned() });
        };
        let Some(workflow) = WorkflowRow::of(above) else { return Ok(()) };
        if let Some(why) = self.closed(&workflow) {
            return withheld(why);
        }
        let blockers = self.waits_for(&id)?;
        if !blockers.is_empty() {
            return Err(LeaseError::Waits { id, blockers }.into());
        }
        let others = self.tasks_of(parent)?.into_iter().filter(|task| task.id() != id && task.is_running());
        match full(&workflow, others.count()) {
            Some(why) => withheld(why),
            None => Ok(()),
        }
    }
}

/// No further task of the workflow may be claimed.
fn full(workflow: &WorkflowRow, running: usize) -> Option<Withheld> {
    let most = workflow.workflow.max_parallel;
    let is_full = i64::try_from(running).unwrap_or(i64::MAX) >= most;
    is_full.then(|| Withheld::Full { workflow: workflow.id().to_owned(), running, most })
}
