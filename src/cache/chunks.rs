//! Updates the lines of a file after a write: one chunk changes, and those behind it move.

use rusqlite::params;

use super::{Cache, Chunk, KeptLine, Key, Result};

impl Cache {
    /// A key that no row of this file or its ancestors has had.
    pub fn next_key(&self) -> Result<Key> {
        Ok(self.db.query_row("SELECT next FROM made", [], |row| row.get(0))?)
    }

    /// The chunk that a row belongs to.
    pub fn chunk_of(&self, key: Key) -> Result<Option<Chunk>> {
        self.one_chunk("n = (SELECT source << 32 | chunk FROM issues WHERE key = ?1)", &[key])
    }

    /// The chunk of a ledger that contains a line, or to whose end it would be added.
    pub fn chunk_at(&self, source: usize, line: usize) -> Result<Option<Chunk>> {
        let base = (source as i64) << 32;
        let which = "n >= ?1 AND n < ?2 AND first <= ?3 ORDER BY n DESC LIMIT 1";
        self.one_chunk(which, &[base, base + (1 << 32), line as i64])
    }

    fn one_chunk(&self, which: &str, numbers: &[i64]) -> Result<Option<Chunk>> {
        let sql = format!("SELECT n, first, start, lines FROM chunks WHERE {which}");
        self.first(&sql, rusqlite::params_from_iter(numbers), Chunk::read)
    }

    /// Replaces the lines of a chunk.
    pub fn set_lines(&self, chunk: &Chunk, lines: Vec<KeptLine>) -> Result<()> {
        let length = |lines: &[KeptLine]| lines.iter().map(|line| i64::from(line.length) + 1).sum::<i64>();
        let bytes = length(&lines) - length(&chunk.lines);
        let count = lines.len() as i64 - chunk.lines.len() as i64;
        let new = Chunk { lines, ..chunk.clone() };
        self.db.execute("UPDATE chunks SET lines = ?2 WHERE n = ?1", params![new.n(), new.blob()])?;
        let next = ((new.source as i64) + 1) << 32;
        self.db.execute(
            "UPDATE chunks SET first = first + ?3, start = start + ?4 WHERE n > ?1 AND n < ?2",
            params![new.n(), next, count, bytes],
        )?;
        Ok(())
    }
}
