//! What can be worked on now, what cannot, and why.

use rusqlite::params_from_iter;

use super::filter::Clause;
use super::{Cache, Key, Listing, Result};
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

/// Which ready issues to give.
#[derive(Debug, Clone)]
pub struct ReadyQuery {
    pub filter: Expr,
    pub now: Instant,
    pub order: ReadyOrder,
    pub include_deferred: bool,
    /// Offer internal types too, because the caller asked for a type.
    pub any_type: bool,
    pub unknown_blocks: bool,
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
    pub(super) fn compute_blocked(&mut self, unknown_blocks: bool) -> Result<()> {
        if self.blocked_known == Some(unknown_blocks) {
            return Ok(());
        }
        self.index()?;
        self.compute_kin()?;
        let unknown = i64::from(unknown_blocks);
        self.db.execute_batch(&format!(
            "DELETE FROM blockers; DELETE FROM inherited;

             INSERT INTO blockers
             SELECT i.id, e.target, e.type, b.id IS NOT NULL
             FROM edges e JOIN live i ON i.key = e.key LEFT JOIN live b ON b.id = e.target
             WHERE i.status NOT IN {DONE} AND (
               e.type = 'blocks' AND CASE WHEN b.id IS NULL THEN {unknown} ELSE b.status NOT IN ('closed', 'tombstone', 'pinned') END
               OR e.type = 'conditional-blocks' AND CASE
                 WHEN b.id IS NULL THEN {unknown}
                 WHEN b.status = 'closed' THEN NOT b.failed
                 ELSE b.status <> 'tombstone' END);

             -- waits-for: the children of the spawner; while it has none, the spawner itself.
             INSERT INTO blockers
             SELECT i.id, s.spawner, 'waits-for', b.id IS NOT NULL
             FROM (SELECT key, any_gate, coalesce(spawner, target) AS spawner FROM edges WHERE type = 'waits-for') s
             JOIN live i ON i.key = s.key LEFT JOIN live b ON b.id = s.spawner
             WHERE i.status NOT IN {DONE} AND CASE
               WHEN b.id IS NULL THEN {unknown}
               WHEN NOT EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                                WHERE kin.parent = s.spawner AND c.status <> 'tombstone') THEN b.status NOT IN {DONE}
               WHEN s.any_gate THEN NOT EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                                                WHERE kin.parent = s.spawner AND c.status = 'closed')
               ELSE EXISTS (SELECT 1 FROM kin JOIN live c ON c.id = kin.child
                            WHERE kin.parent = s.spawner AND c.status NOT IN {DONE}) END;"
        ))?;
        // Blockedness flows down to children, but not from a blocker that is itself below the blocked ancestor: an epic
        // that waits for its own children must not stop them.
        self.db.execute_batch(&format!(
            "INSERT INTO inherited
             WITH RECURSIVE
               candidates AS (SELECT DISTINCT id, blocker FROM blockers WHERE id IN (SELECT parent FROM kin)),
               above(start, node) AS (
                 SELECT DISTINCT blocker, blocker FROM candidates
                 UNION SELECT above.start, kin.parent FROM above JOIN kin ON kin.child = above.node),
               seeds AS (
                 SELECT DISTINCT id FROM candidates c
                 WHERE NOT EXISTS (SELECT 1 FROM above WHERE above.start = c.blocker AND above.node = c.id)),
               down(id, via) AS (
                 SELECT kin.child, seeds.id FROM seeds JOIN kin ON kin.parent = seeds.id
                 UNION
                 SELECT kin.child, down.via FROM down
                 JOIN live p ON p.id = down.id AND p.status NOT IN {DONE}
                 JOIN kin ON kin.parent = down.id)
             SELECT DISTINCT down.id, down.via FROM down JOIN live i ON i.id = down.id
             WHERE i.status NOT IN {DONE} AND down.id <> down.via;"
        ))?;
        self.blocked_known = Some(unknown_blocks);
        Ok(())
    }

    /// When the first of the issues that are put off may be worked on.
    pub fn next_start(&self, now: Instant) -> Result<Option<Instant>> {
        let sql = "SELECT min(defer) FROM live WHERE status IN ('open', 'deferred') AND defer > ?1";
        let found: Option<i64> = self.db.query_row(sql, [now.nanos()], |row| row.get(0))?;
        Ok(found.map(Instant::from_nanos))
    }

    /// Issues that can be worked on now.
    pub fn ready(&mut self, query: &ReadyQuery) -> Result<Listing> {
        self.compute_blocked(query.unknown_blocks)?;
        let clause = Clause::of(&query.filter);
        let now = query.now.nanos();
        let urgent = "CASE WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'baseline-failure') THEN 0
                           WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'discovered:blocker') THEN 1
                           ELSE 2 END";
        let recent = now.saturating_sub(2 * DAY);
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
               AND NOT {OPEN_CHILDREN}
             ORDER BY {order}",
            startable(now, query.include_deferred, query.any_type),
            clause.sql
        );
        let mut keys = self.keys(&sql, clause.parameters)?;
        let total = keys.len();
        keys.truncate(query.limit.unwrap_or(total));
        Ok(Listing { keys, total })
    }

    /// Issues that something keeps from being worked on, with what it is; by priority, then age.
    pub fn blocked(&mut self, filter: &Expr, unknown_blocks: bool) -> Result<Vec<Blocked>> {
        self.compute_blocked(unknown_blocks)?;
        let clause = Clause::of(filter);
        let sql = format!(
            "SELECT i.key, i.id FROM live i
             WHERE (i.id IN (SELECT id FROM blockers) OR i.id IN (SELECT id FROM inherited) OR i.status = 'blocked') AND {}
             ORDER BY i.priority, i.created, i.id",
            clause.sql
        );
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows: Vec<(Key, String)> = rows.collect::<rusqlite::Result<_>>()?;
        rows.into_iter().map(|(key, id)| self.obstacles(key, &id)).collect()
    }

    /// What keeps one issue; [`Cache::blocked`] or [`Cache::ready`] must have been asked before, or nothing is known.
    pub fn obstacles_of(&mut self, key: Key, id: &str, unknown_blocks: bool) -> Result<Blocked> {
        self.compute_blocked(unknown_blocks)?;
        self.obstacles(key, id)
    }

    fn obstacles(&self, key: Key, id: &str) -> Result<Blocked> {
        let mut statement = self.db.prepare_cached("SELECT DISTINCT via FROM inherited WHERE id = ?1 ORDER BY via")?;
        let ancestors: Vec<String> = statement.query_map([id], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        let inherited = ancestors
            .into_iter()
            .map(|ancestor| Ok(Inherited { blockers: self.blockers(&ancestor)?, ancestor }))
            .collect::<Result<_>>()?;
        Ok(Blocked { key, blockers: self.blockers(id)?, inherited })
    }

    fn blockers(&self, id: &str) -> Result<Vec<Blocker>> {
        let sql = "SELECT DISTINCT blocker, type, known FROM blockers WHERE id = ?1 ORDER BY blocker, type";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows =
            statement.query_map([id], |row| Ok(Blocker { id: row.get(0)?, kind: row.get(1)?, known: row.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
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

    pub(super) fn ready_count(&mut self, expr: &Expr, now: Instant, unknown_blocks: bool) -> Result<usize> {
        let query = ReadyQuery {
            filter: expr.clone(),
            now,
            order: ReadyOrder::default(),
            include_deferred: false,
            any_type: false,
            unknown_blocks,
            limit: Some(0),
        };
        Ok(self.ready(&query)?.total)
    }
}

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
