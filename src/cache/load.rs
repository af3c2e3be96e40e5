//! Fills the tables, in bulk or a few lines at a time.

use rusqlite::{ToSql, params};

use super::schema::INDEXES;
use super::{Cache, Entry, Key, Own, Result};
use crate::model::field::{COLUMN_COUNT, COLUMNS};

/// The columns of a row that are not fields.
const OWN_COLUMNS: [&str; 8] = ["key", "source", "failed", "hidden", "needs", "comments", "task", "chunk"];

fn insertion() -> String {
    let fields = COLUMNS.iter().filter_map(|field| field.row().column).map(|(name, _)| name);
    let names: Vec<&str> = OWN_COLUMNS.into_iter().chain(fields).collect();
    format!("INSERT INTO issues ({}) VALUES ({})", names.join(","), vec!["?"; names.len()].join(","))
}

/// Edges from this position on are borrowed from another row.
const BORROWED: i64 = 1 << 32;

impl Cache {
    /// Adds rows. Keys must be new.
    pub fn insert<'a>(&mut self, source: usize, entries: impl IntoIterator<Item = (Key, Entry<'a>)>) -> Result<()> {
        let mut entries = entries.into_iter().peekable();
        if entries.peek().is_none() {
            return Ok(());
        }
        self.own_copy()?;
        self.touch();
        let tx = self.db.transaction()?;
        {
            let mut issue = tx.prepare_cached(&insertion())?;
            let mut label = tx.prepare_cached("INSERT OR IGNORE INTO labels (key, label) VALUES (?1, ?2)")?;
            let mut edge = tx.prepare_cached(
                "INSERT INTO edges (key, n, target, type, any_gate, spawner) VALUES (?1,?2,?3,?4,?5,?6)",
            )?;
            for (key, e) in entries {
                let (source, needs, comments) = (source as i64, e.dependencies.len() as i64, e.comments as i64);
                let own: [&dyn ToSql; OWN_COLUMNS.len()] =
                    [&key, &source, &e.failed, &e.hidden, &needs, &comments, &e.task, &e.chunk];
                let cell = |n: usize| own.get(n).copied().unwrap_or_else(|| &e.cells[n - OWN_COLUMNS.len()]);
                let values: [&dyn ToSql; OWN_COLUMNS.len() + COLUMN_COUNT] = std::array::from_fn(cell);
                issue.execute(values.as_slice())?;
                for text in &e.labels {
                    label.execute(params![key, text])?;
                }
                for (n, dependency) in e.dependencies.iter().enumerate() {
                    let gate = dependency.gate.as_ref();
                    edge.execute(params![
                        key,
                        n as i64,
                        dependency.target,
                        dependency.kind.as_str(),
                        gate.is_some_and(|g| g.any),
                        gate.and_then(|g| g.spawner.as_deref()),
                    ])?;
                }
            }
        }
        tx.commit()?;
        Ok(())
    }

    /// Removes rows.
    pub fn remove(&mut self, keys: &[Key]) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.own_copy()?;
        self.touch();
        let tx = self.db.transaction()?;
        for key in keys {
            for table in ["issues", "labels", "edges"] {
                tx.prepare_cached(&format!("DELETE FROM {table} WHERE key = ?1"))?.execute([key])?;
            }
            if self.texts_known {
                tx.prepare_cached("DELETE FROM texts WHERE rowid = ?1")?.execute([key])?;
            }
        }
        tx.commit()?;
        Ok(())
    }

    /// Creates the indexes after the bulk of the rows is inserted, which is much cheaper than before.
    pub fn index(&mut self) -> Result<()> {
        if !self.indexed {
            self.db.execute_batch(INDEXES)?;
            self.indexed = true;
        }
        Ok(())
    }

    /// Groups of rows with the same id, for the store to choose from.
    pub fn duplicates(&mut self) -> Result<Vec<Vec<Key>>> {
        self.index()?;
        let sql = "SELECT id, key FROM issues WHERE id IN (SELECT id FROM issues GROUP BY id HAVING count(*) > 1)
                   ORDER BY id, key";
        let rows: Vec<(String, Key)> = self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let same_id = rows.chunk_by(|one, other| one.0 == other.0);
        Ok(same_id.map(|group| group.iter().map(|(_, key)| *key).collect()).collect())
    }

    /// Gives rows the edges of others that they lack: lender, borrower, and the target if only its edge is wanted.
    /// Replaces earlier loans.
    pub fn lend_edges(&mut self, loans: &[(Key, Key, Option<String>)]) -> Result<()> {
        if loans.is_empty() && !self.has_borrowed {
            return Ok(());
        }
        self.own_copy()?;
        self.touch();
        self.has_borrowed = !loans.is_empty();
        self.db.execute("DELETE FROM edges WHERE n >= ?1", [BORROWED])?;
        for (lender, borrower, target) in loans {
            let mut statement = self.db.prepare_cached(
                "INSERT INTO edges (key, n, target, type, any_gate, spawner)
                 SELECT ?2, e.n + ?3, e.target, e.type, e.any_gate, e.spawner FROM edges e
                 WHERE e.key = ?1 AND (?4 IS NULL OR e.target = ?4)
                   AND NOT EXISTS (SELECT 1 FROM edges k WHERE k.key = ?2 AND k.target = e.target AND k.type = e.type)",
            )?;
            statement.execute(params![lender, borrower, BORROWED, target])?;
        }
        Ok(())
    }

    /// Shows rows with other values than their lines have, which only this user knows. Replaces earlier values.
    pub fn set_own(&mut self, own: &[(Key, Own)]) -> Result<()> {
        let is_shown = |(key, one): &(Key, Own)| self.own.get(key).is_some_and(|(shown, _)| shown == one);
        if own.len() == self.own.len() && own.iter().all(is_shown) {
            return Ok(());
        }
        self.own_copy()?;
        self.touch();
        const PUT: &str = "UPDATE issues SET status = ?2, assignee = ?3, due = ?4, defer = ?5 WHERE key = ?1";
        for (key, (_, line)) in std::mem::take(&mut self.own) {
            self.db.prepare_cached(PUT)?.execute(params![key, line.status, line.assignee, line.due, line.defer])?;
        }
        for (key, one) in own {
            let line = self.values_of(*key)?;
            self.db.prepare_cached(PUT)?.execute(params![key, one.status, one.assignee, one.due, one.defer])?;
            self.own.insert(*key, (one.clone(), line));
        }
        Ok(())
    }

    /// The values in the line of a row, whatever the row is shown with.
    pub fn line_values(&self, key: Key) -> Result<Own> {
        self.own.get(&key).map_or_else(|| self.values_of(key), |(_, line)| Ok(line.clone()))
    }

    fn values_of(&self, key: Key) -> Result<Own> {
        let mut select = self.db.prepare_cached("SELECT status, assignee, due, defer FROM issues WHERE key = ?1")?;
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Own { status: row.get(0)?, assignee: row.get(1)?, due: row.get(2)?, defer: row.get(3)?, from: None })
        };
        Ok(select.query_row([key], read)?)
    }

    /// The values that a row is shown with instead of its line's.
    pub fn own(&self, key: Key) -> Option<&Own> {
        self.own.get(&key).map(|(shown, _)| shown)
    }

    /// Whether some row is shadowed by another one of the same id, or has its edges.
    pub fn knows_copies(&self) -> bool {
        self.shadowed || self.has_borrowed
    }

    /// Sets the rows that are shadowed by another one of the same id.
    pub fn set_shadowed(&mut self, keys: &[Key]) -> Result<()> {
        if keys.is_empty() && !self.shadowed {
            return Ok(());
        }
        self.own_copy()?;
        self.touch();
        self.shadowed = !keys.is_empty();
        self.db.execute("UPDATE issues SET effective = 1 WHERE effective = 0", [])?;
        for key in keys {
            self.db.prepare_cached("UPDATE issues SET effective = 0 WHERE key = ?1")?.execute([key])?;
        }
        Ok(())
    }
}
