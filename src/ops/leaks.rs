//! Checking for private data in commits.

use super::Result;
use crate::store::{LeakReport, LeakScope, Store};

pub fn check_leaks(store: &Store, scope: &LeakScope) -> Result<LeakReport> {
    Ok(store.check_leaks(scope)?)
}
