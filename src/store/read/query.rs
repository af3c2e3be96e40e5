//! Questions to a snapshot.

use std::collections::BTreeSet;
use std::path::Path;

use super::row::{BlockedRow, Page, Row, SearchRow};
use crate::cache::{
    Blocked, Blocker, Cache, Edge, EpicProgress, GroupBy, Listing, ReadyFilter, Sort, Statistics, UnknownIds,
};
use crate::model::field::Kind;
use crate::model::id::PrefixIndex;
use crate::model::query::{Expr, Field, Op, Value, folded};
use crate::model::time::Instant;
use crate::store::project::paths;
use crate::store::project::repos::unknown_ids;
use crate::store::{Project, RepoProblem, Result, Snapshot, StoreError};

impl Project {
    /// Adds the words of a setting such as `review:active,parked`.
    fn with_custom(&self, mut words: Vec<String>, key: &str) -> Vec<String> {
        words.extend(self.settings.custom_words(key));
        words.sort();
        words.dedup();
        words
    }
}

impl Snapshot {
    /// One issue by its full id.
    pub fn get(&self, id: &str) -> Result<Option<Row>> {
        self.ask(|cache| cache.key_of(id))?.map(|key| self.row(key)).transpose()
    }

    /// One issue, as named by a person.
    pub fn find(&self, typed: &str) -> Result<Row> {
        let id = self.resolve(typed)?;
        self.get(&id)?.ok_or_else(|| {
            let damage = self.sources.warnings().into_iter().find(|w| self.text_at(w).contains(&id));
            match damage {
                Some(w) => {
                    StoreError::Unreadable { id: id.clone(), what: format!("damaged line ({})", w.finding.problem) }
                }
                None => StoreError::NotFound { typed: typed.to_owned() },
            }
        })
    }

    fn text_at(&self, warning: &crate::store::LineWarning) -> String {
        let document =
            self.sources.documents().find(|(_, ledger, _)| ledger.path() == warning.file).map(|(_, _, doc)| doc);
        document.map(|d| d.line_text(warning.finding.line - 1)).unwrap_or_default()
    }

    pub fn list(&self, filter: &Expr, sort: Sort, limit: Option<usize>) -> Result<Page> {
        let listing = self.listing(filter, sort, limit)?;
        self.page(listing)
    }

    pub(in crate::store) fn listing(&self, filter: &Expr, sort: Sort, limit: Option<usize>) -> Result<Listing> {
        let filter = self.prepared(filter)?;
        self.ask(|cache| cache.select(&filter, sort, limit))
    }

    /// The same over every copy of every issue, including those hidden by another repo's copy.
    pub fn list_copies(&self, filter: &Expr, sort: Sort, limit: Option<usize>) -> Result<Page> {
        let filter = self.prepared(filter)?;
        let listing = self.ask(|cache| cache.select_copies(&filter, sort, limit))?;
        self.page(listing)
    }

    /// Every copy of one issue, the effective one first.
    pub fn copies(&self, id: &str) -> Result<Vec<Row>> {
        let mut rows = self.list_copies(&Expr::text(Field::Id, id), Sort::default(), None)?.rows;
        rows.sort_by_key(|row| (row.shadowed, row.repo));
        Ok(rows)
    }

    /// Loads everything a condition needs, and converts it to the cache's terms.
    fn prepared(&self, filter: &Expr) -> Result<Expr> {
        if Cache::needs_texts(filter) {
            self.sources.bring_texts()?;
        }
        self.localised(filter)
    }

    /// A condition with repos replaced by the cache's numbers for their ledgers.
    fn localised(&self, expr: &Expr) -> Result<Expr> {
        let each = |parts: &[Expr]| parts.iter().map(|part| self.localised(part)).collect::<Result<Vec<_>>>();
        Ok(match expr {
            Expr::And(parts) => Expr::And(each(parts)?),
            Expr::Or(parts) => Expr::Or(each(parts)?),
            Expr::Not(part) => self.localised(part)?.negate(),
            Expr::Is(Field::Repo, op, Value::Text(text)) => {
                let members: Vec<usize> = match op {
                    Op::Contains => {
                        (0..self.repos.members.len()).filter(|n| self.name(*n).contains(text.as_str())).collect()
                    }
                    _ => vec![self.named_repo(text)?],
                };
                let sources = members.into_iter().flat_map(|member| self.sources.of_member(member));
                Expr::Or(sources.map(|n| Expr::Is(Field::Repo, Op::Eq, Value::Number(n as i64))).collect())
            }
            Expr::Is(field, Op::Eq, Value::Text(name)) if field.row().kind == Kind::Person => {
                Expr::any_of(*field, self.spelled_names(*field, name)?)
            }
            Expr::Is(Field::Project, op, Value::Text(text)) => {
                Expr::any_of(Field::Id, self.ids_of_project(text, *op == Op::Contains))
            }
            other => other.clone(),
        })
    }

    /// The spellings of a person's name in the ledgers; it may be typed in any case and with the `@` of listings.
    fn spelled_names(&self, field: Field, name: &str) -> Result<Vec<String>> {
        let name = folded(name);
        let is_meant = |known: &String| {
            let known = folded(known);
            known == name || name.strip_prefix('@') == Some(known.as_str())
        };
        Ok(self.ask(|cache| cache.people(field))?.into_iter().filter(is_meant).collect())
    }

    /// Issues that can be worked on now.
    pub fn ready(&self, filter: &ReadyFilter) -> Result<Page> {
        let listing = self.ready_listing(filter)?;
        self.page(listing)
    }

    /// Their ids alone, which costs less.
    pub fn ready_ids(&self) -> Result<BTreeSet<String>> {
        let listing = self.ready_listing(&ReadyFilter::default())?;
        let ids = listing.keys.iter().map(|key| self.ask(|cache| cache.id_of(*key)));
        Ok(ids.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// When the next deferred issue may become ready.
    pub fn next_start(&self) -> Result<Option<Instant>> {
        self.ask(|cache| cache.next_start(self.host.clock.now()))
    }

    pub(in crate::store) fn ready_listing(&self, filter: &ReadyFilter) -> Result<Listing> {
        let condition = self.prepared(&filter.filter)?;
        let mut left_out = self.taken()?;
        left_out.extend(self.withheld()?.into_keys());
        left_out.extend(self.of_other_projects()?.keys().cloned());
        self.ask_ready(condition, filter, &left_out)
    }

    /// How many issues are missing from these only because of other checkouts.
    pub fn ready_but_taken(&self, filter: &ReadyFilter) -> Result<usize> {
        let condition = self.prepared(&filter.filter)?;
        let taken = self.taken()?;
        if taken.is_empty() {
            return Ok(0);
        }
        let condition = Expr::And(vec![condition, Expr::any_of(Field::Id, taken)]);
        Ok(self.ask_ready(condition, filter, &[])?.total)
    }

    fn ask_ready(&self, condition: Expr, filter: &ReadyFilter, without: &[String]) -> Result<Listing> {
        let query = ReadyFilter { filter: condition, ..filter.clone() };
        self.ask(|cache| cache.ready(&query, without, self.host.clock.now(), self.unknown_ids()))
    }

    /// Issues not offered because of other checkouts: held by someone else, or closed or in progress there.
    pub fn taken(&self) -> Result<Vec<String>> {
        if self.is_past() {
            return Ok(Vec::new());
        }
        let mut taken = self.held_by_others()?;
        taken.extend(self.taken_elsewhere()?);
        taken.sort();
        taken.dedup();
        Ok(taken)
    }

    /// Blocked issues, at most `limit`, and their total number.
    pub fn blocked(&self, filter: &Expr, limit: Option<usize>) -> Result<(Vec<BlockedRow>, usize)> {
        let filter = self.prepared(filter)?;
        let found = self.ask(|cache| cache.blocked(&filter, self.unknown_ids(), limit))?;
        let total = match limit {
            Some(limit) if found.len() >= limit => {
                self.ask(|cache| cache.blocked_count(&filter, self.unknown_ids()))?
            }
            _ => found.len(),
        };
        self.ask(|cache| cache.ask_rows(&found.iter().map(|blocked| blocked.key).collect::<Vec<_>>()))?;
        let rows = found.into_iter().map(|blocked| Ok(BlockedRow { row: self.row(blocked.key)?, blocked }));
        Ok((rows.collect::<Result<_>>()?, total))
    }

    /// It answers as of a point in the past.
    pub fn is_past(&self) -> bool {
        (0..self.sources.len()).any(|source| self.sources.is_frozen(source))
    }

    /// Which of some issues cannot be worked on.
    pub fn held_among(&self, ids: &[&str]) -> Result<Vec<String>> {
        self.ask(|cache| cache.held_among(ids, self.unknown_ids()))
    }

    /// What blocks one issue.
    pub fn obstacles(&self, id: &str) -> Result<Option<Blocked>> {
        let Some(key) = self.ask(|cache| cache.key_of(id))? else { return Ok(None) };
        Ok(Some(self.ask(|cache| cache.obstacles_of(key, id, self.unknown_ids()))?))
    }

    /// The unfinished dependencies of an issue, whether the issue itself is done or not.
    pub fn unmet(&self, id: &str) -> Result<Vec<Blocker>> {
        self.ask(|cache| cache.unmet(id, self.unknown_ids()))
    }

    pub fn open_children(&self, id: &str) -> Result<Vec<String>> {
        self.ask(|cache| cache.open_children(id))
    }

    /// Issues that contain the words, best first.
    pub fn search(&self, text: &str) -> Result<Vec<SearchRow>> {
        Ok(self.search_first(text, None)?.0)
    }

    /// The best few of them, and their total number.
    pub fn search_first(&self, text: &str, limit: Option<usize>) -> Result<(Vec<SearchRow>, usize)> {
        self.sources.bring_texts()?;
        let mut keys = self.ask(|cache| cache.search(text))?;
        let total = keys.len();
        keys.truncate(limit.unwrap_or(total));
        let row =
            |key| Ok(SearchRow { row: self.row(key)?, fields: self.ask(|cache| cache.matched_fields(key, text))? });
        Ok((keys.into_iter().map(row).collect::<Result<_>>()?, total))
    }

    pub fn dependencies(&self, id: &str) -> Result<Vec<(Edge, Option<Row>)>> {
        let edges = self.ask(|cache| cache.dependencies(id))?;
        edges.into_iter().map(|edge| Ok((edge.clone(), edge.key.map(|key| self.row(key)).transpose()?))).collect()
    }

    pub fn dependents(&self, id: &str) -> Result<Vec<(Edge, Option<Row>)>> {
        let edges = self.ask(|cache| cache.dependents(id))?;
        edges.into_iter().map(|edge| Ok((edge.clone(), edge.key.map(|key| self.row(key)).transpose()?))).collect()
    }

    /// Cycles of issues that wait for each other, or are children of each other, as ids.
    pub fn cycles(&self) -> Result<Vec<Vec<String>>> {
        let mut found = self.ask(|cache| cache.waits())?.cycles();
        found.extend(self.ask(|cache| cache.graph(true))?.cycles());
        let is_reported = |circle: &Vec<String>| found.iter().any(|known| circle.iter().all(|id| known.contains(id)));
        let more: Vec<Vec<String>> =
            self.ask(|cache| cache.deadlocks())?.into_iter().filter(|circle| !is_reported(circle)).collect();
        found.extend(more);
        Ok(found)
    }

    /// Dependencies on ids in no repo: (issue, target, type).
    pub fn dangling(&self) -> Result<Vec<(String, String, String)>> {
        self.ask(|cache| cache.dangling())
    }

    /// Ids that begin with this text, or have a part that does, with their titles; unfinished ones first, or last.
    pub fn titles(&self, start: &str, is_closed_first: bool, most: usize) -> Result<Vec<(String, String)>> {
        self.ask(|cache| cache.titles(start, is_closed_first, most))
    }

    /// The names of people in a field, as spelled.
    pub fn people(&self, field: Field) -> Result<Vec<String>> {
        self.ask(|cache| cache.people(field))
    }

    pub fn labels(&self) -> Result<Vec<(String, i64)>> {
        self.ask(|cache| cache.labels())
    }

    pub fn statistics(&self, filter: &Expr) -> Result<Statistics> {
        let filter = self.prepared(filter)?;
        let now = self.host.clock.now();
        self.ask(|cache| cache.statistics(&filter, now, self.unknown_ids()))
    }

    /// An id in no repo may have been pruned, and blocks nothing, unless the settings say otherwise or it may be in an
    /// unreadable repo.
    pub(in crate::store) fn unknown_ids(&self) -> UnknownIds {
        match unknown_ids(&self.settings, &self.repos) {
            UnknownIds::Done if !self.sources.troubles().is_empty() => UnknownIds::MayBeOpen,
            known => known,
        }
    }

    /// How many issues wait for an id in no ledger.
    pub fn waiting_for_unknown(&self) -> Result<usize> {
        self.ask(|cache| cache.waiting_for_unknown(self.unknown_ids()))
    }

    /// Repos in the settings that cannot be read now: missing, not trusted, or damaged. The state of their issues is
    /// unknown.
    pub fn unjoined(&self) -> Vec<String> {
        let shown = |path: &Path| paths::display(&paths::real(path), &self.repos.root, &self.host.env);
        let named = self.repos.problems.iter().filter_map(RepoProblem::left_out).map(shown);
        let unread = self.sources.troubles().into_iter().map(|(member, _)| self.name(member).to_owned());
        let mut found: Vec<String> = named.chain(unread).collect();
        found.sort();
        found.dedup();
        found
    }

    pub fn epics(&self) -> Result<Vec<(Row, EpicProgress)>> {
        let epics = self.ask(|cache| cache.epics(self.unknown_ids()))?;
        epics.into_iter().map(|epic| Ok((self.row(epic.key)?, epic))).collect()
    }

    pub fn count_by(&self, filter: &Expr, by: GroupBy) -> Result<Vec<(String, i64)>> {
        let filter = self.prepared(filter)?;
        self.ask(|cache| cache.count_by(&filter, by))
    }

    /// Statuses in use or in the settings.
    pub fn statuses(&self) -> Result<Vec<String>> {
        Ok(self.with_custom(self.ask(|cache| cache.words(true))?, "status.custom"))
    }

    /// Issue types in use or in the settings.
    pub fn types(&self) -> Result<Vec<String>> {
        Ok(self.with_custom(self.ask(|cache| cache.words(false))?, "types.custom"))
    }

    /// Types of dependencies in use.
    pub fn dependency_types(&self) -> Result<Vec<String>> {
        self.ask(|cache| cache.dependency_types())
    }

    /// Used to mark the unambiguous part of an id.
    pub fn prefix_index(&self) -> Result<PrefixIndex> {
        self.read_ledgers()?;
        Ok(PrefixIndex::new(self.sources.ids()?.iter().map(|id| id.as_ref())))
    }

    fn page(&self, listing: Listing) -> Result<Page> {
        self.ask_rows(&listing.keys)?;
        let rows = listing.keys.iter().map(|key| self.row(*key)).collect::<Result<_>>()?;
        Ok(Page { rows, total: listing.total })
    }
}
