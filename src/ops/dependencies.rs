//! Dependencies between issues.

use std::collections::HashSet;

use super::{OpError, Result};
use crate::model::change::{Change, ChangeError};
use crate::model::dependency::DependencyType;
use crate::store::{Row, Scope, Store, StoreError, Write, WriteError, Written};

/// Reads `type:id` or `id`; without a type it blocks. `external:project:capability` is a target, not a type.
pub fn parse_dependency(text: &str) -> Result<(DependencyType, String)> {
    match text.split_once(':') {
        Some(("external", _)) | None => Ok((DependencyType::blocks(), text.trim().to_owned())),
        Some((kind, target)) => {
            let kind = DependencyType::typed(kind).ok_or_else(|| OpError::DependencyType(kind.to_owned()))?;
            Ok((kind, target.trim().to_owned()))
        }
    }
}

/// Makes one issue depend on another. Cycles are refused on what is on disk at that moment.
pub fn add_dependency(
    store: &mut Store,
    dependent: &str,
    target: &str,
    kind: DependencyType,
) -> Result<(Written, String)> {
    let dependent = store.resolve(dependent)?;
    let target = if target.starts_with("external:") { target.to_owned() } else { store.resolve(target)? };
    if dependent == target {
        return Err(StoreError::from(ChangeError::SelfDependency(dependent)).into());
    }
    // That no circle closes must hold over all repos.
    let scope = if kind.orders_work() { Scope::All } else { Scope::Issues(vec![dependent.clone()]) };
    let mut transaction = store.begin(scope)?;
    if kind.orders_work() {
        transaction.refuse_cycle(&dependent, &target, kind.is_parent_child())?;
    }
    let change = Change::AddDependency { target: target.clone(), kind };
    transaction.stage(Write::Change { id: dependent, changes: vec![change] })?;
    Ok((only(transaction.commit()?)?, target))
}

/// Takes a dependency away, of one type or of every type.
pub fn remove_dependency(
    store: &mut Store,
    dependent: &str,
    target: &str,
    kind: Option<DependencyType>,
) -> Result<(Written, String)> {
    let dependent = store.resolve(dependent)?;
    let row = store.find(&dependent)?;
    // A target that no repo holds can still be named in full.
    let held = row.issue.dependencies.iter().any(|d| d.target == target);
    let target = if held { target.to_owned() } else { store.resolve(target)? };
    let mut transaction = store.begin(Scope::Issues(vec![dependent.clone()]))?;
    let change = Change::RemoveDependency { target: target.clone(), kind };
    transaction.stage(Write::Change { id: dependent.clone(), changes: vec![change] })?;
    let written = only(transaction.commit()?)?;
    if !written.changed {
        return Err(OpError::Usage(format!("{dependent} does not depend on {target}: dependency not found")));
    }
    Ok((written, target))
}

fn only(answers: Vec<std::result::Result<Written, WriteError>>) -> Result<Written> {
    let answer = answers.into_iter().next().expect("one write gives one answer");
    answer.map_err(|error| OpError::Store(error.into_store()))
}

/// One line of a dependency tree, in the order in which it is drawn.
#[derive(Debug, Clone)]
pub struct TreeNode {
    pub id: String,
    pub row: Option<Row>,
    pub depth: usize,
    /// The node above, empty for the root.
    pub parent: String,
    pub kind: String,
    /// It stands elsewhere in the tree already, or the depth is exhausted: what is below is not repeated.
    pub truncated: bool,
}

/// What an issue depends on, and what those depend on; or, reversed, what depends on it.
pub fn tree(store: &mut Store, root: &str, reverse: bool, max_depth: usize) -> Result<Vec<TreeNode>> {
    let row = store.find(root)?;
    let mut nodes = Vec::new();
    let mut seen = HashSet::new();
    let id = row.issue.id.clone();
    let root = TreeNode { id, row: Some(row), depth: 0, parent: String::new(), kind: String::new(), truncated: false };
    let mut work = vec![root];
    while let Some(mut node) = work.pop() {
        let edges = if reverse { store.dependents(&node.id)? } else { store.dependencies(&node.id)? };
        let first = seen.insert(node.id.clone());
        node.truncated = !edges.is_empty() && (!first || node.depth >= max_depth);
        if !node.truncated {
            for (edge, row) in edges.into_iter().rev() {
                let (depth, parent) = (node.depth + 1, node.id.clone());
                work.push(TreeNode { id: edge.id, row, depth, parent, kind: edge.kind, truncated: false });
            }
        }
        nodes.push(node);
    }
    Ok(nodes)
}
