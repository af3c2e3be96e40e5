//! What a transaction does to the lines of one ledger.

use super::Store;
use super::write::{Answer, Write, WriteError, Written};
use crate::ledger::{Document, Edit, Ledger, MAX_LINE};
use crate::model::change::{Change, ChangeError, NewIssue, Stamp};
use crate::model::id::IssueId;
use crate::model::json::Dialect;
use crate::model::proposal::{Owner, is_companion_line};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::{change, proposal};

/// What new issues of a repo get.
#[derive(Debug, Default)]
pub(super) struct Fresh {
    pub prefix: String,
    /// The project that they are planned for.
    pub owner: Option<Owner>,
}

pub(super) struct Plan<'a> {
    store: &'a Store,
    source: usize,
    ledger: &'a Ledger,
    fresh: &'a Fresh,
    actor: &'a str,
    repo: &'a str,
    now: Instant,
}

impl<'a> Plan<'a> {
    pub fn new(
        store: &'a Store,
        source: usize,
        ledger: &'a Ledger,
        fresh: &'a Fresh,
        actor: &'a str,
        now: Instant,
    ) -> Self {
        let repo = store.name(store.sources.member_of(source));
        Plan { store, source, ledger, fresh, actor, repo, now }
    }

    /// Edits for everything staged, on the document as it is now.
    pub fn make(&self, document: &Document, staged: &[&Write]) -> (Vec<Edit>, Vec<Answer>) {
        let now = self.now;
        let mut edits: Vec<Edit> = Vec::new();
        let mut answers = Vec::new();
        for write in staged {
            let answer = match write {
                Write::File { issue, id, .. } => self.file(document, &mut edits, issue, id.as_ref(), now),
                Write::Change { id, changes } => match self.store.remarked(self.source, id, changes) {
                    Some(issue) => self.remark(document, &mut edits, &issue, id, changes),
                    None => self.change(document, &mut edits, id, |line, dialect| {
                        change::apply(line, changes, Stamp { now, actor: self.actor, dialect })
                    }),
                },
                Write::Put { id, line, .. } if document.effective(id).is_none() => {
                    // The last of several for one new id stands, as it would if each came in a transaction of its own.
                    edits.retain(|edit| !matches!(edit, Edit::Insert { id: other, .. } if other == id));
                    let asked = self.store.fence_lock(self.source, document, id, None, Some(line));
                    let insert = Edit::Insert { id: id.clone(), text: line.clone() };
                    let pushed = asked.map_err(WriteError::from).and_then(|()| self.push(document, &mut edits, insert));
                    pushed.map(|()| self.written(id, line.clone(), None, true))
                }
                // What a companion says is not what the line of an issue replaces.
                Write::Put { id, line, .. } if has_companion(document, id) && !is_companion_line(line.as_bytes()) => {
                    Err(WriteError::Taken(id.clone()))
                }
                Write::Put { id, line, .. } => {
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
        let taken = |edits: &[Edit], id: &str| {
            is_inserted(edits, id)
                || document.has_id(id)
                || self.store.sources.holders(id).iter().any(|n| *n != self.source)
        };
        let id = match chosen {
            Some(id) if taken(edits, id.as_str()) => return Err(WriteError::Taken(id.to_string())),
            Some(id) => id.clone(),
            None => loop {
                let nonce = self.store.host.entropy.bytes();
                let id = IssueId::mint(&self.fresh.prefix, &issue.title, &issue.description, now, nonce);
                if !taken(edits, id.as_str()) {
                    break id;
                }
            },
        };
        let local = issue.local || self.store.is_planning(self.store.sources.member_of(self.source));
        let issue = NewIssue { local, project: self.fresh.owner.clone(), ..issue.clone() };
        let line = issue.line(id.as_str(), Stamp { now, actor: self.actor, dialect: document.dialect() })?;
        self.store.fence_lock(self.source, document, id.as_str(), None, Some(&line))?;
        self.push(document, edits, Edit::Insert { id: id.to_string(), text: line.clone() })?;
        Ok(self.written(id.as_str(), line, None, true))
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
            return Ok(self.written(id, before, Some(on_disk), false));
        };
        self.store.fence(self.source, id, Some(&on_disk), Some(&text))?;
        self.store.fence_lock(self.source, document, id, Some(&on_disk), Some(&text))?;
        self.store.fence_plan(self.source, document, id, &on_disk, &text)?;
        self.push(document, edits, Edit::Set { line, id: id.to_owned(), text: text.clone() })?;
        if let Some(n) = earlier {
            edits.remove(n);
        }
        Ok(self.written(id, text, Some(on_disk), true))
    }

    /// Changes the companion of an issue, which is made if there is none. The claims on the issue itself decide who may.
    fn remark(&self, document: &Document, edits: &mut Vec<Edit>, issue: &str, id: &str, changes: &[Change]) -> Answer {
        let stamp = |dialect| Stamp { now: self.now, actor: self.actor, dialect };
        let record = Record::parse(issue).expect("a line of a ledger is a record");
        let dialect = document.dialect();
        if let Some(owner) = self.store.sources.owner(id) {
            let after = change::apply(issue, changes, stamp(dialect))?;
            self.store.fence(owner, id, Some(issue), after.as_deref())?;
        }
        let apply = |line: &str, dialect| change::apply(line, changes, stamp(dialect));
        let is_known = document.effective(id).is_some() || is_inserted(edits, id);
        let written = match &self.fresh.owner {
            Some(owner) if !is_known => {
                let empty = proposal::companion(&record, owner, stamp(dialect));
                let line = apply(&empty, dialect)?.unwrap_or(empty);
                self.push(document, edits, Edit::Insert { id: id.to_owned(), text: line.clone() })?;
                self.written(id, line, None, true)
            }
            _ => self.change(document, edits, id, apply)?,
        };
        let companion = Record::parse(&written.line).expect("a written line is a record");
        let line = match proposal::is_companion(&companion) {
            true => proposal::answered(&record, &companion, dialect),
            false => written.line.clone(),
        };
        Ok(Written { line, ..written })
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

    fn written(&self, id: &str, line: String, before: Option<String>, changed: bool) -> Written {
        Written { id: id.to_owned(), line, before, changed, source_repo: self.repo.to_owned() }
    }
}

fn has_companion(document: &Document, id: &str) -> bool {
    document.effective(id).is_some_and(|line| is_companion_line(document.text(line)))
}

fn is_inserted(edits: &[Edit], id: &str) -> bool {
    edits.iter().any(|edit| matches!(edit, Edit::Insert { id: other, .. } if other == id))
}
