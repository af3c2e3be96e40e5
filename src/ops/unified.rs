//! All checkouts as one view: this one's issues, and those that another checkout has in a later version or alone.

use super::show::{Shown, show};
use super::{OpError, Result};
use crate::coordination::{self, CoordinationError};
use crate::store::{Page, Place, Row, Store, StoreError, Worktree};

/// Asks this checkout and then each of the others, whose rows count where they are news here. `ask` must not limit its answer.
pub fn in_all_worktrees(
    store: &mut Store,
    limit: Option<usize>,
    ask: impl Fn(&mut Store) -> Result<Page>,
) -> Result<Page> {
    let mut rows = ask(store)?.rows;
    store.mark_elsewhere(&mut rows)?;
    let own = Place::from(&store.worktree()?);
    rows.iter_mut().for_each(|row| row.place = Some(own.clone()));
    let mut added: Vec<Row> = Vec::new();
    for (worktree, mut other) in others(store)? {
        let place = Place::from(&worktree);
        for mut row in ask(&mut other)?.rows {
            if row.repo == 0 && is_news(store, &row.issue.id, &place)? {
                row.place = Some(place.clone());
                added.push(row);
            }
        }
    }
    let mut all = Vec::new();
    for row in rows {
        let (same, rest): (Vec<Row>, Vec<Row>) = added.into_iter().partition(|other| other.issue.id == row.issue.id);
        added = rest;
        all.push(row);
        all.extend(same);
    }
    all.extend(added);
    let total = all.len();
    all.truncate(limit.unwrap_or(total));
    Ok(Page { rows: all, total })
}

/// Every version of one issue: this checkout's first, then those of others that are later, or that are all there is.
pub fn show_in_all_worktrees(store: &mut Store, typed: &str) -> Result<Vec<Shown>> {
    let own = show(store, typed);
    let place = Place::from(&store.worktree()?);
    let (mut found, id, missing) = match own {
        Ok(mut shown) => {
            shown.row.place = Some(place);
            let id = shown.row.issue.id.clone();
            (vec![shown], Some(id), None)
        }
        Err(OpError::Store(error @ StoreError::NotFound { .. })) => (Vec::new(), None, Some(error)),
        Err(error) => return Err(error),
    };
    for (worktree, mut other) in others(store)? {
        let place = Place::from(&worktree);
        let mut shown = match show(&mut other, id.as_deref().unwrap_or(typed)) {
            Ok(shown) => shown,
            Err(OpError::Store(StoreError::NotFound { .. })) => continue,
            Err(error) => return Err(error),
        };
        if is_news(store, &shown.row.issue.id, &place)? {
            shown.row.place = Some(place);
            found.push(shown);
        }
    }
    match missing {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

/// The other checkouts that are there and have a ledger, opened.
fn others(store: &Store) -> Result<Vec<(Worktree, Store)>> {
    let mut found = Vec::new();
    for worktree in store.worktrees_with_ids()?.into_iter().filter(|one| one.exists && !one.is_here) {
        match coordination::open_in(store, &worktree) {
            Ok(other) => found.push((worktree, other)),
            Err(CoordinationError::NoLedgerThere { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

fn is_news(store: &mut Store, id: &str, place: &Place) -> Result<bool> {
    Ok(store.elsewhere(id)?.iter().any(|one| one.worktree == place.worktree))
}
