//! Changing the prefix of the project's ids.

use super::{ConfigRequest, Result, configure};
use crate::store::{RenamedPrefix, Store};

/// Renames the project's issues, and sets the prefix of new ones.
pub fn rename_prefix(store: &mut Store, new: &str, repair: bool, dry_run: bool) -> Result<RenamedPrefix> {
    let done = store.rename_prefix(new, repair, dry_run)?;
    if !dry_run {
        configure(store, &ConfigRequest::setting("issue_prefix", new, None))?;
    }
    Ok(done)
}
