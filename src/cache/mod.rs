//! The answers: an SQLite database in memory that shadows the ledgers.
//!
//! Owns `schema.sql` and every query. It knows issues by a [`Key`]; the store keeps which line a key stands for, so that
//! long texts are not copied here. Nothing is ever written to a ledger from it.

mod entry;
mod filter;
mod issues;
mod load;
mod ready;
mod search;
mod stats;

pub use entry::Entry;
pub use issues::{Counts, Edge, Listing, Sort, SortBy};
pub use ready::{Blocked, Blocker, Inherited, ReadyOrder, ReadyQuery};
pub use search::{Hit, Texts};
pub use stats::{EpicProgress, GroupBy, Statistics};

use rusqlite::Connection;

/// The handle of one line that holds an issue.
pub type Key = i64;

#[derive(Debug, thiserror::Error)]
#[error("the in-memory cache failed: {0}")]
pub struct CacheError(#[from] rusqlite::Error);

pub type Result<T> = std::result::Result<T, CacheError>;

/// The database.
#[derive(Debug)]
pub struct Cache {
    db: Connection,
    indexed: bool,
    kin_known: bool,
    blocked_known: bool,
    texts_known: bool,
}

impl Cache {
    pub fn new() -> Result<Self> {
        let db = Connection::open_in_memory()?;
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")?;
        db.execute_batch(include_str!("schema.sql"))?;
        db.set_prepared_statement_cache_capacity(64);
        Ok(Cache { db, indexed: false, kin_known: false, blocked_known: false, texts_known: false })
    }

    /// Forgets what was computed from the rows.
    fn touch(&mut self) {
        self.kin_known = false;
        self.blocked_known = false;
    }
}
