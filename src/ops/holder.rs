//! Who works on an issue.

use crate::model::lease::Standing;
use crate::ops::Result;
use crate::store::Store;

/// Who works on an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueHolder {
    pub name: String,
    /// The id of an agent; `None` for a person.
    pub agent: Option<String>,
}

/// Who works on an issue, if anyone: the holder of the claim, else the assignee in the ledger.
pub fn holder_of(store: &Store, issue: &str) -> Result<Option<IssueHolder>> {
    let row = store.find(issue)?;
    let lease = store.lease(&row.issue.id)?.filter(|row| row.standing == Standing::Live);
    if let Some(holder) = lease.and_then(|row| row.lease.holder) {
        return Ok(Some(IssueHolder { name: holder.name, agent: holder.agent }));
    }
    Ok(row.issue.assignee.map(|name| IssueHolder { name, agent: None }))
}
