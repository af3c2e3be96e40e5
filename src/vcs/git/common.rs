//! A file as two checkouts last had it in common.

use std::path::Path;

use super::opened;

/// The bytes of a file in the last commit that two checkouts of one repository share; `None` if there is none, or git cannot tell.
pub fn common_version(here: &Path, there: &Path, file: &Path) -> Option<Vec<u8>> {
    let repository = opened::at(here).ok()?;
    let ours = repository.head_id().ok()?.detach();
    let theirs = opened::at(there).ok()?.head_id().ok()?.detach();
    let base = repository.merge_base(ours, theirs).ok()??;
    let tree = base.object().ok()?.peel_to_tree().ok()?;
    let entry = tree.lookup_entry_by_path(file).ok()??;
    Some(entry.object().ok()?.data.clone())
}
