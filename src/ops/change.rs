//! Changing issues that exist.

use super::{OpError, Result};
use crate::model::change::Change;
use crate::model::issue::{IssueType, Status};
use crate::store::{Scope, Store, StoreError, Write, WriteError, Written};

/// What became of each named issue, in the order in which they were named.
#[derive(Debug)]
pub struct Batch {
    pub results: Vec<(String, std::result::Result<Written, StoreError>)>,
}

impl Batch {
    pub fn written(&self) -> impl Iterator<Item = &Written> {
        self.results.iter().filter_map(|(_, result)| result.as_ref().ok())
    }
}

/// Makes changes to each of several issues, named as people type them. Every one is tried; all that succeed are written at
/// once.
pub fn change_each(store: &mut Store, typed: &[String], changes: impl Fn(&Store) -> Vec<Change>) -> Result<Batch> {
    let resolved: Vec<(String, std::result::Result<String, StoreError>)> =
        typed.iter().map(|typed| (typed.clone(), store.resolve(typed))).collect();
    let new_parent = |changes: &[Change]| {
        changes.iter().find_map(|change| match change {
            Change::Parent(Some(parent)) => Some(parent.clone()),
            _ => None,
        })
    };
    let ids: Vec<String> = resolved.iter().filter_map(|(_, id)| id.as_ref().ok().cloned()).collect();
    let mut planned: Vec<Vec<Change>> = ids.iter().map(|_| changes(store)).collect();
    // That no circle closes must hold over all repos.
    let orders = planned.iter().any(|changes| new_parent(changes).is_some());
    planned.reverse();
    let mut transaction = store.begin(if orders { Scope::All } else { Scope::Issues(ids) })?;
    let mut refused: Vec<Option<StoreError>> = Vec::new();
    for (_, id) in &resolved {
        let Ok(id) = id else {
            refused.push(None);
            continue;
        };
        let changes = planned.pop().expect("one set of changes per issue");
        let cycle = match new_parent(&changes).filter(|parent| parent != id) {
            Some(parent) => transaction.refuse_cycle(id, &parent, true).err(),
            None => None,
        };
        refused.push(match cycle {
            None => transaction.stage(Write::Change { id: id.clone(), changes }).err(),
            some => some,
        });
    }
    let mut written = transaction.commit()?.into_iter();
    let results = resolved
        .into_iter()
        .zip(refused)
        .map(|((typed, id), refused)| {
            let result = match (id, refused) {
                (Err(error), _) | (Ok(_), Some(error)) => Err(error),
                (Ok(_), None) => written.next().expect("one answer per staged write").map_err(WriteError::into_store),
            };
            (typed, result)
        })
        .collect();
    Ok(Batch { results })
}

/// A status that is known, or in use in this project.
pub fn check_status(store: &mut Store, word: &str) -> Result<Status> {
    let status = Status::typed(word);
    if status.is_known() {
        return Ok(status);
    }
    let used = store.statuses()?;
    if !status.is_tombstone() && used.iter().any(|known| known == status.as_str()) {
        return Ok(status);
    }
    let known = Status::KNOWN.iter().map(|word| (*word).to_owned()).collect();
    Err(OpError::Status { word: word.to_owned(), known })
}

/// An issue type that is known, or in use in this project.
pub fn check_type(store: &mut Store, word: &str) -> Result<IssueType> {
    let kind = IssueType::typed(word);
    if kind.is_known() || store.types()?.iter().any(|known| known == kind.as_str()) {
        return Ok(kind);
    }
    let known = IssueType::KNOWN.iter().map(|word| (*word).to_owned()).collect();
    Err(OpError::Type { word: word.to_owned(), known })
}
