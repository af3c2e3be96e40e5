//! An SQLite database that mirrors the ledgers, for queries.
//!
//! Owns `schema.sql` and every query. It knows issues by a [`Key`]; the store maps keys to lines, so that long texts
//! are not copied here. No ledger is ever written from it.

mod chunks;
mod deadlock;
mod derived;
mod entry;
mod file;
mod filter;
mod issues;
mod known;
mod load;
mod ready;
mod row;
mod schema;
mod search;
mod standing;
mod stats;
mod tasks;

pub use crate::model::ready::UnknownIds;
pub use entry::Entry;
pub use issues::{Edge, Listing, Sort, SortBy, SortKey};
pub use ready::{Blocked, Inherited, ReadyFilter, ReadyOrder};
pub use row::{Blocker, Chunk, Counts, FileId, KeptLine, Key, LinePlace};
use schema::schema;
pub use schema::schema_sum;
pub use standing::Standing;
pub use stats::{EpicProgress, GroupBy, Statistics};
pub use tasks::OpenTask;

use std::cell::RefCell;
use std::collections::HashMap;

use row::StoredRow;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};

#[derive(Debug, thiserror::Error)]
#[error("the cache failed: {0}")]
pub struct CacheError(#[from] rusqlite::Error);

pub type Result<T> = std::result::Result<T, CacheError>;

/// Settings of every connection. Bound values must not influence the plan: otherwise SQLite compiles a query again for
/// each of them.
fn set_up(db: &Connection) -> rusqlite::Result<()> {
    filter::add_functions(db)?;
    db.set_prepared_statement_cache_capacity(64);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A database in memory: from these bytes, which must have this very schema, or an empty one.
fn in_memory(bytes: Option<&[u8]>) -> rusqlite::Result<Connection> {
    let mut db = Connection::open_in_memory()?;
    if let Some(bytes) = bytes {
        db.deserialize_read_exact("main", bytes, bytes.len(), false)?;
    }
    db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")?;
    if bytes.is_none() {
        db.execute_batch(&schema())?;
    }
    set_up(&db)?;
    Ok(db)
}

/// The database.
#[derive(Debug)]
pub struct Cache {
    db: Connection,
    /// Whether it is an immutable file.
    in_file: bool,
    indexed: bool,
    kin_known: bool,
    /// The rule about unknown ids for which all tables of [`crate::model::ready`] are filled, if they are.
    front_known: Option<UnknownIds>,
    tally_known: bool,
    texts_known: bool,
    /// Whether some row is shadowed by another one of the same id.
    shadowed: bool,
    /// Whether some row has edges of another one.
    has_borrowed: bool,
    /// The rows that were read from a file.
    stored: RefCell<HashMap<Key, StoredRow>>,
    /// Rows that are shown with other values than their lines have, with both.
    own: HashMap<Key, (Own, Own)>,
}

/// The values of an issue that may be the reader's own: status, assignee and dates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own {
    pub status: String,
    pub assignee: Option<String>,
    /// Instants in microseconds.
    pub due: Option<i64>,
    pub defer: Option<i64>,
    /// The row whose line has these values.
    pub from: Option<Key>,
}

impl Cache {
    pub fn empty() -> Result<Self> {
        Ok(Self::over(in_memory(None)?))
    }

    /// A database with nothing computed yet.
    fn over(db: Connection) -> Self {
        Cache {
            db,
            in_file: false,
            indexed: false,
            kin_known: false,
            front_known: None,
            tally_known: false,
            texts_known: false,
            shadowed: false,
            has_borrowed: false,
            stored: RefCell::default(),
            own: HashMap::new(),
        }
    }

    /// The number of mirrored lines.
    pub fn rows(&self) -> Result<usize> {
        let count: i64 = self.db.query_row("SELECT count(*) FROM issues", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// The rows of a query.
    fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<C> {
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map(parameters, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The first row of a query.
    fn first<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.db.prepare_cached(sql)?.query_row(parameters, read).optional()?)
    }

    /// Discards the derived tables.
    fn touch(&mut self) {
        self.kin_known = false;
        self.front_known = None;
        self.tally_known = false;
    }
}
