//! Moving a workflow to another state, together with its tasks if that ends them.

use super::{Flow, FlowError, flow};
use crate::model::change::{Change, ChangeError, TaskEdit, WorkflowEdit, WorkflowError};
use crate::model::json::Json;
use crate::model::words::words;
use crate::model::workflow::{Permit, SKIPPED, State};
use crate::ops::Result;
use crate::store::{Scope, Store, StoreError, TaskRow, TaskState, Write, WriteError};

/// A move.
#[derive(Debug, Clone)]
pub struct MoveWish {
    pub to: State,
    pub reason: Option<String>,
    pub merge_commit: Option<String>,
    /// Close unfinished tasks as skipped.
    pub skip_open: bool,
    /// The command that makes the move, if it restricts the states to move from.
    pub command: Option<Command>,
}

words! {
    /// Two commands lead to the same state, each from different states.
    pub enum Command {
        Start = "start",
        Resume = "resume",
    }
}

impl MoveWish {
    pub fn to(state: State) -> Self {
        MoveWish { to: state, reason: None, merge_commit: None, skip_open: false, command: None }
    }
}

/// The result of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedWorkflow {
    pub from: State,
    /// The workflow now.
    pub flow: Flow,
    pub changed: bool,
    /// Tasks that were closed as skipped, by name.
    pub skipped: Vec<String>,
    /// Tasks that are still worked on, by name.
    pub running: Vec<String>,
    /// Its repos that are missing here: the state of their tasks is unknown, and none was changed.
    pub hidden: Vec<String>,
}

/// Moves a workflow, if the table allows it. Everything for one ledger is written at once.
pub fn move_workflow(store: &mut Store, typed: &str, wish: &MoveWish) -> Result<MovedWorkflow> {
    let before = flow(store, typed)?;
    let id = before.workflow.id().to_owned();
    let mut ids = vec![id.clone()];
    ids.extend(before.tasks.iter().map(|task| task.id().to_owned()));
    let mut transaction = store.begin(Scope::Issues(ids))?;
    // The decision must hold until it is written.
    let now = flow(transaction.store(), &id)?;
    let from = now.workflow.state;
    let steps = steps(&now, wish)?;
    let hidden = transaction.store().hidden_repos(&now.workflow);
    if matches!(wish.to, State::Completed | State::AwaitingMerge) && from != wish.to && !hidden.is_empty() {
        return Err(FlowError::Hidden { id, repos: hidden }.into());
    }
    let skipped = to_skip(&now, wish)?;
    // Tasks first: a finished workflow has no open ones, even between two ledgers.
    for task in &skipped {
        let reason = format!("{SKIPPED}: {} is {}", id, wish.to);
        let outcome = TaskEdit::Set { key: "outcome", value: Some(Json::Text(SKIPPED.to_owned())) };
        let changes = vec![Change::Close { reason: Some(reason) }, Change::Task(outcome)];
        transaction.stage(Write::Change { id: task.id().to_owned(), changes })?;
    }
    let moves = steps.iter().map(|to| {
        let last = *to == wish.to;
        let reason = wish.reason.clone().filter(|_| last);
        let merge_commit = wish.merge_commit.clone().filter(|_| last);
        Change::Workflow(WorkflowEdit::Move { to: *to, reason, merge_commit })
    });
    transaction.stage(Write::Change { id: id.clone(), changes: moves.collect() })?;
    let skipped = skipped.iter().map(|task| task.task.name.clone()).collect();
    let answers = transaction.commit()?;
    let mut changed = false;
    for answer in answers {
        changed |= answer.map_err(WriteError::into_store)?.changed;
    }
    let flow = flow(store, &id)?;
    let running = flow.running().map(|task| task.task.name.clone()).collect();
    Ok(MovedWorkflow { from, flow, changed, skipped, running, hidden })
}

/// The moves that lead there: one, or from planning through ready.
fn steps(flow: &Flow, wish: &MoveWish) -> Result<Vec<State>> {
    let (id, from, to) = (flow.workflow.id().to_owned(), flow.workflow.state, wish.to);
    let leads = from == State::Planning || from.permit(to) == Some(Permit::Do);
    if let Some(command) = wish.command.filter(|command| leads && from.command_to(to) != command.word()) {
        return Err(FlowError::OtherCommand { id, state: from, command: command.word() }.into());
    }
    let starts = matches!(to, State::Ready | State::InProgress) && matches!(from, State::Planning | State::Ready);
    if starts && flow.tasks.is_empty() {
        return Err(FlowError::NoTasks { id, to: to.word() }.into());
    }
    if from == State::Planning && to == State::InProgress {
        return Ok(vec![State::Ready, State::InProgress]);
    }
    match from.permit(to) {
        Some(_) => Ok(vec![to]),
        None => {
            let illegal = ChangeError::from(WorkflowError::IllegalMove { id, from, to });
            Err(StoreError::from(illegal).into())
        }
    }
}

/// The tasks to close with a move that ends the work; an error if they prevent it.
fn to_skip<'a>(flow: &'a Flow, wish: &MoveWish) -> Result<Vec<&'a TaskRow>> {
    let (id, to) = (flow.workflow.id().to_owned(), wish.to.word());
    let names = |tasks: Vec<&TaskRow>| tasks.iter().map(|task| task.task.name.clone()).collect::<Vec<_>>();
    let open = |task: &&TaskRow| match wish.to {
        // Work done in other checkouts is what is to be merged.
        State::AwaitingMerge => !task.is_done() && task.state() != TaskState::Unmerged,
        _ => !task.is_done(),
    };
    let open: Vec<&TaskRow> = flow.tasks.iter().filter(open).collect();
    let (running, idle): (Vec<_>, Vec<_>) = open.into_iter().partition(|task| task.is_running());
    // A task closed in another checkout is done: the merge will bring it.
    let unmerged = |task: &&TaskRow| task.state() == TaskState::Unmerged;
    match wish.to {
        _ if flow.workflow.state == wish.to => Ok(Vec::new()),
        // Current holders finish or release their tasks; no one else gets them.
        State::Abandoned => Ok(idle.into_iter().filter(|task| !unmerged(task)).collect()),
        State::Completed | State::AwaitingMerge if !wish.skip_open => {
            let open = names([running, idle].concat());
            if open.is_empty() { Ok(Vec::new()) } else { Err(FlowError::OpenTasks { id, to, tasks: open }.into()) }
        }
        State::Completed | State::AwaitingMerge if !running.is_empty() => {
            Err(FlowError::Running { id, to, tasks: names(running) }.into())
        }
        State::Completed | State::AwaitingMerge => Ok(idle.into_iter().filter(|task| !unmerged(task)).collect()),
        _ => Ok(Vec::new()),
    }
}
