//! Combines the log entries of one ledger: how `bd` changed each issue, and whether that is still in the file.
//!
//! Writes that build on each other form one stretch. If a write was based on a different line than the previous write
//! left, another program had changed the issue in between: if its line contains everything from the earlier stretch,
//! the stretch continues; if not, the stretch ends, and is missing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::entry::{Entry, name_of};
use crate::ledger::{Document, LineChange};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::{FIELD_TIMES, merge_issue};
use crate::model::record::Record;

/// Writes of one issue that build on each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// `bd` created the issue; `base` then is its first line.
    pub created: bool,
    pub base: String,
    pub after: String,
    /// The time of the last write.
    pub at: String,
    pub actor: String,
}

/// A write that is no longer in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    pub id: String,
    /// The time of the last missing write.
    pub at: String,
    pub actor: String,
    /// The lines that those writes left.
    pub after: Vec<String>,
    /// The ledger's current line.
    pub now: Option<String>,
    /// The line with both combined.
    pub line: String,
}

/// A ledger whose lines can be looked up by issue.
pub(crate) trait Held {
    /// The lines of each; the effective one first.
    fn copies(&self, ids: &BTreeSet<String>) -> HashMap<String, Vec<String>>;
}

impl Held for Document {
    fn copies(&self, ids: &BTreeSet<String>) -> HashMap<String, Vec<String>> {
        let found = self.find_among(ids).into_iter().map(|(id, mut lines)| {
            if let Some(at) = self.effective_of(&id, lines.clone()).and_then(|n| lines.iter().position(|l| *l == n)) {
                lines.swap(0, at);
            }
            (id, lines.iter().map(|line| self.line_text(*line)).collect())
        });
        found.collect()
    }
}

/// Every issue of one ledger that `bd recover` knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fold {
    pub issues: BTreeMap<String, Vec<Stretch>>,
}

impl Fold {
    /// Adds the next entry of the ledger.
    pub(crate) fn take(&mut self, entry: &Entry) {
        if !entry.is_forgotten {
            entry.changes.iter().for_each(|change| self.go_on(change, entry));
        }
        if !entry.forgets.is_empty() {
            self.forget(&entry.forgets.iter().cloned().collect());
        }
    }

    /// Removes lines by name.
    pub(crate) fn forget(&mut self, names: &HashSet<String>) {
        self.retain(|after| !names.contains(&name_of(after)));
    }

    /// Removes the stretches whose last line should not stay.
    pub(crate) fn retain(&mut self, stays: impl Fn(&str) -> bool) {
        self.issues.values_mut().for_each(|stretches| stretches.retain(|stretch| stays(&stretch.after)));
        self.issues.retain(|_, stretches| !stretches.is_empty());
    }

    fn go_on(&mut self, change: &LineChange, entry: &Entry) {
        let LineChange { id, before, after } = change.clone();
        let (at, actor) = (entry.at.clone(), entry.actor.clone());
        // A line that a command removed is not missing, nor are its earlier writes.
        let Some(after) = after else {
            self.issues.remove(&id);
            return;
        };
        let stretches = self.issues.entry(id).or_default();
        let from = before.as_deref().unwrap_or(&after);
        let goes_on = |stretch: &Stretch| stretch.after == from || lacks(stretch, from).is_none();
        let Some(first) = stretches.iter().position(goes_on) else {
            let (created, base) = (before.is_none(), from.to_owned());
            stretches.push(Stretch { created, base, after, at, actor });
            return;
        };
        let mut n = 0;
        stretches.retain(|stretch| {
            n += 1;
            n - 1 <= first || !goes_on(stretch)
        });
        stretches[first] = Stretch { after, at, actor, ..stretches[first].clone() };
    }

    /// What is missing from a ledger.
    pub(crate) fn missing(&self, ledger: &dyn Held) -> Vec<Missing> {
        let ids: BTreeSet<String> = self.issues.keys().cloned().collect();
        if ids.is_empty() {
            return Vec::new();
        }
        let lines = ledger.copies(&ids);
        let mut found = Vec::new();
        for (id, stretches) in &self.issues {
            // Any line of a repeated issue may contain it.
            let copies: &[String] = lines.get(id).map_or(&[], Vec::as_slice);
            let is_there = |stretch: &&Stretch| copies.iter().any(|copy| lacks(stretch, copy).is_none());
            let lost: Vec<&Stretch> = stretches.iter().filter(|stretch| !is_there(stretch)).collect();
            let Some(last) = lost.last() else { continue };
            let now = copies.first().cloned();
            let line = lost.iter().fold(now.clone(), |line, stretch| {
                Some(line.map_or_else(|| stretch.after.clone(), |line| lacks(stretch, &line).unwrap_or(line)))
            });
            found.push(Missing {
                id: id.clone(),
                at: last.at.clone(),
                actor: last.actor.clone(),
                after: lost.iter().map(|stretch| stretch.after.clone()).collect(),
                now,
                line: line.unwrap_or_default(),
            });
        }
        found
    }

    /// The shortest equivalent list of entries, otherwise like this one.
    pub(crate) fn entries(&self, like: &Entry) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (id, stretches) in &self.issues {
            for Stretch { created, base, after, at, actor } in stretches {
                let change = |before: Option<&String>, after: &String| LineChange {
                    id: id.clone(),
                    before: before.cloned(),
                    after: Some(after.clone()),
                };
                let first = created.then(|| change(None, base));
                let last = (!created || base != after).then(|| change(Some(base), after));
                let changes = first.into_iter().chain(last).collect();
                entries.push(Entry { at: at.clone(), actor: actor.clone(), changes, ..like.clone() });
            }
        }
        entries
    }
}

/// The line combined with a stretch; `None` if nothing is missing.
fn lacks(stretch: &Stretch, line: &str) -> Option<String> {
    if stretch.after == line || stretch.after == stretch.base || has_values(stretch, line) {
        return None;
    }
    let usual = DialectEvidence::of(line).or(Dialect::default());
    let merged = merge_issue(Some(&stretch.base), line, &stretch.after, usual)?.line;
    (merged != line && !is_superseded(stretch, line, &merged)).then_some(merged)
}

/// Every key changed by the stretch has the value it was given.
fn has_values(stretch: &Stretch, line: &str) -> bool {
    let [Ok(base), Ok(after), Ok(line)] = [&stretch.base, &stretch.after, line].map(Record::parse) else {
        return false;
    };
    let is_time = |key: &str| key == "updated_at" || key == FIELD_TIMES;
    let kept = |key: &str| is_time(key) || base.raw(key) == after.raw(key) || line.raw(key) == after.raw(key);
    base.iter().chain(after.iter()).all(|(key, _)| kept(&key))
}

/// The line is later, and has its own value for everything that the stretch changed: someone edited the same fields
/// afterwards. A merge would add only a remark about the values that lost.
fn is_superseded(stretch: &Stretch, line: &str, merged: &str) -> bool {
    let parsed = [&stretch.base, &stretch.after, line, merged].map(Record::parse);
    let [Ok(base), Ok(after), Ok(line), Ok(merged)] = parsed else { return false };
    let edited_too = |key: &str| base.raw(key) == after.raw(key) || base.raw(key) != line.raw(key);
    let unmerged = |key: &str| key == "comments" || line.raw(key) == merged.raw(key);
    let (ours, known) = (after.elements("comments"), line.elements("comments"));
    line.time("updated_at") > after.time("updated_at")
        && base.iter().chain(after.iter()).all(|(key, _)| edited_too(&key))
        && line.iter().chain(merged.iter()).all(|(key, _)| unmerged(&key))
        && merged.elements("comments").iter().all(|comment| known.contains(comment) || !ours.contains(comment))
}

#[cfg(test)]
mod tests {
    use super::super::fold::*;

    fn line(fields: &str, second: u32) -> String {
        format!("{{\"id\":\"a\",{fields},\"updated_at\":\"2026-01-05T09:00:{second:02}.000Z\"}}")
    }

    fn entry(before: Option<&str>, after: Option<&str>) -> Entry {
        let [before, after] = [before, after].map(|line| line.map(str::to_owned));
        Entry { ledger: "/l".into(), changes: vec![LineChange { id: "a".into(), before, after }], ..Entry::default() }
    }

    fn fold(entries: &[Entry]) -> Fold {
        let mut fold = Fold::default();
        entries.iter().for_each(|entry| fold.take(entry));
        fold
    }

    fn missing(entries: &[Entry], ledger: &str) -> Vec<Missing> {
        let document = Document::new(ledger.as_bytes().to_vec());
        let all = fold(entries);
        // Continuing after joining gives the same result, wherever the older ones are joined.
        for joined in 0..=entries.len() {
            let (old, new) = entries.split_at(joined);
            let again =
                fold(&[fold(old).entries(&Entry { ledger: "/l".into(), ..Entry::default() }), new.to_vec()].concat());
            assert_eq!(again, all, "{joined} joined");
        }
        all.missing(&document)
    }

    #[test]
    fn a_line_that_is_forgotten_is_not_missing_and_a_later_one_is() {
        let [x, y, z] = [0, 1, 2].map(|n| line(&format!("\"priority\":{n}"), n));
        let forgets = |line: &str| Entry { forgets: vec![name_of(line)], ..Entry::default() };
        let edit = entry(Some(&x), Some(&y));
        assert_eq!(missing(&[edit.clone(), forgets(&y)], ""), []);
        assert_eq!(missing(&[edit.clone(), forgets(&x)], "").len(), 1, "another line");
        assert_eq!(missing(&[edit.clone(), forgets(&y), entry(Some(&y), Some(&z))], "")[0].line, z);
        assert_eq!(missing(&[Entry { is_forgotten: true, ..edit }], ""), []);
    }

    #[test]
    fn a_line_that_is_gone_or_put_back_is_missing() {
        let (x, y, z) = (line("\"priority\":0", 0), line("\"priority\":1", 1), line("\"priority\":2", 2));
        let edits = [entry(Some(&x), Some(&y)), entry(Some(&y), Some(&z))];
        assert_eq!(missing(&edits, &format!("{z}\n")), []);
        for now in [format!("{x}\n"), String::new()] {
            let found = missing(&edits, &now);
            assert_eq!((found.len(), found[0].line.as_str()), (1, z.as_str()), "{now}");
        }
        let filed = [entry(None, Some(&x)), entry(Some(&x), Some(&y))];
        assert_eq!(missing(&filed, "")[0].line, y);
        assert_eq!(missing(&filed, &format!("{x}\n"))[0].line, y);
    }

    #[test]
    fn what_a_command_took_out_is_not_missing() {
        let (x, y) = (line("\"priority\":0", 0), line("\"priority\":1", 1));
        let moved = [entry(Some(&x), Some(&y)), entry(Some(&y), None)];
        assert_eq!(missing(&moved, ""), []);
        assert_eq!(missing(&moved, &format!("{x}\n")), [], "and is not taken out again");
    }

    #[test]
    fn an_issue_that_somebody_edited_elsewhere_is_not_missing() {
        let filed = line("\"title\":\"One\"", 0);
        let edited = line("\"title\":\"Two\"", 0);
        assert_eq!(missing(&[entry(None, Some(&filed))], &format!("{edited}\n")), [], "the issue is there");
    }

    #[test]
    fn a_later_edit_of_the_same_field_by_another_program_takes_nothing_away() {
        let [x, y] = [0, 1].map(|n| line(&format!("\"priority\":{n}"), n));
        let edit = [entry(Some(&x), Some(&y))];
        let later = line("\"priority\":3", 2);
        assert_eq!(missing(&edit, &format!("{later}\n")), []);
        let by_hand = line("\"priority\":3", 0);
        assert_eq!(missing(&edit, &format!("{by_hand}\n")).len(), 1, "no later time: it may be an old line");
    }

    #[test]
    fn a_write_on_a_line_that_was_put_back_does_not_hide_the_loss() {
        let x = line("\"title\":\"t\",\"priority\":0", 0);
        let lost = line("\"title\":\"t\",\"priority\":1", 1);
        let later = line("\"title\":\"u\",\"priority\":0", 2);
        let entries = [entry(Some(&x), Some(&lost)), entry(Some(&x), Some(&later))];
        assert_eq!(missing(&entries, &format!("{later}\n")).len(), 1);
    }
}
