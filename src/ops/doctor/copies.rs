//! One id for two issues: in two repos of the project, or joined by a merge.

use std::collections::{HashMap, HashSet};

use super::health::Report;
use crate::model::field::{Field, Kind, Travel};
use crate::model::merge::{same_value, was_joined};
use crate::model::proposal::Proposal;
use crate::model::record::Record;
use crate::model::{field, issue, proposal};
use crate::ops::Result;
use crate::store::Store;

pub(in crate::ops) fn check_copies(store: &mut Store, report: &mut Report) -> Result<()> {
    store.look_again()?;
    check_repos(store, report);
    check_joined(store, report);
    Ok(())
}

/// Reports issues whose copies in two repos have different texts, except the two copies of a proposal.
fn check_repos(store: &Store, report: &mut Report) {
    let documents = store.documents();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut reported: HashSet<String> = HashSet::new();
    for (n, (repo, _, document)) in documents.iter().enumerate() {
        for id in document.ids() {
            let first = *seen.entry(id.clone().into_owned()).or_insert(n);
            let (first_repo, _, other) = &documents[first];
            if first_repo == repo || !reported.insert(id.clone().into_owned()) {
                continue;
            }
            let lines = [(*first_repo, *other), (*repo, *document)]
                .map(|(repo, document)| (repo, document.effective_line(&id)));
            let [(one, Some(ours)), (two, Some(theirs))] = lines else { continue };
            let fields = differing(&ours, &theirs);
            if fields.is_empty() || is_proposal(store, one, &ours, &theirs) || is_proposal(store, two, &theirs, &ours) {
                continue;
            }
            let message =
                format!("{id} differs between {} and {}: {}", store.name(one), store.name(two), fields.join(", "));
            let remedy = format!("`bd show {id} --copies` shows both; the one in {} counts", store.name(one));
            report.warn(message).with(remedy);
        }
    }
}

/// The texts that both lines have but that differ. Deleted issues do not count.
fn differing(one: &str, other: &str) -> Vec<&'static str> {
    let (Ok(one), Ok(other)) = (Record::parse(one), Record::parse(other)) else { return Vec::new() };
    if [&one, &other].iter().any(|record| issue::status_of(record).is_tombstone()) {
        return Vec::new();
    }
    let both_have = |key: &&str| one.text_of(key).is_some() && other.text_of(key).is_some();
    // Two copies with different texts are two issues, or two versions.
    let texts = field::with(|row| row.kind == Kind::Text && row.travel == Travel::Shared).map(Field::key);
    texts.filter(both_have).filter(|key| !same_value(key, one.raw(key), other.raw(key))).collect()
}

/// The first line is the planning copy of an issue proposed to, or rejected in, the other's repo, or its companion.
fn is_proposal(store: &Store, repo: usize, planning: &str, other: &str) -> bool {
    let has = |line: &str, what: fn(&Record<'_>) -> bool| Record::parse(line).is_ok_and(|record| what(&record));
    store.is_planning(repo)
        && (has(planning, |record| Proposal::of(record).is_some() || proposal::is_companion(record))
            || has(other, proposal::is_turned_down))
}

/// Reports open issues in which a merge joined two that only shared their id.
fn check_joined(store: &Store, report: &mut Report) {
    for (_, ledger, document) in store.documents() {
        for n in 0..document.len() {
            let is_joined = std::str::from_utf8(document.text(n)).is_ok_and(was_joined);
            let Some(record) = is_joined.then(|| document.record(n)).flatten() else { continue };
            if issue::status_of(&record).is_done() {
                continue;
            }
            let id = record.string("id").unwrap_or_default();
            report
                .warn(format!("a merge joined two different issues with the id {id}"))
                .in_line(ledger.path(), n + 1)
                .with(format!("`bd comments {id}` shows the other one; file it again with `bd add`"));
        }
    }
}
