//! Repairing ledgers: bytes that leave a ledger are stored elsewhere first.

use super::health::Report;
use crate::ledger::{Document, Edit, Expectation, Ledger, RepairStep};
use crate::model::merge::join_copies;
use crate::ops::{OpError, Result};
use crate::store::{Access, QUARANTINE, Store, StoreError, store_away};
use crate::sys::below;

/// Repairs every repo that the user may write.
pub(super) fn fix_all(store: &mut Store, report: &mut Report) -> Result<()> {
    if !store.settings().broken.is_empty() {
        return Ok(());
    }
    for repo in 0..store.repos().members.len() {
        match store.access(repo)? {
            Access::Write => {
                join_ledgers(store, repo, report)?;
                repair(store, repo, report)?;
            }
            Access::Read(reason) => {
                report.note(format!("{} was not repaired: {reason}", store.name(repo)));
            }
        }
    }
    Ok(())
}

fn ledgers_of(store: &mut Store, repo: usize) -> Result<Vec<Ledger>> {
    store.look_again()?;
    let mine = store.documents().into_iter().filter(|(of, _, _)| *of == repo);
    Ok(mine.map(|(_, ledger, _)| ledger.clone()).collect())
}

/// Repairs the ledgers of a repo: stores the bytes that will be removed, then rewrites it.
fn repair(store: &mut Store, repo: usize, report: &mut Report) -> Result<()> {
    for ledger in ledgers_of(store, repo)? {
        let quarantine = ledger.path().with_file_name(QUARANTINE);
        let locked = ledger.lock(store.lock_wait()).map_err(StoreError::from)?;
        let mut steps = Vec::new();
        store.repair_ledger::<OpError>(
            &locked,
            || Expectation::Nothing,
            |document: &Document| {
                let plan = document.repair();
                if !plan.quarantine.is_empty() {
                    store_away(&quarantine, &plan.quarantine).map_err(OpError::Fs)?;
                }
                steps = plan.steps;
                Ok(plan.edits)
            },
        )?;
        let place = |step: &RepairStep| match step {
            RepairStep::Quarantine { line, .. } => {
                format!("{}:{line}: {step} to {}", ledger.path().display(), quarantine.display())
            }
            _ => format!("{}: {step}", ledger.path().display()),
        };
        report.fixed.extend(steps.iter().map(place));
    }
    Ok(())
}

/// Merges `issues.jsonl` into `beads.jsonl`. The emptied file's bytes are kept under another name.
fn join_ledgers(store: &mut Store, repo: usize, report: &mut Report) -> Result<()> {
    let ledgers = ledgers_of(store, repo)?;
    let [first, second] = ledgers.as_slice() else { return Ok(()) };
    let locked = first.lock(store.lock_wait()).map_err(StoreError::from)?;
    let other = second.read(|| Expectation::Nothing).map_err(StoreError::from)?.document;
    let mut joined = 0;
    store.repair_ledger::<OpError>(
        &locked,
        || Expectation::Nothing,
        |document: &Document| {
            let edits = join_edits(document, &other);
            joined = edits.len();
            Ok(edits)
        },
    )?;
    let kept = second.path().with_extension("jsonl.joined");
    let (directory, name) = below::parted(second.path());
    let new_name = below::parted(&kept).1.to_string_lossy().into_owned();
    below::rename(directory, &name.to_string_lossy(), &new_name).map_err(OpError::Fs)?;
    report.fixed.push(format!(
        "{}: lines taken from {}: {joined}; that file is now {}",
        first.path().display(),
        second.path().display(),
        kept.display()
    ));
    drop(locked);
    store.reopen().map_err(OpError::from)
}

fn join_edits(document: &Document, other: &Document) -> Vec<Edit> {
    let mut edits = Vec::new();
    for n in 0..other.len() {
        let Some(id) = other.record(n).and_then(|record| record.string("id").map(|id| id.into_owned())) else {
            continue;
        };
        if other.effective(&id) != Some(n) {
            continue;
        }
        let text = other.line_text(n);
        match document.effective(&id) {
            None => edits.push(Edit::Insert { id, text }),
            Some(line) => {
                let ours = document.line_text(line);
                let joined = join_copies(&ours, &text, document.dialect_of(line)).unwrap_or(ours.clone());
                if joined != ours {
                    edits.push(Edit::Set { line, id, text: joined });
                }
            }
        }
    }
    edits
}
