//! The ledger of a workspace: the committed one, or the parent's if it is not committed.

use std::path::Path;

use crate::model::workspace::Workspace;
use crate::ops::Result;
use crate::store::{BEADS_DIR, REDIRECT_NAME, Store, StoreError, exclude_line};
use crate::sys::below;
use crate::vcs;

/// Whether a workspace got no ledger from its commits while its parent has one.
pub(super) fn is_parents(store: &Store, member: usize, parent: &Path, inside: &Path, to: &Path) -> bool {
    let Some(name) = store.ledger_path(member).and_then(Path::file_name).map(ToOwned::to_owned) else { return false };
    let is_there = |root: &Path| root.join(inside).join(BEADS_DIR).join(&name).exists();
    !is_there(to) && is_there(parent)
}

/// Points a worktree to the ledger of its parent.
pub(super) fn lead_to_parent(parent: &Path, inside: &Path, to: &Path) -> Result<()> {
    let there = parent.join(inside).join(BEADS_DIR);
    let inside_beads = inside.join(BEADS_DIR);
    let led = below::make(to, &inside_beads)
        .and_then(|dir| dir.put(REDIRECT_NAME, format!("{}\n", there.display()).as_bytes()));
    led.map_err(StoreError::from)?;
    if let Some(exclude) = vcs::exclude_file(to) {
        let line = format!("/{}", inside_beads.join(REDIRECT_NAME).display());
        exclude_line(&exclude, &line).map_err(StoreError::from)?;
    }
    Ok(())
}

/// A note that a job's issue is in no commit yet, so the workspace's ledger lacks it.
pub fn lacks_issue(store: &Store, one: &Workspace) -> Option<String> {
    let id = one.issue.as_ref()?;
    let mut there = store.opened_at(&one.directory()).ok()?;
    there.look_again().ok()?;
    let lacks = matches!(there.get(id), Ok(None));
    lacks
        .then(|| format!("{id} is not in the ledger of the workspace, since it is in no commit there; commit it first"))
}
