//! Bringing issues back from history.

use super::Result;
use crate::store::{Moment, Restored, Store, StoreError};

/// What became of each named issue, in the order in which they were named.
pub type Restorations = Vec<(String, std::result::Result<Restored, StoreError>)>;

/// Brings each of several issues back, named as people type them. All of them must be known; then every one is tried.
pub fn restore(store: &mut Store, typed: &[String], at: Option<&str>, dry_run: bool) -> Result<Restorations> {
    let moment = at.map(|text| Moment::parse(text, &store.host().clock.calendar()));
    Ok(store.restore_named(typed, moment.as_ref(), dry_run)?)
}
