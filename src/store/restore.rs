//! Bringing back what the history of version control has of an issue: a line that left the ledger, byte for byte, or an
//! older version of one that is there, as an edit.

use std::path::{Path, PathBuf};

use super::source::expected;
use super::transaction::Written;
use super::{Access, Moment, PastLine, Result, Store, StoreError, place};
use crate::ledger::{Document, Edit, LedgerError, Outcome};
use crate::model::change::{Stamp, restore};
use crate::model::difference::{FieldChange, difference};
use crate::model::issue::status_of;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::record::Record;
use crate::vcs::{self, Commit, Kind};

/// An issue that came back, or would come back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub id: String,
    pub source_repo: String,
    pub file: PathBuf,
    /// The line as it is now.
    pub line: String,
    pub before: Option<String>,
    /// The commit whose version it is.
    pub commit: Commit,
    /// The commit that took it out of the ledger.
    pub removed: Option<Commit>,
    /// What is not as it was in the ledger, or of a line that had left, as it last was.
    pub fields: Vec<FieldChange>,
}

impl Restored {
    /// The file had to be touched, or would have to be.
    pub fn changed(&self) -> bool {
        self.before.as_deref() != Some(self.line.as_str())
    }
}

/// A version to bring back.
struct Wanted {
    source: usize,
    /// What it is put upon: the line of the ledger, or the last one that it had.
    base: String,
    /// The version whose values come back; `None` for the base as it is.
    past: Option<String>,
    is_present: bool,
    commit: Commit,
    removed: Option<Commit>,
}

impl Store {
    /// Brings an issue back by its full id: the last version, or what it was at a moment. With `dry_run` only says so.
    pub fn restore(&mut self, id: &str, at: Option<&Moment>, dry_run: bool) -> Result<Restored> {
        self.refuse_broken()?;
        self.refresh()?;
        let owner = self.sources.owner(id);
        self.refuse_no_history(owner)?;
        let wanted = match owner {
            Some(source) => self.older(source, id, at)?,
            None => self.departed(id, at)?,
        };
        let member = self.sources.member_of(wanted.source);
        let what = || id.to_owned();
        if let Access::Read(reason) = self.access_to_line(member, id, &wanted.base)? {
            return Err(StoreError::ReadOnly { what: what(), repo: self.name(member).to_owned(), reason });
        }
        self.refuse_private(id, wanted.past.as_deref().unwrap_or(&wanted.base), false, member)?;
        self.writable(member)?;
        if dry_run {
            let ledger = self.sources.ledger(wanted.source);
            let document = ledger.read(|| expected(ledger.path()))?.document;
            let (edits, text) = self.restoring(&document, id, &wanted)?;
            ledger.refuse(&document, &edits)?;
            return Ok(self.outcome(id, &wanted, &document, text));
        }
        let locks = self.lock(&[wanted.source])?;
        let Some((_, lock)) = locks.first() else { return Err(StoreError::NotFound { typed: what() }) };
        self.actor();
        let mut done = None;
        let path = lock.ledger().path();
        let outcome = self.write_ledger::<StoreError>(
            lock,
            || expected(path),
            |document| {
                let (edits, text) = self.restoring(document, id, &wanted)?;
                done = Some(self.outcome(id, &wanted, document, text));
                Ok(edits)
            },
        )?;
        drop(locks);
        let Some(done) = done else { return Err(StoreError::NotFound { typed: what() }) };
        if outcome == Outcome::Written {
            let (line, before) = (done.line.clone(), done.before.clone());
            let source_repo = done.source_repo.clone();
            self.commit_ledgers(&[(
                wanted.source,
                vec![Written { id: what(), line, before, changed: true, source_repo }],
            )]);
        }
        Ok(done)
    }

    /// A version of an issue that is there.
    fn older(&mut self, source: usize, id: &str, at: Option<&Moment>) -> Result<Wanted> {
        let refused = |why: String| Err(StoreError::CannotRestore { id: id.to_owned(), why });
        let line = self.sources.line(source, id).unwrap_or_default();
        let deleted = Record::parse(&line).is_ok_and(|record| status_of(&record).is_tombstone());
        let past = match at {
            Some(moment) => self.line_at(id, moment)?.ok_or_else(|| not_then(id))?,
            None if deleted => match self.last_living(source, id)? {
                Some(past) => past,
                None => return refused("no commit has it as it was before it was deleted".to_owned()),
            },
            None => return refused("it is there; --at REV or --at DATE names the version to bring back".to_owned()),
        };
        if self.pair(id).is_some() {
            return refused("it is proposed, and has two copies; withdraw it first".to_owned());
        }
        let member = self.sources.member_of(source);
        if past.repo != member {
            // What was private there is not to come up here.
            return refused(format!("it was in {} then, and is in {} now", self.name(past.repo), self.name(member)));
        }
        let PastLine { line: then, commit, removed, .. } = past;
        Ok(Wanted { source, base: line, past: Some(then), is_present: true, commit, removed })
    }

    /// A version of an issue that has left.
    fn departed(&mut self, id: &str, at: Option<&Moment>) -> Result<Wanted> {
        if self.sources.ids().iter().any(|known| known == id) {
            // Its line is there and cannot be read; a second one would hide that.
            return Err(StoreError::Unreadable { id: id.to_owned(), what: "damaged line".to_owned() });
        }
        let last = self.last_in_history(id)?.ok_or_else(|| StoreError::NotFound { typed: id.to_owned() })?;
        let source = self.writable(last.repo)?;
        let then = match at {
            Some(moment) => Some(self.line_at(id, moment)?.ok_or_else(|| not_then(id))?),
            None => None,
        };
        if let Some(other) = then.as_ref().filter(|then| then.repo != last.repo) {
            let why = format!("it was in {} then, and in {} last", self.name(other.repo), self.name(last.repo));
            return Err(StoreError::CannotRestore { id: id.to_owned(), why });
        }
        let commit = then.as_ref().map_or(last.commit, |then| then.commit.clone());
        let past = then.map(|then| then.line);
        Ok(Wanted { source, base: last.line, past, is_present: false, commit, removed: last.removed })
    }

    /// The edits that bring a version into a document, and the line that comes of it.
    fn restoring(&self, document: &Document, id: &str, wanted: &Wanted) -> Result<(Vec<Edit>, String)> {
        let line = document.effective(id);
        let base = match line {
            Some(line) => String::from_utf8_lossy(document.text(line)).into_owned(),
            None => wanted.base.clone(),
        };
        if line.is_some() != wanted.is_present {
            // Somebody brought it back, or took it out, in this very moment.
            let path = self.sources.ledger(wanted.source).path().to_owned();
            return Err(LedgerError::Unstable { path }.into());
        }
        let dialect = DialectEvidence::of(&base).or(Dialect::default());
        let actor = self.actor.as_deref().unwrap_or_default();
        let stamp = Stamp { now: self.host.clock.now(), actor, dialect };
        let text = wanted.past.as_ref().and_then(|past| restore(&base, past, stamp));
        let text = text.unwrap_or_else(|| base.clone());
        let id = id.to_owned();
        let edit = match line {
            None => Some(Edit::Insert { id, text: text.clone() }),
            Some(line) => (text != base).then(|| Edit::Set { line, id, text: text.clone() }),
        };
        Ok((edit.into_iter().collect(), text))
    }

    fn outcome(&self, id: &str, wanted: &Wanted, document: &Document, line: String) -> Restored {
        let before = document.effective(id).map(|n| String::from_utf8_lossy(document.text(n)).into_owned());
        let compared = before.as_deref().unwrap_or(&wanted.base);
        let fields = difference(&[Some(compared)], Some(&line)).map(|(_, fields)| fields).unwrap_or_default();
        Restored {
            id: id.to_owned(),
            source_repo: self.name(self.sources.member_of(wanted.source)).to_owned(),
            file: self.sources.ledger(wanted.source).path().to_owned(),
            line,
            before,
            commit: wanted.commit.clone(),
            removed: wanted.removed.clone(),
            fields,
        }
    }

    /// Where no version control keeps anything, nothing can come back.
    fn refuse_no_history(&self, owner: Option<usize>) -> Result<()> {
        let sources: Vec<usize> = owner.map_or_else(|| (0..self.sources.len()).collect(), |source| vec![source]);
        let paths: Vec<PathBuf> = sources.iter().map(|n| place::real(self.sources.ledger(*n).path())).collect();
        if paths.iter().any(|path| vcs::kind(path) != Kind::None) {
            return Ok(());
        }
        let root = paths.first().and_then(|path| path.parent()?.parent()).unwrap_or(self.repo.root());
        Err(StoreError::NoHistory { root: Path::to_owned(root) })
    }
}

fn not_then(id: &str) -> StoreError {
    StoreError::NotThen { id: id.to_owned() }
}
