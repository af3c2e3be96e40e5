//! Workflows and their tasks as JSON and as text.

use super::answer::{List, answer, each, filled, raw_object};
use super::escape::{inline, plural};
use super::leases::claimed;
use crate::model::json::Object;
use crate::model::lease::{Holder, Standing};
use crate::model::when::Calendar;
use crate::model::workflow::State;
use crate::ops::workflows::{CreatedWorkflow, Flow, MovedWorkflow, Next};
use crate::store::{Place, TaskRow, TaskState, WorkflowRow};

answer! {
    /// A workflow's own description.
    fn head(one: &WorkflowRow) {
        id: &one.row.issue.id, workflow_id: &one.workflow.id, title: &one.row.issue.title,
        state: one.state.word(), status: &one.row.issue.status, priority: one.row.issue.priority,
        max_parallel: one.workflow.max_parallel, auto_workspace: one.workflow.auto_workspace,
        source_repo: &one.row.source_repo, stored_state: one.overruled.then(|| one.workflow.state.word()),
        description: &one.row.issue.description,
        source_type: &one.workflow.source_type, source_ref: &one.workflow.source_ref,
        source_content: &one.workflow.source_content,
        plan_summary: &one.workflow.plan_summary, initial_plan: &one.workflow.initial_plan,
        reason: &one.workflow.reason, merge_commit: &one.workflow.merge_commit,
        repos: &one.workflow.repos, config: raw_object(&one.workflow.config),
    }

    /// Its progress.
    fn progress(flow: &Flow) {
        total: flow.counts().total, finished: flow.counts().done(), percent: flow.counts().percent(),
        done: flow.is_done(), free: flow.free(), counts: counts(flow),
    }

    /// A task with everything that decides whether it can be claimed.
    fn task(flow: &Flow, one: &TaskRow) {
        id: &one.row.issue.id, name: &one.task.name, title: &one.row.issue.title, state: one.state().word(),
        status: &one.row.issue.status, priority: one.row.issue.priority,
        blocked_by: flow.blocked_by(one), attempts: one.task.attempts, source_repo: &one.row.source_repo,
        place: one.task.place, sequence: one.task.sequence, parallel_group: &one.task.parallel_group,
        assignee: &one.row.issue.assignee,
        plan: &one.task.plan, plan_summary: &one.task.plan_summary, context: &one.task.context,
        outcome: &one.task.outcome, outcome_detail: &one.task.outcome_detail, last_error: &one.task.last_error,
        repo: &one.task.repo, workspace: &one.task.workspace, unmerged_in: &one.unmerged,
        context_from: filled(&one.task.context_from), ..holding?(one.holder.as_ref().filter(|_| !one.is_done())),
    }

    fn holding(held: &(Holder, Standing)) {
        holder: &held.0.name, agent: &held.0.agent, acquired: &held.0.acquired, expires: held.0.expires,
        expired: held.1 == Standing::Expired,
    }

    fn lock(held: &(Holder, i64)) {
        holder: &held.0.name, agent: &held.0.agent, epoch: held.1, acquired: &held.0.acquired, expires: held.0.expires,
    }

    /// The checkout with this version, if it is another one.
    fn placed(place: &Place) {
        worktree: &place.worktree, worktree_id: &place.worktree_id,
    }

    /// A workflow without its tasks.
    pub fn workflow_head(flow: &Flow) {
        ..head(&flow.workflow), ..progress(flow), lock: flow.lock.as_ref().map(lock), ..placed?(&flow.place),
    }

    /// One workflow with everything.
    pub fn workflow(flow: &Flow) {
        ..workflow_head(flow), tasks: tasks(flow, &flow.tasks),
    }

    pub fn versions(first: &Flow, others: &[Flow]) {
        ..workflow(first), elsewhere: filled(others).map(|others| each(others, workflow)),
    }

    pub fn created_workflow(created: &CreatedWorkflow, flow: &Flow) {
        ..head(&flow.workflow), ..progress(flow),
        task_ids: created.tasks.iter().map(|task| &task.id).collect::<Vec<_>>(), tasks: tasks(flow, &flow.tasks),
    }

    pub fn moved_workflow(moved: &MovedWorkflow) {
        ..head(&moved.flow.workflow), ..progress(&moved.flow), from: moved.from.word(), changed: moved.changed,
        skipped: &moved.skipped, running: &moved.running,
    }

    /// The progress of a workflow: who works on what, and what waits for what.
    pub fn workflow_progress(flow: &Flow) {
        id: flow.workflow.id(), workflow_id: &flow.workflow.workflow.id, title: &flow.workflow.row.issue.title,
        state: flow.workflow.state.word(), max_parallel: flow.workflow.workflow.max_parallel,
        ..progress(flow), ..placed?(&flow.place),
        running: tasks(flow, flow.running()), blocked: tasks(flow, in_state(flow, TaskState::Blocked)),
        failed: tasks(flow, in_state(flow, TaskState::Failed)),
    }

    pub fn workflow_next(next: &Next) {
        id: next.flow.workflow.id(), state: next.flow.workflow.state.word(),
        max_parallel: next.flow.workflow.workflow.max_parallel, running: next.flow.running().count(),
        ..progress(&next.flow), tasks: tasks(&next.flow, &next.available), claimed: next.claimed.as_ref().map(claimed),
        passed_over: next.passed_over.as_ref().filter(|_| next.claimed.is_none()),
    }
}

/// The number of tasks in each state.
fn counts(flow: &Flow) -> Object {
    let counts = flow.counts();
    TaskState::ALL.into_iter().fold(Object::new(), |object, state| object.number(state.word(), counts.of(state) as i64))
}

fn in_state(flow: &Flow, state: TaskState) -> impl Iterator<Item = &TaskRow> {
    flow.tasks.iter().filter(move |task| task.state() == state)
}

fn tasks<'a>(flow: &Flow, tasks: impl IntoIterator<Item = &'a TaskRow>) -> List {
    each(tasks, |one| task(flow, one))
}

/// One workflow in all checkouts: the first version, which contains the others.
pub fn workflow_everywhere(all: &[Flow]) -> String {
    all.split_first().map_or_else(|| "null".to_owned(), |(first, others)| versions(first, others).finish())
}

/// `2 of 5 done, 1 in progress, 2 blocked`.
pub fn progress_text(flow: &Flow) -> String {
    let counts = flow.counts();
    if counts.total == 0 {
        return "no tasks".to_owned();
    }
    let mut parts = vec![format!("{} of {} done", counts.done(), counts.total)];
    let others = TaskState::ALL.into_iter().filter(|state| *state < TaskState::Completed);
    let others = others.map(|state| (counts.of(state), state)).filter(|(count, _)| *count > 0);
    parts.extend(others.map(|(count, state)| format!("{count} {}", state.word().replace('_', " "))));
    parts.join(", ")
}

/// A workflow on one line, escaped, with its id last.
pub fn workflow_line(flow: &Flow) -> String {
    let one = &flow.workflow;
    let place = flow.place.as_ref().map(|place| format!("  [in {}, not merged here]", place.worktree));
    let place = place.unwrap_or_default();
    let line = format!("{}  {}  ({}){place}", one.state, one.row.issue.title, progress_text(flow));
    format!("{}  {}", inline(&line), inline(one.id()))
}

/// Remarks about the state of a workflow, one per line, escaped.
pub fn workflow_remarks(flow: &Flow, calendar: &Calendar) -> Vec<String> {
    let one = &flow.workflow;
    let mut lines = Vec::new();
    if one.overruled {
        let stored = one.workflow.state;
        let status = &one.row.issue.status;
        lines.push(format!("its line says {stored}, but its issue was made {status} by another tool: that counts"));
    }
    if one.astray {
        let (state, status) = (one.state, one.row.issue.status.as_str());
        lines.push(format!(
            "its issue is {status}, which does not match {state}; run `bd workflow set --state {state}`"
        ));
    }
    for (name, ids) in flow.namesakes() {
        let ids = ids.join(" ");
        lines.push(format!(
            "several tasks are named {name}: {ids}; remove one by its id with `bd workflow remove-task`"
        ));
    }
    if let Some((holder, _)) = &flow.lock {
        let until = holder.expires.map(|at| format!(" until {}", calendar.full(at))).unwrap_or_default();
        lines.push(format!("locked by {}{until}: nobody else changes its plan", holder.name));
    }
    if let Some(reason) = &one.workflow.reason {
        lines.push(format!("because: {reason}"));
    }
    match one.state {
        // It is moved in its own checkout.
        _ if flow.place.is_some() => {}
        State::InProgress if flow.is_done() => {
            lines.push(format!("all tasks are done; run `bd workflow complete {}`", one.id()));
        }
        State::Planning if flow.tasks.is_empty() => lines.push("it has no tasks yet".to_owned()),
        State::Planning | State::Ready => lines.push(format!("bd workflow start {} hands its tasks out", one.id())),
        State::Paused | State::Failed => lines.push(format!("bd workflow resume {} goes on with it", one.id())),
        _ => {}
    }
    lines.iter().map(|line| inline(line).into_owned()).collect()
}

/// A task as the cells of a table, escaped: state, name, remarks, id.
pub fn task_cells(flow: &Flow, one: &TaskRow) -> [String; 4] {
    let mut remarks = Vec::new();
    if one.is_running() {
        let holder = one.holder.as_ref().map(|(holder, _)| holder.name.as_str());
        remarks.extend(holder.or(one.row.issue.assignee.as_deref()).map(|name| format!("by {name}")));
    } else if one.is_left() {
        remarks.extend(one.holder.as_ref().map(|(holder, _)| format!("left by {}", holder.name)));
    }
    match one.state() {
        TaskState::Blocked => remarks.push(format!("waits for {}", flow.blocked_by(one).join(", "))),
        TaskState::Unmerged => remarks.extend(one.unmerged.as_ref().map(|place| format!("closed in {place}"))),
        TaskState::Completed => remarks.extend(one.task.outcome.clone()),
        _ => {}
    }
    if let Some(error) = &one.task.last_error {
        remarks.push(format!("failed {}: {error}", plural(usize::try_from(one.task.attempts).unwrap_or(0), "time")));
    }
    let cells = [one.state().word().replace('_', " "), one.task.name.clone(), remarks.join("; "), one.id().to_owned()];
    cells.map(|cell| inline(&cell).into_owned())
}

/// Why there is nothing to do now.
pub fn nothing_next(next: &Next) -> String {
    let flow = &next.flow;
    let (id, state) = (flow.workflow.id(), flow.workflow.state);
    match state {
        State::InProgress if flow.tasks.is_empty() => format!("{id} has no tasks"),
        State::InProgress if flow.is_done() => format!("all tasks are done; run `bd workflow complete {id}`"),
        State::InProgress => {
            let why = next.passed_over.as_deref().map(|why| format!("; {why}")).unwrap_or_default();
            format!("nothing can be started now: {}{why}", progress_text(flow))
        }
        _ if state.is_final() => format!("{id} is {state}"),
        _ => format!("{id} is {state}, and its tasks are not handed out; legal now: {}", state.ways_on()),
    }
}
