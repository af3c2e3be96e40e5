//! Workflows and their tasks as JSON and as text.

use super::lease::claimed;
use super::{Object, array, inline, plural};
use crate::coordination::workflows::{CreatedWorkflow, Flow, MovedWorkflow, Next};
use crate::model::lease::Standing;
use crate::model::when::Calendar;
use crate::model::workflow::State;
use crate::store::{TaskRow, TaskState, WorkflowRow};

/// What a workflow says of itself.
fn head(one: &WorkflowRow) -> Object {
    let (issue, workflow) = (&one.row.issue, &one.workflow);
    let object = Object::new()
        .text("id", &issue.id)
        .text("workflow_id", &workflow.id)
        .text("title", &issue.title)
        .text("state", one.state.word())
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .number("max_parallel", workflow.max_parallel)
        .flag("auto_workspace", workflow.auto_workspace)
        .text("source_repo", &one.row.source_repo);
    let object = if one.overruled { object.text("stored_state", workflow.state.word()) } else { object };
    let object = [
        ("description", &issue.description),
        ("source_type", &workflow.source_type),
        ("source_ref", &workflow.source_ref),
        ("source_content", &workflow.source_content),
        ("plan_summary", &workflow.plan_summary),
        ("initial_plan", &workflow.initial_plan),
        ("reason", &workflow.reason),
        ("merge_commit", &workflow.merge_commit),
    ]
    .into_iter()
    .fold(object, |object, (key, text)| object.optional(key, text.as_deref()));
    let config = workflow.config.iter().fold(Object::new(), |object, (key, raw)| object.raw(key, raw));
    object.texts("repos", &workflow.repos).raw("config", &config.finish())
}

/// How far it is.
fn progress(flow: &Flow, object: Object) -> Object {
    let counts = flow.counts();
    let by_state = TaskState::ALL
        .into_iter()
        .fold(Object::new(), |object, state| object.number(state.word(), counts.of(state) as i64));
    object
        .number("total", counts.total as i64)
        .number("finished", counts.done() as i64)
        .number("percent", counts.percent() as i64)
        .flag("done", flow.is_done())
        .number("free", flow.free() as i64)
        .raw("counts", &by_state.finish())
}

/// A task with all that decides over it.
fn task(flow: &Flow, one: &TaskRow) -> String {
    let (issue, task) = (&one.row.issue, &one.task);
    let object = Object::new()
        .text("id", &issue.id)
        .text("name", &task.name)
        .text("title", &issue.title)
        .text("state", one.state().word())
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .texts("blocked_by", flow.blocked_by(one))
        .number("attempts", task.attempts)
        .text("source_repo", &one.row.source_repo);
    let object = [("place", task.place), ("sequence", task.sequence)]
        .into_iter()
        .fold(object, |object, (key, number)| number.map_or(object.clone(), |number| object.number(key, number)));
    let object = [
        ("parallel_group", &task.parallel_group),
        ("assignee", &issue.assignee),
        ("plan", &task.plan),
        ("plan_summary", &task.plan_summary),
        ("context", &task.context),
        ("outcome", &task.outcome),
        ("outcome_detail", &task.outcome_detail),
        ("last_error", &task.last_error),
        ("repo", &task.repo),
        ("workspace", &task.workspace),
        ("unmerged_in", &one.unmerged),
    ]
    .into_iter()
    .fold(object, |object, (key, text)| object.optional(key, text.as_deref()));
    let object = if task.context_from.is_empty() { object } else { object.texts("context_from", &task.context_from) };
    match one.holder.as_ref().filter(|_| !one.is_done()) {
        Some((holder, standing)) => object
            .text("holder", &holder.name)
            .optional("agent", holder.agent.as_deref())
            .text("acquired", &holder.acquired)
            .optional("expires", holder.expires.map(|at| at.to_string()).as_deref())
            .flag("expired", *standing == Standing::Expired),
        None => object,
    }
    .finish()
}

fn tasks<'a>(flow: &Flow, tasks: impl IntoIterator<Item = &'a TaskRow>) -> String {
    array(tasks.into_iter().map(|one| task(flow, one)))
}

/// One workflow with everything.
pub fn workflow(flow: &Flow) -> String {
    whole(flow).finish()
}

fn whole(flow: &Flow) -> Object {
    placed(flow, lock(flow, progress(flow, head(&flow.workflow)))).raw("tasks", &tasks(flow, &flow.tasks))
}

/// One workflow as all checkouts have it: the first version, with the others in it.
pub fn workflow_everywhere(versions: &[Flow]) -> String {
    let Some((first, others)) = versions.split_first() else { return "null".to_owned() };
    match others {
        [] => workflow(first),
        others => whole(first).raw("elsewhere", &array(others.iter().map(workflow))).finish(),
    }
}

/// Which checkout has it so, where that is another one.
fn placed(flow: &Flow, object: Object) -> Object {
    let Some(place) = &flow.place else { return object };
    object.text("worktree", &place.worktree).optional("worktree_id", place.worktree_id.as_deref())
}

/// Who has locked it.
fn lock(flow: &Flow, object: Object) -> Object {
    let Some((holder, epoch)) = &flow.lock else { return object };
    let expires = holder.expires.map(|at| at.to_string());
    let lock = Object::new()
        .text("holder", &holder.name)
        .optional("agent", holder.agent.as_deref())
        .number("epoch", *epoch)
        .text("acquired", &holder.acquired)
        .optional("expires", expires.as_deref());
    object.raw("lock", &lock.finish())
}

/// All workflows, without their tasks.
pub fn workflows(flows: &[Flow]) -> String {
    array(flows.iter().map(|flow| placed(flow, lock(flow, progress(flow, head(&flow.workflow)))).finish()))
}

pub fn created_workflow(created: &CreatedWorkflow, flow: &Flow) -> String {
    let ids: Vec<&str> = created.tasks.iter().map(|task| task.id.as_str()).collect();
    progress(flow, head(&flow.workflow)).texts("task_ids", ids).raw("tasks", &tasks(flow, &flow.tasks)).finish()
}

pub fn moved_workflow(moved: &MovedWorkflow) -> String {
    let object = progress(&moved.flow, head(&moved.flow.workflow));
    object
        .text("from", moved.from.word())
        .flag("changed", moved.changed)
        .texts("skipped", &moved.skipped)
        .texts("running", &moved.running)
        .finish()
}

/// How far a workflow is, who works on what, and what waits for what.
pub fn workflow_progress(flow: &Flow) -> String {
    let blocked = flow.tasks.iter().filter(|task| task.state() == TaskState::Blocked);
    let failed = flow.tasks.iter().filter(|task| task.state() == TaskState::Failed);
    let object = Object::new()
        .text("id", flow.workflow.id())
        .text("workflow_id", &flow.workflow.workflow.id)
        .text("title", &flow.workflow.row.issue.title)
        .text("state", flow.workflow.state.word())
        .number("max_parallel", flow.workflow.workflow.max_parallel);
    placed(flow, progress(flow, object))
        .raw("running", &tasks(flow, flow.running()))
        .raw("blocked", &tasks(flow, blocked))
        .raw("failed", &tasks(flow, failed))
        .finish()
}

pub fn workflow_next(next: &Next) -> String {
    let flow = &next.flow;
    let object = Object::new()
        .text("id", flow.workflow.id())
        .text("state", flow.workflow.state.word())
        .number("max_parallel", flow.workflow.workflow.max_parallel)
        .number("running", flow.running().count() as i64);
    let object = progress(flow, object).raw("tasks", &tasks(flow, &next.available));
    match &next.claimed {
        Some(one) => object.raw("claimed", &claimed(one)),
        None => object.optional("passed_over", next.passed_over.as_deref()),
    }
    .finish()
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

/// A workflow in one line, escaped; its id is last.
pub fn workflow_line(flow: &Flow) -> String {
    let one = &flow.workflow;
    let place = flow.place.as_ref().map(|place| format!("  [in {}, not merged here]", place.worktree));
    let place = place.unwrap_or_default();
    let line = format!("{}  {}  ({}){place}", one.state, one.row.issue.title, progress_text(flow));
    format!("{}  {}", inline(&line), inline(one.id()))
}

/// What else there is to say about how a workflow stands, a line each, escaped.
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
            "its issue is {status}, which does not go with {state}: bd workflow set --state {state} puts it right"
        ));
    }
    for (name, ids) in flow.namesakes() {
        let ids = ids.join(" ");
        lines.push(format!("several tasks are named {name}: {ids}; bd workflow remove-task takes one out by its id"));
    }
    if let Some((holder, _)) = &flow.lock {
        let until = holder.expires.map(|at| format!(" until {}", calendar.full(at))).unwrap_or_default();
        lines.push(format!("locked by {}{until}: nobody else changes its plan", holder.name));
    }
    if let Some(reason) = &one.workflow.reason {
        lines.push(format!("because: {reason}"));
    }
    match one.state {
        // It is moved where it is.
        _ if flow.place.is_some() => {}
        State::InProgress if flow.is_done() => {
            lines.push(format!("all tasks are done: bd workflow complete {}", one.id()));
        }
        State::Planning if flow.tasks.is_empty() => lines.push("it has no tasks yet".to_owned()),
        State::Planning | State::Ready => lines.push(format!("bd workflow start {} hands its tasks out", one.id())),
        State::Paused | State::Failed => lines.push(format!("bd workflow resume {} goes on with it", one.id())),
        _ => {}
    }
    lines.iter().map(|line| inline(line).into_owned()).collect()
}

/// A task as the cells of a table, escaped: how it stands, its name, what there is to say, its id.
pub fn task_cells(flow: &Flow, one: &TaskRow) -> [String; 4] {
    let mut said = Vec::new();
    if one.is_running() {
        let holder = one.holder.as_ref().map(|(holder, _)| holder.name.as_str());
        said.extend(holder.or(one.row.issue.assignee.as_deref()).map(|name| format!("by {name}")));
    } else if one.is_left() {
        said.extend(one.holder.as_ref().map(|(holder, _)| format!("left by {}", holder.name)));
    }
    match one.state() {
        TaskState::Blocked => said.push(format!("waits for {}", flow.blocked_by(one).join(", "))),
        TaskState::Unmerged => said.extend(one.unmerged.as_ref().map(|place| format!("closed in {place}"))),
        TaskState::Completed => said.extend(one.task.outcome.clone()),
        _ => {}
    }
    if let Some(error) = &one.task.last_error {
        said.push(format!("failed {}: {error}", plural(usize::try_from(one.task.attempts).unwrap_or(0), "time")));
    }
    let cells = [one.state().word().replace('_', " "), one.task.name.clone(), said.join("; "), one.id().to_owned()];
    cells.map(|cell| inline(&cell).into_owned())
}

/// Why there is nothing to do now.
pub fn nothing_next(next: &Next) -> String {
    let flow = &next.flow;
    let (id, state) = (flow.workflow.id(), flow.workflow.state);
    match state {
        State::InProgress if flow.tasks.is_empty() => format!("{id} has no tasks"),
        State::InProgress if flow.is_done() => format!("all tasks are done: bd workflow complete {id}"),
        State::InProgress => {
            let why = next.passed_over.as_deref().map(|why| format!("; {why}")).unwrap_or_default();
            format!("nothing can be started now: {}{why}", progress_text(flow))
        }
        _ if state.is_final() => format!("{id} is {state}"),
        _ => format!("{id} is {state}, and its tasks are not handed out; legal now: {}", state.ways_on()),
    }
}
