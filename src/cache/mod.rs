//! The answers: an SQLite database in memory that shadows the ledgers.
//!
//! Owns `schema.sql` and every query. It knows issues by a [`Key`]; the store keeps which line a key stands for, so that
//! long texts are not copied here. Nothing is ever written to a ledger from it.

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
pub use ready::{Blocked, Inherited, ReadyOrder, ReadyQuery};
pub use row::{Blocker, Chunk, Counts, FileId, KeptLine, Key, LinePlace};
use schema::schema;
pub use schema::schema_sum;
pub use standing::Standing;
pub use stats::{EpicProgress, GroupBy, Statistics};
pub use tasks::OpenTask;

use std::cell::RefCell;
use std::collections::HashMap;

use row::AskedRow;
use rusqlite::Connection;
use rusqlite::config::DbConfig;

#[derive(Debug, thiserror::Error)]
#[error("the cache failed: {0}")]
pub struct CacheError(#[from] rusqlite::Error);

pub type Result<T> = std::result::Result<T, CacheError>;

/// What every connection has. Values that are bound choose no plan: else a question is compiled again for each of them.
fn set_up(db: &Connection) -> rusqlite::Result<()> {
    filter::add_functions(db)?;
    db.set_prepared_statement_cache_capacity(64);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// A database in memory: of these bytes, which must come from this very schema, or an empty one.
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
    /// It is a file that nobody changes.
    in_file: bool,
    indexed: bool,
    kin_known: bool,
    /// For which rule about unknown ids all that [`crate::model::ready`] says is filled, if it is.
    front_known: Option<UnknownIds>,
    tally_known: bool,
    texts_known: bool,
    /// Some row stands behind another one of the same id.
    shadowed: bool,
    /// Some row has edges of another one.
    lent: bool,
    /// The rows that were asked for, of a file.
    asked: RefCell<HashMap<Key, AskedRow>>,
    /// Rows that are shown with other values than their lines have, and what these have.
    own: HashMap<Key, (Own, Own)>,
}

/// What of an issue may be its reader's own: status, assignee and dates.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Own {
    pub status: String,
    pub assignee: Option<String>,
    /// Instants in microseconds.
    pub due: Option<i64>,
    pub defer: Option<i64>,
    /// The row whose line says so.
    pub from: Option<Key>,
}

impl Cache {
    pub fn empty() -> Result<Self> {
        Ok(Self::over(in_memory(None)?))
    }

    /// A database of which nothing is known yet.
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
            lent: false,
            asked: RefCell::default(),
            own: HashMap::new(),
        }
    }

    /// How many lines it mirrors.
    pub fn rows(&self) -> Result<usize> {
        let count: i64 = self.db.query_row("SELECT count(*) FROM issues", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Forgets what was computed from the rows.
    fn touch(&mut self) {
        self.kin_known = false;
        self.front_known = None;
        self.tally_known = false;
    }
}
