//! Files that version control still holds for conflicted, and the command by which its user says otherwise.

use std::path::Path;

use super::{Kind, git, hg, place};
use crate::sys::Env;

/// The command, without the file, that tells version control that a file is merged; `None` where nobody waits for it.
pub fn mark_resolved(file: &Path, env: &Env) -> Option<&'static str> {
    let (kind, root) = place(file)?;
    match kind {
        Kind::Git => git::is_unmerged(&root, file, env).then_some("git add --"),
        Kind::Hg => hg::is_merging(&root).then_some("hg resolve --mark"),
        // jj looks at the file by itself; sl was never tried.
        Kind::Jj | Kind::Sl | Kind::None => None,
    }
}

/// What both sides of an unfinished merge grew from, where version control keeps it beside the conflicted file.
pub fn unmerged_base(file: &Path, env: &Env) -> Option<Vec<u8>> {
    let (kind, root) = place(file)?;
    let inside = file.strip_prefix(&root).ok()?;
    // hg writes the base into the markers if asked, jj always does.
    if kind == Kind::Git { git::unmerged_base(&root, inside, env) } else { None }
}
