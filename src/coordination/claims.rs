//! What agents and mail need to know about claims.

use super::Result;
use crate::store::Store;

/// Who works on an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueHolder {
    pub name: String,
    /// The id of an agent; a person has none.
    pub agent: Option<String>,
}

/// Who works on an issue, if anybody does: the one that the ledger says.
pub fn holder_of(store: &mut Store, issue: &str) -> Result<Option<IssueHolder>> {
    let row = store.find(issue)?;
    Ok(row.issue.assignee.map(|name| IssueHolder { name, agent: None }))
}

/// When the first of the claims of an agent ends, as RFC 3339.
pub fn first_expiry(_store: &Store, _name: &str) -> Result<Option<String>> {
    Ok(None)
}

/// Lets go of everything that an agent holds; the issues that are free again.
pub fn release_all(_store: &mut Store, _name: &str) -> Result<Vec<String>> {
    Ok(Vec::new())
}

/// Takes the claims that are over from an agent that is offline; the issues that are free again.
pub fn reclaim_from(_store: &mut Store, _name: &str) -> Result<Vec<String>> {
    Ok(Vec::new())
}
