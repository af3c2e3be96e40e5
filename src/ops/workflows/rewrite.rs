//! Turns a change of plan into writes to the ledgers.

use std::collections::HashMap;

use super::create::{mint, task_issue};
use super::planned::edges;
use super::repos::{Places, places};
use super::{Flow, FlowError, INFORMS};
use crate::model::change::{Change, TaskEdit};
use crate::model::dependency::DependencyType;
use crate::model::field::Field;
use crate::model::json::Json;
use crate::model::plan::{Plan, PlannedTask, Revision};
use crate::ops::Result;
use crate::store::{Store, TaskRow, Write};

/// The writes for a change of plan, new tasks first. Writes nothing yet.
pub(super) fn writes(store: &mut Store, flow: &Flow, revision: &Revision, reason: &str) -> Result<Vec<Write>> {
    let places = new_places(store, flow, &revision.added)?;
    refuse_moves(store, flow, &revision.updated)?;
    let mut ids: HashMap<String, String> =
        flow.tasks.iter().map(|task| (task.task.name.clone(), task.id().to_owned())).collect();
    let mut minted = Vec::new();
    for (task, repo) in revision.added.iter().zip(&places.tasks) {
        let id = mint(store, *repo, task.title(), task.description.as_deref().unwrap_or_default())?;
        ids.insert(task.name.clone(), id.to_string());
        minted.push(id);
    }
    // After all remaining tasks, in the order of the plan.
    let stays = |name: &String| !revision.order.contains(name) && !revision.removed.contains(name);
    let staying = flow.tasks.iter().filter(|task| stays(&task.task.name));
    let first = staying.filter_map(|task| task.task.place).max().unwrap_or(0) + 1;
    let place = |name: &String| first + revision.order.iter().position(|other| other == name).unwrap_or(0) as i64;
    let planned: Vec<&PlannedTask> = revision.updated.iter().chain(&revision.added).collect();
    let informed = |name: &str| -> Vec<String> {
        planned.iter().filter(|task| task.informs.iter().any(|to| to == name)).map(|task| task.name.clone()).collect()
    };
    let mut writes: Vec<Write> = Vec::new();
    for (n, task) in revision.added.iter().enumerate() {
        let needs = revision.needs.get(&task.name).into_iter().flatten();
        let blocks = needs.map(|name| (name.clone(), DependencyType::blocks()));
        let informs = informed(&task.name).into_iter().map(|name| (name, DependencyType::new(INFORMS)));
        let edges = blocks.chain(informs).filter_map(|(name, kind)| Some((ids.get(&name)?.clone(), kind))).collect();
        let issue = task_issue(task, place(&task.name), flow.workflow.id(), edges, places.of_task[n].clone());
        let id = Some(minted[n].clone());
        writes.push(Write::File { issue: Box::new(issue), id, repo: places.tasks[n] });
    }
    for task in &revision.updated {
        let Some(row) = flow.task(&task.name) else { continue };
        let mut changes = updates(task, place(&task.name));
        let needs = revision.needs.get(&task.name).cloned().unwrap_or_default();
        changes.extend(rewired(flow, row, DependencyType::blocks(), &needs, &ids));
        // It continues to inform remaining tasks.
        let targets = edges(flow, row, INFORMS).into_iter().filter(|name| stays(name));
        let targets: Vec<String> = informed(&task.name).into_iter().chain(targets).collect();
        changes.extend(rewired(flow, row, DependencyType::new(INFORMS), &targets, &ids));
        writes.push(Write::Change { id: row.id().to_owned(), changes });
    }
    for (task, target) in planned.iter().flat_map(|task| task.informs.iter().map(move |target| (task, target))) {
        // A remaining task is informed by a new one, unless it is done.
        let row = flow.task(target).filter(|row| stays(target) && !row.is_done());
        if let (Some(row), Some(id)) = (row, ids.get(&task.name)) {
            let edge = Change::AddDependency { target: id.clone(), kind: DependencyType::new(INFORMS) };
            writes.push(Write::Change { id: row.id().to_owned(), changes: vec![edge] });
        }
    }
    for (name, needs) in &revision.rewired {
        let Some(row) = flow.task(name) else { continue };
        let changes = rewired(flow, row, DependencyType::blocks(), needs, &ids);
        writes.push(Write::Change { id: row.id().to_owned(), changes });
    }
    for row in revision.removed.iter().filter_map(|name| flow.task(name)) {
        let changes = vec![Change::Delete { reason: Some(reason.to_owned()) }];
        writes.push(Write::Change { id: row.id().to_owned(), changes });
    }
    Ok(writes)
}

/// Where to file new tasks: in the workflow's repo, or in the one that each names if there are several.
fn new_places(store: &mut Store, flow: &Flow, added: &[PlannedTask]) -> Result<Places> {
    let workflow = &flow.workflow;
    let named = match workflow.workflow.repos.as_slice() {
        [] => vec![store.name(workflow.row.repo).to_owned()],
        repos => repos.to_vec(),
    };
    places(store, &named, added)
}

/// A plan does not move a task to another ledger.
fn refuse_moves(store: &Store, flow: &Flow, updated: &[PlannedTask]) -> Result<()> {
    let moves = |task: &&PlannedTask| {
        let wanted = task.repo.as_deref().map(|text| store.find_repository(text));
        wanted.is_some_and(|repo| repo != flow.task(&task.name).map(|row| row.row.repo))
    };
    let tasks: Vec<String> = updated.iter().filter(moves).map(|task| task.name.clone()).collect();
    if tasks.is_empty() { Ok(()) } else { Err(FlowError::WouldMove { tasks }.into()) }
}

/// The changes that a plan makes to an existing task. Texts that it omits stay; numbers and names are replaced.
fn updates(task: &PlannedTask, place: i64) -> Vec<Change> {
    let set = |key, value| Change::Task(TaskEdit::Set { key, value });
    let text = |text: &String| Json::Text(text.clone());
    let mut changes = vec![set("place", Some(Json::Int(place)))];
    changes.extend(task.title.clone().map(Change::Title));
    let fields = [
        (Field::Description, &task.description),
        (Field::AcceptanceCriteria, &task.acceptance),
        (Field::Assignee, &task.assignee),
    ];
    changes.extend(fields.into_iter().filter_map(|(field, text)| Some(Change::Text(field, text.clone()?))));
    changes.extend(task.priority.map(Change::Priority));
    changes.extend(task.issue_type.clone().map(Change::Type));
    changes.extend(task.estimate.map(|minutes| Change::Estimate(Some(minutes))));
    changes.extend(task.labels.iter().cloned().map(Change::AddLabel));
    changes.push(set("sequence", task.sequence.map(Json::Int)));
    changes.push(set("parallel_group", task.parallel_group.as_ref().map(text)));
    for (key, value) in [("plan", &task.plan), ("plan_summary", &task.plan_summary), ("context", &task.context)] {
        changes.extend(value.as_ref().map(|value| set(key, Some(text(value)))));
    }
    let names: Vec<Json> = task.context_from.iter().map(text).collect();
    changes.push(set("context_from", (!names.is_empty()).then_some(Json::List(names))));
    changes
}

/// Updates the edges of one type between a task and others of its workflow. Those to other issues stay.
fn rewired(
    flow: &Flow,
    row: &TaskRow,
    kind: DependencyType,
    wanted: &[String],
    ids: &HashMap<String, String>,
) -> Vec<Change> {
    let had = edges(flow, row, kind.as_str());
    let gone = had.iter().filter(|name| !wanted.contains(name)).filter_map(|name| ids.get(name));
    let new = wanted.iter().filter(|name| !had.contains(name)).filter_map(|name| ids.get(name));
    let gone = gone.map(|id| Change::RemoveDependency { target: id.clone(), kind: Some(kind.clone()) });
    let new = new.map(|id| Change::AddDependency { target: id.clone(), kind: kind.clone() });
    gone.chain(new).collect()
}

/// The plan's settings that are new for its workflow. Its title, purpose and origin stay.
pub(super) fn settings(flow: &Flow, plan: &Plan) -> Vec<(&'static str, Json)> {
    let now = &flow.workflow.workflow;
    let most = plan.max_parallel.map(i64::from).filter(|most| *most != now.max_parallel);
    let auto = plan.auto_workspace.filter(|auto| *auto != now.auto_workspace);
    let summary = plan.plan_summary.clone().filter(|text| now.plan_summary.as_ref() != Some(text));
    let values = [
        ("max_parallel", most.map(Json::Int)),
        ("auto_workspace", auto.map(Json::Bool)),
        ("plan_summary", summary.map(Json::Text)),
    ];
    values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

/// Differences from the workflow that a plan does not change.
pub(super) fn left(flow: &Flow, plan: &Plan) -> Vec<&'static str> {
    let (issue, now) = (&flow.workflow.row.issue, &flow.workflow.workflow);
    let title = Some(issue.title.clone());
    let texts = [
        ("name", &plan.name, &title),
        ("description", &plan.description, &issue.description),
        ("source_type", &plan.source_type, &now.source_type),
        ("source_ref", &plan.source_ref, &now.source_ref),
        ("source_content", &plan.source_content, &now.source_content),
    ];
    texts.into_iter().filter(|(_, planned, is)| planned.is_some() && planned != is).map(|(key, _, _)| key).collect()
}
