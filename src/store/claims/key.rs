//! The keys of claims: of an issue, or of a workflow's lock.

use crate::model::state_id;

/// Whether a lease is the lock of a workflow, by its issue.
pub(super) fn is_lock(issue: &str) -> bool {
    state_id::is(state_id::WORKFLOW, issue)
}

/// The issue of a key.
pub(super) fn issue_of(key: &str) -> &str {
    key.split_once('/').filter(|(repo, _)| state_id::is(state_id::REPOSITORY, repo)).map_or(key, |(_, id)| id)
}
