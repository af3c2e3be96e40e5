//! Workflows and their tasks, combined from ledgers and claims, and which tasks may be handed out.
//!
//! Whether a task may be claimed is decided here, under the lock of the state home with its claims, so that two
//! claimants cannot both take the last free place of a workflow. The ledger stores what a task waits for, as edges.

use crate::model::words::words;
use std::collections::{BTreeMap, BTreeSet};

use crate::cache::OpenTask;
use crate::model::change::{ChangeError, WorkflowError};
use crate::model::lease::{Holder, Lease, Standing};
use crate::model::record::Record;
use crate::model::workflow::{SKIPPED, State, Task, WORKFLOW, Workflow};
use crate::model::{issue, state_id};
use crate::store::error::{LeaseError, Withheld};
use crate::store::state::leases::standing;
use crate::store::{Result, Row, Snapshot, StoreError};

/// A workflow: its issue, and its own record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowRow {
    pub row: Row,
    pub workflow: Workflow,
    /// Its state. If another tool closed or reopened the issue, that wins.
    pub state: State,
    /// Another tool did: the object in the line says something else.
    pub overruled: bool,
    /// The issue's status does not match the workflow's state.
    pub astray: bool,
}

impl WorkflowRow {
    /// The workflow of an issue, if it is one.
    pub fn of(row: Row) -> Option<Self> {
        let line = row.line.clone();
        Self::with(row, &line)
    }

    /// The same, with the workflow's record taken from another line.
    fn with(row: Row, line: &str) -> Option<Self> {
        let record = Record::parse(line).ok()?;
        let workflow = Workflow::of(&record)?;
        let (state, overruled) = Workflow::standing(&record)?;
        let astray = !overruled && !state.is_final() && issue::status_of(&record) != state.status();
        Some(WorkflowRow { workflow, state, overruled, astray, row })
    }

    pub fn id(&self) -> &str {
        &self.row.issue.id
    }
}

/// A task of a workflow, with everything that decides whether it can be claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    pub row: Row,
    pub task: Task,
    /// The holder of its claim, and whether that claim is still valid.
    pub holder: Option<(Holder, Standing)>,
    /// Issues that it waits for.
    pub blockers: Vec<String>,
    /// The checkout that closed it, until that is merged here.
    pub unmerged: Option<String>,
}

words! {
    /// The state of a task. Only done and skipped are stored in the ledger; the rest follows from edges, claims and
    /// errors.
    #[derive(PartialOrd, Ord)]
    pub enum TaskState {
        Pending = "pending",
        Blocked = "blocked",
        InProgress = "in_progress",
        Failed = "failed",
        Deferred = "deferred",
        /// Closed in another checkout.
        Unmerged = "unmerged",
        Completed = "completed",
        Skipped = "skipped",
    }
}

impl TaskRow {
    pub fn id(&self) -> &str {
        &self.row.issue.id
    }

    pub fn is_done(&self) -> bool {
        self.row.issue.status.is_done()
    }

    /// Someone works on it: by a claim, or by the ledger where no claim is known. An expired claim does not count.
    pub fn is_running(&self) -> bool {
        match &self.holder {
            _ if self.is_done() || self.unmerged.is_some() => false,
            Some((_, standing)) => *standing == Standing::Live,
            None => self.row.issue.status.as_str() == "in_progress",
        }
    }

    /// Its holder is silent or dead, and it has not been taken since.
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

impl Snapshot {
    /// Finds a workflow by its issue's id, an unambiguous part of it, or its `wf_` id.
    pub fn find_workflow(&self, typed: &str) -> Result<WorkflowRow> {
        if state_id::is(state_id::WORKFLOW, typed) {
            let found = self.workflows()?.into_iter().find(|one| one.workflow.id == typed);
            return found.ok_or_else(|| StoreError::NotFound { typed: typed.to_owned() });
        }
        let row = self.find(typed)?;
        let id = row.issue.id.clone();
        self.as_workflow(row).ok_or_else(|| ChangeError::from(WorkflowError::NotWorkflow(id)).into())
    }

    /// All workflows, by the ids of their issues.
    pub fn workflows(&self) -> Result<Vec<WorkflowRow>> {
        let keys = self.ask(|cache| cache.workflows())?;
        let rows = keys.into_iter().map(|key| self.row(key)).collect::<Result<Vec<_>>>()?;
        Ok(rows.into_iter().filter_map(|row| self.as_workflow(row)).collect())
    }

    /// Issues of type workflow that cannot be read as one.
    pub fn unreadable_workflows(&self) -> Result<Vec<Row>> {
        let keys = self.ask(|cache| cache.workflows())?;
        let rows = keys.into_iter().map(|key| self.row(key)).collect::<Result<Vec<_>>>()?;
        let is_odd = |row: &Row| claims_to_be(row) && self.as_workflow(row.clone()).is_none();
        Ok(rows.into_iter().filter(is_odd).collect())
    }

    /// The workflow of an issue. The target's copy of a proposed one does not contain the workflow; the planning copy
    /// does.
    pub(in crate::store) fn as_workflow(&self, row: Row) -> Option<WorkflowRow> {
        let id = row.issue.id.clone();
        if let Some(found) = WorkflowRow::of(row.clone()) {
            return Some(found);
        }
        let holders = self.holders(&id).into_iter();
        let planning = holders.filter(|source| self.is_planning(self.sources.member_of(*source)));
        let lines: Vec<String> = planning.filter_map(|source| self.line_in(source, &id)).collect();
        lines.iter().find_map(|line| WorkflowRow::with(row.clone(), line))
    }

    pub(in crate::store) fn is_workflow(&self, row: &Row) -> bool {
        self.as_workflow(row.clone()).is_some()
    }

    /// The workflow that an issue is a task of, if the project has it.
    pub fn workflow_above(&self, row: &Row) -> Result<Option<WorkflowRow>> {
        match (Task::of_line(&row.line), row.issue.parent()) {
            (Some(_), Some(parent)) => Ok(self.get(parent)?.and_then(|row| self.as_workflow(row))),
            _ => Ok(None),
        }
    }

    /// The tasks of a workflow, named by the id of its issue, in order.
    pub fn tasks_of(&self, workflow: &str) -> Result<Vec<TaskRow>> {
        let children = self.dependents(workflow)?.into_iter().filter(|(edge, _)| edge.kind == "parent-child");
        let now = self.host.clock.both();
        let mut tasks = Vec::new();
        // A deleted issue is not a task any more.
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
                // A failed job has recorded that where it ran.
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

    /// The open issues that an issue waits for, directly or through its ancestors.
    pub(in crate::store) fn waits_for(&self, id: &str) -> Result<Vec<String>> {
        let Some(blocked) = self.obstacles(id)? else { return Ok(Vec::new()) };
        let above = blocked.inherited.into_iter().flat_map(|inherited| inherited.blockers);
        let mut found: Vec<String> = blocked.blockers.into_iter().chain(above).map(|blocker| blocker.id).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Tasks that the state of their workflow keeps from being handed out.
    pub fn withheld(&self) -> Result<BTreeMap<String, Withheld>> {
        let mut found = BTreeMap::new();
        let open = self.ask(|cache| cache.open_tasks())?;
        let parents: BTreeSet<_> = open.iter().map(|task| (&task.parent, task.parent_key)).collect();
        for (parent, key) in parents {
            let tasks = || open.iter().filter(|task| task.parent == *parent);
            let above = key.map(|key| self.row(key)).transpose()?;
            let why = match above.map(|row| (claims_to_be(&row), self.as_workflow(row))) {
                None => Some(Withheld::Unknown { workflow: parent.clone() }),
                Some((true, None)) => Some(Withheld::Unreadable { workflow: parent.clone() }),
                // Below an ordinary issue it is an ordinary issue.
                Some((false, None)) => None,
                Some((_, Some(workflow))) => match self.why_kept(&workflow)? {
                    None => {
                        let known: BTreeSet<&str> = tasks().map(|task| task.id.as_str()).collect();
                        let running = self.count_running(tasks())? + self.running_unseen(&workflow, &known)?;
                        self.full(&workflow, running)?
                    }
                    why => why,
                },
            };
            if let Some(why) = why {
                found.extend(tasks().map(|task| (task.id.clone(), why.clone())));
            }
        }
        Ok(found)
    }

    /// Why no task of a workflow is handed out, however few are running.
    pub fn why_kept(&self, workflow: &WorkflowRow) -> Result<Option<Withheld>> {
        let id = || workflow.id().to_owned();
        if workflow.state != State::InProgress {
            return Ok(Some(Withheld::State { workflow: id(), state: workflow.state }));
        }
        for (worktree, state, _) in self.versions_elsewhere(workflow.id())? {
            if matches!(state, State::Paused | State::Failed | State::Completed | State::Abandoned) {
                return Ok(Some(Withheld::Elsewhere { workflow: id(), state, worktree }));
            }
        }
        // Counting running tasks requires seeing all of them.
        let repos = self.hidden_repos(workflow);
        Ok((!repos.is_empty()).then(|| Withheld::Hidden { workflow: id(), repos }))
    }

    /// Repos of a workflow that this project does not have, or that are missing.
    pub fn hidden_repos(&self, workflow: &WorkflowRow) -> Vec<String> {
        let is_there =
            |repo: &String| self.find_repository(repo).is_some_and(|member| !self.sources.of_member(member).is_empty());
        workflow.workflow.repos.iter().filter(|repo| !is_there(repo)).cloned().collect()
    }

    /// The versions of a workflow in other checkouts that differ from this one: checkout, state and limit of running
    /// tasks.
    fn versions_elsewhere(&self, id: &str) -> Result<Vec<(String, State, i64)>> {
        let others = if self.is_past() { Vec::new() } else { self.elsewhere(id)? };
        let read = |other: &crate::store::Elsewhere| {
            let record = Record::parse(&other.line).ok()?;
            let (state, _) = Workflow::standing(&record)?;
            Some((other.worktree.clone(), state, Workflow::of(&record)?.max_parallel))
        };
        Ok(others.iter().filter_map(read).collect())
    }

    /// The number of valid claims on tasks of a workflow that are not in the ledgers here, but in other checkouts.
    pub fn running_unseen(&self, workflow: &WorkflowRow, known: &BTreeSet<&str>) -> Result<usize> {
        if self.is_past() {
            return Ok(0);
        }
        let now = self.host.clock.both();
        let of_it = |lease: &Lease| {
            lease
                .holder
                .as_ref()
                .is_some_and(|holder| holder.workflow.as_deref() == Some(workflow.workflow.id.as_str()))
        };
        let claims = self.claims_of_workflows()?.iter();
        let live = claims.filter(|(id, lease)| {
            !known.contains(id.as_str()) && of_it(lease) && standing(lease, &now) == Standing::Live
        });
        let ids: Vec<String> = live.map(|(id, _)| id.clone()).collect();
        let mut running = 0;
        for id in ids {
            let is_done =
                self.get(&id)?.is_some_and(|row| row.issue.status.is_done()) || self.is_done_elsewhere(&id)?;
            running += usize::from(!is_done);
        }
        Ok(running)
    }

    /// How many of the tasks someone works on; see [`TaskRow::is_running`].
    fn count_running<'a>(&self, tasks: impl Iterator<Item = &'a OpenTask>) -> Result<usize> {
        let is_past = self.is_past();
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

    /// Why a task is not handed out; `None` if it may be, or is not a task.
    pub fn why_withheld(&self, id: &str) -> Result<Option<Withheld>> {
        Ok(self.withheld()?.remove(id))
    }

    /// Refuses a task that is not to be worked on now. The state home is locked, so the count cannot change. Returns
    /// the `wf_` id of its workflow, if it has one; of the workflows in `taken`, one task is taken at the same time.
    pub(in crate::store) fn refuse_task(&self, row: &Row, taken: &[String]) -> Result<Option<String>> {
        let id = row.issue.id.clone();
        let (Some(_), Some(parent)) = (Task::of_line(&row.line), row.issue.parent()) else { return Ok(None) };
        let withheld = |why| Err(LeaseError::Withheld { id: id.clone(), why }.into());
        let Some(above) = self.get(parent)? else {
            return withheld(Withheld::Unknown { workflow: parent.to_owned() });
        };
        let odd = claims_to_be(&above);
        let Some(workflow) = self.as_workflow(above) else {
            return if odd { withheld(Withheld::Unreadable { workflow: parent.to_owned() }) } else { Ok(None) };
        };
        if let Some(why) = self.why_kept(&workflow)? {
            return withheld(why);
        }
        let blockers = self.waits_for(&id)?;
        if !blockers.is_empty() {
            return Err(LeaseError::Waits { id, blockers }.into());
        }
        let tasks = self.tasks_of(parent)?;
        let known: BTreeSet<&str> = tasks.iter().map(TaskRow::id).collect();
        let others = tasks.iter().filter(|task| task.id() != id && task.is_running()).count();
        let at_once = taken.iter().filter(|other| **other == workflow.workflow.id).count();
        let running = others + at_once + self.running_unseen(&workflow, &known)?;
        match self.full(&workflow, running)? {
            Some(why) => withheld(why),
            None => Ok(Some(workflow.workflow.id)),
        }
    }

    /// No further task of the workflow may be claimed. If checkouts differ about the limit, the lowest wins.
    fn full(&self, workflow: &WorkflowRow, running: usize) -> Result<Option<Withheld>> {
        let elsewhere = self.versions_elsewhere(workflow.id())?.into_iter().map(|(_, _, most)| most);
        let most = elsewhere.chain([workflow.workflow.max_parallel]).min().unwrap_or(1);
        let is_full = i64::try_from(running).unwrap_or(i64::MAX) >= most;
        Ok(is_full.then(|| Withheld::Full { workflow: workflow.id().to_owned(), running, most }))
    }
}

/// The issue's line says that it is a workflow, readable or not.
fn claims_to_be(row: &Row) -> bool {
    let has_object = || row.record().raw(WORKFLOW).is_some_and(|raw| raw != "null");
    row.issue.issue_type.as_str() == WORKFLOW || has_object()
}
