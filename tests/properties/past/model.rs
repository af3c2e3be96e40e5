//! The slow model: every version of every issue, compared field by field with those of the parents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::made::{History, Issues};

/// A change as the model tells it; `None` for what is not committed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Told {
    pub commit: Option<usize>,
    pub id: String,
    pub kind: &'static str,
    pub fields: Values,
}

pub type Fields = Map<String, Value>;

/// The values of fields before and after, and the side of a merge that won against another.
pub type Values = BTreeMap<String, (String, String, Option<usize>)>;

/// Derived values are not reported.
const SILENT: [&str; 1] = ["updated_at"];

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

/// An issue before a commit, and for a merge what it was in the commits where this side parted from the others.
struct Side<'a> {
    issue: Option<&'a Fields>,
    common: Vec<Option<&'a Fields>>,
}

impl Side<'_> {
    /// The side made the issue something else than it was where the sides parted: for every such commit.
    fn made_something(&self) -> bool {
        let differs = |then: &Option<&Fields>| match (self.issue, then) {
            (Some(issue), Some(then)) => {
                issue.keys().chain(then.keys()).any(|key| field(Some(issue), key) != field(Some(then), key))
            }
            (None, None) => false,
            _ => true,
        };
        self.common.iter().all(differs)
    }

    /// The same of one field, and a merge with this value has not taken it.
    fn gave_up(&self, key: &str, result: Option<&Fields>) -> bool {
        let lost = |then: &Option<&Fields>| {
            let [now, then, result] = [self.issue, *then, result].map(|issue| elements(issue, key));
            let is_set = key == "labels";
            let (came, went) = (now.difference(&then), then.difference(&now));
            if is_set {
                came.clone().any(|one| !result.contains(one)) || went.clone().any(|one| result.contains(one))
            } else {
                now != then && now != result
            }
        };
        !SILENT.contains(&key) && self.common.iter().all(lost)
    }
}

/// The elements of a set; another value is one.
fn elements(issue: Option<&Fields>, key: &str) -> BTreeSet<String> {
    match issue.and_then(|issue| issue.get(key)) {
        Some(Value::Array(items)) if key == "labels" => items.iter().map(Value::to_string).collect(),
        _ => Some(field(issue, key)).filter(|text| !text.is_empty()).or(absent(key)).into_iter().collect(),
    }
}

/// The default value of a missing field.
fn absent(key: &str) -> Option<String> {
    let told = [("status", "\"open\""), ("issue_type", "\"task\""), ("priority", "0")];
    told.iter().find(|(known, _)| *known == key).map(|(_, value)| (*value).to_owned())
}

/// What happened to an issue.
fn compare(before: &[Side<'_>], after: Option<&Fields>) -> Option<(&'static str, Values)> {
    let is_merge = before.len() > 1;
    let had: Vec<(usize, &Side<'_>)> = before.iter().enumerate().filter(|(_, side)| side.issue.is_some()).collect();
    let is_back = is_merge && before.iter().any(|side| side.issue.is_none() && side.made_something());
    let is_lost = is_merge && had.iter().any(|(_, side)| side.made_something());
    let kind = match after {
        None if had.is_empty() => return None,
        None if had.len() == before.len() || is_lost => "removed",
        None => return None,
        Some(_) if had.is_empty() || is_back => "added",
        Some(_) => "changed",
    };
    let mut keys: BTreeSet<&String> = after.into_iter().flat_map(|issue| issue.keys()).collect();
    keys.extend(had.iter().filter_map(|(_, side)| side.issue).flat_map(|issue| issue.keys()));
    let mut fields = Values::new();
    for key in keys.into_iter().filter(|key| *key != "id") {
        let now = field(after, key);
        let mut old = had.iter().map(|(_, side)| field(side.issue, key));
        let told = match kind {
            "added" => (!now.is_empty()).then_some((String::new(), None)),
            "removed" => old.find(|value| !value.is_empty()).map(|value| (value, None)),
            _ => match had.iter().find(|(_, side)| field(side.issue, key) == now) {
                None => Some((old.next().unwrap_or_default(), None)),
                Some((winner, _)) => {
                    let mut lost = had.iter().filter(|(_, side)| is_merge && side.gave_up(key, after));
                    lost.next().map(|(_, side)| (field(side.issue, key), Some(*winner)))
                }
            },
        };
        fields.extend(told.map(|(before, won)| (key.clone(), (before, now, won))));
    }
    (kind != "changed" || !fields.is_empty()).then_some((kind, fields))
}

/// Every change of the history, or those of one issue.
pub fn told(history: &History, only: Option<&str>) -> Vec<Told> {
    let mut all = Vec::new();
    let ids = history.ids();
    let mut tell = |commit: Option<usize>, parents: &[usize], now: &Issues| {
        let common: Vec<Vec<usize>> = (0..parents.len())
            .map(|n| if parents.len() > 1 { history.common(parents, n) } else { Vec::new() })
            .collect();
        for id in ids.iter().filter(|id| only.is_none_or(|only| only == **id)) {
            let issue = |n: &usize| history.commits[*n].issues.get(id);
            let sides = parents.iter().zip(&common);
            let before: Vec<Side<'_>> = sides
                .map(|(parent, common)| Side { issue: issue(parent), common: common.iter().map(issue).collect() })
                .collect();
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

/// The commit that a value comes from: back from a commit, to the first parent that has it.
fn origin(history: &History, from: usize, id: &str, key: &str, value: &str) -> Option<usize> {
    let has = |n: usize| {
        let issue = history.commits[n].issues.get(id);
        issue.is_some() && field(issue, key) == value
    };
    let mut at = from;
    if !has(at) {
        return None;
    }
    while let Some(parent) = history.commits[at].parents.iter().copied().find(|parent| has(*parent)) {
        at = parent;
    }
    Some(at)
}

/// For each field of an issue the commit that it comes from, and for those that it had once the commit that took them away.
pub fn blame(history: &History, from: usize, id: &str, issue: &Fields) -> BTreeMap<String, Option<usize>> {
    let is_there = |n: &usize| history.commits[*n].issues.contains_key(id);
    let mut told = BTreeMap::new();
    for key in issue.keys().filter(|key| *key != "id") {
        told.insert(key.clone(), origin(history, from, id, key, &field(Some(issue), key)));
    }
    for former in history.commits.iter().filter_map(|commit| commit.issues.get(id)) {
        for key in former.keys().filter(|key| !issue.contains_key(*key) && !field(Some(former), key).is_empty()) {
            let origin = origin(history, from, id, key, "");
            // Where the issue was not there before, it came without the field.
            let before = origin.map_or_else(|| vec![from], |n| history.commits[n].parents.clone());
            if before.iter().any(is_there) {
                told.insert(key.clone(), origin);
            }
        }
    }
    told
}

/// Where an issue is found, going back from a commit on every path.
pub fn found(history: &History, from: usize, id: &str) -> BTreeSet<usize> {
    let (mut found, mut seen, mut waiting) = (BTreeSet::new(), BTreeSet::new(), vec![from]);
    while let Some(n) = waiting.pop() {
        if history.commits[n].issues.contains_key(id) {
            found.insert(n);
        } else if seen.insert(n) {
            waiting.extend(&history.commits[n].parents);
        }
    }
    found
}

/// Whether an issue is closed, of one that has left what it was last; `None` if its last versions do not agree.
fn is_closed(history: &History, now: Option<&Issues>, at: usize, id: &str) -> Option<bool> {
    let closed = |issue: &Fields| issue.get("status").is_some_and(|status| status == "closed");
    if let Some(issue) = now.and_then(|now| now.get(id)) {
        return Some(closed(issue));
    }
    let last: BTreeSet<bool> = found(history, at, id).iter().map(|n| closed(&history.commits[*n].issues[id])).collect();
    match last.into_iter().collect::<Vec<_>>().as_slice() {
        [] => Some(false),
        [only] => Some(*only),
        _ => None,
    }
}

/// The issues closed since a commit; `None` for one whose state is ambiguous.
pub fn changelog(history: &History, since: usize) -> BTreeMap<String, Option<bool>> {
    let tip = history.commits.len() - 1;
    let told = history.ids().into_iter().map(|id| {
        let now = is_closed(history, Some(&history.present), tip, &id);
        let then = is_closed(history, None, since, &id);
        (id, now.zip(then).map(|(now, then)| now && !then))
    });
    told.collect()
}

/// The differences between two commits.
pub fn difference(history: &History, from: usize, to: usize) -> BTreeMap<String, (&'static str, BTreeSet<String>)> {
    let (old, new) = (&history.commits[from].issues, &history.commits[to].issues);
    let changes = history.ids().into_iter().filter_map(|id| {
        let before = Side { issue: old.get(&id), common: Vec::new() };
        let (kind, fields) = compare(&[before], new.get(&id))?;
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
