//! Looking for what a commit must not carry.

use super::{OpError, Result};
use crate::store::{LeakReport, LeakScope, Store};

pub fn check_leaks(store: &mut Store, scope: &LeakScope) -> Result<LeakReport> {
    if let LeakScope::Range(text) = scope
        && (text.starts_with('-') || !text.contains("..") || text.contains("..."))
    {
        return Err(OpError::Usage(format!("{text:?} is not a range of commits: A..B")));
    }
    Ok(store.check_leaks(scope)?)
}
