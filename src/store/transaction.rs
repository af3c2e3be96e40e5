//! Writing: locks first, then what is on disk, then the change, then the disk again.

use super::source::expected;
use super::{Result, Store, StoreError};
use crate::ledger::{Document, Edit, Ledger, LedgerError, LockedLedger, MAX_LINE, Outcome};
use crate::model::change::{self, Change, ChangeError, NewIssue, Stamp};
use crate::model::id::IssueId;
use crate::model::issue::Issue;
use crate::model::json::Dialect;
use crate::model::record::Record;
use crate::model::time::Instant;

/// One thing to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// A new issue, under a chosen id or a minted one.
    File { issue: Box<NewIssue>, id: Option<IssueId> },
    /// Changes to one issue.
    Change { id: String, changes: Vec<Change> },
    /// A line as it is, for an id that is not there yet or replacing the line that bears it (import).
    Put { id: String, line: String },
}

/// An issue after a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: String,
    /// The line as it is now.
    pub line: String,
    /// The line as it was before, if there was one.
    pub before: Option<String>,
    /// Whether the file had to be touched for it.
    pub changed: bool,
    pub source_repo: String,
}

impl Written {
    pub fn issue(&self) -> Issue {
        Issue::decode(&Record::parse(&self.line).expect("a written line is a record"))
    }
}

/// Why one of several writes was not made; the others stand.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("no issue found matching {0:?}: not found")]
    NotFound(String),
    #[error("{0} exists already")]
    Taken(String),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl WriteError {
    pub fn into_store(self) -> StoreError {
        match self {
            WriteError::NotFound(typed) => StoreError::NotFound { typed },
            WriteError::Taken(id) => StoreError::Taken { id },
            WriteError::Change(error) => StoreError::Change(error),
            WriteError::Ledger(error) => StoreError::Ledger(error),
        }
    }
}

/// Holds the locks of the ledgers it writes. Dropping it without [`Transaction::commit`] changes nothing.
#[derive(Debug)]
#[must_use = "a transaction that is dropped writes nothing"]
pub struct Transaction<'s> {
    store: &'s mut Store,
    /// In path order, so that two transactions over several ledgers cannot wait for each other.
    locks: Vec<LockedLedger>,
    staged: Vec<Write>,
}

impl Store {
    /// Locks the ledgers for writing.
    pub fn begin(&mut self) -> Result<Transaction<'_>> {
        if self.sources.len() > 1 {
            return Err(StoreError::TwoLedgers { directory: self.repo.beads().to_owned() });
        }
        let mut ledgers: Vec<_> = self.sources.ledgers().cloned().collect();
        ledgers.sort_by(|a, b| a.path().cmp(b.path()));
        let locks = ledgers.iter().map(|ledger| ledger.lock(self.lock_wait)).collect::<std::result::Result<_, _>>()?;
        Ok(Transaction { store: self, locks, staged: Vec::new() })
    }
}

impl Transaction<'_> {
    /// The store, for questions whose answer must hold until the commit. Ask [`Store::refresh`] first.
    pub fn store(&mut self) -> &mut Store {
        self.store
    }

    pub fn stage(&mut self, write: Write) -> Result<()> {
        self.staged.push(write);
        Ok(())
    }

    /// Refuses a dependency that would close a cycle, judged on what is on disk now.
    pub fn refuse_cycle(&mut self, dependent: &str, target: &str, parents: bool) -> Result<()> {
        self.store.refresh()?;
        let graph = self.store.cache.graph(parents)?;
        match graph.path(target, dependent) {
            None => Ok(()),
            Some(mut path) => {
                path.insert(0, dependent.to_owned());
                Err(StoreError::Cycle { dependent: dependent.to_owned(), target: target.to_owned(), path })
            }
        }
    }

    /// Writes what was staged. One answer per write, in order; the good ones are on disk when this returns.
    pub fn commit(self) -> Result<Vec<std::result::Result<Written, WriteError>>> {
        let Transaction { store, locks, staged } = self;
        let prefix = if staged.iter().any(|write| matches!(write, Write::File { id: None, .. })) {
            store.prefix()?
        } else {
            String::new()
        };
        let actor = store.actor().to_owned();
        let [lock] = locks.as_slice() else {
            return Err(StoreError::TwoLedgers { directory: store.repo.beads().to_owned() });
        };
        let plan = Plan { store, ledger: lock.ledger(), prefix: &prefix, actor: &actor };
        let path = lock.ledger().path();
        let mut answers = Vec::new();
        lock.apply::<StoreError>(
            &store.host.entropy,
            || expected(path),
            |document| {
                let (edits, planned) = plan.make(document, &staged);
                answers = planned;
                Ok(edits)
            },
        )
        .map_err(|error| match error {
            StoreError::Ledger(LedgerError::Missing { path }) => {
                StoreError::NoLedger { directory: path.parent().unwrap_or(&path).to_owned() }
            }
            other => other,
        })
        .map(|outcome: Outcome| {
            if outcome == Outcome::Unchanged {
                answers.iter_mut().flatten().for_each(|written: &mut Written| written.changed = false);
            }
        })?;
        Ok(answers)
    }
}

type Answer = std::result::Result<Written, WriteError>;

struct Plan<'a> {
    store: &'a Store,
    ledger: &'a Ledger,
    prefix: &'a str,
    actor: &'a str,
}

impl Plan<'_> {
    /// Edits for everything staged, on the document as it is now.
    fn make(&self, document: &Document, staged: &[Write]) -> (Vec<Edit>, Vec<Answer>) {
        let now = self.store.host.clock.now();
        let mut edits: Vec<Edit> = Vec::new();
        let mut answers = Vec::new();
        for write in staged {
            let answer = match write {
                Write::File { issue, id } => self.file(document, &mut edits, issue, id.as_ref(), now),
                Write::Change { id, changes } => self.change(document, &mut edits, id, |line, dialect| {
                    change::apply(line, changes, Stamp { now, actor: self.actor, dialect })
                }),
                Write::Put { id, line } if document.effective(id).is_none() => {
                    // The last of several for one new id stands, as it would if each came in a transaction of its own.
                    edits.retain(|edit| !matches!(edit, Edit::Insert { id: other, .. } if other == id));
                    self.push(document, &mut edits, Edit::Insert { id: id.clone(), text: line.clone() })
                        .map(|()| written(id, line.clone(), None, true))
                }
                Write::Put { id, line } => {
                    self.change(document, &mut edits, id, |old, _| Ok((old != line).then(|| line.clone())))
                }
            };
            answers.push(answer);
        }
        (edits, answers)
    }

    fn file(
        &self,
        document: &Document,
        edits: &mut Vec<Edit>,
        issue: &NewIssue,
        chosen: Option<&IssueId>,
        now: Instant,
    ) -> Answer {
        let taken = |edits: &[Edit], id: &str| is_inserted(edits, id) || document.ids().any(|known| known == id);
        let id = match chosen {
            Some(id) if taken(edits, id.as_str()) => return Err(WriteError::Taken(id.to_string())),
            Some(id) => id.clone(),
            None => loop {
                let nonce = self.store.host.entropy.bytes();
                let id = IssueId::mint(self.prefix, &issue.title, &issue.description, now, nonce);
                if !taken(edits, id.as_str()) {
                    break id;
                }
            },
        };
        let line = issue.line(id.as_str(), Stamp { now, actor: self.actor, dialect: document.dialect() })?;
        self.push(document, edits, Edit::Insert { id: id.to_string(), text: line.clone() })?;
        Ok(written(id.as_str(), line, None, true))
    }

    fn change(
        &self,
        document: &Document,
        edits: &mut Vec<Edit>,
        id: &str,
        apply: impl FnOnce(&str, Dialect) -> std::result::Result<Option<String>, ChangeError>,
    ) -> Answer {
        let Some(line) = document.effective(id) else { return Err(WriteError::NotFound(id.to_owned())) };
        // A second change of the same issue in one transaction builds on the first.
        let earlier = edits.iter().position(|edit| matches!(edit, Edit::Set { line: at, .. } if *at == line));
        let on_disk = String::from_utf8_lossy(document.text(line)).into_owned();
        let before = match earlier.map(|n| &edits[n]) {
            Some(Edit::Set { text, .. }) => text.clone(),
            _ => on_disk.clone(),
        };
        let Some(text) = apply(&before, document.dialect_of(line))? else {
            return Ok(written(id, before, Some(on_disk), false));
        };
        self.push(document, edits, Edit::Set { line, id: id.to_owned(), text: text.clone() })?;
        if let Some(n) = earlier {
            edits.remove(n);
        }
        Ok(written(id, text, Some(on_disk), true))
    }

    /// Takes an edit into the plan, unless damage or a limit forbids just this one.
    fn push(&self, document: &Document, edits: &mut Vec<Edit>, edit: Edit) -> std::result::Result<(), WriteError> {
        if let Edit::Set { id, text, .. } | Edit::Insert { id, text } = &edit
            && text.len() > MAX_LINE
        {
            return Err(ChangeError::TooLong { id: id.clone(), bytes: text.len() }.into());
        }
        self.ledger.refuse(document, std::slice::from_ref(&edit))?;
        edits.push(edit);
        Ok(())
    }
}

fn is_inserted(edits: &[Edit], id: &str) -> bool {
    edits.iter().any(|edit| matches!(edit, Edit::Insert { id: other, .. } if other == id))
}

fn written(id: &str, line: String, before: Option<String>, changed: bool) -> Written {
    Written { id: id.to_owned(), line, before, changed, source_repo: ".".to_owned() }
}
