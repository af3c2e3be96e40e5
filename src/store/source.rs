//! The ledgers of a project, read, and mirrored line by line into the cache.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_64;

use super::{Config, LEDGER_NAMES, Repo, Result, StoreError};
use crate::cache::{Cache, Entry, Key};
use crate::ledger::{Damage, Document, Expectation, Finding, Ledger, LedgerError, Line, Problem, Snapshot, Stamp};
use crate::model::id;
use crate::model::time::Instant;
use crate::vcs;

/// What a refresh had to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refresh {
    /// Lines that were parsed.
    pub parsed: usize,
    /// Files that were found changed.
    pub changed: usize,
}

/// Something odd about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub file: PathBuf,
    pub finding: Finding,
}

/// What stands on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    Issue(Key),
    Damaged(Damage),
    Silent,
}

#[derive(Debug)]
struct Source {
    ledger: Ledger,
    /// How answers name the repo of this ledger.
    repo: String,
    read: Option<Read>,
}

#[derive(Debug)]
struct Read {
    document: Document,
    stamp: Stamp,
    /// One entry per line once the cache mirrors the document.
    rows: Option<Vec<Row>>,
}

/// All ledgers of the project; the first is the primary's.
#[derive(Debug)]
pub(super) struct Sources {
    all: Vec<Source>,
    names: Vec<String>,
    /// Where the line of a key is: source and line.
    places: Vec<(u32, u32)>,
    /// Ids that stand on several lines, with those lines (source, line).
    doubled: Vec<(String, Vec<(u32, u32)>)>,
    /// Some id may stand on several lines; the first load knows it cheaply, later ones ask the cache.
    maybe_doubled: bool,
}

impl Sources {
    pub fn of(repo: &Repo, config: &Config) -> Result<Self> {
        let mut names = names(repo, config);
        if names.is_empty() {
            names.push(absent_name(repo));
        }
        let root = vcs::root(repo.root()).unwrap_or_else(|| repo.root().to_owned());
        let source = |name: &String| -> Result<Source> {
            let ledger = Ledger::at(&repo.beads().join(name), &root)?;
            Ok(Source { ledger, repo: ".".to_owned(), read: None })
        };
        let all = names.iter().map(source).collect::<Result<_>>()?;
        Ok(Sources { all, names, places: vec![(0, 0)], doubled: Vec::new(), maybe_doubled: false })
    }

    /// Other ledgers are there now than those that were found. None at all means nothing: a file that is being rewritten is
    /// gone for a moment.
    pub fn have_moved(&self, repo: &Repo, config: &Config) -> bool {
        let names = names(repo, config);
        !names.is_empty() && names != self.names
    }

    pub fn primary(&self) -> &Ledger {
        &self.all[0].ledger
    }

    pub fn ledgers(&self) -> impl Iterator<Item = &Ledger> {
        self.all.iter().map(|source| &source.ledger)
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Reads files that were not read yet. Enough for ids; the cache is not touched.
    pub fn read(&mut self) -> Result<()> {
        for source in &mut self.all {
            if source.read.is_none() {
                source.read = Some(source.load()?);
            }
        }
        Ok(())
    }

    /// Makes the cache a mirror of the files as they are now.
    pub fn refresh(&mut self, cache: &mut Cache) -> Result<Refresh> {
        let mut report = Refresh::default();
        for n in 0..self.all.len() {
            let source = &mut self.all[n];
            match source.read.take() {
                None => {
                    source.read = Some(source.load()?);
                    report.changed += 1;
                }
                Some(mut read) => {
                    let known = !read.document.is_empty();
                    let path = source.ledger.path().to_owned();
                    let found = source.ledger.refresh(&mut read.stamp, &read.document, || {
                        if known { Expectation::Issues } else { expected(&path) }
                    });
                    source.read = Some(read);
                    match found {
                        Ok(None) => {}
                        Ok(Some(snapshot)) => {
                            report.changed += 1;
                            report.parsed += self.replace(n, snapshot, cache)?;
                        }
                        // A file that was emptied for good, as far as version control knows, holds no issues.
                        Err(LedgerError::Vanished { what: "empty", .. }) if expected(&path) != Expectation::Issues => {
                            let snapshot = self.all[n].ledger.read(|| Expectation::Nothing)?;
                            report.changed += 1;
                            report.parsed += self.replace(n, snapshot, cache)?;
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            report.parsed += self.mirror(n, cache)?;
        }
        if self.maybe_doubled && (report.changed > 0 || report.parsed > 0) {
            self.settle_duplicates(cache)?;
        }
        Ok(report)
    }

    /// Loads a document into an empty part of the cache.
    fn mirror(&mut self, n: usize, cache: &mut Cache) -> Result<usize> {
        let Some(read) = self.all[n].read.as_mut().filter(|read| read.rows.is_none()) else { return Ok(0) };
        let mut rows = Vec::with_capacity(read.document.len());
        let places = &mut self.places;
        let document = &read.document;
        let mut ids = HashSet::with_capacity(document.len());
        let mut doubled = n > 0;
        let entries = (0..document.len()).filter_map(|line| {
            let (row, entry) = row_of(document, line, places.len() as Key);
            if let Some((_, entry)) = &entry {
                places.push((n as u32, line as u32));
                doubled |= !ids.insert(entry.id().clone());
            }
            rows.push(row);
            entry
        });
        cache.insert(n, entries)?;
        self.maybe_doubled |= doubled;
        let parsed = rows.len();
        read.rows = Some(rows);
        Ok(parsed)
    }

    /// Puts a new document in the place of an old one; only lines that were not there before are parsed.
    fn replace(&mut self, n: usize, snapshot: Snapshot, cache: &mut Cache) -> Result<usize> {
        let Some(old) = self.all[n].read.take() else { return Ok(0) };
        let (new, stamp) = (snapshot.document, snapshot.stamp);
        let Some(old_rows) = old.rows else {
            self.all[n].read = Some(Read { document: new, stamp, rows: None });
            return Ok(0);
        };
        self.maybe_doubled = true;
        let origin = match_lines(&old.document, &new);
        let mut taken = vec![false; old_rows.len()];
        let mut rows = Vec::with_capacity(new.len());
        let mut added = Vec::new();
        for (line, from) in origin.iter().enumerate() {
            match from {
                Some(from) => {
                    taken[*from] = true;
                    if let Row::Issue(key) = old_rows[*from] {
                        self.places[key as usize] = (n as u32, line as u32);
                    }
                    rows.push(old_rows[*from].clone());
                }
                None => {
                    let (row, entry) = row_of(&new, line, self.places.len() as Key);
                    if let Some(entry) = entry {
                        self.places.push((n as u32, line as u32));
                        added.push(entry);
                    }
                    rows.push(row);
                }
            }
        }
        let gone = old_rows.iter().zip(&taken).filter_map(|(row, taken)| match row {
            Row::Issue(key) if !taken => Some(*key),
            _ => None,
        });
        cache.remove(&gone.collect::<Vec<_>>())?;
        cache.insert(n, added)?;
        let parsed = origin.iter().filter(|from| from.is_none()).count();
        self.all[n].read = Some(Read { document: new, stamp, rows: Some(rows) });
        Ok(parsed)
    }

    /// Of several lines with one id the latest is shown, then the one with the greatest bytes.
    fn settle_duplicates(&mut self, cache: &mut Cache) -> Result<()> {
        let groups = cache.duplicates()?;
        if groups.is_empty() && self.doubled.is_empty() {
            return Ok(());
        }
        let mut shadowed = Vec::new();
        self.doubled.clear();
        for group in groups {
            let age = |key: &Key| {
                let text = self.text(*key);
                let updated = crate::model::record::Record::parse(&text).ok();
                let updated = updated.and_then(|r| r.string("updated_at").and_then(|t| Instant::parse(&t)));
                (updated, text)
            };
            let best = group.iter().max_by(|a, b| age(a).cmp(&age(b))).copied();
            shadowed.extend(group.iter().filter(|key| Some(**key) != best));
            let mut places: Vec<(u32, u32)> = group.iter().map(|key| self.places[*key as usize]).collect();
            places.sort_unstable();
            let id = best.map(|key| self.text(key)).and_then(|text| {
                let record = crate::model::record::Record::parse(&text).ok()?;
                record.string("id").map(Cow::into_owned)
            });
            self.doubled.push((id.unwrap_or_default(), places));
        }
        cache.set_shadowed(&shadowed)?;
        Ok(())
    }

    /// The text of the line that a key stands for.
    pub fn text(&self, key: Key) -> String {
        let (source, line) = self.places[key as usize];
        match &self.all[source as usize].read {
            Some(read) => String::from_utf8_lossy(read.document.text(line as usize)).into_owned(),
            None => String::new(),
        }
    }

    /// Which repo holds a key's line.
    pub fn repo_of(&self, key: Key) -> &str {
        &self.all[self.places[key as usize].0 as usize].repo
    }

    /// File and line (from 1) of a key.
    pub fn place(&self, key: Key) -> (&Path, usize) {
        let (source, line) = self.places[key as usize];
        (self.all[source as usize].ledger.path(), line as usize + 1)
    }

    pub fn documents(&self) -> impl Iterator<Item = (&Ledger, &Document)> {
        self.all.iter().filter_map(|s| s.read.as_ref().map(|read| (&s.ledger, &read.document)))
    }

    /// Every id on any line.
    pub fn ids(&self) -> Vec<Cow<'_, str>> {
        self.all.iter().filter_map(|s| s.read.as_ref()).flat_map(|read| read.document.ids()).collect()
    }

    /// The prefix that most ids bear.
    pub fn usual_prefix(&self) -> Option<String> {
        let ids = self.ids();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for prefix in ids.iter().filter_map(|id| id::prefix_of(id)) {
            *counts.entry(prefix).or_default() += 1;
        }
        let usable = counts.into_iter().filter(|(prefix, _)| id::check_prefix(prefix).is_ok());
        usable.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map(|(prefix, _)| prefix.to_owned())
    }

    /// What is odd; damaged lines are known once the cache mirrors the file, markers and a torn end at once.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut found = Vec::new();
        for (n, source) in self.all.iter().enumerate() {
            let Some(read) = &source.read else { continue };
            let mut add = |line: usize, problem: Problem| {
                found.push(Warning { file: source.ledger.path().to_owned(), finding: Finding { line, problem } });
            };
            for region in read.document.conflicts() {
                add(region.start + 1, Problem::Conflict { until: region.end });
            }
            let torn = read.document.torn();
            if let Some((line, damage)) = &torn {
                add(line + 1, Problem::Torn(damage.clone()));
            }
            for (line, row) in read.rows.iter().flatten().enumerate() {
                match row {
                    Row::Damaged(Damage::Marker) => {}
                    Row::Damaged(_) if torn.as_ref().is_some_and(|(at, _)| *at == line) => {}
                    Row::Damaged(damage) => add(line + 1, Problem::Damaged(damage.clone())),
                    _ => {}
                }
            }
            for (id, places) in &self.doubled {
                let lines: Vec<usize> = places.iter().filter(|p| p.0 as usize == n).map(|p| p.1 as usize + 1).collect();
                if let [line, _, ..] = *lines {
                    add(line, Problem::Duplicate { id: id.clone(), lines });
                }
            }
        }
        found
    }
}

impl Source {
    fn load(&self) -> Result<Read> {
        let path = self.ledger.path();
        let snapshot = self.ledger.read(|| expected(path)).map_err(|error| match error {
            LedgerError::Missing { path } => {
                StoreError::NoLedger { directory: path.parent().unwrap_or(&path).to_owned() }
            }
            other => other.into(),
        })?;
        Ok(Read { document: snapshot.document, stamp: snapshot.stamp, rows: None })
    }
}

/// What version control knows about a file that is absent or empty.
pub(super) fn expected(path: &Path) -> Expectation {
    if vcs::committed_size(path).is_some_and(|size| size > 0) {
        Expectation::Issues
    } else if vcs::is_busy(path) {
        Expectation::Rewriting
    } else {
        Expectation::Nothing
    }
}

/// The names of the ledgers that are in a repo, or of the one that the config names.
fn names(repo: &Repo, config: &Config) -> Vec<String> {
    match &config.ledger_file {
        Some(name) => vec![name.clone()],
        None => LEDGER_NAMES.into_iter().filter(|name| present(&repo.beads().join(name))).map(str::to_owned).collect(),
    }
}

/// The name of a ledger that is not there at the moment: the one that was committed, else the usual one.
fn absent_name(repo: &Repo) -> String {
    let committed = |name: &&str| vcs::committed_size(&repo.beads().join(name)).is_some();
    LEDGER_NAMES.into_iter().find(committed).unwrap_or(LEDGER_NAMES[0]).to_owned()
}

fn present(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

fn row_of(document: &Document, line: usize, key: Key) -> (Row, Option<(Key, Entry<'_>)>) {
    match document.line(line) {
        Line::Issue(record) => (Row::Issue(key), Some((key, Entry::read(&record)))),
        Line::Damaged(damage) => (Row::Damaged(damage), None),
        Line::Other | Line::Blank => (Row::Silent, None),
    }
}

/// For each new line the old line with the same bytes, if there is one; no old line serves twice.
fn match_lines(old: &Document, new: &Document) -> Vec<Option<usize>> {
    let shorter = old.len().min(new.len());
    let prefix = (0..shorter).take_while(|n| old.raw(*n) == new.raw(*n)).count();
    let suffix = (0..shorter - prefix).take_while(|n| old.raw(old.len() - 1 - n) == new.raw(new.len() - 1 - n)).count();
    let mut origin: Vec<Option<usize>> = (0..prefix).map(Some).collect();
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    for n in (prefix..old.len() - suffix).rev() {
        by_hash.entry(XxHash3_64::oneshot(old.raw(n))).or_default().push(n);
    }
    for n in prefix..new.len() - suffix {
        let candidates = by_hash.get_mut(&XxHash3_64::oneshot(new.raw(n)));
        // The bytes decide; the hash only finds.
        let same = candidates.and_then(|found| {
            let at = found.iter().rposition(|from| old.raw(*from) == new.raw(n))?;
            Some(found.remove(at))
        });
        origin.push(same);
    }
    origin.extend((old.len() - suffix..old.len()).map(Some));
    origin
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_find_their_origin() {
        let doc = |text: &str| Document::new(text.as_bytes().to_vec());
        let origin = |old: &str, new: &str| match_lines(&doc(old), &doc(new));
        assert_eq!(origin("a\nb\nc\n", "a\nx\nc\n"), [Some(0), None, Some(2)]);
        assert_eq!(origin("a\nb\nc\n", "c\na\nb\n"), [Some(2), Some(0), Some(1)]);
        assert_eq!(origin("a\na\n", "a\na\na\n"), [Some(0), Some(1), None]);
        assert_eq!(origin("a\nb\n", ""), []);
        assert_eq!(origin("", "a\n"), [None]);
    }
}
