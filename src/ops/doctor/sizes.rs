//! The sizes of ledgers.

use std::path::PathBuf;

use super::health::{Report, Severity};
use crate::model::size;
use crate::store::{PRUNE_DAYS, PruneRequest, Store, StoreError};

/// Ledgers too large for an agent to read at once, and what pruning would save.
pub(in crate::ops) fn check_sizes(store: &mut Store, report: &mut Report) {
    let budget = size::parse(store.settings().word("prune.budget")).unwrap_or(u64::MAX);
    let sizes = store
        .documents()
        .into_iter()
        .map(|(repo, ledger, document)| (repo, ledger.path().to_owned(), document.bytes().len() as u64));
    let large: Vec<(usize, PathBuf, u64)> = sizes.filter(|(_, _, bytes)| *bytes > budget).collect();
    for (repo, file, bytes) in large {
        let (size, budget) = (size::text(bytes), size::text(budget));
        // A ledger that cannot be made smaller today is worth a note only.
        let mut severity = Severity::Warning;
        let (saving, remedy) = match store.prune(repo, &PruneRequest::default(), true) {
            Ok(would) if would.pruned.is_empty() => {
                severity = Severity::Note;
                (
                    format!("no issue that can leave has been closed for {PRUNE_DAYS} days"),
                    "run `bd prune --closed-before now --dry-run` to see which closed issues could leave",
                )
            }
            Ok(would) => {
                let saved = size::text(would.bytes_before.saturating_sub(would.bytes_after));
                let count = would.pruned.len();
                let what = if count == 1 { "1 issue".to_owned() } else { format!("{count} issues") };
                let saving = format!("pruning {what} closed for {PRUNE_DAYS} days would save {saved}");
                (saving, "run `bd prune --dry-run` to see which; version control keeps them")
            }
            Err(StoreError::ReadOnly { .. }) => {
                ("its maintainers can prune it".to_owned(), "ask a maintainer to run `bd prune`")
            }
            Err(StoreError::NoHistory { .. }) => {
                ("closed issues can leave once it is under version control".to_owned(), "put it under git, jj or hg")
            }
            Err(error) => {
                (format!("cannot tell what pruning would save: {error}"), "run `bd prune --dry-run` for details")
            }
        };
        report
            .find(severity, format!("the ledger has {size}, more than its budget of {budget} (prune.budget); {saving}"))
            .in_file(file)
            .with(remedy);
    }
}
