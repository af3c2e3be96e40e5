//! Removing closed issues from a ledger.

use super::Result;
use crate::store::{PruneRequest, Pruned, Store};

/// The user's request to prune.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneWish<'a> {
    /// The repo; by default the primary.
    pub repo: Option<&'a str>,
    pub request: PruneRequest,
    pub dry_run: bool,
}

pub fn prune(store: &mut Store, wish: PruneWish<'_>) -> Result<Pruned> {
    store.look_again()?;
    let member = wish.repo.map(|text| store.join(text)).transpose()?.unwrap_or(0);
    Ok(store.prune(member, &wish.request, wish.dry_run)?)
}
