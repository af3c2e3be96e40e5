//! Closing an issue in favour of another one.

use super::Result;
use crate::model::change::{Change, ChangeError};
use crate::model::dependency::DependencyType;
use crate::store::{Store, StoreError, Written};

/// Why another issue replaces this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// Both say the same.
    Duplicate,
    /// The other one is the newer version.
    Superseded,
}

impl Replacement {
    fn kind(self) -> DependencyType {
        DependencyType::new(match self {
            Replacement::Duplicate => "duplicates",
            Replacement::Superseded => "supersedes",
        })
    }

    fn reason(self, by: &str) -> String {
        match self {
            Replacement::Duplicate => format!("duplicate of {by}"),
            Replacement::Superseded => format!("superseded by {by}"),
        }
    }
}

/// The changes that close an issue and record its replacement; also returns the replacement's id.
pub fn replacement(
    store: &Store,
    ids: &[String],
    by: &str,
    why: Replacement,
    reason: Option<String>,
) -> Result<(Vec<Change>, String)> {
    let by = store.resolve(by)?;
    if store.resolve_all(ids)?.iter().any(|one| one.id == by) {
        return Err(StoreError::from(ChangeError::SelfDependency(by)).into());
    }
    if store.find(&by)?.issue.status.is_tombstone() {
        return Err(StoreError::from(ChangeError::Deleted(by)).into());
    }
    let reason = reason.unwrap_or_else(|| why.reason(&by));
    let changes =
        vec![Change::AddDependency { target: by.clone(), kind: why.kind() }, Change::Close { reason: Some(reason) }];
    Ok((changes, by))
}

/// Closes an issue in favour of another one, whose id is returned, too.
pub fn replace(store: &mut Store, typed: &str, by: &str, why: Replacement) -> Result<(Written, String)> {
    let id = store.resolve(typed)?;
    let (changes, by) = replacement(store, std::slice::from_ref(&id), by, why, None)?;
    Ok((store.change(&id, changes)?, by))
}
