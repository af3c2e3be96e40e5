//! Statistics over all issues.

use std::collections::BTreeMap;

use rusqlite::params_from_iter;

use super::derived::TALLIED;
use super::filter::Clause;
use super::{Cache, Key, Result, UnknownIds};
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

impl Statistics {
    /// Issues with another status.
    pub fn other(&self) -> i64 {
        let known = [self.open, self.in_progress, self.deferred, self.closed, self.pinned];
        (self.total - known.iter().sum::<i64>()).max(0)
    }
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

/// Seconds.
const HOUR: f64 = 3600.0;

/// Where issues are counted: row by row, or from the counts made in advance.
struct Counted {
    table: &'static str,
    number: &'static str,
    lead: &'static str,
    leads: &'static str,
}

impl Counted {
    const EACH: Counted = Counted {
        table: "live",
        number: "count(*)",
        lead: "sum(CASE WHEN status = 'closed' AND closed >= created THEN (closed - created) / 1000000 END)",
        leads: "count(CASE WHEN status = 'closed' AND closed >= created THEN 1 END)",
    };
    const BEFOREHAND: Counted =
        Counted { table: "tally", number: "coalesce(sum(i.n), 0)", lead: "sum(i.lead)", leads: "sum(i.leads)" };
}

impl Cache {
    /// The number of issues that meet a condition.
    pub(super) fn count(&mut self, expr: &Expr) -> Result<usize> {
        let counted = self.counted(expr)?;
        let clause = Clause::of(expr);
        let sql = format!("SELECT {} FROM {} i WHERE {}", counted.number, counted.table, clause.sql);
        let mut statement = self.db.prepare_cached(&sql)?;
        let count: i64 = statement.query_row(params_from_iter(clause.parameters), |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The cheapest way to count issues that meet a condition.
    fn counted(&mut self, expr: &Expr) -> Result<Counted> {
        if expr.is_over(TALLIED) {
            self.compute_tally()?;
            return Ok(Counted::BEFOREHAND);
        }
        Ok(Counted::EACH)
    }

    /// Statistics over the issues that meet a condition; their blockers and children count wherever they are.
    pub fn statistics(&mut self, expr: &Expr, now: Instant, unknown: UnknownIds) -> Result<Statistics> {
        let Counted { table, number, lead, leads } = self.counted(expr)?;
        let clause = Clause::of(expr);
        let sql = format!("SELECT status, {number} FROM {table} i WHERE {} GROUP BY status", clause.sql);
        let by_status: BTreeMap<String, i64> =
            self.all(&sql, params_from_iter(&clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let sql = format!("SELECT coalesce({lead}, 0), coalesce({leads}, 0) FROM {table} i WHERE {}", clause.sql);
        let lead = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (lead, leads) = self.db.query_row(&sql, params_from_iter(&clause.parameters), lead)?;
        let of = |status: &str| by_status.get(status).copied().unwrap_or(0);
        let ready = self.ready_count(expr, now, unknown)? as i64;
        let blocked = self.blocked_count(expr, unknown)? as i64;
        let join = if expr.is_all() { "" } else { "JOIN issues i ON i.key = e.key" };
        let sql = format!(
            "SELECT count(*) FROM epics e {join} WHERE e.children > 0 AND e.children = e.closed AND {}",
            clause.sql
        );
        let closeable = self.db.query_row(&sql, params_from_iter(&clause.parameters), |row| row.get(0))?;
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
            epics_closeable: closeable,
            average_lead_time_hours: if leads == 0 { 0.0 } else { lead as f64 / leads as f64 / HOUR },
        })
    }

    /// Unfinished epics, with the progress of their children.
    pub fn epics(&mut self, unknown: UnknownIds) -> Result<Vec<EpicProgress>> {
        self.compute_front(unknown)?;
        let sql = "SELECT e.key, e.children, e.closed FROM epics e JOIN issues i ON i.key = e.key
                   ORDER BY i.priority, i.created, i.id";
        self.all(sql, [], |row| Ok(EpicProgress { key: row.get(0)?, children: row.get(1)?, closed: row.get(2)? }))
    }

    pub fn count_by(&mut self, expr: &Expr, by: GroupBy) -> Result<Vec<(String, i64)>> {
        let Counted { table, number, .. } = match by {
            GroupBy::Status | GroupBy::Priority | GroupBy::Type => self.counted(expr)?,
            GroupBy::Assignee | GroupBy::Label => Counted::EACH,
        };
        let clause = Clause::of(expr);
        let (column, join) = match by {
            GroupBy::Status => ("i.status", ""),
            GroupBy::Priority => ("'P' || i.priority", ""),
            GroupBy::Type => ("i.type", ""),
            GroupBy::Assignee => ("coalesce(i.assignee, '(unassigned)')", ""),
            GroupBy::Label => ("coalesce(l.label, '(no labels)')", "LEFT JOIN labels l ON l.key = i.key"),
        };
        let sql = format!("SELECT {column}, {number} FROM {table} i {join} WHERE {} GROUP BY 1 ORDER BY 1", clause.sql);
        self.all(&sql, params_from_iter(clause.parameters), |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
