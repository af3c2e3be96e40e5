//! Turns the writes of a transaction into edits of one ledger's lines.

use std::cell::OnceCell;

use super::claim_guard;
use super::draft::{Draft, Spot};
use super::intent::{Answer, Fresh, Intent, Write, WriteError, Written};
use crate::ledger::Edit;
use crate::model::change::{Change, ChangeError, NewIssue, Stamp, companion};
use crate::model::id::IssueId;
use crate::model::json::Dialect;
use crate::model::proposal::is_companion_line;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::model::{change, proposal};
use crate::store::read::index::usual_in;
use crate::store::{Result, Snapshot, Store};

impl Snapshot {
    /// The attributes of new issues in a ledger: in a planning repo, the prefix and record of the project they are
    /// filed from.
    pub(super) fn fresh_for(&self, source: usize, writes: &[&Write]) -> Result<Fresh> {
        let member = self.sources.member_of(source);
        let makes = |write: &Write| matches!(write, Write::File { .. }) || self.makes_companion(source, write);
        let files = writes.iter().any(|write| makes(write));
        let mints = writes.iter().any(|write| matches!(write, Write::File { id: None, .. }));
        let owner = if files { self.planned_for(member)? } else { None };
        let named = self.repos.members[member].named_prefix();
        if mints && named.is_none() && !self.is_planning(member) && self.sources.is_unread() {
            let default_prefix = self.repos.members[member].repo.default_prefix();
            return Ok(Fresh { prefix: OnceCell::new(), default_prefix, owner });
        }
        let prefix = if mints { self.new_prefix(member)? } else { String::new() };
        Ok(Fresh { prefix: prefix.into(), default_prefix: String::new(), owner })
    }
}

pub(super) struct Plan<'a> {
    store: &'a Store,
    source: usize,
    fresh: &'a Fresh,
    actor: &'a str,
}

impl<'a> Plan<'a> {
    pub(super) fn new(store: &'a Store, source: usize, fresh: &'a Fresh, actor: &'a str) -> Self {
        Plan { store, source, fresh, actor }
    }

    /// The prefix of new ids.
    fn prefix(&self, draft: &Draft<'_>) -> &'a str {
        let fresh = self.fresh;
        fresh.prefix.get_or_init(|| usual_in(draft.document()).unwrap_or_else(|| fresh.default_prefix.clone()))
    }

    /// Drafts everything staged, based on the current document. One answer per write.
    pub(super) fn make<'w>(
        &self,
        draft: &mut Draft<'_>,
        staged: impl IntoIterator<Item = (Intent, Instant, &'w Write)>,
    ) -> Vec<Answer> {
        let one = |(intent, now, write)| PlannedWrite { plan: self, intent, now }.one(draft, write);
        staged.into_iter().map(one).collect()
    }
}

/// One write of a plan, with its intent and time.
struct PlannedWrite<'p, 'a> {
    plan: &'p Plan<'a>,
    intent: Intent,
    now: Instant,
}

impl<'a> PlannedWrite<'_, 'a> {
    fn one(&self, draft: &mut Draft<'_>, write: &Write) -> Answer {
        match write {
            Write::File { issue, id, .. } => self.file(draft, issue, id.as_ref()),
            Write::Change { id, changes } => match self.plan.store.remarked(self.plan.source, id, changes) {
                Some(issue) => self.remark(draft, &issue, id, changes),
                None => self.change(draft, id, |line, dialect| change::apply(line, changes, self.stamp(dialect))),
            },
            Write::Put { id, line, .. } => match draft.document().effective(id) {
                // Of several writes for one new id the last wins, as it would with separate transactions.
                None => self.insert(draft, id, line.clone()),
                // A companion is not replaced by the line of an issue.
                Some(known)
                    if is_companion_line(draft.document().text(known)) && !is_companion_line(line.as_bytes()) =>
                {
                    Err(WriteError::Taken(id.clone()))
                }
                Some(_) => self.change(draft, id, |old, _| Ok((old != line).then(|| line.clone()))),
            },
        }
    }

    fn stamp(&self, dialect: Dialect) -> Stamp<'a> {
        Stamp { now: self.now, actor: self.plan.actor, dialect }
    }

    fn file(&self, draft: &mut Draft<'_>, issue: &NewIssue, chosen: Option<&IssueId>) -> Answer {
        let taken = |id: &str| {
            draft.inserts(id)
                || draft.document().has_id(id)
                || self.plan.store.holders(id).iter().any(|n| *n != self.plan.source)
        };
        let id = match chosen {
            Some(id) if taken(id.as_str()) => return Err(WriteError::Taken(id.to_string())),
            Some(id) => id.clone(),
            None => loop {
                let nonce = self.plan.store.host.entropy.bytes();
                let id = IssueId::mint(self.plan.prefix(draft), &issue.title, &issue.description, self.now, nonce);
                if !taken(id.as_str()) {
                    break id;
                }
            },
        };
        let local = issue.local || self.plan.store.is_planning(self.plan.store.sources.member_of(self.plan.source));
        let issue = NewIssue { local, project: self.plan.fresh.owner.clone(), ..issue.clone() };
        let line = issue.line(id.as_str(), self.stamp(draft.document().dialect()))?;
        self.insert(draft, id.as_str(), line)
    }

    fn insert(&self, draft: &mut Draft<'_>, id: &str, line: String) -> Answer {
        draft.push(self.intent, Edit::Insert { id: id.to_owned(), text: line.clone() })?;
        Ok(self.written(id, line, None, true))
    }

    fn change(
        &self,
        draft: &mut Draft<'_>,
        id: &str,
        apply: impl FnOnce(&str, Dialect) -> std::result::Result<Option<String>, ChangeError>,
    ) -> Answer {
        let document = draft.document();
        // A second change of the same issue in one transaction builds on the first.
        let Some((spot, pending)) = draft.find(id) else { return Err(WriteError::NotFound(id.to_owned())) };
        let on_disk = match spot {
            Spot::Line(line) => Some(document.line_text(line)),
            Spot::New(_) => None,
        };
        let before = pending.map(str::to_owned).or_else(|| on_disk.clone()).unwrap_or_default();
        let Some(text) = apply(&before, document.dialect_of_text(&before))? else {
            return Ok(self.written(id, before, on_disk, false));
        };
        let (id, new) = (id.to_owned(), text.clone());
        draft.push(
            self.intent,
            match spot {
                Spot::Line(line) => Edit::Set { line, id: id.clone(), text: new },
                Spot::New(_) => Edit::Insert { id: id.clone(), text: new },
            },
        )?;
        Ok(self.written(&id, text, on_disk, true))
    }

    /// Changes the companion of an issue, creating it if necessary. The claims on the issue itself decide who may.
    fn remark(&self, draft: &mut Draft<'_>, issue: &str, id: &str, changes: &[Change]) -> Answer {
        let record = Record::parse(issue).expect("a line of a ledger is a record");
        let dialect = draft.document().dialect();
        if let Some(owner) = self.plan.store.owner(id) {
            let after = change::apply(issue, changes, self.stamp(dialect))?;
            claim_guard::refuse(self.plan.store, owner, id, Some(issue), after.as_deref())?;
        }
        let apply = |line: &str, dialect| change::apply(line, changes, self.stamp(dialect));
        let is_known = draft.document().effective(id).is_some() || draft.inserts(id);
        let written = match &self.plan.fresh.owner {
            Some(owner) if !is_known => {
                let empty = companion::companion(&record, owner, self.stamp(dialect));
                let line = apply(&empty, dialect)?.unwrap_or(empty);
                self.insert(draft, id, line)?
            }
            _ => self.change(draft, id, apply)?,
        };
        let companion = Record::parse(&written.line).expect("a written line is a record");
        let line = match proposal::is_companion(&companion) {
            true => companion::answered(&record, &companion, dialect),
            false => written.line.clone(),
        };
        Ok(Written { line, ..written })
    }

    fn written(&self, id: &str, line: String, before: Option<String>, changed: bool) -> Written {
        let source_repo = self.plan.store.name(self.plan.store.sources.member_of(self.plan.source)).to_owned();
        Written { id: id.to_owned(), line, before, changed, source_repo }
    }
}
