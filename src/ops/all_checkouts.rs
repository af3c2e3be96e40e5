//! All checkouts as one view: this one's issues, and those that another checkout has in a later version or alone.

use std::collections::{BTreeSet, HashMap};

use super::show::{Shown, show};
use super::{OpError, Result};
use crate::model::query::{Expr, Field};
use crate::ops;
use crate::store::{Page, Place, Row, Store, StoreError, Worktree};

/// Queries this checkout and then each other one with newer issues, for those issues. `ask` gets an additional
/// condition and must not limit its result.
pub(super) fn in_all_worktrees(
    store: &mut Store,
    limit: Option<usize>,
    ask: impl Fn(&mut Store, &Expr) -> Result<Page>,
) -> Result<Page> {
    let mut rows = ask(store, &Expr::ALL)?.rows;
    store.mark_elsewhere(&mut rows)?;
    let own = Place::from(&store.worktree()?);
    rows.iter_mut().for_each(|row| row.place = Some(own.clone()));
    let news = news_by_worktree(store)?;
    let mut all: Vec<(usize, Row)> = rows.into_iter().enumerate().collect();
    let first: HashMap<String, usize> = all.iter().rev().map(|(at, row)| (row.issue.id.clone(), *at)).collect();
    for (worktree, mut other) in others(store, |worktree| news.contains_key(&worktree.name))? {
        let place = Place::from(&worktree);
        let ids = news.get(&worktree.name).into_iter().flatten().cloned();
        let page = ask(&mut other, &Expr::any_of(Field::Id, ids))?;
        for row in page.rows.into_iter().filter(|row| row.repo == 0) {
            // After this checkout's version, or after everything.
            let at = first.get(&row.issue.id).copied().unwrap_or(usize::MAX);
            all.push((at, Row { place: Some(place.clone()), ..row }));
        }
    }
    all.sort_by_key(|(at, _)| *at);
    let mut rows: Vec<Row> = all.into_iter().map(|(_, row)| row).collect();
    let total = rows.len();
    rows.truncate(limit.unwrap_or(total));
    Ok(Page { rows, total })
}

/// Every version of one issue: this checkout's first, then later or only versions in others.
pub fn show_in_all_worktrees(store: &Store, typed: &str) -> Result<Vec<Shown>> {
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
    let news = news_by_worktree(store)?;
    let concerns = |worktree: &Worktree| match (news.get(&worktree.name), &id) {
        (Some(ids), Some(id)) => ids.contains(id),
        (Some(_), None) => true,
        (None, _) => false,
    };
    for (worktree, other) in others(store, concerns)? {
        let mut shown = match show(&other, id.as_deref().unwrap_or(typed)) {
            Ok(shown) => shown,
            Err(OpError::Store(StoreError::NotFound { .. })) => continue,
            Err(error) => return Err(error),
        };
        if news.get(&worktree.name).is_some_and(|ids| ids.contains(&shown.row.issue.id)) {
            shown.row.place = Some(Place::from(&worktree));
            found.push(shown);
        }
    }
    match missing {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

/// The other existing checkouts that are requested and have a ledger, opened.
pub(super) fn others(store: &Store, is_wanted: impl Fn(&Worktree) -> bool) -> Result<Vec<(Worktree, Store)>> {
    let mut found = Vec::new();
    let all = store.worktrees_with_ids()?.into_iter();
    for worktree in all.filter(|one| one.exists && !one.is_here && is_wanted(one)) {
        match ops::open_in(store, &worktree) {
            Ok(other) => found.push((worktree, other)),
            Err(OpError::NoLedgerThere { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The issues that other checkouts have in a later version or alone, by checkout name.
fn news_by_worktree(store: &Store) -> Result<HashMap<String, BTreeSet<String>>> {
    let mut news: HashMap<String, BTreeSet<String>> = HashMap::new();
    for (id, others) in store.all_elsewhere()? {
        for one in others {
            news.entry(one.worktree.clone()).or_default().insert(id.clone());
        }
    }
    Ok(news)
}
