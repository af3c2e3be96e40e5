//! Everything needed to start working on an issue, in one answer.

use std::collections::HashSet;

use super::Result;
use super::checkpoints::{CheckpointRow, checkpoints_of};
use crate::store::{LeaseRow, Row, Store};

/// How many checkpoints are included unless all are requested.
pub const RECENT: usize = 5;
/// The maximum number of ancestors; real ledgers have three levels.
const MAX_PARENTS: usize = 10;

#[derive(Debug, Clone)]
pub struct IssueContext {
    pub row: Row,
    pub lease: Option<LeaseRow>,
    /// Nearest first.
    pub parents: Vec<Row>,
    /// The last checkpoint of type plan or replan.
    pub plan: Option<CheckpointRow>,
    pub dependencies: Vec<Needed>,
    /// Latest first.
    pub checkpoints: Vec<CheckpointRow>,
    /// Their total number.
    pub all_checkpoints: usize,
    /// Related issues: the kind of edge, and the issue.
    pub neighbours: Vec<(&'static str, Row)>,
}

/// An issue that this one depends on.
#[derive(Debug, Clone)]
pub struct Needed {
    pub id: String,
    pub kind: String,
    /// `None` if no ledger has it.
    pub row: Option<Row>,
    pub last: Option<CheckpointRow>,
}

/// Collects what is known about an issue and its surroundings.
pub fn issue_context(store: &Store, typed: &str, all_checkpoints: bool) -> Result<IssueContext> {
    let row = store.find(typed)?;
    let id = row.issue.id.clone();
    let lease = store.lease(&id)?.filter(|row| row.lease.holder.is_some());
    let parents = parents(store, &row)?;
    let mut checkpoints = checkpoints_of(store, &id)?;
    let is_plan = |row: &&CheckpointRow| matches!(row.checkpoint.kind.as_str(), "plan" | "replan");
    let plan = checkpoints.iter().rev().find(is_plan).cloned();
    let total = checkpoints.len();
    checkpoints.reverse();
    if !all_checkpoints {
        checkpoints.truncate(RECENT);
    }
    let mut dependencies = Vec::new();
    for (edge, row) in store.dependencies(&id)? {
        if edge.kind == "parent-child" {
            continue;
        }
        let last = checkpoints_of(store, &edge.id)?.pop();
        dependencies.push(Needed { id: edge.id, kind: edge.kind, row, last });
    }
    let neighbours = neighbours(store, &row, &dependencies)?;
    Ok(IssueContext { row, lease, parents, plan, dependencies, checkpoints, all_checkpoints: total, neighbours })
}

fn parents(store: &Store, row: &Row) -> Result<Vec<Row>> {
    let mut found: Vec<Row> = Vec::new();
    let mut above = row.issue.parent().map(str::to_owned);
    while let Some(id) = above.filter(|_| found.len() < MAX_PARENTS) {
        let Some(parent) = store.get(&id)? else { break };
        // Stop at a cycle in the ledger.
        if parent.issue.id == row.issue.id || found.iter().any(|known| known.issue.id == parent.issue.id) {
            break;
        }
        above = parent.issue.parent().map(str::to_owned);
        found.push(parent);
    }
    Ok(found)
}

/// Children, issues that wait for this one, and other children of its parent.
fn neighbours(store: &Store, row: &Row, needed: &[Needed]) -> Result<Vec<(&'static str, Row)>> {
    let mut seen: HashSet<String> = needed.iter().map(|one| one.id.clone()).collect();
    seen.insert(row.issue.id.clone());
    let mut found = Vec::new();
    let own = store.dependents(&row.issue.id)?.into_iter().map(|(edge, other)| {
        let kind = if edge.kind == "parent-child" { "child" } else { "waits for this" };
        (kind, other)
    });
    let mut around: Vec<(&'static str, Option<Row>)> = own.collect();
    if let Some(parent) = row.issue.parent().map(str::to_owned) {
        let siblings = store.dependents(&parent)?.into_iter();
        around
            .extend(siblings.filter(|(edge, _)| edge.kind == "parent-child").map(|(_, other)| ("beside this", other)));
    }
    for (kind, other) in around {
        let Some(other) = other.filter(|other| seen.insert(other.issue.id.clone())) else { continue };
        found.push((kind, other));
    }
    Ok(found)
}
