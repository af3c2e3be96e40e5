//! A workflow's tasks as a plan again, and as what a new plan is held against.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Flow, INFORMS};
use crate::model::dependency::DependencyType;
use crate::model::issue::{IssueType, Priority};
use crate::model::lease::Standing;
use crate::model::plan::{Current, Fixed, Plan, PlannedTask};
use crate::ops::Result;
use crate::store::{Store, TaskRow};

/// How far the way through issues outside of a workflow is followed.
const MAX_OUTSIDE: usize = 10_000;

/// The plan that would create this workflow again: the definition of its tasks without their progress. Assignees and
/// repos are specific to this machine and are left out.
pub fn plan_of(flow: &Flow) -> Plan {
    let workflow = &flow.workflow.workflow;
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.trim().is_empty());
    Plan {
        name: text(&flow.workflow.row.issue.title),
        description: text(flow.workflow.row.issue.description.as_deref().unwrap_or_default()),
        plan_summary: workflow.plan_summary.clone(),
        max_parallel: u32::try_from(workflow.max_parallel).ok(),
        auto_workspace: workflow.auto_workspace.then_some(true),
        source_type: None,
        source_ref: None,
        source_content: None,
        tasks: flow.tasks.iter().map(|task| planned(flow, task)).collect(),
    }
}

fn planned(flow: &Flow, row: &TaskRow) -> PlannedTask {
    let (issue, task) = (&row.row.issue, &row.task);
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let name = task.name.clone();
    let learns = flow.tasks.iter().filter(|other| edges(flow, other, INFORMS).contains(&name));
    PlannedTask {
        title: Some(issue.title.clone()).filter(|title| *title != name),
        description: text(&issue.description),
        acceptance: text(&issue.acceptance_criteria),
        sequence: task.sequence,
        parallel_group: task.parallel_group.clone(),
        depends_on: edges(flow, row, DependencyType::blocks().as_str()),
        informs: learns.map(|other| other.task.name.clone()).collect(),
        context_from: task.context_from.iter().filter(|name| flow.task(name).is_some()).cloned().collect(),
        plan: task.plan.clone(),
        plan_summary: task.plan_summary.clone(),
        context: task.context.clone(),
        priority: Some(issue.priority).filter(|priority| *priority != Priority::DEFAULT),
        issue_type: Some(issue.issue_type.clone()).filter(|kind| *kind != IssueType::task()),
        labels: issue.labels.iter().filter(|label| *label != "needs-attention").cloned().collect(),
        assignee: None,
        estimate: issue.estimated_minutes,
        repo: None,
        name,
    }
}

/// The tasks of the same workflow to which a task has an edge of one type, by name.
pub(super) fn edges(flow: &Flow, row: &TaskRow, kind: &str) -> Vec<String> {
    let targets = row.row.issue.dependencies.iter().filter(|edge| edge.kind.as_str() == kind).map(|edge| &edge.target);
    let names = targets.filter_map(|id| flow.tasks.iter().find(|task| task.id() == id));
    let mut names: Vec<String> = names.map(|task| task.task.name.clone()).collect();
    names.dedup();
    names
}

/// The existing tasks, for comparison with a new plan. Finished, running and claimed ones must not be touched; an
/// expired claim counts too, because the work may exist.
pub(super) fn current(store: &Store, flow: &Flow) -> Result<Vec<Current>> {
    let own: HashMap<&str, &str> = flow.tasks.iter().map(|task| (task.id(), task.task.name.as_str())).collect();
    let mut outside = Outside { own, known: BTreeMap::new() };
    let mut found = Vec::new();
    for task in &flow.tasks {
        let fixed = match &task.holder {
            _ if task.is_done() || task.unmerged.is_some() => Some(Fixed::Done),
            Some((_, Standing::Live)) => Some(Fixed::Claimed),
            Some(_) => Some(Fixed::Running),
            None => (task.row.issue.status.as_str() == "in_progress").then_some(Fixed::Running),
        };
        found.push(Current {
            name: task.task.name.clone(),
            depends_on: edges(flow, task, DependencyType::blocks().as_str()),
            through: outside.tasks_behind(store, task)?,
            sequence: task.task.sequence,
            parallel_group: task.task.parallel_group.clone(),
            fixed,
        });
    }
    Ok(found)
}

/// Paths from a task through other issues back to tasks of the same workflow.
struct Outside<'a> {
    own: HashMap<&'a str, &'a str>,
    /// The dependencies of issues that are not tasks.
    known: BTreeMap<String, Vec<String>>,
}

impl Outside<'_> {
    fn tasks_behind(&mut self, store: &Store, task: &TaskRow) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut work: Vec<String> = ordering(task.row.issue.dependencies.iter().map(|edge| (&edge.kind, &edge.target)));
        work.retain(|id| !self.own.contains_key(id.as_str()));
        while let Some(id) = work.pop().filter(|_| seen.len() < MAX_OUTSIDE) {
            if !seen.insert(id.clone()) {
                continue;
            }
            if !self.known.contains_key(&id) {
                let row = store.get(&id)?;
                let edges = row.iter().flat_map(|row| row.issue.dependencies.iter());
                let targets = ordering(edges.map(|edge| (&edge.kind, &edge.target)));
                self.known.insert(id.clone(), targets);
            }
            for target in self.known.get(&id).into_iter().flatten() {
                match self.own.get(target.as_str()) {
                    Some(name) => drop(found.insert((*name).to_owned())),
                    None => work.push(target.clone()),
                }
            }
        }
        found.remove(&task.task.name);
        Ok(found.into_iter().collect())
    }
}

/// The targets of blocking edges.
fn ordering<'a>(edges: impl Iterator<Item = (&'a DependencyType, &'a String)>) -> Vec<String> {
    edges.filter(|(kind, _)| kind.is_blocking()).map(|(_, target)| target.clone()).collect()
}
