//! Bringing issues back from history.

use super::Result;
use crate::store::{Moment, Restored, Store, StoreError};

/// What became of each named issue, in the order in which they were named.
pub type Restorations = Vec<(String, std::result::Result<Restored, StoreError>)>;

/// Brings each of several issues back, named as people type them; every one is tried.
pub fn restore(store: &mut Store, typed: &[String], at: Option<&str>, dry_run: bool) -> Result<Restorations> {
    let moment = at.map(|text| Moment::parse(text, &store.host().clock.calendar()));
    let mut done = Vec::new();
    for one in typed {
        let restored = match store.resolve_in_history(one) {
            Ok(id) => store.restore(&id, moment.as_ref(), dry_run),
            Err(error) => Err(error),
        };
        done.push((one.clone(), restored));
    }
    Ok(done)
}
