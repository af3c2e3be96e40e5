//! Issues in other checkouts.

use super::answer::answer;
use crate::store::Elsewhere;

answer! {
    /// An issue in another checkout.
    pub(super) fn elsewhere(one: &Elsewhere) {
        worktree_id: &one.worktree_id, worktree: &one.worktree, status: &one.status, assignee: &one.assignee,
    }
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
