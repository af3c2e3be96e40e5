//! How being blocked flows down to children.

use std::collections::{HashMap, HashSet};

use crate::model::graph::Graph;

/// Of issues that have children and wait for something, those that wait for something which is not below them: issue, what it waits
/// for, and whether that has a parent; in the order of the issues.
pub(super) fn holding<E>(
    candidates: Vec<(String, String, bool)>,
    mut parents: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    let mut edges: Vec<(String, String)> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut work: Vec<String> =
        candidates.iter().filter(|(_, _, has_parent)| *has_parent).map(|(_, blocker, _)| blocker.clone()).collect();
    while let Some(child) = work.pop() {
        if seen.insert(child.clone()) {
            let found = parents(&child)?;
            work.extend(found.iter().cloned());
            edges.extend(found.into_iter().map(|parent| (child.clone(), parent)));
        }
    }
    let pairs: Vec<(&str, &str)> = candidates.iter().map(|(id, blocker, _)| (blocker.as_str(), id.as_str())).collect();
    let is_below = edges.into_iter().collect::<Graph>().joins(&pairs);
    let mut holding: Vec<String> =
        candidates.iter().zip(is_below).filter(|(_, below)| !below).map(|((id, ..), _)| id.clone()).collect();
    holding.dedup();
    Ok(holding)
}

/// What is below such issues. Blockedness flows down to children, but not from a blocker that is itself below the blocked ancestor:
/// an epic that waits for its own children must not stop them. Each step is taken at most twice, however parents and blockers are
/// knotted.
pub(super) fn inherited<E>(
    holding: &[String],
    mut open_children: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    // Of what flows down to an issue two origins are enough: one of them is not the issue itself.
    let mut origins: HashMap<String, Vec<usize>> = HashMap::new();
    let mut work: Vec<(String, usize)> = holding.iter().cloned().zip(0..).collect();
    while let Some((parent, origin)) = work.pop() {
        for child in open_children(&parent)? {
            let known = origins.entry(child.clone()).or_default();
            if known.len() < 2 && !known.contains(&origin) {
                known.push(origin);
                work.push((child, origin));
            }
        }
    }
    let is_held = |(id, from): &(String, Vec<usize>)| from.iter().any(|origin| holding[*origin] != *id);
    Ok(origins.into_iter().filter(is_held).map(|(id, _)| id).collect())
}
