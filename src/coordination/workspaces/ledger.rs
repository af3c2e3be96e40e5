//! The ledger of a workspace: the one that was committed, or, where nobody commits it, that of the parent.

use std::path::Path;

use crate::coordination::Result;
use crate::model::workspace::Workspace;
use crate::store::{BEADS_DIR, Store, StoreError};
use crate::sys::fs::FsError;
use crate::vcs;

/// Whether a workspace has got no ledger with its commits, and its parent has one.
pub(super) fn is_parents(store: &Store, member: usize, parent: &Path, inside: &Path, to: &Path) -> bool {
    let Some(name) = store.ledger_path(member).and_then(Path::file_name).map(ToOwned::to_owned) else { return false };
    let is_there = |root: &Path| root.join(inside).join(BEADS_DIR).join(&name).exists();
    !is_there(to) && is_there(parent)
}

/// Leads from a worktree to the ledger of its parent.
pub(super) fn lead_to_parent(parent: &Path, inside: &Path, to: &Path) -> Result<()> {
    let (there, own) = (parent.join(inside).join(BEADS_DIR), to.join(inside).join(BEADS_DIR));
    let failed = |action, path: &Path, e| StoreError::from(FsError::new(action, path, e));
    std::fs::create_dir_all(&own).map_err(|e| failed("make", &own, e))?;
    let file = own.join("redirect");
    std::fs::write(&file, format!("{}\n", there.display())).map_err(|e| failed("write", &file, e))?;
    if let Some(exclude) = vcs::exclude_file(to) {
        let line = format!("/{}", Path::new(inside).join(BEADS_DIR).join("redirect").display());
        let text = std::fs::read_to_string(&exclude).unwrap_or_default();
        if !text.lines().any(|known| known == line) {
            let text = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
            let directory = exclude.parent().unwrap_or(&exclude);
            std::fs::create_dir_all(directory).map_err(|e| failed("make", directory, e))?;
            std::fs::write(&exclude, format!("{text}{line}\n")).map_err(|e| failed("write", &exclude, e))?;
        }
    }
    Ok(())
}

/// What is said where the issue of a job is in no commit yet, so that the ledger in the workspace does not have it.
pub fn lacks_issue(store: &Store, one: &Workspace) -> Option<String> {
    let id = one.issue.as_ref()?;
    let mut there = store.opened_at(&one.directory()).ok()?;
    there.refresh().ok()?;
    let lacks = matches!(there.get(id), Ok(None));
    lacks
        .then(|| format!("{id} is not in the ledger of the workspace, since it is in no commit there; commit it first"))
}
