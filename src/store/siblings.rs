//! What other checkouts of a repo say about its issues, as far as it is not merged here.
//!
//! Read-only, and only for questions: an issue that another checkout has closed is not offered again. A ledger of another checkout
//! counts where its version of an issue is the later one; one that is behind says nothing new. Lines that both have byte for byte
//! are not parsed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use super::checkout::Worktree;
use super::{Result, Store, Warning};
use crate::ledger::{Document, Expectation, Ledger, Line, MAX_LINE};
use crate::model::issue;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::sys::fs::{self, FileStamp};
use crate::vcs;

/// An issue as another checkout has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    pub worktree_id: Option<String>,
    /// Its name.
    pub worktree: String,
    pub status: String,
    pub assignee: Option<String>,
    /// The line there.
    pub line: String,
}

/// What was found, and in which state of the files.
#[derive(Debug, Default)]
pub struct Siblings {
    stamps: Vec<(PathBuf, Option<FileStamp>)>,
    own: Vec<Option<FileStamp>>,
    found: BTreeMap<String, Vec<Elsewhere>>,
    /// Ledgers of other checkouts that cannot be read.
    problems: Vec<Warning>,
}

impl Store {
    /// How other checkouts have one issue, where that is news here.
    pub fn elsewhere(&mut self, id: &str) -> Result<Vec<Elsewhere>> {
        self.look_at_siblings()?;
        Ok(self.siblings.found.get(id).cloned().unwrap_or_default())
    }

    /// The same for all issues.
    pub fn all_elsewhere(&mut self) -> Result<&BTreeMap<String, Vec<Elsewhere>>> {
        self.look_at_siblings()?;
        Ok(&self.siblings.found)
    }

    /// Ledgers of other checkouts that could not be read.
    pub(super) fn sibling_problems(&self) -> impl Iterator<Item = &Warning> {
        self.siblings.problems.iter()
    }

    /// Issues that other checkouts have closed, or are at work on, and that are therefore not offered here.
    pub(super) fn taken_elsewhere(&mut self) -> Result<Vec<String>> {
        let me = self.actor().to_owned();
        self.look_at_siblings()?;
        if self.siblings.found.is_empty() {
            return Ok(Vec::new());
        }
        let mut claims = HashSet::new();
        for source in 0..self.sources.len() {
            // Where claims are known, they say whether somebody is at work.
            claims.extend(self.leases_of(source)?.into_keys());
        }
        let taken = |id: &String, other: &Elsewhere| {
            let status = issue::Status::new(other.status.as_str());
            let works = other.status == "in_progress" && other.assignee.as_deref() != Some(me.as_str());
            status.is_done() || (works && !claims.contains(id))
        };
        let found = self.siblings.found.iter().filter(|(id, others)| others.iter().any(|other| taken(id, other)));
        Ok(found.map(|(id, _)| id.clone()).collect())
    }

    fn look_at_siblings(&mut self) -> Result<()> {
        self.sources.read(&mut self.cache)?;
        let ledgers = self.sibling_ledgers()?;
        let stamps: Vec<_> = ledgers.iter().map(|(_, _, path)| (path.clone(), fs::stat(path).ok())).collect();
        let own: Vec<_> =
            (0..self.sources.len()).map(|source| self.sources.last_read(source).map(|(_, stamp)| *stamp)).collect();
        if stamps == self.siblings.stamps && own == self.siblings.own {
            return Ok(());
        }
        let mut siblings = Siblings { stamps, own, ..Siblings::default() };
        for (source, worktree, path) in ledgers {
            let theirs = Ledger::at(&path, &worktree.root).and_then(|ledger| ledger.read(|| Expectation::Nothing));
            let theirs = match theirs {
                Ok(snapshot) => snapshot.document,
                Err(crate::ledger::LedgerError::Missing { .. }) => continue,
                Err(error) => {
                    let (worktree, message) = (worktree.name.clone(), error.to_string());
                    siblings.problems.push(Warning::SiblingUnread { worktree, message });
                    continue;
                }
            };
            let Some((ours, _)) = self.sources.last_read(source) else { continue };
            for (id, line) in news(ours, &theirs) {
                let Ok(record) = Record::parse(&line) else { continue };
                let status = issue::status_of(&record).as_str().to_owned();
                let assignee = record.text_of("assignee").map(|name| name.into_owned());
                let (worktree_id, worktree) = (worktree.id.clone(), worktree.name.clone());
                let one = Elsewhere { worktree_id, worktree, status, assignee, line };
                siblings.found.entry(id).or_default().push(one);
            }
        }
        self.siblings = siblings;
        Ok(())
    }

    /// The ledgers of other checkouts of the repos of the project: which of ours each is a version of, and where it is.
    pub(super) fn sibling_ledgers(&self) -> Result<Vec<(usize, Worktree, PathBuf)>> {
        if (0..self.sources.len()).any(|source| self.sources.is_frozen(source)) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let others: Vec<Worktree> = self.worktrees()?.into_iter().filter(|one| one.exists && !one.is_here).collect();
        if others.is_empty() {
            return Ok(found);
        }
        let Some(root) = vcs::root(self.repo.beads()) else { return Ok(found) };
        let root = super::place::real(&root);
        for source in self.sources.of_member(0) {
            let path = self.sources.ledger(source).path();
            let Ok(inside) = path.strip_prefix(&root) else { continue };
            found.extend(others.iter().map(|one| (source, one.clone(), one.root.join(inside))));
        }
        Ok(found)
    }
}

/// The issues whose version is a later one there than here, or that are only there.
pub fn news(ours: &Document, theirs: &Document) -> Vec<(String, String)> {
    if ours.bytes() == theirs.bytes() {
        return Vec::new();
    }
    let known: HashSet<&[u8]> = (0..ours.len()).map(|line| ours.text(line)).collect();
    let mut later: HashMap<String, (Option<Instant>, String)> = HashMap::new();
    for line in (0..theirs.len()).filter(|line| !known.contains(theirs.text(*line))) {
        let Line::Issue(record) = Line::read(theirs.text(line), MAX_LINE) else { continue };
        let Some(id) = record.string("id") else { continue };
        let at = updated(&record);
        if later.get(id.as_ref()).is_none_or(|(known, _)| *known < at) {
            later.insert(id.into_owned(), (at, record.text().to_owned()));
        }
    }
    let ids = later.keys().cloned().collect();
    let here = ours.effective_among(&ids);
    later.retain(|id, (at, _)| match here.get(id).and_then(|line| ours.record(*line)) {
        Some(record) => *at > updated(&record),
        None => true,
    });
    let mut news: Vec<(String, String)> = later.into_iter().map(|(id, (_, line))| (id, line)).collect();
    news.sort();
    news
}

fn updated(record: &Record<'_>) -> Option<Instant> {
    record.string("updated_at").and_then(|text| Instant::parse(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, day: u32, status: &str) -> String {
        format!("{{\"id\":\"{id}\",\"status\":\"{status}\",\"updated_at\":\"2026-01-{day:02}T00:00:00.000Z\"}}\n")
    }

    #[test]
    fn only_what_is_later_there_is_news() {
        let ours = [line("a", 1, "open"), line("b", 2, "open"), line("c", 5, "closed")].concat();
        let theirs =
            [line("a", 1, "open"), line("b", 3, "closed"), line("c", 4, "open"), line("d", 1, "open")].concat();
        let document = |text: &str| Document::new(text.as_bytes().to_vec());
        let found = news(&document(&ours), &document(&theirs));
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["b", "d"]);
        assert_eq!(news(&document(&ours), &document(&ours)), []);
    }
}
