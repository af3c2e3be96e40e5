//! Importing lines from another file: beads JSONL of any version.
//!
//! A line with a new id is added byte for byte. A line with a known id is merged with ours if it is newer, and skipped
//! otherwise, so importing twice changes nothing. A deletion manifest (`{"id","ts","by","reason"}`) creates tombstones.

use std::collections::BTreeMap;

use super::{OpError, Result};
use crate::ledger::{Document, Line};
use crate::model::change::Change;
use crate::model::issue;
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::{FIELD_TIMES, edited, join_copies};
use crate::model::proposal::is_companion;
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::store::{Scope, Store, StoreError, Write, WriteError, resettled};

#[derive(Debug, Default)]
pub struct Imported {
    pub created: Vec<String>,
    pub updated: Vec<String>,
    /// Already known, and not older here.
    pub unchanged: Vec<String>,
    pub deleted: Vec<String>,
    /// Skipped lines, of other kinds or damaged: line number and reason.
    pub skipped: Vec<(usize, String)>,
    /// Issues that were refused while others were written, and why.
    pub refused: Vec<(String, StoreError)>,
}

/// Options of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportOptions<'a> {
    pub dry_run: bool,
    pub skip_damaged: bool,
    /// The repo for new issues; by default where routing sends them.
    pub repo: Option<&'a str>,
    /// How many issues may be added at once, if more than usual.
    pub count: Option<usize>,
}

pub fn import(store: &mut Store, file: &str, bytes: Vec<u8>, options: ImportOptions<'_>) -> Result<Imported> {
    let ImportOptions { dry_run, skip_damaged, repo, count } = options;
    let incoming = Document::new(bytes);
    let mut report = Imported::default();
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    let mut deletions = Vec::new();
    for n in 0..incoming.len() {
        match incoming.line(n) {
            // It contains private remarks about an issue, but is not one.
            Line::Issue(record) if is_companion(&record) => report.skipped.push((n + 1, "a private note".into())),
            Line::Issue(record) => {
                let id = record.string("id").unwrap_or_default().into_owned();
                if record.raw("title").is_none() && record.raw("ts").is_some() {
                    deletions.push((id, record.text_of("reason").map(|reason| reason.into_owned())));
                    continue;
                }
                let dialect = incoming.dialect_of(n);
                let text = record.text().to_owned();
                let joined = lines.remove(&id).and_then(|earlier| join_copies(&earlier, &text, dialect));
                lines.insert(id, joined.unwrap_or(text));
            }
            Line::Blank => {}
            Line::Other => report.skipped.push((n + 1, "not an issue".into())),
            Line::Damaged(damage) if skip_damaged => report.skipped.push((n + 1, damage.to_string())),
            Line::Damaged(damage) => {
                return Err(OpError::Import { file: file.to_owned(), line: n + 1, damage });
            }
        }
    }
    let repo = store.route(repo, &[])?.repo;
    let mut transaction = store.begin(Scope::All)?;
    let mut staged: Vec<String> = Vec::new();
    let owner = transaction.store().planned_for(repo)?;
    for (id, line) in lines {
        match transaction.store().get(&id)? {
            None => {
                let line = if owner.is_some() { resettled(&line, owner.as_ref()) } else { line };
                report.created.push(id.clone());
                staged.push(id.clone());
                transaction.stage(Write::Put { id, line, repo })?;
            }
            Some(row) if age(&line) > age(&row.line) => {
                let dialect = DialectEvidence::of(&row.line).or(Default::default());
                let joined =
                    join_copies(&with_status_time(&line, &row.line, dialect), &row.line, dialect).unwrap_or(line);
                report.updated.push(id.clone());
                staged.push(id.clone());
                let write = Write::Put { id, line: joined, repo };
                transaction.refuse_taking(&write)?;
                transaction.stage(write)?;
            }
            Some(_) => report.unchanged.push(id),
        }
    }
    for (id, reason) in deletions {
        match transaction.store().get(&id)? {
            Some(row) if !row.issue.status.is_done() => {
                report.deleted.push(id.clone());
                staged.push(id.clone());
                transaction.stage(Write::Change { id, changes: vec![Change::Delete { reason }] })?;
            }
            _ => report.unchanged.push(id),
        }
    }
    if !dry_run {
        transaction.store().refuse_growth(repo, report.created.len(), count)?;
        let answers = transaction.commit()?;
        let is_vain = !answers.is_empty() && answers.iter().all(|answer| answer.is_err());
        for (id, answer) in staged.into_iter().zip(answers) {
            let Err(error) = answer else { continue };
            let error = WriteError::into_store(error);
            if is_vain {
                return Err(error.into());
            }
            for list in [&mut report.created, &mut report.updated, &mut report.deleted] {
                list.retain(|known| *known != id);
            }
            report.refused.push((id, error));
        }
    }
    Ok(report)
}

/// A newer line with another status from another program: only the time of its last edit dates the status.
fn with_status_time(line: &str, known: &str, dialect: Dialect) -> String {
    let (Ok(record), Ok(before), Some(at)) = (Record::parse(line), Record::parse(known), age(line)) else {
        return line.to_owned();
    };
    let status = issue::status_of(&record);
    let is_dated = record.raw(FIELD_TIMES).is_some() || status.is_done() || status.is_tombstone();
    if is_dated || status == issue::status_of(&before) { line.to_owned() } else { edited(known, line, at, dialect) }
}

fn age(line: &str) -> Option<Instant> {
    Record::parse(line).ok()?.time("updated_at")
}
