//! A workflow with its tasks and their counts.

use std::collections::BTreeMap;

use crate::model::lease::{Holder, Standing};
use crate::ops::Result;
use crate::store::{Place, Store, TaskRow, TaskState, WorkflowRow};

/// A workflow with all of its tasks, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    pub workflow: WorkflowRow,
    pub tasks: Vec<TaskRow>,
    /// How many running tasks only other checkouts have.
    pub unseen: usize,
    /// The holder of the lock, and its epoch.
    pub lock: Option<(Holder, i64)>,
    /// The checkout with this version; `None` for the current one.
    pub place: Option<Place>,
}

/// The number of tasks in each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    pub total: usize,
    by_state: BTreeMap<TaskState, usize>,
}

impl Counts {
    pub fn of(&self, state: TaskState) -> usize {
        self.by_state.get(&state).copied().unwrap_or(0)
    }

    /// Tasks that need no more work.
    pub fn done(&self) -> usize {
        self.of(TaskState::Completed) + self.of(TaskState::Skipped)
    }

    /// Whole percent, never 100 until all is done.
    pub fn percent(&self) -> usize {
        (self.done() * 100).checked_div(self.total).unwrap_or(0)
    }
}

impl Flow {
    pub fn counts(&self) -> Counts {
        let mut by_state = BTreeMap::new();
        for task in &self.tasks {
            *by_state.entry(task.state()).or_insert(0) += 1;
        }
        Counts { total: self.tasks.len(), by_state }
    }

    /// Every task is done, and there is at least one.
    pub fn is_done(&self) -> bool {
        !self.tasks.is_empty() && self.tasks.iter().all(TaskRow::is_done)
    }

    pub fn running(&self) -> impl Iterator<Item = &TaskRow> {
        self.tasks.iter().filter(|task| task.is_running())
    }

    /// How many more tasks may be claimed now.
    pub fn free(&self) -> usize {
        let most = usize::try_from(self.workflow.workflow.max_parallel).unwrap_or(usize::MAX);
        most.saturating_sub(self.running().count() + self.unseen)
    }

    /// The blockers of a task: names of tasks of this workflow in order, then ids of other issues.
    pub fn blocked_by(&self, task: &TaskRow) -> Vec<String> {
        let waits = |other: &&TaskRow| task.blockers.iter().any(|id| id == other.id());
        let names = self.tasks.iter().filter(waits).map(|other| other.task.name.clone());
        let is_task = |id: &&String| self.tasks.iter().any(|other| other.id() == *id);
        names.chain(task.blockers.iter().filter(|id| !is_task(id)).cloned()).collect()
    }

    /// Names shared by several tasks, with their ids: two branches may each have added one. Ignored if all of them are
    /// done.
    pub fn namesakes(&self) -> BTreeMap<String, Vec<String>> {
        let mut known: BTreeMap<&str, Vec<&TaskRow>> = BTreeMap::new();
        for task in &self.tasks {
            known.entry(&task.task.name).or_default().push(task);
        }
        known.retain(|_, tasks| tasks.len() > 1 && !tasks.iter().all(|task| task.is_done()));
        let ids = |tasks: Vec<&TaskRow>| tasks.iter().map(|task| task.id().to_owned()).collect();
        known.into_iter().map(|(name, tasks)| (name.to_owned(), ids(tasks))).collect()
    }

    pub fn task(&self, name: &str) -> Option<&TaskRow> {
        self.tasks.iter().find(|task| task.task.name == name)
    }
}

/// One workflow, by the id of its issue, an unambiguous part of it, or its `wf_` id.
pub fn flow(store: &Store, typed: &str) -> Result<Flow> {
    let workflow = store.find_workflow(typed)?;
    flow_of(store, workflow)
}

pub(super) fn flow_of(store: &Store, workflow: WorkflowRow) -> Result<Flow> {
    let tasks = store.tasks_of(workflow.id())?;
    let lock = store.workflow_lock(&workflow)?.filter(|(_, standing)| *standing == Standing::Live);
    let lock = lock.and_then(|(lease, _)| Some((lease.holder?, lease.epoch)));
    let known = tasks.iter().map(TaskRow::id).collect();
    let unseen = store.running_unseen(&workflow, &known)?;
    Ok(Flow { workflow, tasks, unseen, lock, place: None })
}

/// All workflows; finished ones only on request.
pub fn flows(store: &Store, all: bool) -> Result<Vec<Flow>> {
    let found = store.workflows()?.into_iter().filter(|one| all || !one.state.is_final());
    let found: Vec<WorkflowRow> = found.collect();
    found.into_iter().map(|workflow| flow_of(store, workflow)).collect()
}
