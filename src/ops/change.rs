//! Changing existing issues.

use super::{EditError, OpError, Result};
use crate::model::change::Change;
use crate::model::dependency::DependencyType;
use crate::model::time::Instant;
use crate::store::{Named, Scope, Store, StoreError, Transaction, Write, Written};

/// The result for each named issue, in order.
#[derive(Debug, Default)]
pub struct Batch {
    pub results: Vec<(String, Result<Written>)>,
    /// Issues that were claimed although they wait for others, and these others.
    pub waiting: Vec<(String, Vec<String>)>,
}

impl Batch {
    pub fn written(&self) -> impl Iterator<Item = &Written> {
        self.results.iter().filter_map(|(_, result)| result.as_ref().ok())
    }
}

/// Makes changes to several issues, named as people type them. All must be known; then each is tried, and all
/// successful changes are written at once.
pub fn change_each(store: &mut Store, typed: &[String], changes: impl Fn(&mut Store) -> Vec<Change>) -> Result<Batch> {
    change_known(store, typed, changes, None)
}

/// The same without writing: every issue as it would be, every refusal.
pub fn rehearse_each(
    store: &mut Store,
    typed: &[String],
    changes: impl Fn(&mut Store) -> Vec<Change>,
) -> Result<Batch> {
    let ids = store.resolve_all(typed)?.into_iter().map(|one| one.id).collect();
    // Dropping it writes nothing.
    let mut together = store.together(Scope::Issues(ids))?;
    change_each(&mut together, typed, changes)
}

/// The same, but refuses issues changed after the time that the caller knows.
pub(super) fn change_known(
    store: &mut Store,
    typed: &[String],
    changes: impl Fn(&mut Store) -> Vec<Change>,
    known: Option<&str>,
) -> Result<Batch> {
    let named = store.resolve_all(typed)?;
    let planned: Vec<Vec<Change>> = named.iter().map(|_| changes(store)).collect();
    // Cycles must be checked over all repos.
    let orders = planned.iter().any(|changes| !new_edges(changes).is_empty());
    let ids = || named.iter().map(|one| one.id.clone()).collect();
    let mut transaction = store.begin(if orders { Scope::All } else { Scope::Issues(ids()) })?;
    let mut refused: Vec<Option<OpError>> = Vec::new();
    for (Named { id, .. }, changes) in named.iter().zip(planned) {
        let staged = refuse_newer(&mut transaction, id, known).and_then(|()| {
            refuse_cycles(&mut transaction, id, &changes)?;
            Ok(transaction.stage(Write::Change { id: id.clone(), changes })?)
        });
        refused.push(staged.err());
    }
    let mut written = transaction.commit()?.into_iter();
    let mut answer = |refused: Option<OpError>| match refused {
        Some(error) => Err(error),
        None => written.next().expect("one answer per staged write").map_err(|error| error.into_store().into()),
    };
    let results = named.into_iter().zip(refused).map(|(one, refused)| (one.typed, answer(refused))).collect();
    Ok(Batch { results, ..Batch::default() })
}

/// Refuses an issue that has changed since the caller read it.
fn refuse_newer(transaction: &mut Transaction<'_>, id: &str, known: Option<&str>) -> Result<()> {
    let Some(known) = known else { return Ok(()) };
    let not_a_time = || OpError::Usage(format!("{known:?} is not a time as `updated_at` has it"));
    let wanted = Instant::parse(known).ok_or_else(not_a_time)?;
    let now = transaction.store().find(id)?.issue.updated_at;
    match now {
        Some(now) if Instant::parse(&now.text) != Some(wanted) => {
            Err(EditError::Newer { id: id.to_owned(), known: known.to_owned(), at: now.text }.into())
        }
        _ => Ok(()),
    }
}

/// The blockers and parents that changes add to an issue.
fn new_edges(changes: &[Change]) -> Vec<(String, DependencyType)> {
    let edges = changes.iter().filter_map(|change| match change {
        Change::Parent(Some(parent)) => Some((parent.clone(), DependencyType::parent_child())),
        Change::AddDependency { target, kind } if kind.orders_work() => Some((target.clone(), kind.clone())),
        _ => None,
    });
    edges.collect()
}

/// Refuses changes that close a cycle. A dependency of an issue on itself is refused by the change itself.
pub(super) fn refuse_cycles(
    transaction: &mut Transaction<'_>,
    id: &str,
    changes: &[Change],
) -> std::result::Result<(), StoreError> {
    let mut edges = new_edges(changes);
    edges.retain(|(target, _)| target != id);
    for (target, kind) in &edges {
        transaction.refuse_cycle(id, target, kind.is_parent_child())?;
    }
    // None of them closes one alone, but two may together.
    if edges.len() > 1 { transaction.refuse_cycle_of_new(id, &edges) } else { Ok(()) }
}
