//! Filing a workflow with all of its tasks.
//!
//! All ledgers are asked before one is written: the workflow's first, then those of its tasks. If a disk fails in
//! between, what was filed is removed again: a workflow exists with all of its tasks, or not at all.

use std::collections::HashMap;

use super::FlowError;
use super::repos::{Places, places};
use crate::model::change::{NewIssue, check_title};
use crate::model::dependency::DependencyType;
use crate::model::id::IssueId;
use crate::model::issue::{IssueType, Priority};
use crate::model::plan::{Plan, PlannedTask, waits_for};
use crate::model::state_id;
use crate::model::workflow::{State, Task, Workflow};
use crate::ops::{OpError, Result};
use crate::store::{Scope, Store, StoreError, Write, Written};

/// The type of an edge by which a task passes its findings to another, without blocking it.
pub const INFORMS: &str = "informs";

/// A workflow to file.
#[derive(Debug, Clone, Default)]
pub struct NewWorkflow {
    /// The id of its issue; minted by default.
    pub id: Option<String>,
    /// Its title; by default the plan's.
    pub title: Option<String>,
    pub description: Option<String>,
    pub priority: Option<Priority>,
    pub labels: Vec<String>,
    pub plan: Option<Plan>,
    pub max_parallel: Option<i64>,
    pub auto_workspace: bool,
    /// Repos by name, path or `rp_` id.
    pub repos: Vec<String>,
    pub source_type: Option<String>,
    pub source_ref: Option<String>,
    pub source_content: Option<String>,
    pub plan_summary: Option<String>,
    pub initial_plan: Option<String>,
}

/// A workflow that was filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedWorkflow {
    pub workflow: Written,
    /// In the order of the plan.
    pub tasks: Vec<Written>,
}

/// Files a workflow: ready if it has tasks, else in planning.
pub fn create_workflow(store: &mut Store, wish: NewWorkflow) -> Result<CreatedWorkflow> {
    let plan = wish.plan.clone().unwrap_or_default();
    let title = wish.title.clone().or(plan.name.clone()).unwrap_or_default();
    check_title(&title).map_err(StoreError::from)?;
    let places = places(store, &wish.repos, &plan.tasks)?;
    let workflow = workflow_issue(store, title, &wish, &plan, &places);
    let id = match &wish.id {
        Some(id) => IssueId::chosen(id).map_err(StoreError::from)?,
        None => mint(store, places.workflow, &workflow.title, &workflow.description)?,
    };
    let ids = task_ids(store, &plan.tasks, &places.tasks)?;
    let mut repos = places.tasks.clone();
    repos.push(places.workflow);
    let mut transaction = store.begin(Scope::Repos(repos))?;
    let parent = id.to_string();
    transaction.stage(Write::File { issue: Box::new(workflow), id: Some(id), repo: places.workflow })?;
    let waits = waits_for(&plan.tasks);
    for (n, task) in plan.tasks.iter().enumerate() {
        let informed = plan.tasks.iter().filter(|other| other.informs.contains(&task.name));
        let edges = waits[n].iter().map(|name| (name, DependencyType::blocks()));
        let edges = edges.chain(informed.map(|other| (&other.name, DependencyType::new(INFORMS))));
        let edges = edges.filter_map(|(name, kind)| Some((ids.get(name)?.to_string(), kind))).collect();
        let issue = task_issue(task, n as i64 + 1, &parent, edges, places.of_task[n].clone());
        let id = ids.get(&task.name).cloned();
        transaction.stage(Write::File { issue: Box::new(issue), id, repo: places.tasks[n] })?;
    }
    // If one ledger refuses, none is written.
    transaction.rehearse()?;
    let (mut filed, failed) = transaction.commit_all()?;
    match failed {
        None => {
            let workflow = filed.remove(0);
            Ok(CreatedWorkflow { workflow, tasks: filed })
        }
        Some(error) => Err(take_back(store, &filed, error)),
    }
}

/// Removes what was filed, and returns the error.
fn take_back(store: &mut Store, filed: &[Written], error: StoreError) -> OpError {
    if filed.is_empty() {
        return error.into();
    }
    match store.take_back(filed) {
        Ok(()) => error.into(),
        Err(other) => {
            let ids = filed.iter().map(|written| written.id.clone()).collect();
            FlowError::HalfMade { ids, problem: format!("{error}; {other}") }.into()
        }
    }
}

fn workflow_issue(store: &Store, title: String, wish: &NewWorkflow, plan: &Plan, places: &Places) -> NewIssue {
    let first = |wished: &Option<String>, planned: &Option<String>| wished.clone().or_else(|| planned.clone());
    let fresh = Workflow::new(state_id::mint(state_id::WORKFLOW, store.host().entropy.bytes()));
    let workflow = Workflow {
        state: if plan.tasks.is_empty() { State::Planning } else { State::Ready },
        max_parallel: wish.max_parallel.or(plan.max_parallel.map(i64::from)).unwrap_or(fresh.max_parallel),
        auto_workspace: wish.auto_workspace || plan.auto_workspace.unwrap_or(false),
        source_type: first(&wish.source_type, &plan.source_type),
        source_ref: first(&wish.source_ref, &plan.source_ref),
        source_content: first(&wish.source_content, &plan.source_content),
        plan_summary: first(&wish.plan_summary, &plan.plan_summary),
        initial_plan: wish.initial_plan.clone(),
        repos: places.repos.clone(),
        ..fresh
    };
    NewIssue {
        issue_type: IssueType::new("workflow"),
        description: first(&wish.description, &plan.description).unwrap_or_default(),
        priority: wish.priority.unwrap_or(Priority::DEFAULT),
        labels: wish.labels.clone(),
        workflow: Some(workflow),
        ..NewIssue::titled(title)
    }
}

/// A planned task as an issue below its workflow. The edges' targets already have ids.
pub fn task_issue(
    task: &PlannedTask,
    place: i64,
    workflow: &str,
    edges: Vec<(String, DependencyType)>,
    repo: Option<String>,
) -> NewIssue {
    let mut dependencies = vec![(workflow.to_owned(), DependencyType::parent_child())];
    dependencies.extend(edges);
    NewIssue {
        description: task.description.clone().unwrap_or_default(),
        acceptance_criteria: task.acceptance.clone().unwrap_or_default(),
        issue_type: task.issue_type.clone().unwrap_or_else(IssueType::task),
        priority: task.priority.unwrap_or(Priority::DEFAULT),
        labels: task.labels.clone(),
        assignee: task.assignee.clone().unwrap_or_default(),
        estimated_minutes: task.estimate,
        dependencies,
        task: Some(Task {
            place: Some(place),
            sequence: task.sequence,
            parallel_group: task.parallel_group.clone(),
            plan: task.plan.clone(),
            plan_summary: task.plan_summary.clone(),
            context: task.context.clone(),
            context_from: task.context_from.clone(),
            repo,
            ..Task::named(&task.name)
        }),
        ..NewIssue::titled(task.title())
    }
}

/// Ids for tasks that refer to each other before they are filed.
fn task_ids(store: &Store, tasks: &[PlannedTask], repos: &[usize]) -> Result<HashMap<String, IssueId>> {
    let mut ids: HashMap<String, IssueId> = HashMap::new();
    for (task, repo) in tasks.iter().zip(repos) {
        let description = task.description.as_deref().unwrap_or_default();
        ids.insert(task.name.clone(), mint(store, *repo, task.title(), description)?);
    }
    Ok(ids)
}

pub(super) fn mint(store: &Store, repo: usize, title: &str, description: &str) -> Result<IssueId> {
    let prefix = store.new_prefix(repo)?;
    let (now, nonce) = (store.host().clock.now(), store.host().entropy.bytes());
    Ok(IssueId::mint(&prefix, title, description, now, nonce))
}
