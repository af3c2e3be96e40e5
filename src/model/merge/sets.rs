//! Lists that are sets: labels, dependencies, comments.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::meaning;
use super::side::{Side, Stamp};
use crate::model::dependency::Dependency;
use crate::model::json::{Dialect, decode_string, elements};
use crate::model::record::Record;
use crate::model::time::Instant;

/// The author of comments that keep a losing value.
pub(super) const AUTHOR: &str = "bd merge";

type Identity = fn(&str) -> String;

/// The elements of a raw list with their identities, without repetitions, in the order of the list.
struct Set<'a> {
    order: Vec<String>,
    raw: BTreeMap<String, &'a str>,
}

impl<'a> Set<'a> {
    fn read(raw: Option<&'a str>, identity: Identity) -> Self {
        let mut set = Set { order: Vec::new(), raw: BTreeMap::new() };
        let list = raw.unwrap_or("[]");
        let parts: Vec<&str> = match elements(list) {
            Ok(spans) => spans.into_iter().map(|span| &list[span]).collect(),
            Err(_) if super::fields::is_empty(Some(list)) => Vec::new(),
            // A value that is not a list counts as one element, so that it is not lost.
            Err(_) => vec![list],
        };
        for element in parts {
            let name = identity(element);
            match set.raw.get_mut(&name) {
                Some(known) => *known = (*known).max(element),
                None => {
                    set.order.push(name.clone());
                    set.raw.insert(name, element);
                }
            }
        }
        set
    }

    fn has(&self, name: &str) -> bool {
        self.raw.contains_key(name)
    }
}

/// One element on both sides: a changed one wins over one in another spelling, that over the base's, and among equals
/// the greater bytes win.
fn element<'a>(base: Option<&'a str>, one: Option<&'a str>, other: Option<&'a str>) -> Option<&'a str> {
    let weight = |side: Option<&'a str>| {
        let is_same = base.map(meaning) == side.map(meaning);
        (!is_same, side != base, side)
    };
    if weight(one) >= weight(other) { one } else { other }
}

/// A set that both sides changed: each side's additions and removals, in the base's order, then the new elements
/// sorted.
pub(super) fn merge(
    base: Option<&str>,
    one: Option<&str>,
    other: Option<&str>,
    dialect: Dialect,
    identity: Identity,
) -> Option<String> {
    let merged = merged(base, one, other, identity);
    (!merged.is_empty()).then(|| dialect.array(merged.iter().map(String::as_str)))
}

/// Labels that both sides changed, in the order that every edit writes: sorted, values that are not text last.
pub(super) fn labels(base: Option<&str>, one: Option<&str>, other: Option<&str>, dialect: Dialect) -> Option<String> {
    let mut merged = merged(base, one, other, label_identity);
    merged.sort_by_cached_key(|raw| (!raw.starts_with('"'), label_identity(raw)));
    (!merged.is_empty()).then(|| dialect.array(merged.iter().map(String::as_str)))
}

fn merged(base: Option<&str>, one: Option<&str>, other: Option<&str>, identity: Identity) -> Vec<String> {
    let [base, one, other] = [base, one, other].map(|raw| Set::read(raw, identity));
    let added: BTreeSet<&String> = one.order.iter().chain(&other.order).filter(|name| !base.has(name)).collect();
    let names = base.order.iter().chain(added);
    let get = |set: &Set<'_>, name: &String| set.raw.get(name).copied().map(str::to_owned);
    names
        .filter_map(|name| {
            let [base, one, other] = [get(&base, name), get(&one, name), get(&other, name)];
            // An element is its identity: if one side removed it, it is gone, even if the other side rewrote it.
            if base.is_some() && (one.is_none() || other.is_none()) {
                return None;
            }
            element(base.as_deref(), one.as_deref(), other.as_deref()).map(str::to_owned)
        })
        .collect()
}

/// Comments that the merge itself writes.
#[derive(Debug, Default)]
pub(super) struct MergeComments {
    /// Comments that keep lost values.
    pub lost: Vec<String>,
    /// Comments that would keep a winning value. If an earlier merge wrote one of them, it is outdated.
    pub outdated: Vec<String>,
}

/// The comments of both sides and those that the merge adds; no comment of either side is dropped.
pub(super) fn comments(
    base: Option<&Side<'_>>,
    ours: &Side<'_>,
    theirs: &Side<'_>,
    own: &MergeComments,
    dialect: Dialect,
) -> Option<String> {
    let raw = |side: &Side<'_>| side.record.raw("comments").map(str::to_owned);
    let lists = [base.and_then(raw), raw(ours), raw(theirs)];
    let added = dialect.array(own.lost.iter().map(String::as_str));
    let [before, one, other] = &lists;
    let sets = [before, one, other].map(|raw| Set::read(raw.as_deref(), comment_identity));
    let [before, one_set, other_set] = &sets;
    let new = Set::read(Some(&added), comment_identity);
    let void: BTreeSet<String> = own.outdated.iter().map(|raw| comment_identity(raw)).collect();
    let all = one_set.order.iter().chain(&other_set.order).chain(&new.order);
    let all: BTreeSet<&String> = all.filter(|name| before.has(name) || !void.contains(*name)).collect();
    let get = |name: &String| {
        let [base, one, other] = [before, one_set, other_set].map(|set| set.raw.get(name).copied());
        let latest = || [one, other].into_iter().flatten().max_by_key(|raw| (created(raw), *raw));
        let known = latest().filter(|raw| is_own(raw)).or_else(|| element(base, one.or(other), other.or(one)));
        let added = new.raw.get(name).copied();
        // A value lost twice is kept once, with the later time; a comment that already says it keeps its bytes.
        let is_later = known.map(created) < added.map(created);
        added.filter(|_| is_later).or(known).unwrap_or_default()
    };
    let mut names: Vec<&String> = before.order.iter().filter(|name| all.contains(name)).collect();
    let mut fresh: Vec<&String> = all.iter().copied().filter(|name| !before.has(name)).collect();
    fresh.sort_by_cached_key(|name| (created(get(name)), get(name).to_owned()));
    names.extend(fresh);
    let canonical = names.iter().map(|name| get(name)).collect::<Vec<_>>();
    let canonical = dialect.array(canonical);
    // A side that has every comment keeps its order; of two such sides, the one that reordered.
    let has_all = |set: &Set<'_>| {
        set.raw.len() == all.len() && all.iter().all(|name| set.raw.get(*name).copied() == Some(get(name)))
    };
    let complete = [(one, one_set), (other, other_set)].into_iter().filter(|(_, set)| has_all(set));
    let arranged = complete.map(|(raw, _)| raw).max_by_key(|raw| {
        let new = base.is_none() || *raw != &lists[0];
        let is_present = raw.as_deref().is_some_and(|raw| raw != "null");
        (new, is_present, raw.as_ref() != Some(&canonical), raw.as_ref())
    });
    arranged.cloned().unwrap_or(Some(canonical))
}

/// When a side last added comments that neither the base nor the other side has, as far as its line shows.
pub(super) fn adds_comments<'a>(base: Option<&Side<'_>>, side: &'a Side<'_>, other: &Side<'_>) -> Option<&'a Stamp> {
    let set = |raw| Set::read(raw, comment_identity);
    let known = [base.and_then(|base| base.record.raw("comments")), other.record.raw("comments")].map(set);
    let now = set(side.record.raw("comments"));
    let is_new = |name: &String| !known.iter().any(|set| set.has(name)) && !is_own(now.raw[name]);
    now.order.iter().any(is_new).then(|| side.stamp("comments"))
}

/// Whether a merge added this comment; it does not count as an edit.
pub fn is_own(raw: &str) -> bool {
    Record::parse_part(raw).is_ok_and(|record| record.string("author").as_deref() == Some(AUTHOR))
}

fn created(raw: &str) -> Option<Instant> {
    let record = Record::parse_part(raw).ok()?;
    record.time("created_at")
}

pub(super) fn label_identity(raw: &str) -> String {
    decode_string(raw).map_or(raw.to_owned(), |text| text.into_owned())
}

pub(super) fn edge_identity(raw: &str) -> String {
    Dependency::decode(raw).map_or(raw.to_owned(), |d| format!("{}\u{0}{}", d.target, d.kind))
}

pub(super) fn comment_identity(raw: &str) -> String {
    let Ok(record) = Record::parse_part(raw) else { return raw.to_owned() };
    let Some(text) = record.string("text") else { return raw.to_owned() };
    let part = |key| record.raw(key).unwrap_or_default().to_owned();
    // A merge's comment has one identity, whenever the value was lost.
    if is_own(raw) {
        return format!("{}\u{0}{}\u{0}{text}", part("id"), part("author"));
    }
    // A time that cannot be read still tells two comments apart.
    let time = record.time("created_at").map(|at| at.wide_nanos().to_string());
    let time = time.unwrap_or_else(|| part("created_at"));
    format!("{}\u{0}{}\u{0}{text}\u{0}{time}", part("id"), part("author"))
}
