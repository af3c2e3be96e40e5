//! Changing the plan of an existing workflow: a new plan, an added task, a removed one.
//!
//! The decision is based on ledgers and claims under their locks: a task claimed in between stays. Each ledger is
//! written once. A removed task leaves a tombstone with every field, so its comments and texts are kept, its name is
//! free again, and `bd reopen` restores it.

use super::planned::current;
use super::rewrite::{left, settings, writes};
use super::{Flow, FlowError, flow};
use crate::model::change::{Change, WorkflowEdit};
use crate::model::json::{Json, Object, array};
use crate::model::nearest::nearest;
use crate::model::plan::{Current, Draft, Fixed, Plan, PlannedTask, Problem, Revision, drop_tasks, extend, revise};
use crate::model::workflow::State;
use crate::ops::{NewCheckpoint, OpError, PlanFile, Result, add_checkpoint};
use crate::store::{Scope, Store, StoreError, Write};

/// The result of a change of plan, by the names of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replanned {
    /// The workflow now; in a dry run, as before.
    pub flow: Flow,
    /// Tasks that are not changed, and why.
    pub kept: Vec<(String, Fixed)>,
    pub updated: Vec<String>,
    /// Tasks that already match the plan.
    pub unchanged: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
    /// Tasks with new blockers, because one was removed.
    pub rewired: Vec<String>,
    /// Issues outside of this workflow that waited for a removed task.
    pub outside: Vec<String>,
    /// Other keys of the workflow that the plan changes.
    pub set: Vec<&'static str>,
    /// Keys in the plan that no change of plan changes.
    pub left: Vec<&'static str>,
    pub checkpoint: Option<String>,
    pub dry_run: bool,
}

/// A task to add.
#[derive(Debug, Clone, Default)]
pub struct NewTask {
    pub task: PlannedTask,
    /// Tasks that should wait for it.
    pub before: Vec<String>,
}

/// Replaces the whole plan. Finished, running and claimed tasks stay.
pub fn replan(store: &mut Store, typed: &str, file: &PlanFile, dry_run: bool) -> Result<Replanned> {
    let id = store.find_workflow(typed)?.id().to_owned();
    let reason = "taken out of the plan";
    let before = flow(store, &id)?;
    let plan = Some(&file.draft.plan);
    let mut done = change(store, &id, &file.place, reason, plan, dry_run, |now| revise(now, &file.draft))?;
    if !dry_run {
        done.checkpoint = Some(note(store, &before, &done, file)?);
    }
    Ok(done)
}

/// Adds a task to the plan.
pub fn add_task(store: &mut Store, typed: &str, new: NewTask, dry_run: bool) -> Result<Replanned> {
    let known = flow(store, typed)?;
    let id = known.workflow.id().to_owned();
    let task = &new.task;
    let named = [&new.before, &task.depends_on, &task.informs, &task.context_from].into_iter().flatten();
    for name in named.chain([&task.name]) {
        refuse_namesakes(&known, name)?;
    }
    let draft = Draft::of(Plan { tasks: vec![new.task], ..Plan::default() });
    change(store, &id, &id, "", None, dry_run, |now| extend(now, &draft, &new.before))
}

/// Removes tasks from the plan, by name or by id. Tasks that waited for one then wait for its blockers.
pub fn remove_tasks(
    store: &mut Store,
    typed: &str,
    tasks: &[String],
    reason: Option<&str>,
    dry_run: bool,
) -> Result<Replanned> {
    let before = flow(store, typed)?;
    let id = before.workflow.id().to_owned();
    // Tasks that share a name are called by their ids.
    let names = tasks.iter().map(|typed| name_of(store, &before, typed)).collect::<Result<Vec<String>>>()?;
    let mut stays = None;
    let reason = reason.unwrap_or("taken out of the plan");
    let done = change(store, &id, &id, reason, None, dry_run, |now| {
        let fixed = names.iter().filter_map(|name| now.iter().find(|task| task.name == *name));
        stays = fixed.filter_map(|task| Some((task.name.clone(), task.fixed?))).next();
        // A single task that must stay prevents all of it.
        let there: Vec<String> = names.into_iter().filter(|name| now.iter().any(|task| task.name == *name)).collect();
        Ok(if stays.is_some() { Revision::default() } else { drop_tasks(now, &there) })
    })?;
    match stays {
        Some((name, why)) => Err(FlowError::TaskStays { id, name, why: why.word() }.into()),
        None => Ok(done),
    }
}

/// A task by its name, its id or an unambiguous part of it.
fn name_of(store: &Store, flow: &Flow, typed: &str) -> Result<String> {
    refuse_namesakes(flow, typed)?;
    let flow = &apart(flow.clone());
    let tasks = || flow.tasks.iter();
    if let Some(task) = tasks().find(|task| task.task.name == typed) {
        return Ok(task.task.name.clone());
    }
    let id = store.resolve(typed).ok();
    if let Some(task) = tasks().find(|task| Some(task.id()) == id.as_deref()) {
        return Ok(task.task.name.clone());
    }
    let nearest = nearest(typed, tasks().map(|task| task.task.name.as_str())).map(str::to_owned);
    Err(FlowError::NoSuchTask { id: flow.workflow.id().to_owned(), name: typed.to_owned(), nearest }.into())
}

/// A name shared by several tasks is ambiguous.
fn refuse_namesakes(flow: &Flow, name: &str) -> Result<()> {
    match flow.namesakes().remove(name) {
        Some(ids) => Err(FlowError::Namesakes { id: flow.workflow.id().to_owned(), name: name.to_owned(), ids }.into()),
        None => Ok(()),
    }
}

/// The workflow with unique names: tasks that share one are called by their ids.
fn apart(mut flow: Flow) -> Flow {
    let shared = flow.namesakes();
    for task in flow.tasks.iter_mut().filter(|task| shared.contains_key(&task.task.name)) {
        task.task.name = task.row.issue.id.clone();
    }
    flow
}

/// Decides under the locks, and writes.
fn change(
    store: &mut Store,
    id: &str,
    place: &str,
    reason: &str,
    plan: Option<&Plan>,
    dry_run: bool,
    decide: impl FnOnce(&[Current]) -> std::result::Result<Revision, Vec<Problem>>,
) -> Result<Replanned> {
    let mut transaction = store.begin(Scope::All)?;
    let held = transaction.store();
    held.look_again()?;
    let before = flow(held, id)?;
    let state = before.workflow.state;
    if state.is_final() || state == State::AwaitingMerge {
        return Err(FlowError::PlanIsFixed { id: id.to_owned(), state }.into());
    }
    held.refuse_locked(&before.workflow)?;
    // A complete plan decides about every name.
    if let Some(name) = before.namesakes().keys().next().filter(|_| plan.is_some()) {
        refuse_namesakes(&before, name)?;
    }
    let before = apart(before);
    let now = current(held, &before)?;
    let decided = decide(&now).map_err(|problems| OpError::BrokenPlan { place: place.to_owned(), problems })?;
    let outside = outside(held, &before, &decided.removed)?;
    let mut writes = writes(held, &before, &decided, reason)?;
    let set = plan.map(|plan| settings(&before, plan)).unwrap_or_default();
    if !set.is_empty() {
        let change = |(key, value): &(&'static str, Json)| {
            Change::Workflow(WorkflowEdit::Set { key, value: Some(value.clone()) })
        };
        writes.push(Write::Change { id: id.to_owned(), changes: set.iter().map(change).collect() });
    }
    let updated: Vec<String> = decided.updated.iter().map(|task| task.name.clone()).collect();
    let mut done = Replanned {
        kept: decided.kept,
        updated,
        unchanged: Vec::new(),
        added: decided.added.iter().map(|task| task.name.clone()).collect(),
        removed: decided.removed,
        rewired: decided.rewired.into_keys().collect(),
        outside,
        set: set.into_iter().map(|(key, _)| key).collect(),
        left: plan.map(|plan| left(&before, plan)).unwrap_or_default(),
        checkpoint: None,
        dry_run,
        flow: before,
    };
    if dry_run {
        return Ok(done);
    }
    for write in writes {
        transaction.stage(write)?;
    }
    // If one ledger refuses, none is written.
    transaction.rehearse()?;
    let (written, failed) = transaction.commit_all()?;
    if let Some(error) = failed {
        return Err(partly(id, written.iter().filter(|one| one.changed).map(|one| one.id.clone()).collect(), error));
    }
    let is_same = |name: &String| {
        let row = done.flow.task(name);
        row.is_some_and(|row| written.iter().any(|one| one.id == row.id() && !one.changed))
    };
    (done.unchanged, done.updated) = done.updated.iter().cloned().partition(is_same);
    done.flow = flow(store, id)?;
    Ok(done)
}

fn partly(id: &str, ids: Vec<String>, error: StoreError) -> OpError {
    if ids.is_empty() {
        return error.into();
    }
    FlowError::PartlyChanged { id: id.to_owned(), ids, problem: error.to_string() }.into()
}

/// Open issues outside of the workflow that wait for a task to be removed.
fn outside(store: &Store, flow: &Flow, removed: &[String]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for task in removed.iter().filter_map(|name| flow.task(name)) {
        for (edge, row) in store.dependents(task.id())? {
            let is_task = flow.tasks.iter().any(|other| other.id() == edge.id);
            let is_open = row.is_some_and(|row| !row.issue.status.is_done());
            if edge.kind == "blocks" && is_open && !is_task && !found.contains(&edge.id) {
                found.push(edge.id);
            }
        }
    }
    Ok(found)
}

/// Saves the old and the new plan as a checkpoint of the workflow.
fn note(store: &mut Store, before: &Flow, done: &Replanned, file: &PlanFile) -> Result<String> {
    let summary = |flow: &Flow| {
        let tasks = flow.tasks.iter().map(|task| {
            let object = Object::new().text("name", &task.task.name).text("id", task.id());
            object.text("state", task.state().word()).texts("blocked_by", flow.blocked_by(task)).finish()
        });
        array(tasks)
    };
    let kept: Vec<&str> = done.kept.iter().map(|(name, _)| name.as_str()).collect();
    let detail = Object::new()
        .text("plan", &file.place)
        .texts("kept", kept)
        .texts("updated", &done.updated)
        .texts("added", &done.added)
        .texts("removed", &done.removed)
        .texts("rewired", &done.rewired)
        .raw("old", &summary(before))
        .raw("new", &summary(&done.flow));
    let text = format!(
        "replanned: {} kept, {} updated, {} added, {} removed",
        done.kept.len(),
        done.updated.len(),
        done.added.len(),
        done.removed.len()
    );
    let new = NewCheckpoint {
        issue: Some(done.flow.workflow.id().to_owned()),
        summary: text,
        kind: "replan".to_owned(),
        detail: Some(detail.finish()),
        ..NewCheckpoint::default()
    };
    Ok(add_checkpoint(store, &new)?.checkpoint.id)
}
