//! Putting back what another program took out of a ledger: each line into the very file that had it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use super::journal::{Journal, JournalError, Missing, Whose};
use super::source::expected;
use super::write::Written;
use super::{Result, Store, View};
use crate::ledger::{Document, Edit, LedgerError, Outcome};
use crate::model::record::Record;

/// One issue whose writes were missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    pub id: String,
    pub source_repo: String,
    /// The issue was gone; else its line was there and lacked something.
    pub was_gone: bool,
    /// What the line lacked.
    pub fields: Vec<String>,
    pub line: String,
    /// The last write that was missing.
    pub at: String,
    pub actor: String,
    /// The ledger of a checkout that is gone, if it comes from one.
    pub from: Option<PathBuf>,
}

/// What is missing from a repo, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    pub recovered: Vec<Recovered>,
    /// Issues that checkouts which are gone had and no commit holds: the ledger and the id.
    pub gone: Vec<(PathBuf, String)>,
}

impl Recovery {
    fn ids(&self, whose: Whose) -> HashSet<String> {
        let meant = self.recovered.iter().filter(|one| one.from.is_some() == (whose == Whose::Gone));
        meant.map(|one| one.id.clone()).collect()
    }
}

impl View {
    /// What would be put back into a repo. Writes nothing.
    pub fn recoverable(&mut self, member: usize, from_gone: bool) -> Result<Recovery> {
        self.read_ledgers()?;
        let source = self.writable(member)?;
        let ledger = self.sources.ledger(source);
        let document = ledger.read(|| expected(ledger.path()))?.document;
        let name = self.name(member);
        Ok(self.journaling(ledger, |journal| search(journal, &document, from_gone, name))?)
    }

    /// A repo can be written as far as its ledgers go.
    pub fn has_one_ledger(&self, member: usize) -> bool {
        self.sources.of_member(member).len() == 1
    }
}

impl Store {
    /// Puts back what is missing from a repo. It was acknowledged to this user, so the role does not matter.
    pub fn recover(&mut self, member: usize, from_gone: bool) -> Result<Recovery> {
        if let Some(error) = self.settings.broken.first() {
            return Err(error.clone().into());
        }
        let source = self.writable(member)?;
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Ok(Recovery::default()) };
        let ledger = lock.ledger();
        let name = self.name(member).to_owned();
        self.actor();
        let found = RefCell::new(Recovery::default());
        let plan = |document: &Document| {
            let search = |journal: &Journal<'_>| search(journal, document, from_gone, &name);
            let recovery = self.journaling(ledger, search).map_err(LedgerError::Fs)?;
            let edits = edits(&recovery, document);
            found.replace(recovery);
            Ok(edits)
        };
        let outcome = self.recover_ledger(lock, plan, |journal, applied| {
            let (own, gone) = (found.borrow().ids(Whose::Own), found.borrow().ids(Whose::Gone));
            let mut noted = self.note(journal, applied)?;
            // The line has both by now, whatever a comparison says.
            if noted.missing.iter().any(|missing| own.contains(&missing.id)) {
                journal.forget(&own, Whose::Own, None, &self.host.entropy)?;
                noted = self.note(journal, applied)?;
            }
            if !gone.is_empty() {
                journal.forget(&gone, Whose::Gone, None, &self.host.entropy)?;
            }
            Ok(noted)
        })?;
        drop(locks);
        let recovery = found.into_inner();
        if outcome == Outcome::Written {
            let written = recovery.recovered.iter().map(|one| Written {
                id: one.id.clone(),
                line: one.line.clone(),
                before: (!one.was_gone).then(|| one.line.clone()),
                changed: true,
                source_repo: one.source_repo.clone(),
            });
            let written = written.collect();
            self.commit_ledgers(&[(source, written)]);
        }
        // What stays in the journal needlessly does no harm.
        let _ = self.prune_journal(member);
        Ok(recovery)
    }

    /// Forgets what is missing from a repo: it was taken out on purpose.
    pub fn discard(&mut self, member: usize, from_gone: bool) -> Result<Recovery> {
        let source = self.writable(member)?;
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Ok(Recovery::default()) };
        let ledger = lock.ledger();
        let snapshot = ledger.read(|| expected(ledger.path()))?;
        let name = self.name(member);
        let recovery = self.journaling(ledger, |journal| {
            let recovery = search(journal, &snapshot.document, from_gone, name)?;
            let (own, gone) = (recovery.ids(Whose::Own), recovery.ids(Whose::Gone));
            if !own.is_empty() {
                journal.forget(&own, Whose::Own, Some(&snapshot.stamp.file), &self.host.entropy)?;
            }
            if !gone.is_empty() {
                journal.forget(&gone, Whose::Gone, None, &self.host.entropy)?;
            }
            Ok::<_, JournalError>(recovery)
        })?;
        self.sources.watched(source).replace(None);
        Ok(recovery)
    }
}

fn search(
    journal: &Journal<'_>,
    document: &Document,
    from_gone: bool,
    repo: &str,
) -> std::result::Result<Recovery, crate::sys::fs::FsError> {
    let mut found: BTreeMap<String, Recovered> = BTreeMap::new();
    for missing in journal.account_whole(document)?.missing {
        found.insert(missing.id.clone(), recovered(missing, repo, None));
    }
    let mut gone = Vec::new();
    for (path, fold) in journal.of_gone_checkouts()? {
        for missing in fold.missing(document) {
            if from_gone {
                let one = recovered(missing, repo, Some(path.clone()));
                // One copy of an issue at a time: the next call brings the others.
                found.entry(one.id.clone()).or_insert(one);
            } else {
                gone.push((path.clone(), missing.id));
            }
        }
    }
    Ok(Recovery { recovered: found.into_values().collect(), gone })
}

fn recovered(missing: Missing, repo: &str, from: Option<PathBuf>) -> Recovered {
    let Missing { id, at, actor, now, line, .. } = missing;
    let fields = now.as_deref().map_or_else(Vec::new, |now| changed(now, &line));
    Recovered { id, source_repo: repo.to_owned(), was_gone: now.is_none(), fields, line, at, actor, from }
}

/// The keys whose values differ, but for the time of the edit itself.
fn changed(old: &str, new: &str) -> Vec<String> {
    let (Ok(old), Ok(new)) = (Record::parse(old), Record::parse(new)) else { return Vec::new() };
    let keys: BTreeSet<String> = old.iter().chain(new.iter()).map(|(key, _)| key.into_owned()).collect();
    keys.into_iter().filter(|key| key != "updated_at" && old.raw(key) != new.raw(key)).collect()
}

fn edits(recovery: &Recovery, document: &Document) -> Vec<Edit> {
    let ids: BTreeSet<String> = recovery.recovered.iter().map(|one| one.id.clone()).collect();
    let lines = document.effective_among(&ids);
    let edit = |one: &Recovered| {
        let (id, text) = (one.id.clone(), one.line.clone());
        match lines.get(&one.id) {
            Some(line) => Edit::Set { line: *line, id, text },
            None => Edit::Insert { id, text },
        }
    };
    recovery.recovered.iter().map(edit).collect()
}
