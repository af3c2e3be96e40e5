//! Issues as [`crate::model::ready`] sees them, read from the tables: all of them, or those that a change affects.

use std::collections::HashMap;

use rusqlite::{Connection, Result};

use super::row::{Blocker, Key};
use crate::model::dependency::{Dependency, DependencyType, Gate};
use crate::model::ready::{Node, UnknownIds, awaited, waits};

/// Before every date.
const EVER: i64 = i64::MIN;

/// One issue with its sort keys.
#[derive(Debug)]
pub(super) struct Row {
    pub key: Key,
    pub id: String,
    pub node: Node,
    pub priority: i64,
    pub created: i64,
    pub is_proposed: bool,
    /// From its labels; 0 comes first.
    pub urgent: i64,
}

#[derive(Debug)]
pub(super) struct Issues {
    /// The requested issues, then those that they await.
    pub rows: Vec<Row>,
    wanted: usize,
    by_id: HashMap<String, usize>,
    /// The edges that can make an issue wait, with the issue's id.
    edges: Vec<(String, Dependency)>,
}

impl Issues {
    pub(super) fn all(db: &Connection) -> Result<Self> {
        Self::read(db, "1", "1", "1")
    }

    /// The issues whose ids are in `touched`.
    pub(super) fn touched(db: &Connection) -> Result<Self> {
        db.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS near (id TEXT PRIMARY KEY) WITHOUT ROWID; DELETE FROM near;
             INSERT INTO near SELECT id FROM touched;
             INSERT OR IGNORE INTO near SELECT coalesce(e.spawner, e.target) FROM touched t CROSS JOIN live i ON i.id = t.id
               CROSS JOIN edges e ON e.key = i.key AND e.type IN ('blocks', 'conditional-blocks', 'waits-for');",
        )?;
        let near = |column: &str, table: &str| format!("{column} IN (SELECT id FROM {table})");
        Self::read(db, &near("i.id", "near"), &near("i.id", "touched"), &near("kin.parent", "near"))
    }

    fn read(db: &Connection, rows: &str, wanted: &str, parents: &str) -> Result<Self> {
        let sql = format!(
            "SELECT i.key, i.id, i.status, i.type, i.failed, i.hidden, i.defer, i.priority, i.created, i.visibility = 'proposed',
               CASE WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'baseline-failure') THEN 0
                    WHEN EXISTS (SELECT 1 FROM labels l WHERE l.key = i.key AND l.label = 'discovered:blocker') THEN 1
                    ELSE 2 END, {wanted}
             FROM live i WHERE {rows}"
        );
        let mut statement = db.prepare_cached(&sql)?;
        let found = statement.query_map([], |row| {
            let node = Node {
                status: row.get(2)?,
                kind: row.get(3)?,
                failed: row.get(4)?,
                hidden: row.get(5)?,
                defer: row.get(6)?,
                ..Node::default()
            };
            let issue = Row {
                key: row.get(0)?,
                id: row.get(1)?,
                node,
                priority: row.get(7)?,
                created: row.get::<_, Option<i64>>(8)?.unwrap_or(EVER),
                is_proposed: row.get::<_, Option<bool>>(9)?.unwrap_or_default(),
                urgent: row.get(10)?,
            };
            Ok((issue, row.get(11)?))
        })?;
        let (mut rows, mut awaited): (Vec<Row>, Vec<Row>) = Default::default();
        for row in found {
            let (row, is_wanted) = row?;
            if is_wanted { rows.push(row) } else { awaited.push(row) }
        }
        let count = rows.len();
        rows.append(&mut awaited);
        let by_id = rows.iter().enumerate().map(|(n, row)| (row.id.clone(), n)).collect();
        let mut issues = Issues { rows, wanted: count, by_id, edges: Vec::new() };
        let sql = format!(
            "SELECT kin.parent, c.status, count(*) FROM kin JOIN live c ON c.id = kin.child WHERE {parents} GROUP BY 1, 2"
        );
        let mut statement = db.prepare_cached(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            if let Some(n) = issues.by_id.get(row.get_ref(0)?.as_str()?) {
                issues.rows[*n].node.children.add(row.get_ref(1)?.as_str()?, row.get(2)?);
            }
        }
        let sql = format!(
            "SELECT i.id, e.target, e.type, e.any_gate, e.spawner FROM live i CROSS JOIN edges e ON e.key = i.key
             WHERE {wanted} AND e.type IN ('blocks', 'conditional-blocks', 'waits-for')"
        );
        let mut statement = db.prepare_cached(&sql)?;
        let edges = statement.query_map([], |row| {
            let kind = DependencyType::new(row.get::<_, String>(2)?);
            let gate = Some(Gate { any: row.get(3)?, spawner: row.get(4)? });
            Ok((row.get(0)?, Dependency { target: row.get(1)?, kind, gate }))
        })?;
        issues.edges = edges.collect::<Result<_>>()?;
        Ok(issues)
    }

    /// The requested issues.
    pub(super) fn touched_rows(&self) -> &[Row] {
        &self.rows[..self.wanted]
    }

    pub(super) fn node(&self, id: &str) -> Option<&Node> {
        self.by_id.get(id).map(|n| &self.rows[*n].node)
    }

    /// The blockers of the requested issues.
    pub(super) fn blockers(&self, unknown: UnknownIds) -> impl Iterator<Item = (&str, Blocker)> {
        self.edges.iter().filter_map(move |(id, edge)| {
            let awaited = awaited(edge)?;
            let on = self.node(awaited);
            let blocker =
                || Blocker { id: awaited.to_owned(), kind: edge.kind.as_str().to_owned(), known: on.is_some() };
            waits(edge, on, unknown).then(|| (id.as_str(), blocker()))
        })
    }
}
