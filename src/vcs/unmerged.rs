//! Files that version control still considers conflicted, and the command that marks them as resolved.

use std::path::Path;

use super::{Kind, Versions, git, hg, jj, place};
use crate::sys::Env;
use crate::vcs::layout;

/// The command, without the file, that marks a file as merged; `None` if none is needed.
pub fn mark_resolved(file: &Path, env: &Env) -> Option<&'static str> {
    let (kind, root) = place(file)?;
    match kind {
        Kind::Git => git::is_unmerged(&root, file, env).then_some("git add --"),
        Kind::Hg => layout::hg::is_merging(&root).then_some("hg resolve --mark"),
        // jj notices a resolved file by itself, but keeps the conflict in the commit below; sl is untested.
        Kind::Jj => jj::conflicts_below(&root, file.strip_prefix(&root).ok()?, env).then_some("jj squash --"),
        Kind::Sl | Kind::None => None,
    }
}

/// The versions of a file that an unfinished merge left in conflict, if version control keeps them. jj does not need
/// to: its markers show all of them.
pub fn unmerged(file: &Path, env: &Env) -> Option<Versions> {
    let (kind, root) = place(file)?;
    let inside = file.strip_prefix(&root).ok()?;
    match kind {
        Kind::Git => git::unmerged(&root, inside, env),
        Kind::Hg => hg::unmerged(&root, inside, env),
        Kind::Jj | Kind::Sl | Kind::None => None,
    }
}
