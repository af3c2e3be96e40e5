//! How other checkouts have an issue.

use super::{Object, array};
use crate::store::Elsewhere;

/// The value of `elsewhere`.
pub(super) fn elsewhere(all: &[Elsewhere]) -> String {
    array(all.iter().map(|one| {
        Object::new()
            .optional("worktree_id", one.worktree_id.as_deref())
            .text("worktree", &one.worktree)
            .text("status", &one.status)
            .optional("assignee", one.assignee.as_deref())
            .finish()
    }))
}

/// `closed in feature-x (unmerged)`.
pub fn elsewhere_text(one: &Elsewhere) -> String {
    let what = match (one.status.as_str(), &one.assignee) {
        ("in_progress", Some(name)) => format!("in progress by {name}"),
        ("in_progress", None) => "in progress".to_owned(),
        ("tombstone", _) => "deleted".to_owned(),
        (status, _) => status.to_owned(),
    };
    format!("{what} in {} (unmerged)", one.worktree)
}
