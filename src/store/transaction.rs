//! Writing: locks first, then what is on disk, then the change, then the disk again.

use super::leases::Locks;
use super::plan::{Fresh, Plan};
use super::route::Access;
use super::source::expected;
use super::write::{Answer, Scope, Write, WriteError, Written};
use super::{Result, Store, StoreError, View};
use crate::ledger::{LedgerError, Outcome};
use crate::model::change::Change;
use crate::model::dependency::DependencyType;
use crate::model::time::Instant;

/// A part of a write.
#[derive(Debug)]
struct Staged {
    source: usize,
    write: Write,
    /// Which write it is a part of.
    slot: usize,
}

/// Holds the locks of the ledgers it writes. Dropping it without [`Transaction::commit`] changes nothing.
#[derive(Debug)]
#[must_use = "a transaction that is dropped writes nothing"]
pub struct Transaction<'s> {
    store: &'s mut Store,
    /// The locked ledgers and which source each is.
    locks: Locks,
    /// What to write, and to which source; a write may have parts for several.
    staged: Vec<Staged>,
    /// How many writes there are.
    slots: usize,
    /// The workflows of tasks that are taken by writes of this transaction.
    taken: Vec<String>,
    /// The issues that writes of this transaction close.
    closed: Vec<String>,
    /// Under which numbers the sources were locked.
    numbering: u64,
}

/// How often the owners of issues are looked up anew because they moved before they were locked.
const MAX_TRIES: usize = 20;

impl View {
    fn sources_of(&mut self, scope: &Scope) -> Result<Vec<usize>> {
        let mut members = match scope {
            // One ledger owns everything: nothing need be read to know that.
            Scope::Issues(_) if self.sources.len() == 1 => vec![0],
            Scope::Issues(ids) => {
                self.read_ledgers()?;
                let owners = ids.iter().filter_map(|id| self.sources.owner(id));
                // Both copies of a proposed issue take part in its edits.
                let pairs = ids.iter().filter_map(|id| self.pair(id)).flat_map(|pair| [pair.target, pair.planning]);
                let mut members: Vec<usize> = owners.chain(pairs).map(|n| self.sources.member_of(n)).collect();
                // Remarks on an issue that this user may not write go to its companion.
                for id in ids {
                    members.extend(self.home_of_companion(id)?.map(|n| self.sources.member_of(n)));
                }
                members
            }
            Scope::Repos(members) => members.clone(),
            Scope::All => {
                let usable = |n: &usize| !self.sources.of_member(*n).is_empty();
                (0..self.repos.members.len()).filter(usable).collect::<Vec<usize>>()
            }
        };
        members.sort_unstable();
        members.dedup();
        if *scope == Scope::All {
            // Only what is written must be in order; the rest is locked so that it holds still.
            return Ok(members.iter().filter_map(|n| self.sources.of_member(*n).first().copied()).collect());
        }
        members.iter().map(|member| self.writable(*member)).collect()
    }

    /// The one ledger of a repo that can be written.
    pub(super) fn writable(&self, member: usize) -> Result<usize> {
        let repo = &self.repos.members[member];
        let untrusted = self.repos.untrusted.iter().find(|path| member == 0 && path.key == "repos.primary");
        if let Some(path) = untrusted {
            let (text, path) = (path.text.clone(), path.resolved.clone());
            return Err(StoreError::Untrusted { key: "repos.primary", text, path });
        }
        if let Some(error) = &repo.broken {
            return Err(error.clone().into());
        }
        match self.sources.of_member(member).as_slice() {
            [source] => Ok(*source),
            [] => Err(StoreError::NoLedger { directory: repo.repo.beads().to_owned() }),
            _ => Err(StoreError::TwoLedgers { directory: repo.repo.beads().to_owned() }),
        }
    }
}

impl Store {
    /// Locks ledgers for writing, in the order of their paths, so that two transactions cannot wait for each other.
    pub fn begin(&mut self, scope: Scope) -> Result<Transaction<'_>> {
        if let Scope::Issues(_) = scope {
            self.look_around()?;
        }
        if let Some(error) = self.settings.broken.first() {
            // Where a write belongs is not known.
            return Err(error.clone().into());
        }
        for _ in 0..MAX_TRIES {
            let wanted = self.sources_of(&scope)?;
            let locks = self.lock(&wanted)?;
            // An issue may have moved to another ledger before this one was locked.
            let settled = match &scope {
                Scope::Issues(_) => self.sources_of(&scope)?.iter().all(|n| wanted.contains(n)),
                Scope::Repos(_) | Scope::All => true,
            };
            if settled {
                let numbering = self.numbering;
                return Ok(Transaction {
                    store: self,
                    locks,
                    staged: Vec::new(),
                    slots: 0,
                    taken: Vec::new(),
                    closed: Vec::new(),
                    numbering,
                });
            }
        }
        let path = self.repos.primary_member().repo.beads().to_owned();
        Err(LedgerError::Unstable { path }.into())
    }
}

impl Store {
    /// An edit of a proposed issue goes to two ledgers: what one of them refuses is not made in the other.
    fn refuse_halves(
        &self,
        locks: &Locks,
        staged: &[Staged],
        actor: &str,
        now: Instant,
        answers: &mut [Option<Answer>],
    ) -> Result<()> {
        for (slot, answer) in answers.iter_mut().enumerate() {
            let parts: Vec<&Staged> = staged.iter().filter(|part| part.slot == slot).collect();
            if parts.len() < 2 {
                continue;
            }
            let mut before: Option<Answer> = None;
            for part in parts {
                let Some((_, lock)) = locks.iter().find(|(source, _)| *source == part.source) else { continue };
                let path = lock.ledger().path();
                let document = lock.ledger().read(|| expected(path))?.document;
                let fresh = Fresh::default();
                let plan = Plan::new(self, part.source, lock.ledger(), &fresh, actor, now);
                let (_, found) = plan.make(&document, &[&in_step(&part.write, before.as_ref())]);
                before = found.into_iter().next().map(|answer| united(before.take(), answer));
            }
            // What a change itself does not allow may depend on an earlier one of this transaction: that is found when it is made.
            *answer = before.filter(|found| matches!(found, Err(WriteError::Lease(_) | WriteError::Ledger(_))));
        }
        Ok(())
    }
}

impl Transaction<'_> {
    /// The store, for questions whose answer must hold until the commit. Ask [`View::refresh`](super::View::refresh) first.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    /// Takes a write into the transaction, unless it may not be made.
    pub fn stage(&mut self, write: Write) -> Result<()> {
        self.check_numbering()?;
        if let Write::Change { .. } = &write {
            self.refuse_taking(&write)?;
        }
        let closing = self.store.refuse_closing(&write, &self.closed);
        let store = &mut *self.store;
        let (member, line) = match &write {
            Write::File { repo, .. } => (*repo, None),
            Write::Change { .. } | Write::Put { .. } if store.sources.len() == 1 && !store.has_roles() => (0, None),
            Write::Change { id, .. } | Write::Put { id, .. } => {
                store.read_ledgers()?;
                match (store.sources.owner(id), &write) {
                    (Some(source), _) => (store.sources.member_of(source), store.sources.line(source, id)),
                    (None, Write::Put { repo, .. }) => (*repo, None),
                    (None, _) => return Err(StoreError::NotFound { typed: id.clone() }),
                }
            }
        };
        let (access, what) = match (&write, &line) {
            (Write::Change { id, .. } | Write::Put { id, .. }, Some(line)) => {
                (store.access_to_line(member, id, line)?, id.clone())
            }
            (Write::Put { id, .. }, None) => (store.access(member)?, id.clone()),
            _ => (store.access(member)?, "a new issue".to_owned()),
        };
        let beside = match access {
            Access::Write => None,
            Access::Read(reason) => match store.beside(&write)? {
                None => return Err(StoreError::ReadOnly { what, repo: store.name(member).to_owned(), reason }),
                some => some,
            },
        };
        let source = beside.map_or_else(|| store.writable(member), Ok)?;
        let parts = match write {
            write if beside.is_some() => vec![(source, write)],
            Write::Change { id, changes } => store.divide(source, id, changes)?,
            Write::Put { id, line, repo } => {
                store.refuse_private(&id, &line, false, member)?;
                store.refuse_companion(&id, &line, member)?;
                // A line from elsewhere may hold anything: of a proposed issue it goes to the planning copy.
                let source = store.pair(&id).map_or(source, |pair| pair.planning);
                vec![(source, Write::Put { id, line, repo })]
            }
            write @ Write::File { .. } => vec![(source, write)],
        };
        for (source, write) in &parts {
            store.refuse_private_names(*source, write)?;
            store.refuse_deleted_targets(write)?;
        }
        if let Some((n, _)) = parts.iter().find(|(n, _)| !self.locks.iter().any(|(locked, _)| locked == n)) {
            return Err(LedgerError::Unstable { path: self.store.sources.ledger(*n).path().to_owned() }.into());
        }
        match closing {
            Ok(closed) => self.closed.extend(closed),
            // Whoever may not write it at all learns that first.
            Err(error) => return Err(self.fenced(&parts)?.unwrap_or(error)),
        }
        let slot = self.slots;
        self.slots += 1;
        self.staged.extend(parts.into_iter().map(|(source, write)| Staged { source, write, slot }));
        Ok(())
    }

    /// Why claims or locks refuse a write, if they do.
    fn fenced(&mut self, parts: &[(usize, Write)]) -> Result<Option<StoreError>> {
        let (actor, now, fresh) = (self.store.actor().to_owned(), self.store.host.clock.now(), Fresh::default());
        for (source, write) in parts {
            let Some((_, lock)) = self.locks.iter().find(|(locked, _)| locked == source) else { continue };
            let path = lock.ledger().path();
            let document = lock.ledger().read(|| expected(path))?.document;
            let plan = Plan::new(self.store, *source, lock.ledger(), &fresh, &actor, now);
            let answer = plan.make(&document, &[write]).1.into_iter().next();
            if let Some(Err(error @ WriteError::Lease(_))) = answer {
                return Ok(Some(error.into_store()));
            }
        }
        Ok(None)
    }

    /// Refuses a write that takes a task past the rules of its workflow, or moves a workflow past its table.
    pub fn refuse_taking(&mut self, write: &Write) -> Result<()> {
        self.taken.extend(self.store.refuse_taking(write, &self.taken)?);
        Ok(())
    }

    /// The settings may be edited while the locks are held; the numbers of repos then mean something else.
    fn check_numbering(&self) -> Result<()> {
        if self.numbering == self.store.numbering {
            return Ok(());
        }
        Err(LedgerError::Unstable { path: self.store.settings.files.shared.clone() }.into())
    }

    /// Refuses a dependency that would close a cycle, judged on what is on disk now. An epic waits for its children, so a child must
    /// not wait for it.
    pub fn refuse_cycle(&mut self, dependent: &str, target: &str, parents: bool) -> Result<()> {
        self.store.refresh()?;
        let waits = self.store.cache.waits()?;
        let around = match parents {
            true if self.is_open_epic(target)? => {
                let family = self.store.cache.graph(true)?;
                family.path(target, dependent).or_else(|| waits.path(dependent, target))
            }
            true => self.store.cache.graph(true)?.path(target, dependent),
            false => waits.path(target, dependent),
        };
        match around {
            None => Ok(()),
            Some(path) => {
                let first = if path.first().is_some_and(|id| id == dependent) { target } else { dependent };
                let path = std::iter::once(first.to_owned()).chain(path).collect();
                Err(StoreError::Cycle { dependent: dependent.to_owned(), target: target.to_owned(), path })
            }
        }
    }

    /// The same for an issue that nothing waits for yet: only an epic that it becomes a child of does.
    pub fn refuse_cycle_of_new(&mut self, id: &str, dependencies: &[(String, DependencyType)]) -> Result<()> {
        let parents = dependencies.iter().filter(|(_, kind)| kind.is_parent_child());
        for (parent, _) in parents {
            self.store.refresh()?;
            let blockers = || dependencies.iter().filter(|(_, kind)| kind.orders_work() && !kind.is_parent_child());
            if blockers().next().is_none() || !self.is_open_epic(parent)? {
                continue;
            }
            let waits = self.store.cache.waits()?;
            for (target, _) in blockers() {
                if let Some(path) = waits.path(target, parent) {
                    let path = std::iter::once(id.to_owned()).chain(path).chain([id.to_owned()]).collect();
                    return Err(StoreError::Cycle { dependent: id.to_owned(), target: target.clone(), path });
                }
            }
        }
        Ok(())
    }

    fn is_open_epic(&mut self, id: &str) -> Result<bool> {
        let row = self.store.get(id)?;
        Ok(row.is_some_and(|row| row.issue.issue_type.as_str() == "epic" && !row.issue.status.is_done()))
    }

    /// Asks whether every write would be made, on what is on disk now: for those that belong together. Nothing is written.
    pub fn rehearse(&mut self) -> Result<()> {
        self.check_numbering()?;
        let actor = self.store.actor().to_owned();
        let now = self.store.host.clock.now();
        for (source, lock) in self.locks.iter() {
            let writes: Vec<&Write> =
                self.staged.iter().filter(|part| part.source == *source).map(|part| &part.write).collect();
            if writes.is_empty() {
                continue;
            }
            let fresh = self.store.fresh_for(*source, &writes)?;
            let path = lock.ledger().path();
            let document = lock.ledger().read(|| expected(path))?.document;
            let (_, answers) =
                Plan::new(self.store, *source, lock.ledger(), &fresh, &actor, now).make(&document, &writes);
            if let Some(error) = answers.into_iter().find_map(std::result::Result::err) {
                return Err(error.into_store());
            }
        }
        Ok(())
    }

    /// Writes what was staged, one ledger after the other. One answer per write, in order; the good ones are on disk when
    /// this returns.
    pub fn commit(self) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        if !self.staged.is_empty() {
            self.check_numbering()?;
        }
        let Transaction { store, mut locks, staged, slots, .. } = self;
        let actor = store.actor().to_owned();
        // One moment for all parts, so that the copies of an issue stay alike.
        let now = store.host.clock.now();
        let mut answers: Vec<Option<Answer>> = (0..slots).map(|_| None).collect();
        let mut committed = Vec::new();
        // The target's copy of a proposed issue before the planning copy: what it refuses is not made in the other.
        locks.sort_by_key(|(source, _)| staged.iter().position(|part| part.source == *source));
        store.refuse_halves(&locks, &staged, &actor, now, &mut answers)?;
        for (source, lock) in locks.iter() {
            let failed = |slot: usize| matches!(answers[slot], Some(Err(_)));
            let mine: Vec<&Staged> =
                staged.iter().filter(|part| part.source == *source && !failed(part.slot)).collect();
            if mine.is_empty() {
                continue;
            }
            let writes: Vec<Write> =
                mine.iter().map(|part| in_step(&part.write, answers[part.slot].as_ref())).collect();
            let writes: Vec<&Write> = writes.iter().collect();
            let fresh = store.fresh_for(*source, &writes)?;
            let plan = Plan::new(store, *source, lock.ledger(), &fresh, &actor, now);
            let path = lock.ledger().path();
            let mut planned = Vec::new();
            let outcome = store.write_ledger::<WriteError>(
                lock,
                || expected(path),
                |document| {
                    let (edits, found) = plan.make(document, &writes);
                    planned = found;
                    Ok(edits)
                },
            );
            match outcome {
                Ok(Outcome::Unchanged) => planned.iter_mut().flatten().for_each(|written| written.changed = false),
                Ok(Outcome::Written) => committed.push((*source, planned.iter().flatten().cloned().collect())),
                Err(error) => planned = writes.iter().map(|_| Err(error.clone())).collect(),
            }
            for (part, answer) in mine.into_iter().zip(planned) {
                let before = answers[part.slot].take();
                answers[part.slot] = Some(united(before, answer));
            }
        }
        drop(locks);
        store.commit_ledgers(&committed);
        Ok(answers.into_iter().map(|answer| answer.expect("every write is of a locked ledger")).collect())
    }
}

/// The planning part of an edit of a proposed issue notes what it is in step with: the target's line as just written.
fn in_step(write: &Write, before: Option<&Answer>) -> Write {
    let line = before.and_then(|answer| answer.as_ref().ok()).map(|written| &written.line);
    match (write, line) {
        (Write::Change { id, changes }, line) => {
            let noted = changes.iter().filter_map(|change| match (change, line) {
                (Change::Synced(_), Some(line)) => Some(Change::Synced(line.clone())),
                (Change::Synced(_), None) => None,
                (other, _) => Some(other.clone()),
            });
            Write::Change { id: id.clone(), changes: noted.collect() }
        }
        _ => write.clone(),
    }
}

/// The answer to a write of several parts: that of the first ledger, which changed something if any part did.
fn united(before: Option<Answer>, answer: Answer) -> Answer {
    match (before, answer) {
        (Some(Ok(first)), Ok(second)) if first.source_repo == second.source_repo => {
            Ok(Written { changed: first.changed || second.changed, before: first.before, ..second })
        }
        (Some(Ok(first)), Ok(second)) => Ok(Written { changed: first.changed || second.changed, ..first }),
        (Some(first @ Err(_)), _) => first,
        (_, answer) => answer,
    }
}
