//! Issues in the order in which they can be worked on.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use super::{Result, not_deleted, not_done};
use crate::cache::{Sort, SortBy};
use crate::model::dependency::DependencyType;
use crate::store::{Row, Store};

/// A connected set of issues.
#[derive(Debug, Clone)]
pub struct Component {
    /// The requested issue, else an epic, else the most urgent one.
    pub root: String,
    /// By id.
    pub issues: BTreeMap<String, Row>,
    /// The issues within the set that each waits for.
    pub waits_for: BTreeMap<String, Vec<String>>,
    /// Issues of the first layer wait for none of the set; each other waits for one of the previous layer. Ids are
    /// sorted.
    pub layers: Vec<Vec<String>>,
    /// Issues in a cycle, or waiting for one; they form the last layer.
    pub circular: Vec<String>,
}

/// The graph of one issue with everything connected to it; or of all unfinished issues, largest component first.
pub fn graph(store: &Store, root: Option<&str>) -> Result<Vec<Component>> {
    let sort = Sort::by(SortBy::Id);
    let Some(typed) = root else {
        let rows = store.list(&not_done(), sort, None)?.rows;
        return Ok(components(rows.into_iter().map(|row| (row.issue.id.clone(), row)).collect()));
    };
    let root = store.find(typed)?;
    let all = store.list(&not_deleted(), sort, None)?.rows;
    let mut all: BTreeMap<String, Row> = all.into_iter().map(|row| (row.issue.id.clone(), row)).collect();
    all.insert(root.issue.id.clone(), root.clone());
    let down: HashMap<&str, Vec<&str>> = all.iter().map(|(id, row)| (id.as_str(), targets(row, |_| true))).collect();
    let mut up: HashMap<&str, Vec<&str>> = HashMap::new();
    for (id, targets) in &down {
        targets.iter().for_each(|target| up.entry(target).or_default().push(id));
    }
    let id = root.issue.id.as_str();
    let reached: BTreeSet<String> = [&down, &up]
        .iter()
        .flat_map(|edges| reach(id, edges))
        .filter(|id| all.contains_key(*id))
        .map(str::to_owned)
        .collect();
    let chosen: BTreeMap<String, Row> =
        all.iter().filter(|(id, _)| reached.contains(*id)).map(|(id, row)| (id.clone(), row.clone())).collect();
    Ok(vec![component(chosen, Some(root.issue.id.clone()))])
}

/// The targets of an issue's edges of some types.
fn targets(row: &Row, of: impl Fn(&DependencyType) -> bool) -> Vec<&str> {
    row.issue.dependencies.iter().filter(|edge| of(&edge.kind)).map(|edge| edge.target.as_str()).collect()
}

fn reach<'a>(from: &'a str, edges: &HashMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::from([from]);
    let mut work = vec![from];
    while let Some(id) = work.pop() {
        for next in edges.get(id).into_iter().flatten() {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    seen
}

/// Splits issues into sets connected by any dependency.
fn components(mut rows: BTreeMap<String, Row>) -> Vec<Component> {
    let mut edges: HashMap<&str, Vec<&str>> = HashMap::new();
    for (id, row) in &rows {
        for target in targets(row, |_| true).into_iter().filter(|target| rows.contains_key(*target)) {
            edges.entry(id).or_default().push(target);
            edges.entry(target).or_default().push(id);
        }
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut groups: Vec<Vec<String>> = Vec::new();
    for id in rows.keys() {
        if !seen.contains(id) {
            let group: Vec<String> = reach(id, &edges).into_iter().map(str::to_owned).collect();
            seen.extend(group.iter().cloned());
            groups.push(group);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let take = |ids: Vec<String>| ids.into_iter().filter_map(|id| rows.remove_entry(&id)).collect::<BTreeMap<_, _>>();
    groups.into_iter().map(take).map(|part| component(part, None)).collect()
}

fn component(issues: BTreeMap<String, Row>, root: Option<String>) -> Component {
    let waits = |row: &Row| -> Vec<String> {
        let all = targets(row, DependencyType::is_blocking).into_iter().filter(|id| issues.contains_key(*id));
        all.collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect()
    };
    let waits_for: BTreeMap<String, Vec<String>> = issues.iter().map(|(id, row)| (id.clone(), waits(row))).collect();
    let best = || {
        let rank = |row: &&Row| (row.issue.issue_type.as_str() != "epic", row.issue.priority, row.issue.id.clone());
        issues.values().min_by_key(rank).map(|row| row.issue.id.clone()).unwrap_or_default()
    };
    let root = root.unwrap_or_else(best);
    let (layers, circular) = layers(&waits_for);
    Component { root, issues, waits_for, layers, circular }
}

/// Each issue once, after everything it waits for.
fn layers(waits_for: &BTreeMap<String, Vec<String>>) -> (Vec<Vec<String>>, Vec<String>) {
    let mut left: HashMap<&str, usize> = waits_for.iter().map(|(id, all)| (id.as_str(), all.len())).collect();
    let mut waiting: HashMap<&str, Vec<&str>> = HashMap::new();
    for (id, targets) in waits_for {
        targets.iter().for_each(|target| waiting.entry(target).or_default().push(id));
    }
    let mut layer: HashMap<&str, usize> = HashMap::new();
    let mut work: VecDeque<&str> = waits_for.keys().map(String::as_str).filter(|id| left[id] == 0).collect();
    while let Some(id) = work.pop_front() {
        let own = *layer.entry(id).or_default();
        for next in waiting.get(id).into_iter().flatten() {
            let known = layer.entry(next).or_default();
            *known = (*known).max(own + 1);
            if let Some(count) = left.get_mut(next) {
                *count -= 1;
                if *count == 0 {
                    work.push_back(next);
                }
            }
        }
    }
    let (circular, done): (Vec<&str>, Vec<&str>) = waits_for.keys().map(String::as_str).partition(|id| left[id] > 0);
    let mut layers: Vec<Vec<String>> = Vec::new();
    for id in done {
        let at = layer.get(id).copied().unwrap_or_default();
        layers.resize(layers.len().max(at + 1), Vec::new());
        layers[at].push(id.to_owned());
    }
    let circular: Vec<String> = circular.into_iter().map(str::to_owned).collect();
    layers.extend((!circular.is_empty()).then(|| circular.clone()));
    (layers, circular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_waits_for_the_one_before() {
        let graph = |text: &str| -> BTreeMap<String, Vec<String>> {
            let line = |line: &str| {
                let (id, rest) = line.split_once(':').unwrap();
                (id.to_owned(), rest.split_whitespace().map(str::to_owned).collect())
            };
            text.split(',').map(line).collect()
        };
        let shown = |text: &str| {
            let (layers, circular) = layers(&graph(text));
            (layers.iter().map(|layer| layer.join(" ")).collect::<Vec<_>>().join(" | "), circular.join(" "))
        };
        assert_eq!(shown("a:,b:a,c:a b,d:"), ("a d | b | c".to_owned(), String::new()));
        assert_eq!(shown("a:b,b:a,c:"), ("c | a b".to_owned(), "a b".to_owned()));
        assert_eq!(shown("a:b,b:a,c:a"), ("a b c".to_owned(), "a b c".to_owned()));
    }
}
