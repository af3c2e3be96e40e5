//! Lists of issues for every front end: filtered, sorted and limited.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::all_checkouts::in_all_worktrees;
use super::{OpError, Result, with_known_words};
use crate::cache::{EpicProgress, GroupBy, Sort, SortBy};
use crate::model::id::PrefixIndex;
use crate::model::query::{Expr, Field};
use crate::store::{BlockedRow, Commit, LeaseRow, Page, Place, ReadyFilter, Row, SearchRow, Store};

/// Neither closed nor deleted.
pub fn not_done() -> Expr {
    Expr::any_of(Field::Status, ["closed".into(), "tombstone".into()]).negate()
}

/// Not deleted.
pub fn not_deleted() -> Expr {
    Expr::text(Field::Status, "tombstone").negate()
}

/// Which checkouts to query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checkouts {
    /// The one that the store reads; it is named in the answer if it is not the current one.
    One(Option<Place>),
    /// This one, and the others for what is new there.
    All,
}

/// A request for a list.
#[derive(Debug, Clone)]
pub struct Listing {
    pub filter: Expr,
    pub sort: Sort,
    pub limit: Option<usize>,
    pub only: Only,
}

/// Which matching issues to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    Every,
    /// Ready ones; in their own order unless another is given.
    Ready {
        any_type: bool,
        sorted: bool,
    },
    /// Each copy of issues that are in several repos.
    Copies,
}

impl Listing {
    /// All matching issues, in the usual order.
    pub fn of(filter: Expr) -> Self {
        Listing { filter, sort: Sort::default(), limit: None, only: Only::Every }
    }
}

/// The issues of a listing.
pub fn list(store: &mut Store, listing: &Listing, checkouts: Checkouts) -> Result<Page> {
    in_checkouts(store, listing.limit, checkouts, |store, also, limit| {
        let filter = Expr::And(vec![listing.filter.clone(), also.clone()]);
        match listing.only {
            Only::Every => Ok(store.list(&filter, listing.sort.clone(), limit)?),
            Only::Copies => Ok(store.list_copies(&filter, listing.sort.clone(), limit)?),
            Only::Ready { any_type, sorted } => {
                let sort = sorted.then(|| listing.sort.clone());
                ready_page(store, &ReadyFilter { filter, sort, limit, any_type, ..ReadyFilter::default() })
            }
        }
    })
}

/// Ready issues, in their own order unless another is given.
fn ready_page(store: &Store, filter: &ReadyFilter) -> Result<Page> {
    let Some(sort) = &filter.sort else { return Ok(store.ready(filter)?) };
    let page = store.ready(&ReadyFilter { limit: None, ..filter.clone() })?;
    let ids = Expr::any_of(Field::Id, page.rows.into_iter().map(|row| row.issue.id));
    Ok(store.list(&ids, sort.clone(), filter.limit)?)
}

/// The matching issues in one checkout, each converted by the caller; none is passed on before all are found. Returns
/// how many were passed on, and how many there are.
pub fn list_each<T: Send>(
    store: &Store,
    listing: &Listing,
    place: Option<Place>,
    shape: impl Fn(&Row) -> T + Sync,
    take: impl FnMut(T),
) -> Result<(usize, usize)> {
    let shape = |row: Row| shape(&Row { place: place.clone(), ..row });
    Ok(store.list_each(&listing.filter, listing.sort.clone(), listing.limit, shape, take)?)
}

/// Queries the requested checkouts, and marks differing versions in others.
fn in_checkouts(
    store: &mut Store,
    limit: Option<usize>,
    checkouts: Checkouts,
    ask: impl Fn(&mut Store, &Expr, Option<usize>) -> Result<Page>,
) -> Result<Page> {
    match checkouts {
        Checkouts::All => in_all_worktrees(store, limit, |store, also| ask(store, also, None)),
        Checkouts::One(place) => {
            let mut page = ask(store, &Expr::ALL, limit)?;
            store.mark_elsewhere(&mut page.rows)?;
            page.rows.iter_mut().for_each(|row| row.place = place.clone());
            Ok(page)
        }
    }
}

/// The matching issues, sorted.
pub fn list_by(store: &Store, filter: &Expr, sort: Sort, limit: Option<usize>) -> Result<Page> {
    Ok(store.list(filter, sort, limit)?)
}

/// The ids of all matching issues.
pub fn ids_by(store: &Store, filter: &Expr) -> Result<Vec<String>> {
    Ok(store.list(filter, Sort::default(), None)?.rows.into_iter().map(|row| row.issue.id).collect())
}

/// The issues that people named; all must be known.
pub fn named(store: &Store, typed: &[String]) -> Result<Vec<Row>> {
    store.resolve_all(typed)?.into_iter().map(|one| Ok(store.find(&one.id)?)).collect()
}

/// Ready issues, and why others are not offered although nothing in them prevents it.
#[derive(Debug, Clone)]
pub struct ReadyPage {
    pub page: Page,
    /// How many are held by others, or done or in progress in other checkouts.
    pub taken: usize,
    /// Repos that are not joined here, and how many issues wait for something that may be in them.
    pub unjoined: Vec<String>,
    pub unknown: usize,
}

pub fn ready(store: &mut Store, filter: &ReadyFilter, checkouts: Checkouts) -> Result<ReadyPage> {
    let page = in_checkouts(store, filter.limit, checkouts, |store, also, limit| {
        let condition = Expr::And(vec![filter.filter.clone(), also.clone()]);
        ready_page(store, &ReadyFilter { filter: condition, limit, ..filter.clone() })
    })?;
    let taken = store.ready_but_taken(filter)?;
    let unjoined = store.unjoined();
    let unknown = if unjoined.is_empty() { 0 } else { store.waiting_for_unknown()? };
    Ok(ReadyPage { page, taken, unjoined, unknown })
}

/// The ready issues that `bd ready --claim` would hand out to the actor.
pub fn claimable(store: &Store, filter: &ReadyFilter) -> Result<Page> {
    let mut page = ready_page(store, &ReadyFilter { limit: None, ..filter.clone() })?;
    let mut rows = Vec::new();
    for row in page.rows {
        if store.why_not_handed_out(&row)?.is_none() {
            rows.push(row);
        }
    }
    (page.total, page.rows) = (rows.len(), rows);
    page.rows.truncate(filter.limit.unwrap_or(page.total));
    Ok(page)
}

/// Blocked issues.
#[derive(Debug, Clone)]
pub struct BlockedPage {
    pub rows: Vec<BlockedRow>,
    /// Their total number.
    pub total: usize,
    /// Repos that are not joined here and may contain blockers.
    pub unjoined: Vec<String>,
}

pub fn blocked(store: &mut Store, filter: Expr, limit: Option<usize>) -> Result<BlockedPage> {
    let filter = with_known_words(store, filter)?;
    let (rows, total) = store.blocked(&filter, limit)?;
    Ok(BlockedPage { rows, total, unjoined: store.unjoined() })
}

/// The blockers of each blocked issue.
pub fn blockers(store: &Store) -> Result<HashMap<String, Vec<String>>> {
    let (rows, _) = store.blocked(&Expr::ALL, None)?;
    let each = rows.into_iter().map(|found| {
        let own = found.blocked.blockers.into_iter().map(|blocker| blocker.id);
        let mut ids: Vec<String> = own.chain(found.blocked.inherited.into_iter().map(|above| above.ancestor)).collect();
        ids.dedup();
        (found.row.issue.id, ids)
    });
    Ok(each.collect())
}

/// Additional information about listed issues.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    blocked: HashSet<String>,
    claims: HashMap<String, LeaseRow>,
}

impl Marks {
    /// It waits for something unfinished.
    pub fn is_blocked(&self, id: &str) -> bool {
        self.blocked.contains(id)
    }

    pub fn claim(&self, id: &str) -> Option<&LeaseRow> {
        self.claims.get(id)
    }
}

pub fn marks<'a>(store: &Store, rows: impl IntoIterator<Item = &'a Row>) -> Result<Marks> {
    let open: Vec<&str> =
        rows.into_iter().filter(|row| !row.issue.status.is_done()).map(|row| row.issue.id.as_str()).collect();
    if open.is_empty() {
        return Ok(Marks::default());
    }
    let blocked = store.held_among(&open)?.into_iter().collect();
    let claims = store.claims_now()?.into_iter().map(|row| (row.id.clone(), row)).collect();
    Ok(Marks { blocked, claims })
}

/// No issue exists, whether none was filed or all are gone.
pub fn has_no_issues(store: &Store) -> Result<bool> {
    Ok(!store.is_past() && store.warnings().is_empty() && store.list(&Expr::ALL, Sort::default(), Some(0))?.total == 0)
}

/// The children of an issue.
pub fn children(store: &mut Store, typed: &str) -> Result<Page> {
    let id = store.resolve(typed)?;
    list(store, &Listing::of(Expr::And(vec![Expr::text(Field::Parent, id), not_deleted()])), Checkouts::One(None))
}

/// Counts issues, in total and by a field.
pub fn count(store: &Store, filter: Expr, by: Option<GroupBy>) -> Result<(usize, Vec<(String, i64)>)> {
    let filter = match filter.names(Field::Status, "tombstone") {
        true => filter,
        false => Expr::And(vec![filter, not_deleted()]),
    };
    let groups = by.map(|by| store.count_by(&filter, by)).transpose()?.unwrap_or_default();
    Ok((store.list(&filter, Sort::default(), Some(0))?.total, groups))
}

/// Statistics of the matching issues.
pub fn statistics(store: &Store, filter: &Expr) -> Result<crate::cache::Statistics> {
    Ok(store.statistics(filter)?)
}

/// The labels in use, each with its number of issues.
pub fn labels(store: &Store) -> Result<Vec<(String, i64)>> {
    Ok(store.labels()?)
}

/// Open epics with their progress; or only those whose children are all closed.
pub fn epics(store: &Store, eligible_only: bool) -> Result<Vec<(Row, EpicProgress)>> {
    let mut epics = store.epics()?;
    epics.retain(|(_, progress)| !eligible_only || progress.children > 0 && progress.children == progress.closed);
    Ok(epics)
}

/// Cycles of dependencies, each with those of its issues that are in a ledger.
pub fn cycles(store: &Store) -> Result<Vec<(Vec<String>, Vec<Row>)>> {
    let mut found = Vec::new();
    for cycle in store.cycles()? {
        let mut rows = Vec::new();
        for id in &cycle {
            rows.extend(store.get(id)?);
        }
        found.push((cycle, rows));
    }
    Ok(found)
}

/// Open issues mentioned in commits, each with its commit.
pub fn orphans(store: &Store) -> Result<Vec<(Row, Commit)>> {
    let rows = store.list(&not_done(), Sort::default(), None)?.rows;
    let ids = rows.iter().map(|row| row.issue.id.clone()).collect();
    let mut commits = store.mentioned(&ids)?;
    Ok(rows.into_iter().filter_map(|row| commits.remove(&row.issue.id).map(|commit| (row, commit))).collect())
}

/// Issues whose titles are equal except for case, blanks and punctuation, grouped by normalised title.
pub fn duplicates(store: &Store, all: bool) -> Result<BTreeMap<String, Vec<Row>>> {
    let filter = if all { not_deleted() } else { not_done() };
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in store.list(&filter, Sort::by(SortBy::Id), None)?.rows {
        let key: String = row.issue.title.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        groups.entry(key).or_default().push(row);
    }
    groups.retain(|key, rows| !key.is_empty() && rows.len() > 1);
    Ok(groups)
}

/// The issues that contain the words, and how many there are. Best matches first, unless another order is given.
pub fn search(
    store: &Store,
    text: &str,
    filter: &Expr,
    sort: Option<Sort>,
    reverse: bool,
    limit: Option<usize>,
) -> Result<(Vec<SearchRow>, usize)> {
    if text.trim().is_empty() {
        return Err(OpError::Usage("search query is required".to_owned()));
    }
    if *filter == Expr::ALL && sort.is_none() && !reverse {
        return Ok(store.search_first(text, limit)?);
    }
    let (mut found, _) = store.search_first(text, None)?;
    let is_sorted = sort.is_some();
    let page = store.list(filter, sort.unwrap_or_default(), None)?;
    let places: HashMap<&str, usize> =
        page.rows.iter().enumerate().map(|(n, row)| (row.issue.id.as_str(), n)).collect();
    found.retain(|hit| places.contains_key(hit.row.issue.id.as_str()));
    if is_sorted {
        found.sort_by_key(|hit| places.get(hit.row.issue.id.as_str()).copied());
    } else if reverse {
        found.reverse();
    }
    let total = found.len();
    found.truncate(limit.unwrap_or(total));
    Ok((found, total))
}

/// The unambiguous part of each id, for people.
pub fn prefix_index(store: &Store) -> Result<PrefixIndex> {
    Ok(store.prefix_index()?)
}
