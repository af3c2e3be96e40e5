//! What can be worked on now, what cannot, and why.

use std::collections::{BTreeSet, HashMap, HashSet};

use rusqlite::params_from_iter;

use super::entry::NEVER;
use super::filter::Clause;
use super::{Cache, Key, Listing, Result};
use crate::model::graph::Graph;
use crate::model::issue::IssueType;
use crate::model::query::Expr;
use crate::model::time::{DAY, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadyOrder {
    /// `baseline-failure`, `discovered:blocker`, priority, oldest, id.
    #[default]
    Priority,
    /// The same labels first, then what is younger than two days by priority, then the rest by age.
    Hybrid,
    Oldest,
}

/// Whether a dependency on an id that no ledger holds blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownIds {
    /// It may have been pruned: it counts as done.
    #[default]
    Done,
    /// Some ledger cannot be read: the id may be in there, unless it names another project's work.
    MayBeOpen,
    Block,
}

impl UnknownIds {
    /// Whether the id in a column blocks, as SQL.
    fn blocking(self, column: &str) -> String {
        match self {
            UnknownIds::Done => "0".to_owned(),
            UnknownIds::MayBeOpen => format!("{column} NOT LIKE 'external:%'"),
            UnknownIds::Block => "1".to_owned(),
        }
    }
}

/// Which ready issues to give.
#[derive(Debug, Clone)]
pub struct ReadyQuery {
    pub filter: Expr,
    pub now: Instant,
    pub order: ReadyOrder,
    pub include_deferred: bool,
    /// Offer epics with open children too.
    pub include_epics: bool,
    /// Offer internal types too, because the caller asked for a type.
    pub any_type: bool,
    pub unknown: UnknownIds,
    pub limit: Option<usize>,
}

/// Something open that an issue waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    pub id: String,
    pub kind: String,
    /// Some repo holds this id.
    pub known: bool,
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

pub(super) const DONE: &str = "('closed', 'tombstone')";

impl Cache {
    /// Fills `kin`.
    pub(super) fn compute_kin(&mut self) -> Result<()> {
        if self.kin_known {
            return Ok(());
        }
        self.db.execute_batch(
            "DELETE FROM kin;
             INSERT INTO kin SELECT i.id, e.target FROM edges e JOIN live i ON i.key = e.key WHERE e.type = 'parent-child';",
        )?;
        self.kin_known = true;
        Ok(())
    }

    /// Fills `blockers` and `inherited`. They hold only issues that are not done.
    pub(super) fn compute_blocked(&mut self, unknown: UnknownIds) -> Result<()> {
        if self.blocked_known == Some(unknown) {
            return Ok(());
        }
        self.index()?;
        self.compute_kin()?;
        let open = format!("i.status NOT IN {DONE}");
        self.db.execute_batch(&format!(
            "DELETE FROM blockers; DELETE FROM holding; DELETE FROM inherited; INSERT INTO blockers {};",
            waiting(&open, unknown)
        ))?;
        self.compute_inherited()?;
        self.blocked_known = Some(unknown);
        Ok(())
    }

    /// Fills `holding` and `inherited`. Blockedness flows down to children, but not from a blocker that is itself below the
    /// blocked ancestor: an epic that waits for its own children must not stop them. Each step is taken at most twice, however
    /// parents and blockers are knotted.
    fn compute_inherited(&mut self) -> Result<()> {
        let holding = self.find_holding()?;
        if holding.is_empty() {
            return Ok(());
        }
        // Of what flows down to an issue two origins are enough: one of them is not the issue itself.
        let mut origins: HashMap<String, Vec<usize>> = HashMap::new();
        let mut work: Vec<(String, usize)> = holding.iter().cloned().zip(0..).collect();
        let sql = format!(
            "SELECT c.id FROM kin JOIN live c ON c.id = kin.child WHERE kin.parent = ?1 AND c.status NOT IN {DONE}"
        );
        let mut children = self.db.prepare_cached(&sql)?;
        while let Some((parent, origin)) = work.pop() {
            let found = children.query_map([parent], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
            for child in found {
                let known = origins.entry(child.clone()).or_default();
                if known.len() < 2 && !known.contains(&origin) {
                    known.push(origin);
                    work.push((child, origin));
                }
            }
        }
        let mut note = self.db.prepare_cached("INSERT INTO holding VALUES (?1)")?;
        for id in &holding {
            note.execute([id])?;
        }
        let mut note = self.db.prepare_cached("INSERT INTO inherited VALUES (?1)")?;
        for (id, _) in origins.iter().filter(|(id, from)| from.iter().any(|origin| holding[*origin] != **id)) {
            note.execute([id])?;
        }
        Ok(())
    }

    /// The parents that wait for something which is not below them.
    fn find_holding(&self) -> Result<Vec<String>> {
        let sql =
            "SELECT DISTINCT b.id, b.blocker, EXISTS (SELECT 1 FROM kin WHERE kin.child = b.blocker) FROM blockers b
                   WHERE b.id IN (SELECT parent FROM kin) ORDER BY b.id";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let candidates: Vec<(String, String, bool)> = rows.collect::<rusqlite::Result<_>>()?;
        let mut edges: Vec<(String, String)> = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        let mut work: Vec<String> =
            candidates.iter().filter(|(_, _, has_parent)| *has_parent).map(|(_, blocker, _)| blocker.clone()).collect();
        let mut parents = self.db.prepare_cached("SELECT parent FROM kin WHERE child = ?1")?;
        while let Some(child) = work.pop() {
            if seen.insert(child.clone()) {
                let found =
                    parents.query_map([&child], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
                work.extend(found.iter().cloned());
                edges.extend(found.into_iter().map(|parent| (child.clone(), parent)));
            }
        }
        let pairs: Vec<(&str, &str)> =
            candidates.iter().map(|(id, blocker, _)| (blocker.as_str(), id.as_str())).collect();
        let is_below = edges.into_iter().collect::<Graph>().joins(&pairs);
        let mut holding: Vec<String> =
            candidates.iter().zip(is_below).filter(|(_, below)| !below).map(|((id, ..), _)| id.clone()).collect();
        holding.dedup();
        Ok(holding)
    }

    /// The ancestors whose blockedness an issue inherits: all, or only the first on each way up.
    fn blocked_ancestors(&self, id: &str, all: bool) -> Result<Vec<String>> {
        let sql = format!(
            "SELECT p.id, EXISTS (SELECT 1 FROM holding h WHERE h.id = p.id) FROM kin JOIN live p ON p.id = kin.parent
             WHERE kin.child = ?1 AND p.status NOT IN {DONE}"
        );
        let mut parents = self.db.prepare_cached(&sql)?;
        let mut found = BTreeSet::new();
        let mut seen: HashSet<String> = HashSet::from([id.to_owned()]);
        let mut work = vec![id.to_owned()];
        while let Some(child) = work.pop() {
            let rows = parents.query_map([child], |row| Ok((row.get(0)?, row.get(1)?)))?;
            for (parent, holds) in rows.collect::<rusqlite::Result<Vec<(String, bool)>>>()? {
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

    /// When the first of the issues that are put off may be worked on.
    pub fn next_start(&self, now: Instant) -> Result<Option<Instant>> {
        let sql = "SELECT min(defer) FROM live WHERE status IN ('open', 'deferred') AND defer > ?1 AND defer < ?2";
        let found: Option<i64> = self.db.query_row(sql, [now.micros(), NEVER], |row| row.get(0))?;
        Ok(found.map(Instant::from_micros))
    }

    /// When the next date of an issue that is not done comes: it may be worked on then, or is overdue.
    pub fn next_date(&self, now: Instant) -> Result<Option<Instant>> {
        let sql = "SELECT min(at) FROM (
                     SELECT defer AS at, status FROM live UNION ALL SELECT due, status FROM live
                   ) WHERE at > ?1 AND at < ?2 AND status NOT IN ('closed', 'tombstone')";
        let found: Option<i64> = self.db.query_row(sql, [now.micros(), NEVER], |row| row.get(0))?;
        Ok(found.map(Instant::from_micros))
    }

    /// Issues that can be worked on now.
    pub fn ready(&mut self, query: &ReadyQuery) -> Result<Listing> {
        self.compute_blocked(query.unknown)?;
        let clause = Clause::of(&query.filter);
        let now = query.now.micros();
        // What is only proposed was written by anybody: nothing that it says of itself puts it before accepted issues.
        let proposed = "i.visibility = 'proposed'";
        let urgent = "CASE WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'baseline-failure') THEN 0
                           WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'discovered:blocker') THEN 1
                           ELSE 2 END";
        let recent = query.now.plus_nanos(-2 * DAY).micros();
        let order = match query.order {
            ReadyOrder::Priority => format!("{urgent}, i.priority, i.created, i.id"),
            ReadyOrder::Hybrid => format!(
                "{urgent}, coalesce(i.created, 0) < {recent}, CASE WHEN i.created >= {recent} THEN i.priority END, i.created, i.id"
            ),
            ReadyOrder::Oldest => "i.created, i.id".into(),
        };
        let sql = format!(
            "SELECT i.key FROM live i WHERE {}
               AND {}
               AND NOT EXISTS (SELECT 1 FROM blockers b WHERE b.id = i.id)
               AND NOT EXISTS (SELECT 1 FROM inherited b WHERE b.id = i.id)
               AND ({} OR NOT {OPEN_CHILDREN})
             ORDER BY {proposed}, CASE WHEN {proposed} THEN i.created END, {order}",
            startable(now, query.include_deferred, query.any_type),
            clause.sql,
            u8::from(query.include_epics)
        );
        let mut keys = self.keys(&sql, clause.parameters)?;
        let total = keys.len();
        keys.truncate(query.limit.unwrap_or(total));
        Ok(Listing { keys, total })
    }

    /// Issues that something keeps from being worked on, with what it is; by priority, then age. Of blocked ancestors the
    /// nearest are named.
    pub fn blocked(&mut self, filter: &Expr, unknown: UnknownIds) -> Result<Vec<Blocked>> {
        self.compute_blocked(unknown)?;
        let clause = Clause::of(filter);
        let sql = format!(
            "SELECT i.key, i.id FROM live i WHERE {BLOCKED} AND {}
             ORDER BY i.priority, i.created, i.id",
            clause.sql
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(Key, String)> = rows.collect::<rusqlite::Result<_>>()?;
        rows.into_iter().map(|(key, id)| self.obstacles(key, &id, false)).collect()
    }

    /// How many there are.
    pub(super) fn blocked_count(&mut self, filter: &Expr, unknown: UnknownIds) -> Result<usize> {
        self.compute_blocked(unknown)?;
        let clause = Clause::of(filter);
        let sql = format!("SELECT count(*) FROM live i WHERE {BLOCKED} AND {}", clause.sql);
        let mut statement = self.db.prepare_cached(&sql)?;
        let count: i64 = statement.query_row(params_from_iter(clause.parameters), |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// What keeps one issue, with every blocked ancestor.
    pub fn obstacles_of(&mut self, key: Key, id: &str, unknown: UnknownIds) -> Result<Blocked> {
        self.compute_blocked(unknown)?;
        self.obstacles(key, id, true)
    }

    /// What an issue depends on and is not done, whether the issue itself is done or not.
    pub fn unmet(&mut self, id: &str, unknown: UnknownIds) -> Result<Vec<Blocker>> {
        self.index()?;
        self.compute_kin()?;
        self.blockers_in(&waiting("i.id = ?1", unknown), id)
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
        self.blockers_in("SELECT id, blocker, type, known FROM blockers WHERE id = ?1", id)
    }

    fn blockers_in(&self, rows: &str, id: &str) -> Result<Vec<Blocker>> {
        let sql = format!("SELECT DISTINCT blocker, type, known FROM ({rows}) ORDER BY blocker, type");
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows =
            statement.query_map([id], |row| Ok(Blocker { id: row.get(0)?, kind: row.get(1)?, known: row.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many issues wait for an id that no ledger holds.
    pub fn waiting_for_unknown(&mut self, unknown: UnknownIds) -> Result<usize> {
        self.compute_blocked(unknown)?;
        let sql = "SELECT count(DISTINCT id) FROM blockers WHERE NOT known";
        let count: i64 = self.db.query_row(sql, [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Children that are not done yet.
    pub fn open_children(&mut self, id: &str) -> Result<Vec<String>> {
        self.compute_kin()?;
        let sql = format!(
            "SELECT c.id FROM kin JOIN live c ON c.id = kin.child WHERE kin.parent = ?1 AND c.status NOT IN {DONE} ORDER BY c.id"
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map([id], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub(super) fn ready_count(&mut self, expr: &Expr, now: Instant, unknown: UnknownIds) -> Result<usize> {
        let query = ReadyQuery {
            filter: expr.clone(),
            now,
            order: ReadyOrder::default(),
            include_deferred: false,
            include_epics: false,
            any_type: false,
            unknown,
            limit: Some(0),
        };
        Ok(self.ready(&query)?.total)
    }
}

/// Rows of (issue, what it waits for, type of the dependency, whether some repo holds that) for those issues `i` that meet a
/// condition.
fn waiting(which: &str, unknown: UnknownIds) -> String {
    let (edge, spawner) = (unknown.blocking("e.target"), unknown.blocking("s.spawner"));
    format!(
        "SELECT i.id AS id, e.target AS blocker, e.type AS type, b.id IS NOT NULL AS known
         FROM edges e JOIN live i ON i.key = e.key LEFT JOIN live b ON b.id = e.target
         WHERE {which} AND (
           e.type = 'blocks' AND CASE WHEN b.id IS NULL THEN {edge} ELSE b.status NOT IN ('closed', 'tombstone', 'pinned') END
           OR e.type = 'conditional-blocks' AND CASE
             WHEN b.id IS NULL THEN {edge}
             WHEN b.status = 'closed' THEN NOT b.failed
             ELSE b.status <> 'tombstone' END)

         UNION ALL
         -- waits-for: the children of the spawner; while it has none, the spawner itself.
         SELECT i.id, s.spawner, 'waits-for', b.id IS NOT NULL
         FROM (SELECT key, any_gate, coalesce(spawner, target) AS spawner FROM edges WHERE type = 'waits-for') s
         JOIN live i ON i.key = s.key LEFT JOIN live b ON b.id = s.spawner
         WHERE {which} AND CASE
           WHEN b.id IS NULL THEN {spawner}
           WHEN NOT EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                            WHERE kin.parent = s.spawner AND c.status <> 'tombstone') THEN b.status NOT IN {DONE}
           WHEN s.any_gate THEN NOT EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                                            WHERE kin.parent = s.spawner AND c.status = 'closed')
           ELSE EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                        WHERE kin.parent = s.spawner AND c.status NOT IN {DONE}) END"
    )
}

const BLOCKED: &str =
    "(i.id IN (SELECT id FROM blockers) OR i.id IN (SELECT id FROM inherited) OR i.status = 'blocked')";

pub(super) const OPEN_CHILDREN: &str = "(i.type = 'epic' AND EXISTS (
    SELECT 1 FROM kin JOIN live c ON c.id = kin.child WHERE kin.parent = i.id AND c.status NOT IN ('closed', 'tombstone')))";

/// The condition on the issue alone: open, or put off until a moment that has passed; not hidden; work for people.
fn startable(now: i64, include_deferred: bool, any_type: bool) -> String {
    let internal: Vec<String> = IssueType::INTERNAL.iter().map(|word| format!("'{word}'")).collect();
    let types = if any_type { "1".to_owned() } else { format!("i.type NOT IN ({})", internal.join(", ")) };
    let time = if include_deferred {
        "i.status IN ('open', 'deferred')".to_owned()
    } else {
        format!(
            "(i.status = 'open' AND (i.defer IS NULL OR i.defer <= {now}) OR i.status = 'deferred' AND i.defer <= {now})"
        )
    };
    format!("i.hidden = 0 AND {types} AND {time}")
}
