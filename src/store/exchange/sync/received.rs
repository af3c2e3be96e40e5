//! The difference between two states of a working copy's ledgers.

use std::collections::HashSet;
use std::path::Path;

use crate::ledger::{Document, MAX_LEDGER};
use crate::store::file_names::other_name;
use crate::store::read::working_copies::WorkingCopy;
use crate::sys::below;

/// Sorted ids.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Received {
    pub added: Vec<String>,
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    /// Other lines or the order of lines changed.
    pub other: bool,
    /// The title, if only one issue changed.
    title: Option<String>,
}

impl Received {
    /// Adds what a later state changed.
    pub fn add(&mut self, later: Received) {
        let mut with = |into: fn(&mut Received) -> &mut Vec<String>, ids: Vec<String>| {
            into(self).extend(ids);
            into(self).sort();
            into(self).dedup();
        };
        with(|all| &mut all.added, later.added);
        with(|all| &mut all.changed, later.changed);
        with(|all| &mut all.removed, later.removed);
        self.other |= later.other;
    }

    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// The bytes of the ledgers; a renamed one is read under its new name, and a missing one is empty.
pub(super) fn read(copy: &WorkingCopy) -> Vec<Vec<u8>> {
    let read = |path: &Path| below::read(&copy.root, path, MAX_LEDGER).map(|file| file.bytes).ok();
    let renamed = |ledger: &Path| other_name(ledger).filter(|other| !copy.ledgers.contains(other));
    let bytes = |ledger: &Path| read(ledger).or_else(|| read(&renamed(ledger)?)).unwrap_or_default();
    copy.ledgers.iter().map(|ledger| bytes(ledger)).collect()
}

/// A committed ledger that cannot be complete.
pub(super) fn is_damaged(bytes: &[u8]) -> bool {
    let document = Document::new(bytes.to_vec());
    bytes.is_empty() || document.torn().is_some() || !document.conflicts().is_empty()
}

pub(super) fn compare(before: &[Vec<u8>], after: &[Vec<u8>]) -> Received {
    let mut found = Received::default();
    for (before, after) in before.iter().zip(after).filter(|(before, after)| before != after) {
        let [before, after] = [before, after].map(|bytes| Document::new(bytes.clone()));
        let changed = after.changed_ids(&before);
        found.other |= changed.is_empty();
        let [known, kept] = [&before, &after].map(|document| document.ids().collect::<HashSet<_>>());
        for id in changed {
            match (known.contains(id.as_str()), kept.contains(id.as_str())) {
                (false, _) => found.added.push(id),
                (true, false) => found.removed.push(id),
                (true, true) => found.changed.push(id),
            }
        }
        if let ([id], []) | ([], [id]) = (found.added.as_slice(), found.changed.as_slice()) {
            let line = after.find(id).first().and_then(|line| after.record(*line));
            found.title = line.and_then(|record| record.string("title").map(|title| title.into_owned()));
        }
    }
    found.added.sort();
    found.changed.sort();
    found.removed.sort();
    found
}

/// The commit message for these changes.
pub(super) fn message(changes: &Received) -> String {
    let ids: Vec<&String> = changes.added.iter().chain(&changes.changed).chain(&changes.removed).collect();
    match ids.as_slice() {
        [] => "update the ledger".to_owned(),
        [id] => {
            let verb = if !changes.added.is_empty() {
                "add"
            } else if changes.removed.is_empty() {
                "update"
            } else {
                "remove"
            };
            let title = changes.title.as_deref().unwrap_or_default();
            let title: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            if title.is_empty() { format!("{verb} {id}") } else { format!("{verb} {id}: {title}") }
        }
        many => {
            let list: Vec<&str> = many.iter().map(|id| id.as_str()).collect();
            format!("update {} issues\n\n{}", many.len(), list.join("\n"))
        }
    }
}
