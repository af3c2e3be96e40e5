//! Dependencies between issues.

use std::collections::{HashMap, HashSet};

use super::{OpError, Result, Wish, dependency_type, revise};
use crate::model::change::{Change, ChangeError};
use crate::model::dependency::DependencyType;
use crate::store::{Row, Scope, Store, StoreError, Write, Written};

/// Parses `type:id` or `id`; the default type blocks. In `external:project:capability`, `external` is not a type.
pub fn parse_dependency(text: &str) -> Result<(DependencyType, String)> {
    match text.split_once(':') {
        Some(("external", _)) | None => Ok((DependencyType::blocks(), text.trim().to_owned())),
        Some((kind, target)) => Ok((dependency_type(kind)?, target.trim().to_owned())),
    }
}

/// Adds a dependency. Cycles are refused based on what is on disk at that moment.
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
    let change = Change::AddDependency { target: target.clone(), kind };
    Ok((revise(store, &dependent, &[Wish::Change(change)])?, target))
}

/// Removes a dependency, of one type or of every type.
pub fn remove_dependency(
    store: &mut Store,
    dependent: &str,
    target: &str,
    kind: Option<DependencyType>,
) -> Result<(Written, String)> {
    let dependent = store.resolve(dependent)?;
    let row = store.find(&dependent)?;
    // A target in no repo can still be named in full.
    let held = row.issue.dependencies.iter().any(|d| d.target == target);
    let target = if held { target.to_owned() } else { store.resolve(target)? };
    let written = store.change(&dependent, vec![Change::RemoveDependency { target: target.clone(), kind }])?;
    if !written.changed {
        return Err(OpError::NotFound(format!("{dependent} does not depend on {target}: dependency not found")));
    }
    Ok((written, target))
}

/// The types that only mean "see also".
const RELATED: [&str; 2] = ["relates-to", "related"];

/// Links two issues to each other, or removes every such link. Returns the ids, and whether anything changed.
pub fn relate(store: &mut Store, one: &str, other: &str, linked: bool) -> Result<(String, String, bool)> {
    let (one, other) = (store.resolve(one)?, store.resolve(other)?);
    if one == other {
        return Err(StoreError::from(ChangeError::SelfDependency(one)).into());
    }
    let mut transaction = store.begin(Scope::Issues(vec![one.clone(), other.clone()]))?;
    for (id, target) in [(&one, &other), (&other, &one)] {
        let changes = if linked {
            vec![Change::AddDependency { target: target.clone(), kind: DependencyType::new(RELATED[0]) }]
        } else {
            let remove =
                |kind| Change::RemoveDependency { target: target.clone(), kind: Some(DependencyType::new(kind)) };
            RELATED.map(remove).to_vec()
        };
        transaction.stage(Write::Change { id: id.clone(), changes })?;
    }
    // If one side is refused, the other is not written.
    transaction.rehearse()?;
    let mut changed = false;
    for answer in transaction.commit()? {
        changed |= answer.map_err(|error| OpError::Store(error.into_store()))?.changed;
    }
    Ok((one, other, changed))
}

/// One line of a dependency tree, in drawing order.
#[derive(Debug, Clone)]
pub struct TreeNode {
    pub id: String,
    pub row: Option<Row>,
    pub depth: usize,
    /// The parent node, empty for the root.
    pub parent: String,
    pub kind: String,
    /// Its subtree is not drawn here: it is drawn above, or the depth limit is reached.
    pub truncated: bool,
    /// Its subtree is drawn above.
    pub repeated: bool,
}

/// What an issue depends on, recursively; or, reversed, what depends on it.
pub fn tree(store: &Store, root: &str, reverse: bool, max_depth: usize) -> Result<Vec<TreeNode>> {
    let row = store.find(root)?;
    let mut nodes = Vec::new();
    // Whether each issue has a subtree, and which subtrees were drawn.
    let mut below: HashMap<String, bool> = HashMap::new();
    let mut drawn: HashSet<String> = HashSet::new();
    let node =
        |id, row, depth, parent, kind| TreeNode { id, row, depth, parent, kind, truncated: false, repeated: false };
    let mut work = vec![node(row.issue.id.clone(), Some(row), 0, String::new(), String::new())];
    while let Some(mut one) = work.pop() {
        let is_drawn = drawn.contains(&one.id);
        let is_known = is_drawn || one.depth >= max_depth && below.contains_key(&one.id);
        let mut edges = Vec::new();
        if !is_known {
            edges = if reverse { store.dependents(&one.id)? } else { store.dependencies(&one.id)? };
            below.insert(one.id.clone(), !edges.is_empty());
        }
        let has_more = below.get(&one.id).is_some_and(|has_more| *has_more);
        one.repeated = has_more && is_drawn;
        one.truncated = has_more && (is_drawn || one.depth >= max_depth);
        if !one.truncated {
            drawn.insert(one.id.clone());
            for (edge, row) in edges.into_iter().rev() {
                work.push(node(edge.id, row, one.depth + 1, one.id.clone(), edge.kind));
            }
        }
        nodes.push(one);
    }
    Ok(nodes)
}
