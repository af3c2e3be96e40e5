//! The effect of an undo on each line, checked completely before anything is written.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::outcome::UndoneWrite;
use crate::ledger::{Edit, LedgerError, LineChange};
use crate::model::change::mirror;
use crate::model::dependency::Dependency;
use crate::model::graph::Graph;
use crate::model::issue::{dependencies_of, status_of};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::{differing, edited, revert};
use crate::model::proposal::{FORMER_ID, Names, Proposal, State, Visibility};
use crate::model::record::Record;
use crate::model::row::Row;
use crate::model::time::{self, Instant};
use crate::store::error::{LINE, UndoClash};
use crate::store::state::log::{Entry, Stays};
use crate::store::{Access, Draft, Result, Store, StoreError};

/// A change of one line in one ledger; `None` for a missing line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub source: usize,
    pub id: String,
    pub now: Option<String>,
    pub new: Option<String>,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
}

impl Plan {
    /// Undoes the writes one after the other, newest first.
    pub(super) fn make(store: &Store, chosen: &[Past], log: &[&Entry]) -> Result<Self> {
        let mut steps: BTreeMap<(usize, String), Step> = BTreeMap::new();
        let mut left_living: BTreeSet<(usize, String)> = BTreeSet::new();
        let mut clashes = Vec::new();
        for (past, part) in chosen.iter().flat_map(|past| past.parts.iter().rev().map(move |part| (past, part))) {
            let Some(source) = store.source_at(&part.ledger) else { continue };
            for change in part.changes.iter().rev() {
                let step = steps.entry((source, change.id.clone())).or_insert_with(|| {
                    let now = store.line_in(source, &change.id);
                    Step { source, id: change.id.clone(), now: now.clone(), new: now }
                });
                if change.after.as_deref().is_some_and(|after| !is_deleted(after)) {
                    left_living.insert((source, change.id.clone()));
                }
                match without(change, step.new.as_deref()) {
                    Ok(line) => step.new = line,
                    Err(fields) => {
                        let clash = |field| clash(field, change, &part.ledger, past, log, step.now.as_deref());
                        clashes.extend(fields.into_iter().map(clash));
                    }
                }
            }
        }
        if !clashes.is_empty() {
            return Err(StoreError::UndoClash { clashes });
        }
        // Writes that cancel each other leave only the edit times.
        let changes = |step: &Step| match (&step.now, &step.new) {
            (Some(now), Some(new)) => !differing(now, new).is_empty(),
            (now, new) => now != new,
        };
        steps.retain(|_, step| changes(step));
        // An issue that someone deleted since cannot be edited, not even by an undo.
        let stays_deleted =
            |step: &&Step| [&step.now, &step.new].iter().all(|line| line.as_deref().is_some_and(is_deleted));
        let deleted = left_living.iter().filter_map(|key| steps.get(key)).find(stays_deleted);
        if let Some(step) = deleted {
            return Err(StoreError::UndoDeleted { id: step.id.clone() });
        }
        let mut plan = Plan { steps: steps.into_values().collect() };
        plan.stamp(store.host.clock.now());
        Ok(plan)
    }

    /// Sets the edit time of every changed line: the same for all copies of an issue, so that they stay in step.
    fn stamp(&mut self, now: Instant) {
        let ids: BTreeSet<String> = self.steps.iter().map(|step| step.id.clone()).collect();
        for id in ids {
            let mine: Vec<usize> = (0..self.steps.len()).filter(|n| self.steps[*n].id == id).collect();
            let lines = mine.iter().flat_map(|n| [&self.steps[*n].now, &self.steps[*n].new]).flatten();
            let at = time::after(lines.filter_map(updated).max(), now);
            let pair = self.pair(&mine);
            for n in mine {
                let step = &self.steps[n];
                let Some(line) = &step.new else { continue };
                let stamped = |at: Instant| stamped(step.now.as_deref().unwrap_or(line), line, at);
                let line = match pair {
                    Some((target, planning, edited)) if n == planning && target != planning => {
                        let line = stamped(if edited { time::after(Some(at), now) } else { at });
                        in_step(&line, at)
                    }
                    Some((target, _, _)) if n == target => stamped(at),
                    // A removed line is restored unchanged.
                    _ if step.now.is_none() => continue,
                    _ => stamped(at),
                };
                self.steps[n].new = Some(line);
            }
        }
    }

    /// The steps that restore the two copies of a proposal that were in step, and whether the planning copy had been
    /// edited since.
    fn pair(&self, mine: &[usize]) -> Option<(usize, usize, bool)> {
        let open = |n: &usize| {
            let record = Record::parse(self.steps[*n].new.as_deref()?).ok()?;
            let proposal = Proposal::of(&record).filter(|proposal| proposal.state == State::Open)?;
            (Visibility::of(&record) == Visibility::Proposed).then_some((*n, record, proposal))
        };
        let open: Vec<_> = mine.iter().filter_map(open).collect();
        let [(one, first, _), (other, second, _)] = open.as_slice() else { return None };
        if !mirror::has_moved_on(second, first) {
            return Some((*one, *other, mirror::was_edited(second)));
        }
        (!mirror::has_moved_on(first, second)).then(|| (*other, *one, mirror::was_edited(first)))
    }

    /// Refuses what a write may not do either.
    pub(super) fn check(&self, store: &Store) -> Result<()> {
        for step in &self.steps {
            self.check_access(store, step)?;
        }
        for step in self.steps.iter().filter(|step| step.new.is_none()) {
            self.check_references(store, step)?;
        }
        self.check_deleted_targets(store)?;
        self.check_cycles(store)?;
        for (source, steps) in self.in_order() {
            let ledger = store.sources.ledger(source);
            store.rehearse_ledger::<StoreError>(ledger, |draft| take(&steps, draft, ledger.path()))?;
        }
        Ok(())
    }

    fn check_access(&self, store: &Store, step: &Step) -> Result<()> {
        let member = store.sources.member_of(step.source);
        let access = match &step.now {
            Some(now) => store.access_to_line(member, &step.id, now)?,
            None => store.access(member)?,
        };
        if let Access::Read(reason) = access
            && !(step.now.is_none() && is_own_proposal(step, store.actor()))
        {
            let repo = store.name(member).to_owned();
            return Err(StoreError::ReadOnly { what: step.id.clone(), repo, reason });
        }
        let Some(new) = &step.new else { return Ok(()) };
        let leaves = |other: &Step| {
            other.id == step.id && other.new.is_none() && store.is_planning(store.sources.member_of(other.source))
        };
        let planned = step.now.is_none() && self.steps.iter().any(leaves);
        store.refuse_private(&step.id, new, planned, member)?;
        if step.now.is_none() && member != 0 { store.may_receive(member) } else { Ok(()) }
    }

    /// The line of an issue in a ledger afterwards.
    fn line_after(&self, store: &Store, source: usize, id: &str) -> Option<String> {
        match self.steps.iter().find(|step| step.source == source && step.id == id) {
            Some(step) => step.new.clone(),
            None => store.line_in(source, id),
        }
    }

    /// An issue that others depend on is not removed, unless another repo still has it.
    fn check_references(&self, store: &Store, step: &Step) -> Result<()> {
        let sources = || 0..store.sources.len();
        if sources().any(|source| self.line_after(store, source, &step.id).is_some()) {
            return Ok(());
        }
        let mut by = BTreeSet::new();
        for source in sources() {
            for id in store.sources.ids_mentioning(source, &step.id) {
                let line = self.line_after(store, source, &id).unwrap_or_default();
                if dependencies(&line).iter().any(|dependency| dependency.target == step.id) {
                    by.insert(id);
                }
            }
        }
        if by.is_empty() {
            return Ok(());
        }
        Err(StoreError::UndoReferenced { id: step.id.clone(), by: by.into_iter().collect() })
    }

    /// A restored parent or blocker must not have been deleted since.
    fn check_deleted_targets(&self, store: &Store) -> Result<()> {
        for step in &self.steps {
            let (Some(now), Some(new)) = (&step.now, &step.new) else { continue };
            let known = dependencies(now);
            let waits = |edge: &Dependency| edge.kind.is_blocking() || edge.kind.is_parent_child();
            let is_known = |edge: &Dependency| known.iter().any(|k| k.target == edge.target && k.kind == edge.kind);
            for edge in dependencies(new).into_iter().filter(|edge| waits(edge) && !is_known(edge)) {
                let copies = (0..store.sources.len()).filter_map(|source| self.line_after(store, source, &edge.target));
                let copies: Vec<String> = copies.collect();
                if !copies.is_empty() && copies.iter().all(|line| is_deleted(line)) {
                    return Err(StoreError::UndoDeletedTarget { id: step.id.clone(), target: edge.target });
                }
            }
        }
        Ok(())
    }

    /// A restored dependency must not close a cycle with later ones.
    fn check_cycles(&self, store: &Store) -> Result<()> {
        for parents in [false, true] {
            let orders = |d: &Dependency| if parents { d.kind.is_parent_child() } else { d.kind.is_blocking() };
            let edges = |line: &Option<String>| -> Vec<String> {
                let found = dependencies(line.as_deref().unwrap_or_default());
                found.into_iter().filter(orders).map(|d| d.target).collect()
            };
            let back: Vec<(&str, String)> = self
                .steps
                .iter()
                .flat_map(|step| {
                    let known = edges(&step.now);
                    let new = edges(&step.new).into_iter().filter(move |target| !known.contains(target));
                    new.map(|target| (step.id.as_str(), target))
                })
                .collect();
            if back.is_empty() {
                continue;
            }
            // The graph without the changed lines, plus their edges afterwards.
            let changed: BTreeSet<&str> = self.steps.iter().map(|step| step.id.as_str()).collect();
            let known = store.ask(|cache| cache.graph(parents))?;
            let rest = known.edges().filter(|(from, _)| !changed.contains(from));
            let rest = rest.map(|(from, to)| (from.to_owned(), to.to_owned()));
            let made = self.steps.iter().flat_map(|step| {
                edges(&step.new).into_iter().map(|target| (step.id.clone(), target)).collect::<Vec<_>>()
            });
            let graph: Graph = rest.chain(made).collect();
            for (dependent, target) in back {
                if let Some(mut path) = graph.path(&target, dependent) {
                    path.insert(0, dependent.to_owned());
                    return Err(StoreError::Cycle { dependent: dependent.to_owned(), target, path });
                }
            }
        }
        Ok(())
    }

    /// The issues of each ledger that regain or lose a former id: their claims and records follow.
    pub(super) fn renames(&self) -> BTreeMap<usize, Names> {
        let former = |line: &Option<String>| {
            let record = Record::parse(line.as_deref()?).ok()?;
            record.string(FORMER_ID).map(std::borrow::Cow::into_owned)
        };
        let mut renames: BTreeMap<usize, Names> = BTreeMap::new();
        let gone = self.steps.iter().filter(|step| step.new.is_none());
        for (old, new) in gone.flat_map(|old| self.steps.iter().map(move |new| (old, new))) {
            let comes = new.source == old.source && new.now.is_none();
            let is_same = former(&old.now).as_ref() == Some(&new.id) || former(&new.new).as_ref() == Some(&old.id);
            if comes && is_same {
                renames.entry(old.source).or_default().insert(old.id.clone(), new.id.clone());
            }
        }
        renames
    }

    /// The steps of each ledger in write order: restorations, changes, removals, so that a crash in between leaves an
    /// issue in two places instead of none.
    pub(super) fn in_order(&self) -> Vec<(usize, Vec<Step>)> {
        let mut order: BTreeMap<(u8, usize), Vec<Step>> = BTreeMap::new();
        for source in self.steps.iter().map(|step| step.source).collect::<BTreeSet<_>>() {
            let mine = || self.steps.iter().filter(|step| step.source == source);
            let pass = if mine().any(|step| step.now.is_none()) { 0 } else { 1 };
            for step in mine() {
                let pass = if step.new.is_none() { 2 } else { pass };
                order.entry((pass, source)).or_default().push(step.clone());
            }
        }
        order.into_iter().map(|((_, source), steps)| (source, steps)).collect()
    }
}

/// Puts steps into a draft, unless the ledger has changed since they were planned.
pub(super) fn take(steps: &[Step], draft: &mut Draft<'_>, path: &std::path::Path) -> Result<()> {
    let document = draft.document();
    for step in steps {
        let lines = document.find(&step.id);
        let line = document.effective(&step.id);
        let text = line.map(|line| document.line_text(line));
        if text != step.now {
            return Err(LedgerError::Unstable { path: path.to_owned() }.into());
        }
        let id = step.id.clone();
        match (line, step.new.clone()) {
            (Some(line), Some(text)) => draft.carry([Edit::Set { line, id, text }])?,
            (None, Some(text)) => draft.carry([Edit::Insert { id, text }])?,
            (Some(_), None) if lines.len() > 1 => {
                let what = format!("issue that is on {} lines of {}", lines.len(), path.display());
                return Err(StoreError::Unreadable { id, what });
            }
            (Some(line), None) => draft.carry([Edit::Remove { line }])?,
            (None, None) => {}
        }
    }
    Ok(())
}

/// A line without the change of a write, or the fields that were changed again since.
fn without(change: &LineChange, now: Option<&str>) -> std::result::Result<Option<String>, Vec<String>> {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    if now == before || now == after {
        return Ok(before.map(str::to_owned));
    }
    match (after, before, now) {
        (Some(after), Some(before), Some(now)) => {
            let usual = DialectEvidence::of(now).or(Dialect::default());
            revert(after, before, now, usual).map(Some)
        }
        // The write added or removed the issue, and it has other values now.
        (Some(known), None, Some(now)) | (None, Some(known), Some(now)) => match differing(known, now) {
            fields if fields.is_empty() => Ok(before.map(str::to_owned)),
            fields => Err(fields),
        },
        // Its line is gone.
        _ => Err(vec![LINE.to_owned()]),
    }
}

/// The author of a change to a field after a write, according to the log.
fn clash(field: String, change: &LineChange, file: &str, past: &Past, log: &[&Entry], now: Option<&str>) -> UndoClash {
    let touches = |part: &&&Entry| {
        let differs = |other: &LineChange| match (&other.before, &other.after) {
            (Some(before), Some(after)) => differing(before, after).contains(&field),
            _ => true,
        };
        let is_other = part.write != past.parts[0].write && part.at >= past.parts[0].at;
        is_other && part.ledger == file && part.changes.iter().any(|other| other.id == change.id && differs(other))
    };
    let found = log.iter().rev().find(touches);
    let at = found.map(|part| part.at.clone()).or_else(|| now.and_then(updated).map(|at| at.to_string()));
    UndoClash { id: change.id.clone(), field, by: found.map(|part| part.actor.clone()), at }
}

fn updated(line: impl AsRef<str>) -> Option<Instant> {
    Record::parse(line.as_ref()).ok()?.time("updated_at")
}

fn stamped(now: &str, line: &str, at: Instant) -> String {
    edited(now, line, at, DialectEvidence::of(line).or(Dialect::default()))
}

/// The planning copy of a proposal, in step with a target line of this time.
fn in_step(line: &str, at: Instant) -> String {
    let Ok(record) = Record::parse(line) else { return line.to_owned() };
    let Some(known) = Proposal::of(&record) else { return line.to_owned() };
    let dialect = DialectEvidence::of(line).or(Dialect::default());
    let proposal = Proposal { synced: Some(at.to_string()), ..known };
    record.with(&[("proposal", Some(proposal.render(dialect)))], dialect)
}

/// A restored proposal of this actor.
fn is_own_proposal(step: &Step, actor: &str) -> bool {
    let Some(Ok(record)) = step.new.as_deref().map(Record::parse) else { return false };
    let is_own = |proposal: Proposal| proposal.state == State::Open && proposal.author == actor;
    Visibility::of(&record) == Visibility::Proposed && Proposal::of(&record).is_some_and(is_own)
}

fn is_deleted(line: &str) -> bool {
    Record::parse(line).is_ok_and(|record| status_of(&record).is_tombstone())
}

fn dependencies(line: &str) -> Vec<Dependency> {
    Record::parse(line).map(|record| dependencies_of(&record)).unwrap_or_default()
}

/// One write from the log.
#[derive(Debug)]
pub(super) struct Past {
    pub parts: Vec<Entry>,
    /// The state homes whose logs have it.
    pub(super) homes: Vec<PathBuf>,
    /// The log line of its first part.
    pub first: usize,
    pub commit: Option<String>,
}

impl Past {
    pub(super) fn summary(&self) -> UndoneWrite {
        let Entry { command, at, .. } = self.parts[0].clone();
        UndoneWrite { command, at, commit: self.commit.clone() }
    }

    pub(super) fn stays(&self) -> Option<Stays> {
        self.parts.iter().find_map(|part| part.stays)
    }
}
