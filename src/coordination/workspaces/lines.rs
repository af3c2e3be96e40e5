//! Issues on their way between a workspace and the checkout that it was made from.
//!
//! A workspace begins with what is committed, and its issue may not be: it is brought in. What was written in the workspace is
//! brought home before the workspace goes away. Nothing is taken away on either side; where both have changed an issue, the two
//! versions are joined.

use crate::coordination::Result;
use crate::model::json::DialectEvidence;
use crate::model::merge::join_copies;
use crate::model::workspace::Workspace;
use crate::store::{Scope, Store, StoreError, Worktree, Write, WriteError};

/// How far up parents are followed; a circle must not be followed for ever.
const DEEP: usize = 16;

/// Gives a workspace the lines of an issue, of what it is a part of, and of what it waits for, as far as it has not got them. Gives
/// the ids.
pub(in crate::coordination) fn bring_in(parent: &mut Store, there: &mut Store, id: &str) -> Result<Vec<String>> {
    parent.refresh()?;
    there.refresh()?;
    let mut wanted = vec![id.to_owned()];
    let mut at = Some(id.to_owned());
    while let Some(id) = at.take().filter(|_| wanted.len() < DEEP) {
        let Some(row) = parent.get(&id)? else { break };
        for edge in &row.issue.dependencies {
            let is_new = !wanted.contains(&edge.target);
            if edge.kind.is_parent_child() && is_new {
                at = Some(edge.target.clone());
            }
            if is_new {
                wanted.push(edge.target.clone());
            }
        }
    }
    let mut lines = Vec::new();
    for id in wanted {
        // What is in another repo is in no clone of this one.
        let Some(ours) = parent.get(&id)?.filter(|row| row.repo == 0) else { continue };
        let theirs = there.get(&id)?;
        if theirs.as_ref().is_none_or(|row| row.repo == 0 && row.line != ours.line) {
            lines.push((id, ours.line));
        }
    }
    put(there, lines)
}

/// Brings home what a workspace's ledger has and that of its parent has not. Gives the ids.
pub(super) fn bring_home(parent: &mut Store, worktree: &Worktree) -> Result<Vec<String>> {
    parent.refresh()?;
    let found = parent.unmerged_in(worktree)?;
    put(parent, found.into_iter().map(|one| (one.id, one.line)).collect())
}

/// The checkout of a workspace, as the family of its parent knows it.
pub(super) fn checkout_of(parent: &Store, workspace: &Workspace) -> Result<Option<Worktree>> {
    let all = parent.worktrees()?;
    Ok(all.into_iter().find(|one| one.exists && one.root.to_str() == Some(workspace.path.as_str())))
}

/// Puts lines into the project's own ledger, joined with what is there.
fn put(store: &mut Store, lines: Vec<(String, String)>) -> Result<Vec<String>> {
    if lines.is_empty() {
        return Ok(Vec::new());
    }
    let mut transaction = store.begin(Scope::Repos(vec![0]))?;
    transaction.store().refresh()?;
    let mut ids = Vec::new();
    for (id, line) in lines {
        let line = match transaction.store().get(&id)? {
            Some(row) if row.line == line => continue,
            Some(row) => {
                let dialect = DialectEvidence::of(&row.line).or(Default::default());
                join_copies(&line, &row.line, dialect).unwrap_or(line)
            }
            None => line,
        };
        match transaction.stage(Write::Put { id: id.clone(), line, repo: 0 }) {
            Ok(()) => ids.push(id),
            // Who may not write the project has written nothing there.
            Err(StoreError::ReadOnly { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    for answer in transaction.commit()? {
        answer.map_err(WriteError::into_store)?;
    }
    Ok(ids)
}
