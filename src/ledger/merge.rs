//! Merges two versions of a ledger, with their base.
//!
//! A pure function of bytes: no lock, no settings, no clock. Issues are merged one by one (see `model::merge`); every
//! other line counts as one element of a set, and is placed below the issues. Laws: the sides can be swapped; a side
//! that equals the base gives the other one byte for byte; merging a result with one of its sides changes nothing. No
//! marker is ever written, and no line is lost except one that a side removed and the other left unchanged. A line that
//! is damaged on a side does not count as removed there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::document::{Document, EMPTIED};
use super::line::{Line, leading_id};
use crate::model::json::Dialect;
use crate::model::merge::{Clash, join_copies, means_same, merge_issue};

/// The merge of an issue that both sides changed, or that one changed and the other removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    pub id: String,
    /// Keys whose value comes from ours and from theirs, if it differs from the base.
    pub from_ours: Vec<String>,
    pub from_theirs: Vec<String>,
    pub clashes: Vec<Clash>,
    /// Whether a side had removed the issue, and the other side's edit brought it back.
    pub revived: bool,
}

impl MergedLine {
    /// Adds the result of a later merge of the same issue.
    fn add(&mut self, later: MergedLine) {
        for (fields, more) in [(&mut self.from_ours, later.from_ours), (&mut self.from_theirs, later.from_theirs)] {
            for field in more {
                if !fields.contains(&field) {
                    fields.push(field);
                }
            }
        }
        self.clashes.retain(|clash| !later.clashes.contains(clash));
        self.clashes.extend(later.clashes);
        self.revived |= later.revived;
    }
}

/// Adds the results of later merges, so that each issue is reported once.
pub fn add_lines(lines: &mut Vec<MergedLine>, later: Vec<MergedLine>) {
    let mut places: HashMap<String, usize> = lines.iter().enumerate().map(|(n, line)| (line.id.clone(), n)).collect();
    for line in later {
        match places.get(&line.id) {
            Some(place) => lines[*place].add(line),
            None => {
                places.insert(line.id.clone(), lines.len());
                lines.push(line);
            }
        }
    }
}

/// A merged ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    pub bytes: Vec<u8>,
    pub lines: Vec<MergedLine>,
}

/// Merges two versions of a ledger that grew from a common one; an empty base means none.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let whole = |bytes: &[u8]| Merged { bytes: bytes.to_vec(), lines: Vec::new() };
    if ours == theirs || theirs == base {
        return whole(ours);
    }
    if ours == base {
        return whole(theirs);
    }
    let documents = [base, ours, theirs].map(|bytes| Document::new(bytes.to_vec()));
    let usual = usual(&documents);
    let [base, ours, theirs] = documents.each_ref().map(|document| Parts::of(document, usual));
    let mut lines = Vec::new();
    let mut issues: BTreeMap<&str, String> = BTreeMap::new();
    let ids: BTreeSet<&str> = ours.issues.keys().chain(theirs.issues.keys()).map(String::as_str).collect();
    for id in ids {
        let [before, one, other] = [&base, &ours, &theirs].map(|parts| parts.issues.get(id).map(Cow::as_ref));
        let line = match (one, other) {
            (Some(one), Some(other)) => {
                let merged = merge_issue(before, one, other, usual);
                let merged = merged.expect("lines of issues are records");
                if !merged.ours.is_empty() && !merged.theirs.is_empty() || !merged.clashes.is_empty() {
                    let (from_ours, from_theirs) = (merged.ours, merged.theirs);
                    let (id, clashes) = (id.to_owned(), merged.clashes);
                    lines.push(MergedLine { id, from_ours, from_theirs, clashes, revived: false });
                }
                Some(merged.line)
            }
            (Some(left), None) | (None, Some(left)) => match before {
                Some(before) if means_same(before, left) && !ours.is_torn(id) && !theirs.is_torn(id) => None,
                before => {
                    let (id, none) = (id.to_owned(), Vec::new);
                    let line =
                        MergedLine { id, from_ours: none(), from_theirs: none(), clashes: Vec::new(), revived: true };
                    lines.extend(before.map(|_| line));
                    Some(left.to_owned())
                }
            },
            (None, None) => None,
        };
        issues.extend(line.map(|line| (id, line)));
    }
    let bytes = written(&documents, &base, issues, &opaque(&base.opaque, &ours.opaque, &theirs.opaque));
    // Both sides only reordered the base. The base itself would yield to either in another merge.
    let [before, sides @ ..] = &documents;
    let arranged = sides.iter().min_by_key(|side| (side.len(), side.bytes())).filter(|_| bytes == before.bytes());
    Merged { bytes: arranged.map_or(bytes, |side| side.bytes().to_vec()), lines }
}

/// How the merge escapes the strings that it writes.
fn usual([base, ours, theirs]: &[Document; 3]) -> Dialect {
    if !base.is_empty() {
        return base.dialect();
    }
    let (one, other) = (ours.dialect(), theirs.dialect());
    Dialect { html: one.html && other.html, spaced: one.spaced && other.spaced }
}

/// The lines of one version.
struct Parts<'a> {
    /// By id. Copies of one issue count as their join.
    issues: BTreeMap<String, Cow<'a, str>>,
    /// Ids in file order.
    order: Vec<String>,
    /// All other lines, in file order, without blank ones.
    opaque: Vec<&'a [u8]>,
}

impl<'a> Parts<'a> {
    /// Whether a damaged line has this id: the issue was damaged, not removed.
    fn is_torn(&self, id: &str) -> bool {
        self.opaque.iter().any(|line| leading_id(line) == Some(id))
    }

    fn of(document: &'a Document, usual: Dialect) -> Self {
        let mut parts = Parts { issues: BTreeMap::new(), order: Vec::new(), opaque: Vec::new() };
        let mut copies: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
        for n in 0..document.len() {
            match document.line(n) {
                Line::Issue(record) => {
                    let id = record.string("id").unwrap_or_default().into_owned();
                    let known = copies.entry(id.clone()).or_default();
                    if known.is_empty() {
                        parts.order.push(id);
                    }
                    known.push(record.text());
                }
                Line::Blank => {}
                Line::Other | Line::Damaged(_) => parts.opaque.push(document.text(n)),
            }
        }
        for (id, mut lines) in copies {
            let line = if let [one] = lines.as_slice() {
                Cow::Borrowed(*one)
            } else {
                // In byte order, so that every clone makes the same line.
                lines.sort_unstable();
                let join = |one: Cow<'a, str>, other: Cow<'a, str>| {
                    Cow::Owned(join_copies(&one, &other, usual).expect("lines of issues are records"))
                };
                lines.into_iter().map(Cow::Borrowed).reduce(join).unwrap_or_default()
            };
            parts.issues.insert(id, line);
        }
        parts
    }
}

/// Merges the lines that are not issues: each side's additions and removals, with the base's lines in its order.
fn opaque<'a>(base: &[&'a [u8]], ours: &[&'a [u8]], theirs: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let (before, one, other) = (counts(base), counts(ours), counts(theirs));
    let count = |of: &BTreeMap<&[u8], usize>, line: &[u8]| of.get(line).copied().unwrap_or(0);
    let wanted = |line: &[u8]| {
        let (then, a, b) = (count(&before, line), count(&one, line), count(&other, line));
        if a == then {
            b
        } else if b == then {
            a
        } else {
            a.max(b)
        }
    };
    let mut left: BTreeMap<&[u8], usize> = base.iter().map(|line| (*line, wanted(line))).collect();
    let mut take =
        |line: &&&'a [u8]| left.get_mut(**line).is_some_and(|n| n.checked_sub(1).map(|less| *n = less).is_some());
    let mut result: Vec<&[u8]> = base.iter().filter(|line| take(line)).copied().collect();
    let fresh = |side: &[&'a [u8]]| {
        let mut known = before.clone();
        let mut is_new = |line: &&'a [u8]| match known.get_mut(*line) {
            Some(n) if *n > 0 => {
                *n -= 1;
                false
            }
            _ => true,
        };
        side.iter().copied().filter(|line| is_new(line)).collect::<Vec<_>>()
    };
    result.extend(joined(fresh(ours), fresh(theirs)));
    result
}

fn counts<'a>(lines: &[&'a [u8]]) -> BTreeMap<&'a [u8], usize> {
    lines.iter().fold(BTreeMap::new(), |mut counts, line| {
        *counts.entry(*line).or_default() += 1;
        counts
    })
}

/// Joins two runs of new lines: one of them if it contains the other as it is, else all lines of both, sorted.
fn joined<'a>(one: Vec<&'a [u8]>, other: Vec<&'a [u8]>) -> Vec<&'a [u8]> {
    let (a, b) = (counts(&one), counts(&other));
    let holds = |whole: &BTreeMap<&[u8], usize>, part: &BTreeMap<&[u8], usize>| {
        part.iter().all(|(line, n)| whole.get(line).is_some_and(|m| m >= n))
    };
    match (holds(&a, &b), holds(&b, &a)) {
        (true, false) => one,
        (false, true) => other,
        (true, true) => std::cmp::max_by_key(one, other, |run| (!run.is_sorted(), run.clone())),
        (false, false) => {
            let mut all = a;
            for (line, n) in b {
                let known = all.entry(line).or_default();
                *known = n.max(*known);
            }
            all.into_iter().flat_map(|(line, n)| std::iter::repeat_n(line, n)).collect()
        }
    }
}

/// The merged lines as a file: sorted by id; if the base was unsorted, in its order with new lines below.
fn written(
    [before, ours, theirs]: &[Document; 3],
    base: &Parts<'_>,
    mut issues: BTreeMap<&str, String>,
    opaque: &[&[u8]],
) -> Vec<u8> {
    let chosen = |of: fn(&Document) -> bool| if of(ours) == of(before) { of(theirs) } else { of(ours) };
    let mut bytes = if chosen(Document::has_bom) { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
    let end: &[u8] = if chosen(|document| document.line_end() == b"\r\n") { b"\r\n" } else { b"\n" };
    let is_sorted = base.order.is_sorted();
    let mut put = |line: &[u8]| {
        bytes.extend_from_slice(line);
        bytes.extend_from_slice(end);
    };
    if !is_sorted {
        let kept = base.order.iter().filter_map(|id| issues.remove(id.as_str())).collect::<Vec<_>>();
        kept.iter().for_each(|line| put(line.as_bytes()));
    }
    issues.values().for_each(|line| put(line.as_bytes()));
    opaque.iter().for_each(|line| put(line));
    if bytes.is_empty() { EMPTIED.to_vec() } else { bytes }
}
