//! The ledgers of a project, read, and mirrored line by line into the cache.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::image::{self, Image, ImageLine};
use super::lines::Versions;
use super::{Config, LEDGER_NAMES, Repo, Result, StoreError};
use crate::cache::{Cache, Entry, Key};
use crate::ledger::{Damage, Document, Expectation, Finding, Ledger, LedgerError, Line, Problem, Snapshot, Stamp};
use crate::model::id;
use crate::model::time::Instant;
use crate::sys::{Entropy, Host};
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
    /// Where an image of the cache may be kept.
    image: Option<PathBuf>,
    unknown_blocks: bool,
    /// Some id may stand on several lines; the first load knows it cheaply, later ones ask the cache.
    maybe_doubled: bool,
    /// The cache has rows among which copies of one id were not looked for yet.
    unsettled: bool,
}

impl Sources {
    pub fn of(repo: &Repo, config: &Config, host: &Host) -> Result<Self> {
        let mut names = names(repo, config);
        if names.is_empty() {
            names.push(absent_name(repo));
        }
        let root = vcs::root(repo.root()).unwrap_or_else(|| repo.root().to_owned());
        let source = |name: &String| -> Result<Source> {
            let ledger = Ledger::at(&repo.beads().join(name), &root)?;
            Ok(Source { ledger, repo: ".".to_owned(), read: None })
        };
        let all: Vec<Source> = names.iter().map(source).collect::<Result<_>>()?;
        // With two ledgers side by side the project is broken, and speed is no concern.
        let image = if all.len() == 1 { image::place(&host.env, all[0].ledger.path()) } else { None };
        Ok(Sources {
            all,
            names,
            places: vec![(0, 0)],
            doubled: Vec::new(),
            image,
            unknown_blocks: config.unknown_blocks,
            maybe_doubled: false,
            unsettled: false,
        })
    }

    /// A ledger has come, or the config names another. One that went means nothing: a file that is being rewritten is gone
    /// for a moment.
    pub fn have_moved(&self, repo: &Repo, config: &Config) -> bool {
        names(repo, config).iter().any(|name| !self.names.contains(name))
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

    /// Brings the documents up to date. Enough for ids; the cache is filled only if it was before.
    pub fn read(&mut self, cache: &mut Cache) -> Result<()> {
        if self.all.iter().any(|source| source.read.as_ref().is_some_and(|read| read.rows.is_some())) {
            return self.refresh(cache).map(drop);
        }
        for source in &mut self.all {
            let Some(read) = &mut source.read else {
                source.read = Some(source.load()?);
                continue;
            };
            let known = !read.document.is_empty();
            let path = source.ledger.path();
            let expected = || if known { Expectation::Issues } else { expected(path) };
            if let Some(snapshot) = source.ledger.refresh(&mut read.stamp, &read.document, expected)? {
                *read = Read { document: snapshot.document, stamp: snapshot.stamp, rows: None };
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
        if self.unsettled {
            if self.maybe_doubled {
                self.settle_duplicates(cache)?;
            }
            self.unsettled = false;
        }
        Ok(report)
    }

    /// Loads a document into an empty part of the cache, from an image as far as that goes.
    fn mirror(&mut self, n: usize, cache: &mut Cache) -> Result<usize> {
        let read = match self.all[n].read.take() {
            Some(read) if read.rows.is_none() => read,
            other => {
                self.all[n].read = other;
                return Ok(0);
            }
        };
        self.unsettled = true;
        let place = self.image.clone().filter(|_| read.document.len() >= image::MIN_LINES && self.places.len() == 1);
        let known = place.as_deref().and_then(Image::load).and_then(|image| self.recall(&image, &read.document, cache));
        let parsed = match known {
            Some((rows, origins)) => self.adopt(n, &rows, &origins, read.document, read.stamp, cache)?,
            None => self.parse_all(n, read, cache)?,
        };
        if let Some(place) = place.filter(|_| parsed > image::STALE_LINES) {
            self.keep_image(n, &place, cache)?;
        }
        Ok(parsed)
    }

    /// Takes the database of an image and tells which lines of the document it knows; `None` if it is of no use.
    fn recall(
        &mut self,
        image: &Image,
        document: &Document,
        cache: &mut Cache,
    ) -> Option<(Vec<Row>, Vec<Option<usize>>)> {
        let hashes: Vec<u64> = (0..document.len()).map(|line| image::line_hash(image.seed, document, line)).collect();
        let versions = Versions {
            old_len: image.lines.len(),
            new_len: hashes.len(),
            same: |old: usize, new: usize| image.lines[old].0 == hashes[new] && image.lines[old].1 >= 0,
            old_hash: |old: usize| image.lines[old].0,
            new_hash: |new: usize| hashes[new],
        };
        let origins = versions.origins();
        if origins.iter().filter(|from| from.is_none()).count() > document.len() / 4 {
            return None;
        }
        let highest = image.lines.iter().map(|(_, key)| *key).max().and_then(|key| usize::try_from(key).ok())?;
        *cache = Cache::from_image(&image.database).ok()?;
        self.places = vec![(0, 0); highest + 1];
        let row = |(_, key): &ImageLine| if *key > 0 { Row::Issue(*key) } else { Row::Silent };
        // Whether ids are doubled the image does not say.
        self.maybe_doubled = true;
        Some((image.lines.iter().map(row).collect(), origins))
    }

    fn keep_image(&mut self, n: usize, place: &Path, cache: &mut Cache) -> Result<()> {
        let database = cache.to_image(self.unknown_blocks)?;
        let Some(Read { document, rows: Some(rows), .. }) = &self.all[n].read else { return Ok(()) };
        // Not the host's entropy, which a test may have fixed: nobody is to foresee this seed.
        let seed = u64::from_le_bytes(Entropy::System.bytes());
        let line = |(n, row): (usize, &Row)| {
            let key = match row {
                Row::Issue(key) => *key,
                Row::Silent => 0,
                Row::Damaged(_) => -1,
            };
            (image::line_hash(seed, document, n), key)
        };
        let lines = rows.iter().enumerate().map(line).collect();
        Image { seed, lines, database }.save(place);
        Ok(())
    }

    fn parse_all(&mut self, n: usize, read: Read, cache: &mut Cache) -> Result<usize> {
        let document = &read.document;
        let mut rows = Vec::with_capacity(document.len());
        let places = &mut self.places;
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
        self.all[n].read = Some(Read { rows: Some(rows), ..read });
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
        let versions = Versions {
            old_len: old.document.len(),
            new_len: new.len(),
            same: |a: usize, b: usize| old.document.raw(a) == new.raw(b),
            old_hash: |line: usize| image::line_hash(0, &old.document, line),
            new_hash: |line: usize| image::line_hash(0, &new, line),
        };
        let origins = versions.origins();
        self.unsettled = true;
        self.maybe_doubled = true;
        self.adopt(n, &old_rows, &origins, new, stamp, cache)
    }

    /// Makes a document the current one: rows of lines that have an origin are kept, the other lines are parsed.
    fn adopt(
        &mut self,
        n: usize,
        old_rows: &[Row],
        origins: &[Option<usize>],
        new: Document,
        stamp: Stamp,
        cache: &mut Cache,
    ) -> Result<usize> {
        let mut taken = vec![false; old_rows.len()];
        let mut rows = Vec::with_capacity(new.len());
        let mut added = Vec::new();
        for (line, from) in origins.iter().enumerate() {
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
        let parsed = origins.iter().filter(|from| from.is_none()).count();
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
                // Equal copies: the last one in the file, which is also the one that a write edits.
                (updated, text, self.places[*key as usize])
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
