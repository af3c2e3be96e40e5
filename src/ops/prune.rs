//! Removing closed issues from a ledger.

use super::Result;
use crate::store::{PruneRequest, Pruned, Store};

/// Prunes one repo, by default the primary.
pub fn prune(store: &mut Store, repo: Option<&str>, request: &PruneRequest, dry_run: bool) -> Result<Pruned> {
    store.look_again()?;
    let member = repo.map(|text| store.join(text)).transpose()?.unwrap_or(0);
    Ok(store.prune(member, request, dry_run)?)
}
