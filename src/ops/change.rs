//! Changing issues that exist.

use super::Result;
use crate::model::change::Change;
use crate::store::{Named, Scope, Store, StoreError, Write, Written};

/// What became of each named issue, in the order in which they were named.
#[derive(Debug, Default)]
pub struct Batch {
    pub results: Vec<(String, Result<Written>)>,
    /// Issues that were taken although they wait for others, and for which.
    pub waiting: Vec<(String, Vec<String>)>,
}

impl Batch {
    pub fn written(&self) -> impl Iterator<Item = &Written> {
        self.results.iter().filter_map(|(_, result)| result.as_ref().ok())
    }
}

/// Makes changes to each of several issues, named as people type them. All of them must be known; then every one is tried, and
/// all that succeed are written at once.
pub fn change_each(store: &mut Store, typed: &[String], changes: impl Fn(&mut Store) -> Vec<Change>) -> Result<Batch> {
    let named = store.resolve_all(typed)?;
    let new_parent = |changes: &[Change]| {
        changes.iter().find_map(|change| match change {
            Change::Parent(Some(parent)) => Some(parent.clone()),
            _ => None,
        })
    };
    let planned: Vec<Vec<Change>> = named.iter().map(|_| changes(store)).collect();
    // That no circle closes must hold over all repos.
    let orders = planned.iter().any(|changes| new_parent(changes).is_some());
    let ids = || named.iter().map(|one| one.id.clone()).collect();
    let mut transaction = store.begin(if orders { Scope::All } else { Scope::Issues(ids()) })?;
    let mut refused: Vec<Option<StoreError>> = Vec::new();
    for (Named { id, .. }, changes) in named.iter().zip(planned) {
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
    let mut answer = |refused: Option<StoreError>| match refused {
        Some(error) => Err(error.into()),
        None => written.next().expect("one answer per staged write").map_err(|error| error.into_store().into()),
    };
    let results = named.into_iter().zip(refused).map(|(one, refused)| (one.typed, answer(refused))).collect();
    Ok(Batch { results, ..Batch::default() })
}
