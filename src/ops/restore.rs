//! Restoring issues from history.

use super::Result;
use crate::store::{Moment, Restored, Store, StoreError};

/// The result for each named issue, in order.
pub type Restorations = Vec<(String, std::result::Result<Restored, StoreError>)>;

/// Restores several issues, named as people type them. All must be known; then each is tried.
pub fn restore(store: &mut Store, typed: &[String], at: Option<&str>, dry_run: bool) -> Result<Restorations> {
    let moment = at.map(|text| Moment::parse(text, &store.host().clock.calendar()));
    Ok(store.restore_named(typed, moment.as_ref(), dry_run)?)
}
