//! Looking for what is wrong, and putting right what can be put right without guessing.

use std::io::Write as _;
use std::path::PathBuf;

use super::{OpError, Result};
use crate::ledger::{Document, Edit, Expectation, Ledger, Problem, REFUSED_PREFIX, RepairStep};
use crate::model::merge::join_copies;
use crate::store::{LEDGER_NAMES, Store, StoreError};
use crate::sys::fs::{DISPLACED_PREFIX, FsError};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Works, but is not as it should be.
    Note,
    /// Something may surprise.
    Warning,
    /// Something is damaged.
    Damage,
}

/// One thing that doctor found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    pub severity: Severity,
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    pub message: String,
    /// What can be done about it.
    pub remedy: Option<String>,
}

/// What was found, and what was done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    pub findings: Vec<Health>,
    pub fixed: Vec<String>,
}

/// Where damaged lines go; append-only, beside the ledger, and no `.jsonl`, so that no reader takes it for one.
const QUARANTINE: &str = "damaged.txt";
/// Lines above this are more than an agent wants to read at once.
const BUDGET: usize = 25 * 1024;

pub fn doctor(store: &mut Store, fix: bool) -> Result<Report> {
    let mut report = Report::default();
    if fix {
        join_ledgers(store, &mut report)?;
        repair(store, &mut report)?;
    }
    check_files(store, &mut report)?;
    check_leftovers(store, &mut report);
    check_graph(store, &mut report)?;
    report.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(report)
}

fn check_files(store: &mut Store, report: &mut Report) -> Result<()> {
    store.refresh()?;
    let ledgers = store.documents();
    if ledgers.len() > 1 {
        report.findings.push(Health {
            severity: Severity::Damage,
            file: Some(store.repo().beads().to_owned()),
            line: None,
            message: format!(
                "two ledgers, {} and {}: both are shown, writes are refused",
                LEDGER_NAMES[0], LEDGER_NAMES[1]
            ),
            remedy: Some("bd doctor --fix joins them by id".into()),
        });
    }
    for (ledger, document) in ledgers {
        for finding in document.check() {
            let severity = match &finding.problem {
                Problem::Damaged(_) | Problem::Torn(_) | Problem::Conflict { .. } => Severity::Damage,
                Problem::Duplicate { .. } => Severity::Warning,
                _ => Severity::Note,
            };
            report.findings.push(Health {
                severity,
                file: Some(ledger.path().to_owned()),
                line: Some(finding.line),
                message: finding.problem.to_string(),
                remedy: Some(finding.problem.remedy().to_owned()),
            });
        }
        if document.bytes().len() > BUDGET {
            report.findings.push(Health {
                severity: Severity::Note,
                file: Some(ledger.path().to_owned()),
                line: None,
                message: format!(
                    "the ledger has {} KB; up to 25 KB an agent reads it in one go",
                    document.bytes().len() / 1024
                ),
                remedy: None,
            });
        }
    }
    Ok(())
}

/// Files that an interrupted or refused write left for a person to look at.
fn check_leftovers(store: &Store, report: &mut Report) {
    let kinds = [
        (
            DISPLACED_PREFIX,
            "a version of the ledger that another program wrote while bd did",
            "compare it with the ledger, then remove it",
        ),
        (
            REFUSED_PREFIX,
            "a version of the ledger that the conservation gate refused",
            "report it as a fault of bd, then remove it",
        ),
    ];
    for entry in std::fs::read_dir(store.repo().beads()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        for (_, what, remedy) in kinds.iter().filter(|(prefix, _, _)| name.starts_with(prefix)) {
            report.findings.push(Health {
                severity: Severity::Warning,
                file: Some(entry.path()),
                line: None,
                message: (*what).to_owned(),
                remedy: Some((*remedy).to_owned()),
            });
        }
    }
}

fn check_graph(store: &mut Store, report: &mut Report) -> Result<()> {
    for cycle in store.cycles()? {
        report.findings.push(Health {
            severity: Severity::Warning,
            file: None,
            line: None,
            message: format!("dependency cycle: {} -> {}", cycle.join(" -> "), cycle[0]),
            remedy: Some("take one of these dependencies away: bd dep remove ISSUE TARGET".into()),
        });
    }
    for (id, target, kind) in store.dangling()? {
        report.findings.push(Health {
            severity: Severity::Note,
            file: None,
            line: None,
            message: format!("{id} depends ({kind}) on {target}, which is in no ledger"),
            remedy: Some("it does not block; bd dep remove takes it away".into()),
        });
    }
    Ok(())
}

/// Repairs each ledger: first the bytes that would leave it are stored, then the ledger is rewritten.
fn repair(store: &mut Store, report: &mut Report) -> Result<()> {
    let ledgers: Vec<Ledger> = store.documents().into_iter().map(|(ledger, _)| ledger.clone()).collect();
    for ledger in ledgers {
        let quarantine = ledger.path().with_file_name(QUARANTINE);
        let locked = ledger.lock(store.lock_wait()).map_err(StoreError::from)?;
        let mut steps = Vec::new();
        locked.apply::<OpError>(
            &store.host().entropy,
            || Expectation::Nothing,
            |document: &Document| {
                let plan = document.repair();
                if !plan.quarantine.is_empty() {
                    store_away(&quarantine, &plan.quarantine)?;
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

/// Appends bytes and waits until they are on disk.
fn store_away(path: &std::path::Path, bytes: &[u8]) -> Result<()> {
    let error = |action| move |e| OpError::Fs(FsError::new(action, path, e));
    // Repeating an interrupted repair must not store the same lines twice.
    if std::fs::read(path).is_ok_and(|known| known.windows(bytes.len()).any(|part| part == bytes)) {
        return Ok(());
    }
    let mut file = std::fs::File::options().append(true).create(true).open(path).map_err(error("open"))?;
    file.write_all(bytes).map_err(error("write"))?;
    file.sync_all().map_err(error("sync"))
}

/// Makes `issues.jsonl` part of `beads.jsonl`. The emptied file keeps its bytes under another name.
fn join_ledgers(store: &mut Store, report: &mut Report) -> Result<()> {
    store.refresh()?;
    let documents = store.documents();
    let [(first, _), (second, _)] = documents.as_slice() else { return Ok(()) };
    let (first, second) = ((*first).clone(), (*second).clone());
    let locked = first.lock(store.lock_wait()).map_err(StoreError::from)?;
    let other = second.read(|| Expectation::Nothing).map_err(StoreError::from)?.document;
    let mut joined = 0;
    locked.apply::<OpError>(
        &store.host().entropy,
        || Expectation::Nothing,
        |document: &Document| {
            let edits = join_edits(document, &other);
            joined = edits.len();
            Ok(edits)
        },
    )?;
    let kept = second.path().with_extension("jsonl.joined");
    std::fs::rename(second.path(), &kept).map_err(|e| OpError::Fs(FsError::new("rename", second.path(), e)))?;
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
        let text = String::from_utf8_lossy(other.text(n)).into_owned();
        match document.effective(&id) {
            None => edits.push(Edit::Insert { id, text }),
            Some(line) => {
                let ours = String::from_utf8_lossy(document.text(line)).into_owned();
                let joined = join_copies(&ours, &text, document.dialect_of(line)).unwrap_or(ours.clone());
                if joined != ours {
                    edits.push(Edit::Set { line, id, text: joined });
                }
            }
        }
    }
    edits
}
