//! Resolving ledgers with conflict markers. Merges the versions that version control still keeps; where it keeps none,
//! merges the text between the markers. The result is written like any other change.

use std::path::PathBuf;

use crate::ledger::{Document, Edit, LedgerError, MergedLine, Outcome, Parts};
use crate::store::project::paths;
use crate::store::read::index::expected;
use crate::store::{Result, Snapshot, Store, StoreError};
use crate::vcs;

/// A ledger that was merged, or in a dry run would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedLedger {
    pub file: PathBuf,
    pub source_repo: String,
    /// How many marked regions it had.
    pub regions: usize,
    /// The issues that both sides had changed, and how each was merged.
    pub lines: Vec<MergedLine>,
    /// The command to run next.
    pub next: Option<String>,
}

impl Snapshot {
    /// Refuses to write a ledger behind a path that the user has not agreed to.
    fn refuse_untrusted(&self, member: usize) -> Result<()> {
        match self.writable(member) {
            Err(error @ (StoreError::Untrusted { .. } | StoreError::Config(_))) => Err(error),
            _ => Ok(()),
        }
    }
}

impl Store {
    /// Merges the marked regions in the ledgers of one repo or of all. Read access suffices: the content came through
    /// version control already.
    pub fn resolve_conflicts(&mut self, repo: Option<usize>, dry_run: bool) -> Result<Vec<ResolvedLedger>> {
        self.look_again()?;
        self.refuse_broken()?;
        let wanted = |(_, member, document): &(usize, usize, &Document)| {
            repo.is_none_or(|repo| repo == *member) && !document.conflicts().is_empty()
        };
        let all = self.sources.documents().enumerate().map(|(n, (member, _, document))| (n, member, document));
        let conflicted: Vec<(usize, usize)> = all.filter(wanted).map(|(n, member, _)| (n, member)).collect();
        let mut done = Vec::new();
        for (n, member) in conflicted {
            self.refuse_untrusted(member)?;
            done.extend(self.resolve_one(n, member, dry_run)?);
        }
        self.look_at_issues_again();
        Ok(done)
    }

    fn resolve_one(&self, n: usize, member: usize, dry_run: bool) -> Result<Option<ResolvedLedger>> {
        let Some((_, ledger, known)) = self.sources.documents().nth(n) else { return Ok(None) };
        let path = ledger.path();
        let mut resolved = ResolvedLedger {
            file: path.to_owned(),
            source_repo: self.name(member).to_owned(),
            regions: 0,
            lines: Vec::new(),
            next: None,
        };
        let kept = vcs::unmerged(path, &self.host.env).map(|versions| {
            let [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map(Option::unwrap_or_default);
            Parts { first: ours, others: vec![(base, theirs)] }
        });
        let mut plan = |document: &Document| -> std::result::Result<Vec<Edit>, LedgerError> {
            let failed = |line, what| LedgerError::Markers { path: path.to_owned(), line, what };
            let parts = document.versions(kept.as_ref()).map_err(|bad| failed(bad.line, bad.what))?;
            let Some(parts) = parts else { return Ok(Vec::new()) };
            let merged = parts.merge();
            let regions = document.conflicts();
            if !Document::new(merged.bytes.clone()).conflicts().is_empty() {
                let line = regions.first().map_or(1, |region| region.start + 1);
                return Err(failed(line, "a side holds lines that look like markers themselves"));
            }
            resolved.regions = regions.len();
            resolved.lines = merged.lines;
            Ok(vec![Edit::Resolve { text: merged.bytes, kept: kept.clone() }])
        };
        if dry_run {
            let edits = plan(known)?;
            ledger.refuse(known, &edits)?;
        } else {
            let locked = ledger.lock(self.lock_wait)?;
            let outcome = self.repair_ledger::<LedgerError>(&locked, || expected(path), plan)?;
            if outcome == Outcome::Unchanged {
                return Ok(None);
            }
            resolved.next = vcs::mark_resolved(path, &self.host.env).map(|command| {
                let cwd = paths::real(self.host.env.cwd());
                let file = path.strip_prefix(&cwd).unwrap_or(path).display().to_string();
                let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
                let file = if file.chars().all(plain) { file } else { format!("'{}'", file.replace('\'', "'\\''")) };
                format!("{command} {file}")
            });
        }
        Ok(Some(resolved))
    }
}
