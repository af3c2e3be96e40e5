//! Moves issues from one ledger to another and keeps their ids.
//!
//! Two files cannot be replaced at once, so the order provides safety: first write the lines to the target and sync it,
//! then remove them from the source. A crash in between leaves an issue in both; a repeated run finds it in both,
//! changes nothing in the target and removes it from the source. A line that changed meanwhile is not removed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Draft, Locks, Written};
use crate::ledger::{Document, Edit, Ledger, LedgerError, LockedLedger};
use crate::model::field::{self, Field, Row, Travel};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::join_copies;
use crate::model::proposal::{Owner, Proposal, State, Visibility};
use crate::model::record::{KeyEdit, Record};
use crate::model::row::Row as _;
use crate::store::read::index::expected;
use crate::store::{Access, Project, Result, Role, Snapshot, Store, StoreError};

/// The result of a move.
#[derive(Debug, Default)]
pub struct Relocated {
    pub moved: Vec<String>,
    pub failed: Vec<(String, StoreError)>,
}

impl Project {
    /// Refuses to bring a private issue into the primary, except by a maintainer. The role counts even if routing does
    /// not depend on it.
    pub(in crate::store) fn refuse_private(&self, id: &str, line: &str, planned: bool, to: usize) -> Result<()> {
        let local = Record::parse(line).is_ok_and(|record| Visibility::of(&record) == Visibility::Local);
        if to == 0 && (local || planned) && self.role().role == Role::Contributor {
            return Err(StoreError::Private { id: id.to_owned(), repo: self.name(to).to_owned() });
        }
        Ok(())
    }
}

impl Snapshot {
    /// Removes from a move to a public repo the issues that would name a private one there.
    fn leave_private_edges(&self, wanted: &mut Vec<(String, usize)>, to: usize, report: &mut Relocated) {
        if self.is_planning(to) {
            return;
        }
        loop {
            let moving: HashSet<String> = wanted.iter().map(|(id, _)| id.clone()).collect();
            let named = |id: &str, from: usize| {
                let lines = self.sources.of_member(from).into_iter().filter_map(|source| self.line_in(source, id));
                lines.into_iter().find_map(|line| self.private_in(id, &line, |other| moving.contains(other)))
            };
            let Some((n, error)) = wanted.iter().enumerate().find_map(|(n, (id, from))| Some((n, named(id, *from)?)))
            else {
                return;
            };
            report.failed.push((wanted.remove(n).0, error));
        }
    }

    fn may_move(&self, id: &str, from: usize, to: usize) -> Result<()> {
        let access = self.access(from)?;
        // An issue filed into the project by mistake can still be moved out.
        if let Access::Read(reason) = access
            && !(from == 0 && self.is_planning(to) && self.is_uncommitted(id)?)
        {
            return Err(StoreError::ReadOnly { what: id.to_owned(), repo: self.name(from).to_owned(), reason });
        }
        let source = self.writable(from)?;
        let Some(line) = self.line_in(source, id) else { return Ok(()) };
        let Ok(record) = Record::parse(&line) else { return Ok(()) };
        let is_open = Proposal::of(&record).is_some_and(|proposal| proposal.state == State::Open);
        if is_open && Visibility::of(&record) == Visibility::Proposed {
            return Err(StoreError::StillProposed { id: id.to_owned() });
        }
        // A known contributor moves nothing in; if the role is only a guess, nothing private.
        let planned = self.is_planning(from) || self.role().rule != "uncertain";
        self.refuse_private(id, &line, planned, to)
    }
}

impl Store {
    /// Moves issues, each given with its current repo, to another repo; with `dry_run` only returns which it would
    /// move.
    pub fn relocate(&mut self, issues: &[(String, usize)], to: usize, dry_run: bool) -> Result<Relocated> {
        self.refuse_broken()?;
        self.may_receive(to)?;
        let mut report = Relocated::default();
        let mut wanted = Vec::new();
        self.read_again()?;
        // Issues already there do not move.
        for (id, from) in issues.iter().filter(|(_, from)| *from != to) {
            match self.may_move(id, *from, to) {
                Ok(()) => wanted.push((id.clone(), *from)),
                Err(error) => report.failed.push((id.clone(), error)),
            }
        }
        self.leave_private_edges(&mut wanted, to, &mut report);
        let owner = self.planned_for(to)?;
        let members: BTreeSet<usize> = wanted.iter().map(|(_, from)| *from).collect();
        let target = self.writable(to)?;
        let mut sources = members.iter().map(|member| self.writable(*member)).collect::<Result<Vec<usize>>>()?;
        sources.push(target);
        // A dry run only reads, and blocks no one.
        let locks = if dry_run { Locks::none() } else { self.lock(&sources)? };
        let mut leaving: HashMap<usize, Vec<(String, String)>> = HashMap::new();
        for (id, from) in wanted {
            let source = self.writable(from)?;
            leaving.entry(source).or_default().push((id, String::new()));
        }
        let lock_of = |n: usize| locks.iter().find(|(source, _)| *source == n).map(|(_, lock)| lock);
        for (source, ids) in &mut leaving {
            let ledger = self.sources.ledger(*source);
            let document = ledger.read(|| expected(ledger.path()))?.document;
            ids.retain_mut(|(id, text)| match line_of(ledger, &document, id) {
                Ok(Some(line)) => {
                    *text = line;
                    true
                }
                // Another process moved it first.
                Ok(None) => false,
                Err(error) => {
                    report.failed.push((id.clone(), error));
                    false
                }
            });
        }
        let arriving: Vec<(String, String)> = leaving.values().flatten().cloned().collect();
        let settled: Vec<(String, String)> =
            arriving.iter().map(|(id, text)| (id.clone(), resettled(text, owner.as_ref()))).collect();
        // Ask about claims on every part before the first one is on disk.
        for (source, ids) in &leaving {
            self.rehearse_ledger(self.sources.ledger(*source), |draft| departures(draft, ids).map(drop))?;
        }
        self.rehearse_ledger(self.sources.ledger(target), |draft| arrivals(draft, &settled).map(drop))?;
        let Some(lock) = lock_of(target) else {
            report.moved = arriving.into_iter().map(|(id, _)| id).collect();
            return Ok(report);
        };
        let written = self.arrive(lock, &settled)?;
        let mut committed = vec![(target, written)];
        for (source, ids) in &leaving {
            let Some(lock) = lock_of(*source) else { continue };
            let gone = self.leave(lock, ids)?;
            let mut written = Vec::new();
            for (id, text) in ids {
                if gone.contains(id) {
                    report.moved.push(id.clone());
                    let source_repo = self.name(to).to_owned();
                    let (line, before) = (text.clone(), Some(text.clone()));
                    written.push(Written { id: id.clone(), line, before, changed: true, source_repo });
                } else {
                    let path = lock.ledger().path().to_owned();
                    report.failed.push((id.clone(), LedgerError::Unstable { path }.into()));
                }
            }
            committed.push((*source, written));
        }
        report.moved.sort();
        report.moved.dedup();
        drop(locks);
        self.commit_ledgers(&committed);
        Ok(report)
    }

    /// Removes issues that were just filed, unless they have been changed since.
    pub fn take_back(&mut self, filed: &[Written]) -> Result<()> {
        self.look_again()?;
        let mut leaving: BTreeMap<usize, Vec<(String, String)>> = BTreeMap::new();
        for one in filed {
            let Some(source) = self.owner(&one.id) else { continue };
            leaving.entry(source).or_default().push((one.id.clone(), one.line.clone()));
        }
        let locks = self.lock(&leaving.keys().copied().collect::<Vec<_>>())?;
        let mut committed = Vec::new();
        for (source, lines) in &leaving {
            let Some((_, lock)) = locks.iter().find(|(n, _)| n == source) else { continue };
            let gone = self.leave(lock, lines)?;
            if gone.len() < lines.len() {
                return Err(LedgerError::Unstable { path: lock.ledger().path().to_owned() }.into());
            }
            committed.push((*source, filed.iter().filter(|one| gone.contains(&one.id)).cloned().collect()));
        }
        drop(locks);
        self.commit_ledgers(&committed);
        Ok(())
    }

    /// Adds lines to the target; merges each with the one already there, if any.
    fn arrive(&self, lock: &LockedLedger, arriving: &[(String, String)]) -> Result<Vec<Written>> {
        let mut written = Vec::new();
        self.write_ledger(lock, |draft| {
            written = arrivals(draft, arriving)?;
            Ok(())
        })?;
        Ok(written)
    }

    /// Removes lines from a source if they still equal those brought to the target. Returns the removed ids.
    fn leave(&self, lock: &LockedLedger, leaving: &[(String, String)]) -> Result<Vec<String>> {
        let mut gone = Vec::new();
        self.write_ledger(lock, |draft| {
            gone = departures(draft, leaving)?;
            Ok(())
        })?;
        Ok(gone)
    }
}

/// The line for its new repo: private and with its intended project in a planning repo, as if filed there; without
/// either elsewhere.
pub fn resettled(line: &str, owner: Option<&Owner>) -> String {
    let Ok(record) = Record::parse(line) else { return line.to_owned() };
    let dialect = DialectEvidence::of(line).or(Dialect::default());
    let mut edits: Vec<KeyEdit> = Vec::new();
    match (owner, Visibility::of(&record)) {
        (Some(owner), visibility) => {
            let local = || dialect.string(Visibility::Local.word());
            edits.extend((visibility == Visibility::Canonical).then(|| ("visibility", Some(local()))));
            edits.extend(Owner::of(&record).is_none().then(|| ("project", Some(owner.render(dialect)))));
        }
        (None, Visibility::Local) => {
            let is_planning = |row: &Row| row.travel == Travel::Planning;
            let fields = field::with(is_planning).chain([Field::Visibility]);
            edits.extend(fields.map(|field| (field.key(), None)));
        }
        (None, _) => {}
    }
    if edits.is_empty() { line.to_owned() } else { record.with(&edits, dialect) }
}

/// Drafts the arrival of lines in a target.
fn arrivals(draft: &mut Draft<'_>, arriving: &[(String, String)]) -> Result<Vec<Written>> {
    let document = draft.document();
    // Copies of one issue may come from several repos: merge them.
    let mut issues: BTreeMap<&String, String> = BTreeMap::new();
    for (id, text) in arriving {
        let known = issues.remove(id);
        let dialect = DialectEvidence::of(text).or(Default::default());
        let line = known.and_then(|known| join_copies(text, &known, dialect)).unwrap_or_else(|| text.clone());
        issues.insert(id, line);
    }
    let mut written = Vec::new();
    for (id, text) in issues {
        let (before, line) = match document.effective(id) {
            None => {
                draft.carry([Edit::Insert { id: id.clone(), text: text.clone() }])?;
                (None, text)
            }
            Some(line) => {
                let ours = document.line_text(line);
                let joined = join_copies(&text, &ours, document.dialect_of(line)).unwrap_or(ours.clone());
                if joined != ours {
                    draft.carry([Edit::Set { line, id: id.clone(), text: joined.clone() }])?;
                }
                (Some(ours), joined)
            }
        };
        let changed = before.as_ref() != Some(&line);
        written.push(Written { id: id.clone(), line, before, changed, source_repo: String::new() });
    }
    Ok(written)
}

/// Drafts the removal of lines from a source, and returns the removed ids.
fn departures(draft: &mut Draft<'_>, leaving: &[(String, String)]) -> Result<Vec<String>> {
    let document = draft.document();
    let mut gone = Vec::new();
    for (id, text) in leaving {
        match document.find(id).as_slice() {
            [line] if document.text(*line) == text.as_bytes() => {
                draft.carry([Edit::Remove { line: *line }])?;
                gone.push(id.clone());
            }
            [] => gone.push(id.clone()),
            _ => {}
        }
    }
    Ok(gone)
}

/// The line of an issue in the file it is to leave; `None` if it has left already.
fn line_of(ledger: &Ledger, document: &Document, id: &str) -> Result<Option<String>> {
    let path = || ledger.path().to_owned();
    if let Some(region) = document.conflicts().first() {
        let what = "nothing can be moved out of it";
        return Err(LedgerError::Conflicted { path: path(), line: region.start + 1, what }.into());
    }
    match document.find(id).as_slice() {
        [] => Ok(None),
        [line] => Ok(Some(document.line_text(*line))),
        lines => {
            let what = format!("issue that is on {} lines of {}", lines.len(), path().display());
            Err(StoreError::Unreadable { id: id.to_owned(), what })
        }
    }
}
