//! The rules that a plan keeps, whoever made it.

use std::collections::HashMap;

use super::{MAX_EDGES, MAX_NAME, MAX_TASKS, Plan, PlannedTask, Problem, Wrong, waits_for};
use crate::model::change::check_title;
use crate::model::graph::Graph;
use crate::model::issue::IssueType;
use crate::model::nearest::nearest;

/// Everything that is wrong with a plan, with the lines in which the tasks begin, and tasks beside the plan that it may name.
pub(super) fn check_at(plan: &Plan, lines: &[usize], known: &[&str]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut first: HashMap<&str, usize> = HashMap::new();
    let line = |n: usize| lines.get(n).copied().unwrap_or(0);
    for (n, task) in plan.tasks.iter().enumerate() {
        let mut found = |task: Option<&str>, wrong| problems.push(Problem::at(line(n), task, wrong));
        if task.name.trim().is_empty() {
            found(None, Wrong::NoName);
            continue;
        }
        for wrong in own(task) {
            found(Some(&task.name), wrong);
        }
        match first.get(task.name.as_str()) {
            Some(other) => found(Some(&task.name), Wrong::Duplicate { first: line(*other) }),
            None => {
                first.insert(&task.name, n);
            }
        }
    }
    for (n, task) in plan.tasks.iter().enumerate().filter(|(_, task)| !task.name.trim().is_empty()) {
        let lists =
            [("depends_on", &task.depends_on), ("informs", &task.informs), ("context_from", &task.context_from)];
        for (key, name) in lists.into_iter().flat_map(|(key, names)| names.iter().map(move |name| (key, name))) {
            let wrong = if *name == task.name {
                Wrong::OnItself { key }
            } else if !first.contains_key(name.as_str()) && !known.contains(&name.as_str()) {
                let nearest = nearest(name, first.keys().chain(known).copied()).map(str::to_owned);
                Wrong::UnknownTask { key, name: name.clone(), nearest }
            } else {
                continue;
            };
            problems.push(Problem::at(line(n), Some(&task.name), wrong));
        }
    }
    // Of two tasks of one name the first counts: the second is a problem of its own.
    let mut places: Vec<usize> = first.values().copied().collect();
    places.sort_unstable();
    let counted: Vec<PlannedTask> = places.into_iter().map(|n| plan.tasks[n].clone()).collect();
    // What the numbers say counts too: a task cannot wait for one that comes after it.
    let waits = waits_for(&counted);
    let too_many = too_many_edges(waits.iter().map(Vec::len).sum());
    if too_many.is_some() {
        problems.extend(too_many);
        return problems;
    }
    let edges = counted.iter().zip(waits).flat_map(|(task, names)| {
        let others = names.into_iter().filter(|name| *name != task.name);
        others.map(|name| (task.name.clone(), name))
    });
    for path in edges.collect::<Graph>().cycles() {
        let at = path.first().and_then(|name| first.get(name.as_str())).map_or(0, |n| line(*n));
        problems.push(Problem { line: at, task: None, wrong: Wrong::Cycle { path } });
    }
    problems
}

/// Two large steps in a row need an edge for each pair of their tasks.
pub(super) fn too_many_edges(found: usize) -> Option<Problem> {
    (found > MAX_EDGES).then(|| Problem::at(0, None, Wrong::TooManyEdges { found, most: MAX_EDGES }))
}

pub(super) fn too_many_tasks(found: usize) -> Option<Problem> {
    let wrong = || Wrong::TooMany { what: "tasks".to_owned(), found, most: MAX_TASKS };
    (found > MAX_TASKS).then(|| Problem::at(0, None, wrong()))
}

/// What is wrong with a task by itself.
fn own(task: &PlannedTask) -> Vec<Wrong> {
    let mut wrong = Vec::new();
    let mut text = |key: &str, problem: String| wrong.push(Wrong::Text { key: key.to_owned(), problem });
    if task.name.trim() != task.name || task.name.chars().any(char::is_control) {
        text("name", "must be one line without spaces around it".to_owned());
    }
    if task.name.len() > MAX_NAME {
        text("name", format!("is longer than {MAX_NAME} bytes"));
    }
    if let Err(error) = task.title.as_deref().map_or(Ok(()), check_title) {
        text("title", format!("cannot be used: {error}"));
    }
    if let Some(kind) = &task.issue_type
        && (kind.as_str().trim().is_empty() || IssueType::INTERNAL.contains(&kind.as_str()))
    {
        text("issue_type", format!("cannot be {:?}: such issues are not handed out as work", kind.as_str()));
    }
    wrong
}
