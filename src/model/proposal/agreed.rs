//! Synchronizes the two copies of a proposed issue, based on the values that they last agreed on.
//!
//! The planning copy keeps the agreed values under a key of its own. They are the base of a merge by the rules of
//! [`merge_issue`]: a change on one side goes to the other; if both changed a value, the target's wins and the planning
//! copy keeps the other as a comment. A copy by an earlier version has no such key, and no base.

use std::collections::{BTreeMap, BTreeSet};

use super::Proposal;
use super::export::{Include, is_public, public_edge, public_status, shared_keys};
use crate::model::dependency::Dependency;
use crate::model::field::Field;
use crate::model::issue;
use crate::model::json::{Dialect, Json, elements};
use crate::model::merge::{self, AGREED, FIELD_TIMES, merge_issue};
use crate::model::record::{KeyEdit, Record};
use crate::model::time::{self, Instant};

/// Fields of both copies that an export does not copy verbatim.
const STATUS: &str = Field::Status.key();
const CLOSED_AT: &str = Field::Closed.key();
const EDGES: &str = Field::Dependencies.key();
const LABELS: &str = Field::Label.key();
const NOTES: &str = Field::Notes.key();

/// Raw values by key; empty ones are left out.
type Values = BTreeMap<&'static str, String>;

/// How two copies are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joining {
    /// Both become alike.
    Both,
    /// The target's copy does not change; it keeps values that only the planning copy has as comments.
    Accepted,
    /// Like `Both`, except for the status: a rejection closes the target's copy, which does not concern the plan.
    Rejected,
    /// The target's copy is dropped: other people's additions to it become comments on the planning copy.
    Withdrawn,
}

/// Two joined copies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Joined {
    /// The target's line, if it changes.
    pub target: Option<String>,
    /// The planning line, without the new state of the proposal and the newly agreed values.
    pub planning: String,
    /// Whether edits in the target reach the planning copy.
    pub takes_over: bool,
    /// Fields that both sides changed.
    pub clashes: Vec<String>,
    /// Fields that differ on purpose: the planning copy's values are private.
    pub held: Vec<String>,
}

/// What a join needs to know: which ids the target can see, and whether a line with this raw value would mention
/// something private.
pub struct Limits<'a> {
    pub include: Include,
    pub visible: &'a dyn Fn(&str) -> bool,
    pub is_private: &'a dyn Fn(&str) -> bool,
}

fn shared(include: Include) -> impl Iterator<Item = &'static str> {
    let notes = include.notes.then_some(NOTES);
    shared_keys().chain([STATUS, CLOSED_AT, EDGES]).chain(notes)
}

fn raw_of(record: &Record<'_>, key: &str) -> Option<String> {
    record.raw(key).filter(|raw| !matches!(*raw, "null" | "\"\"" | "[]")).map(str::to_owned)
}

/// The shared fields of the target's line.
fn of_target(target: &Record<'_>, include: Include, dialect: Dialect) -> Values {
    let mut values: Values = shared(include).filter_map(|key| Some((key, raw_of(target, key)?))).collect();
    values.insert(STATUS, dialect.string(issue::status_of(target).as_str()));
    values
}

/// The same for the planning copy. That work has started stays private, unless the target knows it.
fn of_planning(
    planning: &Record<'_>,
    include: Include,
    known: &[Option<&String>],
    visible: impl Fn(&str) -> bool,
    dialect: Dialect,
) -> Values {
    let mut values: Values = shared(include).filter_map(|key| Some((key, raw_of(planning, key)?))).collect();
    let status = issue::status_of(planning);
    let own = dialect.string(status.as_str());
    let status = if known.contains(&Some(&own)) { own } else { dialect.string(public_status(status.as_str())) };
    values.insert(STATUS, status);
    values.remove(EDGES);
    let id = planning.string("id").unwrap_or_default();
    let edges: Vec<String> = planning
        .elements(EDGES)
        .into_iter()
        .filter_map(|raw| Some((Dependency::decode(raw)?, raw)))
        .filter(|(edge, _)| visible(&edge.target))
        .map(|(edge, raw)| public_edge(&id, &edge, raw, dialect))
        .collect();
    if !edges.is_empty() {
        values.insert(EDGES, dialect.array(edges.iter().map(String::as_str)));
    }
    values
}

/// The agreed values as the planning copy records them.
fn of_record(planning: &Record<'_>, include: Include) -> Option<Values> {
    let agreed = Record::parse_part(planning.raw(AGREED)?).ok()?;
    Some(shared(include).filter_map(|key| Some((key, raw_of(&agreed, key)?))).collect())
}

/// Whether the planning copy records the agreed values.
pub fn has_base(planning: &Record<'_>) -> bool {
    of_record(planning, Include::default()).is_some()
}

fn same(key: &str, one: Option<&String>, other: Option<&String>) -> bool {
    match key {
        EDGES => names_of(one) == names_of(other),
        _ => merge::same_value(key, one.map(String::as_str), other.map(String::as_str)),
    }
}

/// The identities of edges or labels.
fn names_of(raw: Option<&String>) -> BTreeSet<String> {
    parts_of(raw).into_iter().map(|part| merge::element_identity(EDGES, part)).collect()
}

fn parts_of(raw: Option<&String>) -> Vec<&str> {
    let list = raw.map_or("[]", String::as_str);
    elements(list).map(|spans| spans.into_iter().map(|span| &list[span]).collect()).unwrap_or_default()
}

/// The value of the key for what the copies agree on now: where they differ, the values agreed before. `None` if those
/// are unknown.
pub fn agreed(planning: &Record<'_>, target: &Record<'_>, dialect: Dialect) -> Option<String> {
    let include = Proposal::of(planning).map(|proposal| Include::of(&proposal)).unwrap_or_default();
    let before = of_record(planning, include);
    let theirs = of_target(target, include, dialect);
    let known = [before.as_ref().and_then(|before| before.get(STATUS)), theirs.get(STATUS)];
    let edges: Vec<String> = issue::dependencies_of(target).into_iter().map(|edge| edge.target).collect();
    // A private edge is never agreed; one that only the planning copy has is not agreed yet.
    let visible = |id: &str| edges.iter().any(|known| known == id);
    let ours = of_planning(planning, include, &known, visible, dialect);
    let mut values = Values::new();
    for key in shared(include) {
        let value = match key {
            LABELS | EDGES if before.is_some() => {
                let set = |values: &Values| -> BTreeMap<String, String> {
                    let parts = parts_of(values.get(key)).into_iter();
                    parts.map(|part| (merge::element_identity(key, part), part.to_owned())).collect()
                };
                let [ours, theirs, before] = [&ours, &theirs, before.as_ref().unwrap_or(&Values::new())].map(set);
                let mut all = before.clone();
                all.extend(theirs.clone());
                all.retain(|name, _| match (ours.contains_key(name), theirs.contains_key(name)) {
                    (true, true) => true,
                    (false, false) => false,
                    _ => before.contains_key(name),
                });
                (!all.is_empty()).then(|| dialect.array(all.values().map(String::as_str)))
            }
            _ if same(key, ours.get(key), theirs.get(key)) => theirs.get(key).cloned(),
            _ => before.as_ref()?.get(key).cloned(),
        };
        values.extend(value.map(|value| (key, value)));
    }
    let members = values.into_iter().map(|(key, raw)| (key.to_owned(), Json::Raw(raw))).collect();
    Some(dialect.render(&Json::Object(members)))
}

/// Joins two copies on the base in the planning copy; `None` without a base.
pub fn join(
    planning: &Record<'_>,
    target: &Record<'_>,
    joining: Joining,
    limits: &Limits<'_>,
    now: Instant,
    dialect: Dialect,
) -> Option<Joined> {
    let include = limits.include;
    let mut base = of_record(planning, include)?;
    let mut theirs = of_target(target, include, dialect);
    let known = [base.get(STATUS), theirs.get(STATUS)];
    let mut ours = of_planning(planning, include, &known, limits.visible, dialect);
    if joining == Joining::Rejected {
        [STATUS, CLOSED_AT].iter().for_each(|key| drop((base.remove(key), ours.remove(key), theirs.remove(key))));
    }
    let keeps_back = |key: &&str| {
        let raw = ours.get(key).filter(|_| !same(key, ours.get(key), theirs.get(key)));
        joining == Joining::Both && raw.is_some_and(|raw| (limits.is_private)(raw))
    };
    let held: Vec<&'static str> = shared(include).filter(keeps_back).collect();
    for key in &held {
        drop((base.remove(key), ours.remove(key), theirs.remove(key)));
    }
    // A line from an older branch is behind the agreed values: the planning copy does not give up its values for it.
    if is_behind(planning, target) {
        base.retain(|key, value| {
            let (one, other) = (ours.get(key), theirs.get(key));
            same(key, one, other) || !same(key, Some(value), one)
        });
    }
    let id = planning.string("id").unwrap_or_default();
    let at = |record: &Record<'_>| record.time("updated_at");
    // In a clash the later value wins, and here that is the target's.
    let edited = at(planning).unwrap_or(Instant::from_nanos(0));
    let later = time::after(Some(edited), at(target).unwrap_or(edited));
    let line = |values: &Values, at: Instant, comments: Option<&str>| {
        let mut members = vec![("id".to_owned(), Json::Text(id.to_string()))];
        members.push(("updated_at".to_owned(), Json::Text(at.to_string())));
        members.extend(values.iter().map(|(key, raw)| ((*key).to_owned(), Json::Raw(raw.clone()))));
        members.extend(comments.map(|raw| ("comments".to_owned(), Json::Raw(raw.to_owned()))));
        dialect.render(&Json::Object(members))
    };
    let lines = [
        line(&base, Instant::from_nanos(0), None),
        line(&ours, edited, planning.raw("comments")),
        line(&theirs, later, target.raw("comments")),
    ];
    let merged = merge_issue(Some(&lines[0]), &lines[1], &lines[2], dialect)?;
    let result = Record::parse(&merged.line).ok()?;
    let mut values: Values = shared(include).filter_map(|key| Some((key, raw_of(&result, key)?))).collect();
    let mut comments: Vec<String> = result.elements("comments").into_iter().map(str::to_owned).collect();
    if joining == Joining::Accepted {
        // The target's values win. Its edges are in the planning copy too, beside private ones.
        for key in shared(include).filter(|key| *key != EDGES) {
            let mine = ours.get(key).filter(|_| !same(key, values.get(key), theirs.get(key)));
            let kept = mine.filter(|_| key != CLOSED_AT).map(|raw| merge::kept(&id, key, raw, edited, dialect));
            comments.extend(kept.filter(|kept| !comments.contains(kept)));
            values.remove(key);
            values.extend(theirs.get(key).map(|raw| (key, raw.clone())));
        }
    }
    let mut left: Vec<&str> = if include.notes { Vec::new() } else { vec![NOTES] };
    let others: Vec<_> = target.iter().collect();
    if joining == Joining::Withdrawn {
        let is_theirs = |key: &&str| !is_public(key) && ![NOTES, "comments", FIELD_TIMES].contains(key);
        left.extend(others.iter().map(|(key, _)| key.as_ref()).filter(is_theirs));
    }
    for key in left {
        let raw = raw_of(target, key).filter(|raw| !merge::same_value(key, Some(raw), planning.raw(key)));
        let is_known = |raw: &String| {
            let part = raw.trim_matches('"');
            key == NOTES && planning.raw(NOTES).is_some_and(|notes| notes.contains(part))
        };
        let kept = raw.filter(|raw| !is_known(raw)).map(|raw| merge::kept(&id, key, &raw, later, dialect));
        let name = |raw: &str| merge::element_identity("comments", raw);
        comments.extend(kept.filter(|kept| !comments.iter().any(|known| name(known) == name(kept))));
    }
    let mut joined = Joined {
        clashes: merged.clashes.into_iter().map(|clash| clash.field).collect(),
        held: held.iter().map(|key| (*key).to_owned()).collect(),
        ..Joined::default()
    };
    let is_open =
        |key: &&str| !held.contains(key) && (joining != Joining::Rejected || ![STATUS, CLOSED_AT].contains(key));
    let open: Vec<&'static str> = shared(include).filter(is_open).collect();
    if joining == Joining::Both {
        let mut edits: Vec<KeyEdit> = Vec::new();
        for key in open.iter().copied().filter(|key| !same(key, values.get(key), theirs.get(key))) {
            let value = match key {
                EDGES => edges(target, values.get(EDGES), &|_| false, dialect),
                _ => values.get(key).cloned(),
            };
            edits.push((key, value));
        }
        if include.comments {
            let known = target.elements("comments");
            let new =
                comments.iter().map(String::as_str).filter(|raw| !known.contains(raw) && !merge::is_merge_comment(raw));
            let all: Vec<&str> = known.iter().copied().chain(new).collect();
            edits.extend((all.len() > known.len()).then(|| ("comments", Some(dialect.array(all)))));
        }
        if !edits.is_empty() {
            let updated = dialect.string(&time::after(at(target), now).to_string());
            edits.extend([("updated_at", Some(updated)), (FIELD_TIMES, None)]);
            joined.target = Some(target.with(&edits, dialect));
        }
    }
    let mut edits: Vec<KeyEdit> = Vec::new();
    for key in open.into_iter().filter(|key| !same(key, values.get(key), ours.get(key))) {
        let value = match key {
            EDGES => edges(planning, values.get(EDGES), &|id| !(limits.visible)(id), dialect),
            _ => values.get(key).cloned(),
        };
        edits.push((key, value));
    }
    joined.takes_over = !edits.is_empty();
    let elements: Vec<&str> = comments.iter().map(String::as_str).collect();
    if elements != planning.elements("comments") {
        edits.push(("comments", (!elements.is_empty()).then(|| dialect.array(elements))));
    }
    joined.planning = if edits.is_empty() { planning.text().to_owned() } else { planning.with(&edits, dialect) };
    Some(joined)
}

/// The edges of a copy after a join: its remaining ones with their bytes, then the new ones.
fn edges(
    copy: &Record<'_>,
    joined: Option<&String>,
    is_private: &dyn Fn(&str) -> bool,
    dialect: Dialect,
) -> Option<String> {
    let left = names_of(joined);
    let stays = |raw: &&str| {
        Dependency::decode(raw).is_none_or(|edge| is_private(&edge.target))
            || left.contains(&merge::element_identity(EDGES, raw))
    };
    let own: Vec<&str> = copy.elements(EDGES).into_iter().filter(stays).collect();
    let known: BTreeSet<String> = own.iter().map(|raw| merge::element_identity(EDGES, raw)).collect();
    let new = parts_of(joined).into_iter().filter(|raw| !known.contains(&merge::element_identity(EDGES, raw)));
    let all: Vec<&str> = own.iter().copied().chain(new).collect();
    (!all.is_empty()).then(|| dialect.array(all))
}

/// Whether the target's line is older than the one with which the planning copy was last in sync.
fn is_behind(planning: &Record<'_>, target: &Record<'_>) -> bool {
    let synced = Proposal::of(planning).and_then(|proposal| proposal.synced).and_then(|text| Instant::parse(&text));
    let at = target.time("updated_at");
    synced.is_some_and(|synced| at.is_some_and(|at| at < synced))
}
