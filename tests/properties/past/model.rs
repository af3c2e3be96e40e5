//! The slow model: every version of every issue, compared field by field with those of the parents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::made::History;

/// A change as the model tells it; `None` for what is not committed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    pub commit: Option<usize>,
    pub id: String,
    pub kind: &'static str,
    pub fields: Values,
}

pub type Fields = Map<String, Value>;

/// The values of fields before and after.
pub type Values = BTreeMap<String, (String, String)>;

pub fn parse(line: &str) -> Fields {
    match serde_json::from_str(line).unwrap() {
        Value::Object(fields) => fields,
        other => panic!("{other}"),
    }
}

/// A value in one spelling; what says nothing is nothing.
pub fn value(raw: &str) -> String {
    normal(&serde_json::from_str(raw).unwrap())
}

fn normal(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.is_empty() => String::new(),
        Value::Array(items) if items.is_empty() => String::new(),
        Value::Array(items) => {
            let sorted: BTreeSet<String> = items.iter().map(Value::to_string).collect();
            sorted.into_iter().collect::<Vec<_>>().join(",")
        }
        other => other.to_string(),
    }
}

fn field(issue: Option<&Fields>, key: &str) -> String {
    issue.and_then(|issue| issue.get(key)).map(normal).unwrap_or_default()
}

/// What becomes of an issue.
fn compare(before: &[Option<&Fields>], after: Option<&Fields>) -> Option<(&'static str, Values)> {
    let existed = before.iter().filter(|issue| issue.is_some()).count();
    let kind = match after {
        None if existed > 0 && existed == before.len() => "removed",
        None => return None,
        Some(_) if existed == 0 => "added",
        Some(_) => "changed",
    };
    let mut keys: BTreeSet<&String> = after.into_iter().flat_map(|issue| issue.keys()).collect();
    keys.extend(before.iter().flatten().flat_map(|issue| issue.keys()));
    let mut fields = BTreeMap::new();
    for key in keys.into_iter().filter(|key| *key != "id") {
        let now = field(after, key);
        let old: Vec<String> = before.iter().map(|issue| field(*issue, key)).collect();
        let changed = if old.is_empty() { !now.is_empty() } else { old.iter().all(|old| *old != now) };
        if changed {
            fields.insert(key.clone(), (old.into_iter().next().unwrap_or_default(), now));
        }
    }
    (kind != "changed" || !fields.is_empty()).then_some((kind, fields))
}

/// Every change of the history, or those of one issue.
pub fn told(history: &History, only: Option<&str>) -> Vec<Told> {
    let mut all = Vec::new();
    let ids = history.ids();
    let mut tell = |commit: Option<usize>, parents: &[usize], now: &BTreeMap<String, Fields>| {
        for id in ids.iter().filter(|id| only.is_none_or(|only| only == **id)) {
            let before: Vec<Option<&Fields>> = parents.iter().map(|n| history.commits[*n].issues.get(id)).collect();
            if let Some((kind, fields)) = compare(&before, now.get(id)) {
                all.push(Told { commit, id: id.clone(), kind, fields });
            }
        }
    };
    for (n, commit) in history.commits.iter().enumerate() {
        tell(Some(n), &commit.parents, &commit.issues);
    }
    tell(None, &[history.commits.len() - 1], &history.present);
    all
}

/// The commit that a value comes from: back from the tip, to the first parent that has it.
pub fn origin(history: &History, id: &str, key: &str) -> Option<usize> {
    let value = field(history.present.get(id), key);
    let has = |n: usize| {
        let issue = history.commits[n].issues.get(id);
        issue.is_some() && field(issue, key) == value
    };
    let mut at = history.commits.len() - 1;
    if !has(at) {
        return None;
    }
    while let Some(parent) = history.commits[at].parents.iter().copied().find(|parent| has(*parent)) {
        at = parent;
    }
    Some(at)
}

/// What is different between two commits.
pub fn difference(history: &History, from: usize, to: usize) -> BTreeMap<String, (&'static str, BTreeSet<String>)> {
    let (old, new) = (&history.commits[from].issues, &history.commits[to].issues);
    let changes = history.ids().into_iter().filter_map(|id| {
        let (kind, fields) = compare(&[old.get(&id)], new.get(&id))?;
        Some((id, (kind, fields.into_keys().collect())))
    });
    changes.collect()
}

/// The versions of an issue that a commit or a merge dropped.
pub fn ends<'a>(history: &'a History, id: &str) -> Vec<&'a Fields> {
    let mut ends: Vec<&Fields> = Vec::new();
    for commit in history.commits.iter().filter(|commit| !commit.issues.contains_key(id)) {
        let dropped = commit.parents.iter().filter_map(|parent| history.commits[*parent].issues.get(id));
        for issue in dropped {
            if !ends.contains(&issue) {
                ends.push(issue);
            }
        }
    }
    if let Some(issue) = history.commits.last().and_then(|tip| tip.issues.get(id)) {
        ends.push(issue);
    }
    ends
}
