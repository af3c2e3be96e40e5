//! Numbers over all issues.

use std::collections::{BTreeMap, HashSet};

use rusqlite::params_from_iter;

use super::filter::Clause;
use super::{Cache, Key, Result, Sort, UnknownIds};
use crate::model::query::Expr;
use crate::model::time::Instant;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    pub total: i64,
    pub open: i64,
    pub in_progress: i64,
    pub blocked: i64,
    pub deferred: i64,
    pub closed: i64,
    pub tombstones: i64,
    pub pinned: i64,
    pub ready: i64,
    pub epics_closeable: i64,
    pub average_lead_time_hours: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    Status,
    Priority,
    Type,
    Assignee,
    Label,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpicProgress {
    pub key: Key,
    pub children: i64,
    pub closed: i64,
}

impl Cache {
    /// Numbers over the issues that a condition names; their blockers and children count wherever they are.
    pub fn statistics(&mut self, expr: &Expr, now: Instant, unknown: UnknownIds) -> Result<Statistics> {
        let clause = Clause::of(expr);
        let sql = format!("SELECT status, count(*) FROM live i WHERE {} GROUP BY status", clause.sql);
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(&clause.parameters), |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
        })?;
        let by_status: BTreeMap<String, i64> = rows.collect::<rusqlite::Result<_>>()?;
        drop(statement);
        let of = |status: &str| by_status.get(status).copied().unwrap_or(0);
        let ready = self.ready_count(expr, now, unknown)? as i64;
        let blocked = self.blocked_count(expr, unknown)? as i64;
        let sql = format!(
            "SELECT avg((closed - created) / 3.6e9) FROM live i WHERE status = 'closed' AND closed >= created AND {}",
            clause.sql
        );
        let lead: Option<f64> = self.db.query_row(&sql, params_from_iter(&clause.parameters), |row| row.get(0))?;
        let chosen: HashSet<Key> = self.select(expr, Sort::default(), None)?.keys.into_iter().collect();
        let done = |epic: &EpicProgress| epic.children > 0 && epic.children == epic.closed;
        let closeable = self.epics()?.iter().filter(|epic| done(epic) && chosen.contains(&epic.key)).count();
        Ok(Statistics {
            total: by_status.values().sum::<i64>() - of("tombstone"),
            open: of("open"),
            in_progress: of("in_progress"),
            blocked,
            deferred: of("deferred"),
            closed: of("closed"),
            tombstones: of("tombstone"),
            pinned: of("pinned"),
            ready,
            epics_closeable: closeable as i64,
            average_lead_time_hours: lead.unwrap_or(0.0),
        })
    }

    /// Epics that are not done, with how far their children are.
    pub fn epics(&mut self) -> Result<Vec<EpicProgress>> {
        self.compute_kin()?;
        let mut statement = self.db.prepare_cached(
            "SELECT i.key, count(c.id), coalesce(sum(c.status = 'closed'), 0)
             FROM live i LEFT JOIN kin ON kin.parent = i.id LEFT JOIN live c ON c.id = kin.child AND c.status <> 'tombstone'
             WHERE i.type = 'epic' AND i.status NOT IN ('closed', 'tombstone')
             GROUP BY i.key ORDER BY i.priority, i.created, i.id",
        )?;
        let rows = statement
            .query_map([], |row| Ok(EpicProgress { key: row.get(0)?, children: row.get(1)?, closed: row.get(2)? }))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub fn count_by(&self, expr: &Expr, by: GroupBy) -> Result<Vec<(String, i64)>> {
        let clause = Clause::of(expr);
        let (column, join) = match by {
            GroupBy::Status => ("i.status", ""),
            GroupBy::Priority => ("'P' || i.priority", ""),
            GroupBy::Type => ("i.type", ""),
            GroupBy::Assignee => ("coalesce(i.assignee, '(unassigned)')", ""),
            GroupBy::Label => ("coalesce(l.label, '(no labels)')", "LEFT JOIN labels l ON l.key = i.key"),
        };
        let sql = format!("SELECT {column}, count(*) FROM live i {join} WHERE {} GROUP BY 1 ORDER BY 1", clause.sql);
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
