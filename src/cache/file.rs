//! The database as a file: written once, then queried in place and never changed.

use std::path::Path;

use rusqlite::{CachedStatement, Connection, OpenFlags, params};

use super::row::{Chunk, Counts, FileId, KeptLine, Key, LinePlace, StoredRow};
use super::schema::ORDERED;
use super::{Cache, Result, UnknownIds, in_memory, set_up};

impl Cache {
    /// Writes the rows and all derived tables to a file.
    pub fn make_file(
        &mut self,
        unknown: UnknownIds,
        id: &FileId,
        chunks: &[Chunk],
        prefixes: &[(usize, String, usize)],
        pairs: &[(Key, Key, bool)],
    ) -> Result<Vec<u8>> {
        self.compute_all(unknown)?;
        self.db.execute_batch(&format!("BEGIN; {ORDERED}"))?;
        self.db.execute("INSERT INTO made VALUES (?1, ?1, (SELECT coalesce(max(key), 0) + 1 FROM issues))", [id])?;
        for chunk in chunks {
            let values = params![chunk.n(), chunk.first as i64, chunk.start as i64, chunk.blob()];
            self.db.prepare_cached("INSERT INTO chunks VALUES (?1, ?2, ?3, ?4)")?.execute(values)?;
        }
        for (source, prefix, count) in prefixes {
            self.count_prefix(*source, prefix, *count as i64)?;
        }
        for pair in pairs {
            self.db
                .prepare_cached("INSERT INTO pairs VALUES (?1, ?2, ?3)")?
                .execute(params![pair.0, pair.1, pair.2])?;
        }
        self.db.execute_batch("COMMIT")?;
        self.serialized()
    }

    /// Fills all derived tables.
    fn compute_all(&mut self, unknown: UnknownIds) -> Result<()> {
        self.own_copy()?;
        self.compute_front(unknown)?;
        self.compute_tally()?;
        Ok(self.db.pragma_update(None, "user_version", unknown as i64)?)
    }

    /// The same for a copy in memory.
    pub fn make_bytes(&mut self, unknown: UnknownIds) -> Result<Vec<u8>> {
        self.compute_all(unknown)?;
        self.serialized()
    }

    fn serialized(&mut self) -> Result<Vec<u8>> {
        Ok(self.db.serialize("main")?.to_vec())
    }

    /// A database in memory from such bytes. They must have this very schema.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::filled(in_memory(Some(bytes))?, false)
    }

    /// Opens the database of a file for queries. No process changes such a file.
    pub fn ask(path: &Path, id: &FileId) -> Result<Self> {
        Self::filled(open(path, id)?, true)
    }

    /// Opens the database of a file that no other process knows yet, to change it in place; `None` if it is not a copy
    /// of `from`.
    pub fn edit(path: &Path, from: &FileId, id: &FileId) -> Result<Option<Self>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags)?;
        db.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
             PRAGMA temp_store = MEMORY;",
        )?;
        set_up(&db)?;
        if !is_named(&db, from)? {
            return Ok(None);
        }
        // A file that descends from another gets its own name.
        let next = "UPDATE made SET id = ?1, next = max(next, (SELECT coalesce(max(key), 0) + 1 FROM issues))";
        db.execute(next, [id])?;
        Ok(Some(Self::filled(db, false)?))
    }

    /// The identity of the database that this one descends from.
    pub(super) fn descent(&self) -> Result<Vec<u8>> {
        Ok(self.db.query_row("SELECT line FROM made", [], |row| row.get(0))?)
    }

    /// Completes such changes.
    pub fn finish(self) -> Result<()> {
        Ok(self.db.close().map_err(|(_, error)| error)?)
    }

    fn filled(db: Connection, in_file: bool) -> Result<Self> {
        let written_for: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let [shadowed, has_borrowed, _] = exist(&db)?;
        let front_known = UnknownIds::of(written_for);
        Ok(Cache {
            indexed: true,
            kin_known: true,
            front_known,
            tally_known: true,
            shadowed,
            has_borrowed,
            in_file,
            ..Self::over(db)
        })
    }

    /// Copies a file's database into memory before a change, because files are never changed.
    pub(super) fn own_copy(&mut self) -> Result<()> {
        if self.in_file {
            let bytes = self.serialized()?;
            *self = Self::from_bytes(&bytes)?;
        }
        Ok(())
    }

    /// Whether it is queried in its file.
    pub fn is_in_file(&self) -> bool {
        self.in_file
    }

    /// Every chunk, ledger by ledger, in line order.
    pub fn chunks(&self) -> Result<Vec<Chunk>> {
        self.all("SELECT n, first, start, lines FROM chunks ORDER BY n", [], Chunk::read)
    }

    /// How many lines of a ledger have an id with each prefix, from a file.
    pub fn prefixes(&self, source: usize) -> Result<Vec<(String, usize)>> {
        let sql = "SELECT prefix, n FROM prefixes WHERE source = ?1 AND n > 0";
        self.all(sql, [source as i64], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))
    }

    /// Adds to the count of lines with ids of this prefix.
    pub fn count_prefix(&self, source: usize, prefix: &str, more: i64) -> Result<()> {
        let sql = "INSERT INTO prefixes VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = n + excluded.n";
        self.db.prepare_cached(sql)?.execute(params![source as i64, prefix, more])?;
        Ok(())
    }

    /// Copies of proposals: the copy, the row that is shown instead, and whether it was accepted.
    pub fn pairs(&self) -> Result<Vec<(Key, Key, bool)>> {
        if !self.has_borrowed {
            return Ok(Vec::new());
        }
        self.all("SELECT copy, shown, accepted FROM pairs", [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    }

    /// The position of a row's line, from a file.
    pub fn line_place(&self, key: Key) -> Result<Option<LinePlace>> {
        Ok(self.stored_row(key)?.map(|row| row.place))
    }

    /// The facts about a row in a file, read together: callers that want its line mostly want its counts as well.
    pub(super) fn stored_row(&self, key: Key) -> Result<Option<StoredRow>> {
        let known = self.stored.borrow().get(&key).copied();
        if known.is_some() {
            return Ok(known);
        }
        let found = self.find_row(&mut self.row_statement()?, key)?;
        if self.in_file {
            self.stored.borrow_mut().extend(found.map(|row| (key, row)));
        }
        Ok(found)
    }

    /// Reads several rows of a file at once, which is faster than one by one. Files do not change, so the rows are
    /// cached.
    pub fn ask_rows(&self, keys: &[Key]) -> Result<()> {
        let mut stored = self.stored.borrow_mut();
        let news: Vec<&Key> = keys.iter().filter(|key| self.in_file && !stored.contains_key(key)).collect();
        if !news.is_empty() {
            let mut statement = self.row_statement()?;
            for key in news {
                stored.extend(self.find_row(&mut statement, *key)?.map(|row| (*key, row)));
            }
        }
        Ok(())
    }

    fn row_statement(&self) -> Result<CachedStatement<'_>> {
        Ok(self.db.prepare_cached(&format!(
            "SELECT c.n, c.first, c.start, c.lines, {} FROM issues i JOIN chunks c ON c.n = (i.source << 32 | i.chunk)
             WHERE i.key = ?1",
            self.count_columns()
        ))?)
    }

    fn find_row(&self, statement: &mut CachedStatement<'_>, key: Key) -> Result<Option<StoredRow>> {
        let mut rows = statement.query([key])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let (lines, _) = row.get_ref(3)?.as_blob().unwrap_or_default().as_chunks::<{ KeptLine::SIZE }>();
        let wanted = key.to_le_bytes();
        let Some(n) = lines.iter().position(|line| line[KeptLine::KEY] == wanted) else { return Ok(None) };
        let before = lines[..n].iter().map(|line| u64::from(KeptLine::read(line).length) + 1);
        let place = LinePlace {
            source: (row.get::<_, i64>(0)? >> 32) as usize,
            line: row.get::<_, i64>(1)? as usize + n,
            start: row.get::<_, i64>(2)? as u64 + before.sum::<u64>(),
            of: KeptLine::read(&lines[n]),
        };
        Ok(Some(StoredRow { place, counts: Counts::read(row, 4)? }))
    }

    /// The row of an issue in one ledger.
    pub fn key_in(&self, source: usize, id: &str) -> Result<Option<Key>> {
        let sql = "SELECT key FROM issues WHERE id = ?1 AND source = ?2";
        self.first(sql, params![id, source as i64], |row| row.get(0))
    }

    /// Every id on any row.
    pub fn all_ids(&self) -> Result<Vec<String>> {
        self.all("SELECT DISTINCT id FROM issues", [], |row| row.get(0))
    }

    /// The ledgers that hold an issue.
    pub fn sources_of(&self, id: &str) -> Result<Vec<usize>> {
        let sql = "SELECT DISTINCT source FROM issues WHERE id = ?1 ORDER BY 1";
        self.all(sql, [id], |row| Ok(row.get::<_, i64>(0)? as usize))
    }

    /// The id of a row.
    pub fn id_of(&self, key: Key) -> Result<Option<String>> {
        self.first("SELECT id FROM issues WHERE key = ?1", [key], |row| row.get(0))
    }
}

/// Opens the database with this identity.
pub(super) fn open(path: &Path, id: &FileId) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(uri(path), flags)?;
    db.execute_batch("PRAGMA temp_store = MEMORY;")?;
    set_up(&db)?;
    let other = || rusqlite::Error::InvalidPath(path.to_owned());
    if is_named(&db, id)? { Ok(db) } else { Err(other()) }
}

/// Whether there are shadowed rows, copies of proposals, and tasks of workflows.
pub(super) fn exist(db: &Connection) -> rusqlite::Result<[bool; 3]> {
    let sql = "SELECT EXISTS (SELECT 1 FROM issues WHERE effective = 0), EXISTS (SELECT 1 FROM pairs),
                 EXISTS (SELECT 1 FROM issues WHERE task = 1)";
    db.query_row(sql, [], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))
}

/// Whether a database has this identity.
fn is_named(db: &Connection, id: &FileId) -> rusqlite::Result<bool> {
    db.query_row("SELECT id = ?1 FROM made", [id], |row| row.get(0))
}

/// SQLite's URI for an immutable file: no lock is taken, and no journal is looked for.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(*byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri + "?mode=ro&immutable=1"
}
