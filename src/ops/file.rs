//! Filing new issues.

use super::{OpError, Result};
use crate::model::change::NewIssue;
use crate::model::dependency::DependencyType;
use crate::model::id::IssueId;
use crate::store::{Store, StoreError, Write, WriteError, Written};

/// An issue to file, with ids as people type them.
#[derive(Debug, Clone)]
pub struct Filing {
    pub issue: NewIssue,
    pub id: Option<String>,
    pub parent: Option<String>,
    /// Type and target.
    pub dependencies: Vec<(DependencyType, String)>,
}

impl Filing {
    pub fn of(issue: NewIssue) -> Self {
        Filing { issue, id: None, parent: None, dependencies: Vec::new() }
    }
}

/// Files issues in one write: all of them, or none.
pub fn file_all(store: &mut Store, filings: Vec<Filing>) -> Result<Vec<Written>> {
    let mut writes = Vec::new();
    for filing in filings {
        let mut issue = filing.issue;
        if let Some(parent) = &filing.parent {
            issue.dependencies.push((store.resolve(parent)?, DependencyType::parent_child()));
        }
        for (kind, target) in filing.dependencies {
            let target = if target.starts_with("external:") { target } else { store.resolve(&target)? };
            issue.dependencies.push((target, kind));
        }
        issue.validate().map_err(StoreError::from)?;
        let id = filing.id.map(|id| IssueId::chosen(&id)).transpose().map_err(StoreError::from)?;
        if let Some(id) = &id {
            if issue.dependencies.iter().any(|(target, _)| target == id.as_str()) {
                return Err(OpError::Store(crate::model::change::ChangeError::SelfDependency(id.to_string()).into()));
            }
            let taken = store.resolve(id.as_str()).is_ok_and(|known| known == id.as_str());
            if taken {
                return Err(StoreError::Taken { id: id.to_string() }.into());
            }
        }
        writes.push(Write::File { issue: Box::new(issue), id });
    }
    let mut transaction = store.begin()?;
    for write in writes {
        // An id that others depend on already could close a circle; a minted one cannot.
        if let Write::File { issue, id: Some(id) } = &write {
            for (target, kind) in issue.dependencies.iter().filter(|(_, kind)| kind.orders_work()) {
                transaction.refuse_cycle(id.as_str(), target, kind.is_parent_child())?;
            }
        }
        transaction.stage(write)?;
    }
    let written = transaction.commit()?;
    written.into_iter().map(|answer| answer.map_err(|error| OpError::Store(WriteError::into_store(error)))).collect()
}
