//! Selects issues and their neighbours.

use rusqlite::{params, params_from_iter};

use super::derived::TALLIED;
use super::filter::{self, Clause};
use super::row::{Counts, Key};
use super::schema::DONE;
use super::{Cache, Result};
use crate::model::graph::{Graph, shortest_path};
use crate::model::query::{Expr, Field};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    Priority,
    Created,
    Updated,
    Closed,
    Due,
    Id,
    Title,
    Status,
    Type,
    Assignee,
}

/// An order of issues. Every order ends with the id, so that the order of equal issues is stable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    pub keys: Vec<SortKey>,
    /// Reverses the whole order.
    pub reverse: bool,
}

/// One field of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    pub by: SortBy,
    /// Greatest value first; `None` means the usual order: the latest date first, but for due dates the earliest.
    pub descending: Option<bool>,
}

/// The condition of `live`. SQLite compiles a view as slowly as it reads the schema, so short queries avoid it.
const LIVE: &str = "i.effective = 1";

const BLOCKS: &str = "SELECT i.id, e.target FROM edges e JOIN live i ON i.key = e.key
    WHERE e.type IN ('blocks', 'conditional-blocks', 'waits-for')";

impl Default for Sort {
    fn default() -> Self {
        Sort::by(SortBy::Priority)
    }
}

impl Sort {
    /// By one field, in its usual order.
    pub fn by(by: SortBy) -> Self {
        Sort { keys: vec![SortKey { by, descending: None }], reverse: false }
    }

    fn sql(&self) -> String {
        let word = |down: bool| if down != self.reverse { "DESC" } else { "ASC" };
        let mut parts = Vec::new();
        for SortKey { by, descending } in &self.keys {
            let (column, is_down) = match by {
                SortBy::Priority => ("priority", false),
                SortBy::Created => ("created", true),
                SortBy::Updated => ("updated", true),
                SortBy::Closed => ("closed", true),
                SortBy::Due => ("due", false),
                SortBy::Id => ("id", false),
                SortBy::Title => ("title COLLATE NOCASE", false),
                SortBy::Status => ("status", false),
                SortBy::Type => ("type", false),
                SortBy::Assignee => ("assignee", false),
            };
            if matches!(by, SortBy::Created | SortBy::Updated | SortBy::Closed | SortBy::Due | SortBy::Assignee) {
                parts.push(format!("i.{column} IS NULL"));
            }
            parts.push(format!("i.{column} {}", word(descending.unwrap_or(is_down))));
        }
        // Among issues with equal values of the last key.
        match self.keys.last().map(|key| key.by) {
            Some(SortBy::Priority) => parts.push(format!("i.created {}", word(true))),
            Some(SortBy::Status | SortBy::Type | SortBy::Assignee) => parts.push("i.priority".to_owned()),
            _ => {}
        }
        parts.push("i.id".to_owned());
        parts.join(", ")
    }
}

/// The selected keys, and their number without the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    pub keys: Vec<Key>,
    pub total: usize,
}

/// One end of a dependency: the issue at the other end and the type between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub id: String,
    /// `None` if no repo holds that id.
    pub key: Option<Key>,
    pub kind: String,
}

impl Cache {
    /// Whether a condition needs the texts, which the store then has to load.
    pub fn needs_texts(expr: &Expr) -> bool {
        Clause::of(expr).needs_texts
    }

    pub fn select(&mut self, expr: &Expr, sort: Sort, limit: Option<usize>) -> Result<Listing> {
        match limit {
            Some(limit) if expr.is_over(TALLIED) => {
                let total = self.count(expr)?;
                let keys = if limit == 0 { Vec::new() } else { self.select_from(LIVE, expr, &sort, Some(limit))? };
                Ok(Listing { keys, total })
            }
            _ => self.cut(LIVE, expr, &sort, limit),
        }
    }

    /// The same over every row, shadowed ones included.
    pub fn select_copies(&self, expr: &Expr, sort: Sort, limit: Option<usize>) -> Result<Listing> {
        self.cut("1", expr, &sort, limit)
    }

    fn cut(&self, which: &str, expr: &Expr, sort: &Sort, limit: Option<usize>) -> Result<Listing> {
        let mut keys = self.select_from(which, expr, sort, None)?;
        let total = keys.len();
        keys.truncate(limit.unwrap_or(total));
        Ok(Listing { keys, total })
    }

    /// Whether a row is shadowed by another one of the same id.
    pub fn is_shadowed(&self, key: Key) -> Result<bool> {
        if !self.shadowed {
            return Ok(false);
        }
        let mut statement = self.db.prepare_cached("SELECT effective = 0 FROM issues WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0))?)
    }

    fn select_from(&self, which: &str, expr: &Expr, sort: &Sort, limit: Option<usize>) -> Result<Vec<Key>> {
        let clause = Clause::of(expr);
        let limit = limit.map_or(String::new(), |limit| format!(" LIMIT {limit}"));
        let sql = format!("SELECT i.key FROM issues i WHERE {which} AND {} ORDER BY {}{limit}", clause.sql, sort.sql());
        self.all(&sql, params_from_iter(clause.parameters), |row| row.get(0))
    }

    /// The effective row of an id.
    pub fn key_of(&self, id: &str) -> Result<Option<Key>> {
        self.first("SELECT key FROM issues WHERE id = ?1 AND effective = 1", [id], |row| row.get(0))
    }

    /// Ids with this prefix, with their titles: open issues in the usual order, then closed ones, or the reverse.
    /// Without a match, ids with a part that begins so.
    pub fn titles(&self, start: &str, is_closed_first: bool, most: usize) -> Result<Vec<(String, String)>> {
        let mut kinds =
            [(format!("NOT IN {DONE}"), Sort::default().sql()), ("= 'closed'".to_owned(), "i.id".to_owned())];
        if is_closed_first {
            kinds.reverse();
        }
        let mut found = Vec::new();
        for fits in ["i.id >= ?1 AND i.id < ?1 || char(0x10FFFF)", "instr(i.id, '-' || ?1) > 0"] {
            for (such, order) in &kinds {
                let sql = format!(
                    "SELECT i.id, i.title FROM live i WHERE i.status {such} AND {fits} ORDER BY {order} LIMIT ?2"
                );
                let left = (most - found.len()) as i64;
                let more: Vec<_> = self.all(&sql, params![start, left], |row| Ok((row.get(0)?, row.get(1)?)))?;
                found.extend(more);
            }
            if !found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// The words in use for a column with an open set.
    pub fn words(&self, statuses: bool) -> Result<Vec<String>> {
        let column = if statuses { "status" } else { "type" };
        self.all(&format!("SELECT DISTINCT {column} FROM live ORDER BY 1"), [], |row| row.get(0))
    }

    /// The types of dependencies in use.
    pub fn dependency_types(&self) -> Result<Vec<String>> {
        self.all("SELECT DISTINCT type FROM edges ORDER BY 1", [], |row| row.get(0))
    }

    /// The names of people in a field, in their spelling.
    pub fn people(&self, field: Field) -> Result<Vec<String>> {
        let Some(column) = filter::column(field) else { return Ok(Vec::new()) };
        let sql = format!("SELECT DISTINCT {column} FROM issues WHERE {column} IS NOT NULL ORDER BY 1");
        self.all(&sql, [], |row| row.get(0))
    }

    pub fn counts(&self, key: Key) -> Result<Counts> {
        if self.in_file {
            return Ok(self.stored_row(key)?.map(|row| row.counts).unwrap_or_default());
        }
        let sql = format!("SELECT {} FROM issues i WHERE i.key = ?1", self.count_columns());
        Ok(self.first(&sql, [key], |row| Counts::read(row, 0))?.unwrap_or_default())
    }

    /// The columns of [`Counts`].
    pub(super) fn count_columns(&self) -> String {
        let needs = if self.has_borrowed { "(SELECT count(*) FROM edges e WHERE e.key = i.key)" } else { "i.needs" };
        let shown = if self.shadowed { "JOIN live d ON d.key = e.key" } else { "" };
        format!(
            "{needs},
             (SELECT count(*) FROM edges e {shown} WHERE e.target = i.id), i.comments"
        )
    }

    /// The dependencies of an issue, in the order of its line.
    pub fn dependencies(&self, id: &str) -> Result<Vec<Edge>> {
        self.edges(
            "SELECT e.target, t.key, e.type FROM issues i JOIN edges e ON e.key = i.key
             LEFT JOIN issues t ON t.id = e.target AND t.effective = 1
             WHERE i.id = ?1 AND i.effective = 1 ORDER BY e.n",
            id,
        )
    }

    /// The issues that depend on an issue, by id.
    pub fn dependents(&self, id: &str) -> Result<Vec<Edge>> {
        self.edges(
            "SELECT d.id, d.key, e.type FROM edges e JOIN issues d ON d.key = e.key
             WHERE e.target = ?1 AND d.effective = 1 ORDER BY d.id, e.n",
            id,
        )
    }

    fn edges(&self, sql: &str, id: &str) -> Result<Vec<Edge>> {
        self.all(sql, [id], |row| Ok(Edge { id: row.get(0)?, key: row.get(1)?, kind: row.get(2)? }))
    }

    /// Edges whose target no repo holds: (issue, target, type).
    pub fn dangling(&self) -> Result<Vec<(String, String, String)>> {
        let sql = "SELECT i.id, e.target, e.type FROM edges e JOIN live i ON i.key = e.key
             WHERE NOT EXISTS (SELECT 1 FROM live t WHERE t.id = e.target) AND i.status NOT IN ('closed', 'tombstone')
             ORDER BY i.id, e.n";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    /// The graph of blockers, or of parents.
    pub fn graph(&self, parents: bool) -> Result<Graph> {
        let sql = if parents {
            "SELECT i.id, e.target FROM edges e JOIN live i ON i.key = e.key WHERE e.type = 'parent-child'"
        } else {
            BLOCKS
        };
        self.graph_of(sql)
    }

    /// The graph of waiting: besides its blockers, an open epic waits for its open children.
    pub fn waits(&self) -> Result<Graph> {
        self.graph_of(&format!(
            "{BLOCKS} UNION ALL
             SELECT p.id, i.id FROM edges e JOIN live i ON i.key = e.key JOIN live p ON p.id = e.target
             WHERE e.type = 'parent-child' AND p.type = 'epic'
               AND p.status NOT IN ('closed', 'tombstone') AND i.status NOT IN ('closed', 'tombstone')"
        ))
    }

    /// A path from one issue to another in the graph of waiting ([`Cache::waits`]).
    pub fn waits_path(&mut self, from: &str, to: &str) -> Result<Option<Vec<String>>> {
        self.path(
            from,
            to,
            "SELECT e.target FROM live i CROSS JOIN edges e ON e.key = i.key
             WHERE i.id = ?1 AND e.type IN ('blocks', 'conditional-blocks', 'waits-for')
             UNION SELECT i.id FROM live p CROSS JOIN edges e ON e.target = p.id CROSS JOIN live i ON i.key = e.key
             WHERE p.id = ?1 AND e.type = 'parent-child' AND p.type = 'epic'
               AND p.status NOT IN ('closed', 'tombstone') AND i.status NOT IN ('closed', 'tombstone')
             ORDER BY 1",
        )
    }

    /// The same from child to parent.
    pub fn parents_path(&mut self, from: &str, to: &str) -> Result<Option<Vec<String>>> {
        let sql = "SELECT e.target FROM live i CROSS JOIN edges e ON e.key = i.key
                   WHERE i.id = ?1 AND e.type = 'parent-child' ORDER BY 1";
        self.path(from, to, sql)
    }

    fn path(&mut self, from: &str, to: &str, targets: &str) -> Result<Option<Vec<String>>> {
        self.index()?;
        shortest_path(from, to, |node| self.all(targets, [node], |row| row.get(0)))
    }

    fn graph_of(&self, sql: &str) -> Result<Graph> {
        self.all(sql, [], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
    }

    /// Labels on issues that are not deleted, with the number of issues.
    pub fn labels(&self) -> Result<Vec<(String, i64)>> {
        let sql = "SELECT l.label, count(*) FROM labels l JOIN live i ON i.key = l.key
             WHERE i.status <> 'tombstone' GROUP BY l.label ORDER BY l.label";
        self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}
