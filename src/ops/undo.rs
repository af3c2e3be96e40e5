//! Undoing the last writes of this actor.

use super::Result;
use crate::store::{Store, Undo};

/// Undoes them, or with `dry_run` only returns what that would do.
pub fn undo(store: &mut Store, count: usize, dry_run: bool) -> Result<Undo> {
    Ok(store.undo(count, dry_run)?)
}
