//! Resolving conflict markers.

use super::Result;
use crate::store::{ResolvedLedger, Store};

/// Merges the conflicted ledgers of one repo, or of the whole project.
pub fn resolve(store: &mut Store, repo: Option<&str>, dry_run: bool) -> Result<Vec<ResolvedLedger>> {
    let repo = repo.map(|text| store.join(text)).transpose()?;
    Ok(store.resolve_conflicts(repo, dry_run)?)
}
