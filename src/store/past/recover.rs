//! Restores what another program removed from a ledger: each line to the file that had it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::ledger::{Document, Edit, LedgerError, Outcome};
use crate::model::merge::FIELD_TIMES;
use crate::model::record::Record;
use crate::store::read::index::expected;
use crate::store::state::log::{Lost, Missing, WriteLog};
use crate::store::write::Written;
use crate::store::{Result, Snapshot, Store};

/// An issue with missing writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    pub id: String,
    pub source_repo: String,
    /// The whole line was missing, not just parts of it.
    pub was_gone: bool,
    /// The fields that the line lacked.
    pub fields: Vec<String>,
    pub line: String,
    /// The time of the last missing write.
    pub at: String,
    pub actor: String,
    /// The ledger of a deleted checkout that had it, if any.
    pub from: Option<PathBuf>,
    /// The lines that the missing writes left.
    lost: Vec<String>,
}

/// The files that are missing from a repo, and the result of recovery.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    pub recovered: Vec<Recovered>,
    /// Issues of deleted checkouts that no commit has: the ledger and the id.
    pub gone: Vec<(PathBuf, String)>,
}

impl Recovery {
    /// The missing lines, each with the ledger of the deleted checkout that had it, if any.
    fn lost(&self) -> Vec<Lost<'_>> {
        self.recovered.iter().map(|one| (one.from.as_deref(), one.lost.as_slice())).collect()
    }
}

impl Snapshot {
    /// What would be recovered in a repo. Writes nothing.
    pub fn recoverable(&self, member: usize, from_gone: bool) -> Result<Recovery> {
        self.read_ledgers()?;
        let source = self.writable(member)?;
        let ledger = self.sources.ledger(source);
        let document = ledger.read(|| expected(ledger.path()))?.document;
        let name = self.name(member);
        Ok(self.logging(ledger, |log| search(log, &document, from_gone, name))?)
    }

    /// The repo can be written, judging by its ledgers.
    pub fn has_one_ledger(&self, member: usize) -> bool {
        self.sources.of_member(member).len() == 1
    }
}

impl Store {
    /// Recovers what is missing from a repo. This user's writes were acknowledged, so the role does not matter.
    pub fn recover(&mut self, member: usize, from_gone: bool) -> Result<Recovery> {
        self.refuse_broken()?;
        let source = self.writable(member)?;
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Ok(Recovery::default()) };
        let ledger = lock.ledger();
        let name = self.name(member).to_owned();
        self.actor();
        let found = RefCell::new(Recovery::default());
        let plan = |document: &Document| {
            let search = |log: &WriteLog<'_>| search(log, document, from_gone, &name);
            let recovery = self.logging(ledger, search).map_err(LedgerError::Fs)?;
            let edits = edits(&recovery, document);
            found.replace(recovery);
            Ok(edits)
        };
        let outcome = self.recover_ledger(lock, plan, |log, applied, missing| {
            let found = found.borrow();
            let is_own =
                |missing: &&Missing| found.recovered.iter().any(|one| one.from.is_none() && one.id == missing.id);
            // The line contains both by now, whatever a comparison shows.
            let own = missing.iter().filter(is_own).map(|missing| (None, missing.after.as_slice()));
            let gone = found.lost().into_iter().filter(|(from, _)| from.is_some());
            let lost: Vec<Lost<'_>> = own.chain(gone).collect();
            match lost.is_empty() {
                true => Ok(missing),
                false => log.forget(&lost, applied.planned.document(), applied.left),
            }
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
        // Keeping too much in the log is harmless.
        let _ = self.prune_log(member);
        Ok(recovery)
    }

    /// Forgets what is missing from a repo: it was removed on purpose.
    pub fn discard(&mut self, member: usize, from_gone: bool) -> Result<Recovery> {
        let source = self.writable(member)?;
        let locks = self.lock(&[source])?;
        let Some((_, lock)) = locks.first() else { return Ok(Recovery::default()) };
        let ledger = lock.ledger();
        let snapshot = ledger.read(|| expected(ledger.path()))?;
        let name = self.name(member);
        let recovery = self.logging(ledger, |log| {
            let recovery = search(log, &snapshot.document, from_gone, name)?;
            if !recovery.recovered.is_empty() {
                log.forget(&recovery.lost(), &snapshot.document, Some(snapshot.stamp.file))?;
            }
            Ok::<_, LedgerError>(recovery)
        })?;
        *self.sources.watched(source) = None;
        Ok(recovery)
    }
}

fn search(
    log: &WriteLog<'_>,
    document: &Document,
    from_gone: bool,
    repo: &str,
) -> std::result::Result<Recovery, crate::sys::fs::FsError> {
    let mut found: BTreeMap<String, Recovered> = BTreeMap::new();
    for missing in log.all_missing(document)? {
        found.insert(missing.id.clone(), recovered(missing, repo, None));
    }
    let mut gone = Vec::new();
    for (path, fold) in log.of_gone_checkouts()? {
        for missing in fold.missing(document) {
            if from_gone {
                let one = recovered(missing, repo, Some(path.clone()));
                // One copy of an issue at a time: the next call returns the others.
                found.entry(one.id.clone()).or_insert(one);
            } else {
                gone.push((path.clone(), missing.id));
            }
        }
    }
    Ok(Recovery { recovered: found.into_values().collect(), gone })
}

fn recovered(missing: Missing, repo: &str, from: Option<PathBuf>) -> Recovered {
    let Missing { id, at, actor, now, line, after: lost } = missing;
    let fields = now.as_deref().map_or_else(Vec::new, |now| changed(now, &line));
    Recovered { id, source_repo: repo.to_owned(), was_gone: now.is_none(), fields, line, at, actor, from, lost }
}

/// The keys whose values differ, except the edit times themselves.
fn changed(old: &str, new: &str) -> Vec<String> {
    let (Ok(old), Ok(new)) = (Record::parse(old), Record::parse(new)) else { return Vec::new() };
    let keys: BTreeSet<String> = old.iter().chain(new.iter()).map(|(key, _)| key.into_owned()).collect();
    let is_time = |key: &str| key == "updated_at" || key == FIELD_TIMES;
    keys.into_iter().filter(|key| !is_time(key) && old.raw(key) != new.raw(key)).collect()
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
