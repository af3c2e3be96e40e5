//! Which issues can be worked on now, which cannot, and why.

use std::collections::{BTreeSet, HashSet};

use rusqlite::params_from_iter;
use rusqlite::types::Value as Sql;

use super::filter::Clause;
use super::known::Issues;
use super::schema::DONE;
use super::{Blocker, Cache, Key, Listing, Result, Sort};
use crate::model::json::Dialect;
use crate::model::query::Expr;
use crate::model::ready::{NEVER, UnknownIds};
use crate::model::time::{DAY, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadyOrder {
    /// `baseline-failure`, `discovered:blocker`, priority, oldest, id.
    #[default]
    Priority,
    /// The same labels first, then issues younger than two days by priority, then the rest by age.
    Hybrid,
    Oldest,
}

/// Which ready issues to return. The default is all of them, in the usual order.
#[derive(Debug, Clone, Default)]
pub struct ReadyFilter {
    pub filter: Expr,
    pub order: ReadyOrder,
    pub include_deferred: bool,
    /// Include epics with open children.
    pub include_epics: bool,
    /// Offer internal types too, because the caller asked for a type.
    pub any_type: bool,
    pub limit: Option<usize>,
    /// Overrides `order`; [`Cache::ready`] ignores it.
    pub sort: Option<Sort>,
}

/// A blocked ancestor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inherited {
    pub ancestor: String,
    pub blockers: Vec<Blocker>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    pub key: Key,
    pub blockers: Vec<Blocker>,
    pub inherited: Vec<Inherited>,
}

impl Cache {
    /// The ancestors from which an issue inherits a block: all, or only the first on each path up.
    fn blocked_ancestors(&self, id: &str, all: bool) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT p.id, EXISTS (SELECT 1 FROM holding h WHERE h.id = p.id) FROM kin JOIN live p ON p.id = kin.parent
             WHERE kin.child = ?1 AND p.status NOT IN {DONE}"
        );
        let mut found = BTreeSet::new();
        let mut seen: HashSet<String> = HashSet::from([id.to_owned()]);
        let mut work = vec![id.to_owned()];
        while let Some(child) = work.pop() {
            let parents: Vec<(String, bool)> = self.all(&sql, [child], |row| Ok((row.get(0)?, row.get(1)?)))?;
            for (parent, holds) in parents {
                if seen.insert(parent.clone()) {
                    if holds {
                        found.insert(parent.clone());
                    }
                    if all || !holds {
                        work.push(parent);
                    }
                }
            }
        }
        Ok(found.into_iter().collect())
    }

    /// When the first deferred issue can be worked on.
    pub fn next_start(&self, now: Instant) -> Result<Option<Instant>> {
        let sql = "SELECT min(defer) FROM live WHERE status IN ('open', 'deferred') AND defer > ?1 AND defer < ?2";
        let found: Option<i64> = self.db.query_row(sql, [now.micros(), NEVER], |row| row.get(0))?;
        Ok(found.map(Instant::from_micros))
    }

    /// The next date of an unfinished issue: it can be worked on then, or is overdue.
    pub fn next_date(&self, now: Instant) -> Result<Option<Instant>> {
        let sql = "SELECT min(at) FROM (
                     SELECT defer AS at, status FROM live UNION ALL SELECT due, status FROM live
                   ) WHERE at > ?1 AND at < ?2 AND status NOT IN ('closed', 'tombstone')";
        let found: Option<i64> = self.db.query_row(sql, [now.micros(), NEVER], |row| row.get(0))?;
        Ok(found.map(Instant::from_micros))
    }

    /// The issues that can be worked on at a time, except those `without`.
    pub fn ready(
        &mut self,
        query: &ReadyFilter,
        without: &[String],
        at: Instant,
        unknown: UnknownIds,
    ) -> Result<Listing> {
        self.compute_front(unknown)?;
        let now = at.micros();
        let mut kinds = vec!["0"];
        kinds.extend(query.include_epics.then_some("1"));
        kinds.extend(query.any_type.then_some("2"));
        let kinds = kinds.join(", ");
        let time = match query.include_deferred {
            true => "1".to_owned(),
            false => format!("(f.since IS NULL OR f.since <= {now})"),
        };
        let recent = at.plus_nanos(-2 * DAY).micros();
        // Anyone can write a proposal: none of its own claims puts it before accepted issues.
        let order = match query.order {
            ReadyOrder::Priority => "f.urgent, f.priority, f.created, f.id".to_owned(),
            ReadyOrder::Hybrid => format!(
                "f.urgent, f.created < {recent}, CASE WHEN f.created >= {recent} THEN f.priority END, f.created, f.id"
            ),
            ReadyOrder::Oldest => "f.created, f.id".to_owned(),
        };
        let from = |condition: &Expr| {
            let clause = Clause::of(condition);
            // For conditions on columns that `front` does not have.
            let join = if condition.is_all() { "" } else { "JOIN issues i ON i.key = f.key" };
            let sql = format!("FROM front f {join} WHERE f.kind IN ({kinds}) AND {time} AND {}", clause.sql);
            (sql, clause.parameters)
        };
        let (chosen, parameters) = from(&query.filter);
        let limit = query.limit.map_or(String::new(), |limit| format!(" LIMIT {}", limit + without.len()));
        let sql = format!("SELECT f.key, f.id {chosen} ORDER BY f.proposed, f.asked, {order}{limit}");
        let found: Vec<(Key, String)> =
            self.all(&sql, params_from_iter(parameters.clone()), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let fetched = found.len();
        let without: HashSet<&str> = without.iter().map(String::as_str).collect();
        let mut keys: Vec<Key> =
            found.iter().filter(|(_, id)| !without.contains(id.as_str())).map(|(key, _)| *key).collect();
        let total = match query.limit {
            Some(limit) if fetched >= limit + without.len() => {
                let all = match query.filter.is_all() && !query.include_deferred {
                    true => {
                        let sql = format!(
                            "SELECT coalesce((SELECT sum(n) FROM numbers WHERE name = 'front' AND kind IN ({kinds})), 0)
                               + (SELECT count(*) FROM front WHERE since IS NOT NULL AND since <= {now} AND kind IN ({kinds}))"
                        );
                        self.db.query_row(&sql, [], |row| row.get(0))?
                    }
                    false => self.number(&chosen, parameters)?,
                };
                let taken = match without.is_empty() {
                    true => 0,
                    false => {
                        let clause = Clause::of(&query.filter);
                        let sql = format!(
                            "FROM json_each(?) j CROSS JOIN live i ON i.id = j.value JOIN front f ON f.key = i.key
                             WHERE f.kind IN ({kinds}) AND {time} AND {}",
                            clause.sql
                        );
                        let ids: Vec<String> = without.iter().map(|id| Dialect::default().string(id)).collect();
                        let ids = Sql::Text(format!("[{}]", ids.join(",")));
                        self.number(&sql, std::iter::once(ids).chain(clause.parameters).collect())?
                    }
                };
                usize::try_from(all - taken).unwrap_or_default()
            }
            _ => keys.len(),
        };
        keys.truncate(query.limit.unwrap_or(total));
        Ok(Listing { keys, total })
    }

    fn number(&self, from: &str, parameters: Vec<Sql>) -> Result<i64> {
        let mut statement = self.db.prepare_cached(&format!("SELECT count(*) {from}"))?;
        Ok(statement.query_row(params_from_iter(parameters), |row| row.get(0))?)
    }

    /// Issues that are held back, with the reasons; by priority, then age. Of blocked ancestors the nearest are named.
    pub fn blocked(&mut self, filter: &Expr, unknown: UnknownIds, limit: Option<usize>) -> Result<Vec<Blocked>> {
        self.compute_front(unknown)?;
        let clause = Clause::of(filter);
        let join = if filter.is_all() { "" } else { "JOIN issues i ON i.key = h.key" };
        let limit = limit.map_or(String::new(), |limit| format!(" LIMIT {limit}"));
        let sql = format!(
            "SELECT h.key, h.id FROM held h {join} WHERE {} ORDER BY h.priority, h.created, h.id{limit}",
            clause.sql
        );
        let rows: Vec<(Key, String)> =
            self.all(&sql, params_from_iter(clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.into_iter().map(|(key, id)| self.obstacles(key, &id, false)).collect()
    }

    /// Those of the given issues that are held back.
    pub fn held_among(&mut self, ids: &[&str], unknown: UnknownIds) -> Result<Vec<String>> {
        self.compute_front(unknown)?;
        let mut statement = self
            .db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM live i JOIN held h ON h.key = i.key WHERE i.id = ?1)")?;
        let mut found = Vec::new();
        for id in ids {
            if statement.query_row([id], |row| row.get(0))? {
                found.push((*id).to_owned());
            }
        }
        Ok(found)
    }

    /// The number of such issues.
    pub fn blocked_count(&mut self, filter: &Expr, unknown: UnknownIds) -> Result<usize> {
        self.compute_front(unknown)?;
        let count = match filter.is_all() {
            true => self.db.query_row("SELECT n FROM numbers WHERE name = 'held'", [], |row| row.get(0))?,
            false => {
                let clause = Clause::of(filter);
                self.number(
                    &format!("FROM held h JOIN issues i ON i.key = h.key WHERE {}", clause.sql),
                    clause.parameters,
                )?
            }
        };
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The reasons that hold one issue back, with every blocked ancestor.
    pub fn obstacles_of(&mut self, key: Key, id: &str, unknown: UnknownIds) -> Result<Blocked> {
        self.compute_front(unknown)?;
        self.obstacles(key, id, true)
    }

    /// The unfinished dependencies of an issue, whether the issue itself is finished or not.
    pub fn unmet(&mut self, id: &str, unknown: UnknownIds) -> Result<Vec<Blocker>> {
        self.index()?;
        self.compute_kin()?;
        self.db.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS touched (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM touched;",
        )?;
        self.db.execute("INSERT INTO touched VALUES (?1)", [id])?;
        let issues = Issues::touched(&self.db)?;
        let mut found: Vec<Blocker> = issues.blockers(unknown).map(|(_, blocker)| blocker).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn obstacles(&self, key: Key, id: &str, all: bool) -> Result<Blocked> {
        let mut statement = self.db.prepare_cached("SELECT EXISTS (SELECT 1 FROM inherited WHERE id = ?1)")?;
        let has_any: bool = statement.query_row([id], |row| row.get(0))?;
        let ancestors = if has_any { self.blocked_ancestors(id, all)? } else { Vec::new() };
        let inherited = ancestors
            .into_iter()
            .map(|ancestor| Ok(Inherited { blockers: self.blockers(&ancestor)?, ancestor }))
            .collect::<Result<_>>()?;
        Ok(Blocked { key, blockers: self.blockers(id)?, inherited })
    }

    fn blockers(&self, id: &str) -> Result<Vec<Blocker>> {
        let sql = "SELECT DISTINCT blocker, type, known FROM blockers WHERE id = ?1 ORDER BY blocker, type";
        self.all(sql, [id], |row| Ok(Blocker { id: row.get(0)?, kind: row.get(1)?, known: row.get(2)? }))
    }

    /// How many issues wait for an id that no ledger holds.
    pub fn waiting_for_unknown(&mut self, unknown: UnknownIds) -> Result<usize> {
        self.compute_front(unknown)?;
        let sql = "SELECT count(DISTINCT id) FROM blockers WHERE NOT known";
        let count: i64 = self.db.query_row(sql, [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The unfinished children of an issue.
    pub fn open_children(&mut self, id: &str) -> Result<Vec<String>> {
        self.compute_kin()?;
        let sql = format!(
            "SELECT c.id FROM kin JOIN live c ON c.id = kin.child WHERE kin.parent = ?1 AND c.status NOT IN {DONE} ORDER BY c.id"
        );
        self.all(&sql, [id], |row| row.get(0))
    }

    pub(super) fn ready_count(&mut self, expr: &Expr, now: Instant, unknown: UnknownIds) -> Result<usize> {
        let filter = ReadyFilter { filter: expr.clone(), limit: Some(0), ..ReadyFilter::default() };
        Ok(self.ready(&filter, &[], now, unknown)?.total)
    }
}
