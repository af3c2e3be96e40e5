//! The repositories that a state home has seen, under their `rp_` ids, and whether one is in use: `repositories.jsonl`.
//!
//! What is here can be found out again by looking, so it is noted in passing and never stands in the way of an answer.

use super::{Result, workflows};
use crate::model::json::{Dialect, Object};
use crate::model::record::{KeyEdit, Record};
use crate::store::{Put, RecordError, Store};

const FILE: &str = "repositories.jsonl";
const WORKSPACES: &str = "workspaces.jsonl";

/// What needs a repo of the project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepoUse {
    /// Workflows that are not over and have tasks there, or are there themselves: ids of their issues.
    pub workflows: Vec<String>,
    /// Workspaces of it that are not removed, by id.
    pub workspaces: Vec<String>,
}

impl RepoUse {
    pub fn is_empty(&self) -> bool {
        self.workflows.is_empty() && self.workspaces.is_empty()
    }

    pub fn text(&self) -> String {
        let list = |what: &str, ids: &[String]| match ids {
            [] => None,
            [one] => Some(format!("the {what} {one}")),
            many => Some(format!("the {what}s {}", many.join(", "))),
        };
        let parts = [list("workflow", &self.workflows), list("workspace", &self.workspaces)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
    }
}

/// The ids of all repos of the project, in their order, noted in the state home. A repo that can be given none has none.
pub fn repository_ids(store: &mut Store) -> Vec<Option<String>> {
    let ids: Vec<Option<String>> =
        (0..store.repos().members.len()).map(|repo| store.repository_id(repo).ok()).collect();
    // A state home that cannot be written is no reason not to answer.
    let _ = note(store, &ids);
    ids
}

/// Notes where repos are, if that is news.
fn note(store: &Store, ids: &[Option<String>]) -> Result<()> {
    let members = store.repos().members.iter().zip(ids);
    let seen: Vec<(String, String, String)> = members
        .filter_map(|(member, id)| Some((id.clone()?, member.repo.root().display().to_string(), member.name.clone())))
        .collect();
    let state = store.state();
    let file = state.file(FILE);
    let is_known = |line: Option<Record<'_>>, path: &str, name: &str| {
        line.is_some_and(|line| {
            line.string("path").as_deref() == Some(path) && line.string("name").as_deref() == Some(name)
        })
    };
    let known = store.records(&file)?;
    let at = |id: &str| known.effective(id).and_then(|line| known.record(line));
    if seen.iter().all(|(id, path, name)| is_known(at(id), path, name)) {
        return Ok(());
    }
    let lock = state.lock(store.lock_wait())?;
    let now = store.host().clock.now().to_string();
    file.edit::<RecordError>(&lock, &store.host().entropy, |document| {
        let mut puts = Vec::new();
        for (id, path, name) in &seen {
            let line = document.effective(id).and_then(|line| document.record(line));
            if is_known(line.clone(), path, name) {
                continue;
            }
            let dialect = Dialect::default();
            let text = match line {
                Some(line) => {
                    let edits: Vec<KeyEdit> = vec![
                        ("path", Some(dialect.string(path))),
                        ("name", Some(dialect.string(name))),
                        ("updated_at", Some(dialect.string(&now))),
                    ];
                    line.with(&edits, dialect)
                }
                None => {
                    let object = Object::new().text("id", id).text("path", path).text("name", name);
                    object.text("created_at", &now).finish()
                }
            };
            puts.push(Put::Line { id: id.clone(), text });
        }
        Ok(puts)
    })?;
    Ok(())
}

/// What needs a repo of the project, by its number: also workflows that only another checkout has, and workspaces whose records are with
/// the repo itself.
pub fn repo_use(store: &mut Store, repo: usize) -> Result<RepoUse> {
    let mut found = RepoUse::default();
    let id = store.repository_id(repo).ok();
    for flow in workflows::flows_everywhere(store, false)? {
        let is_here = flow.place.is_none();
        let is_there =
            is_here && (flow.workflow.row.repo == repo || flow.tasks.iter().any(|task| task.row.repo == repo));
        let is_named = id.as_ref().is_some_and(|id| flow.workflow.workflow.repos.contains(id));
        if (is_there || is_named) && !found.workflows.iter().any(|known| known == flow.workflow.id()) {
            found.workflows.push(flow.workflow.id().to_owned());
        }
    }
    let Some(id) = id else { return Ok(found) };
    for (home, _) in store.homes_of_repos() {
        let records = store.records(&home.file(WORKSPACES))?;
        // Also one of a later version, of which little can be read.
        for record in (0..records.len()).filter_map(|line| records.record(line)) {
            let is_removed = record.string("state").as_deref() == Some("removed");
            if record.string("repo").as_deref() == Some(id.as_str()) && !is_removed {
                found.workspaces.extend(record.string("id").map(|id| id.into_owned()));
            }
        }
    }
    Ok(found)
}
