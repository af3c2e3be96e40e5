//! The answers: an SQLite database in memory that shadows the ledgers.
//!
//! Owns `schema.sql` and every query. It knows issues by a [`Key`]; the store keeps which line a key stands for, so that
//! long texts are not copied here. Nothing is ever written to a ledger from it.

mod derived;
mod entry;
mod filter;
mod issues;
mod load;
mod ready;
mod search;
mod standing;
mod stats;
mod tasks;

pub use entry::Entry;
pub use issues::{Counts, Edge, Listing, Sort, SortBy};
pub use ready::{Blocked, Blocker, Inherited, ReadyOrder, ReadyQuery, UnknownIds};
pub use standing::Standing;
pub use stats::{EpicProgress, GroupBy, Statistics};
pub use tasks::OpenTask;

use std::collections::HashMap;

use rusqlite::Connection;

use crate::model::field::{COLUMNS, Field, Kind};

/// The handle of one line that holds an issue.
pub type Key = i64;

#[derive(Debug, thiserror::Error)]
#[error("the in-memory cache failed: {0}")]
pub struct CacheError(#[from] rusqlite::Error);

pub type Result<T> = std::result::Result<T, CacheError>;

/// The whole schema, with a column for each field that has one.
pub fn schema() -> String {
    let column = |field: Field| {
        let (name, absent) = field.row().column?;
        let kind = match field.row().kind {
            Kind::Text | Kind::Word | Kind::Person => "TEXT",
            _ => "INTEGER",
        };
        let always = if field.row().always || absent.is_some() { " NOT NULL" } else { "" };
        Some(format!("{name} {kind}{always},"))
    };
    let columns: String = COLUMNS.into_iter().filter_map(column).collect();
    include_str!("schema.sql").replace("{fields}", &columns)
}

/// Indexes that only an image is worth: what is open in the usual order, and what waits for the children of something.
const ORDERED: &str = "
    CREATE INDEX IF NOT EXISTS open_order ON issues (priority, created DESC, id)
      WHERE effective = 1 AND status NOT IN ('closed', 'tombstone');
    CREATE INDEX IF NOT EXISTS edges_waits ON edges (coalesce(spawner, target)) WHERE type = 'waits-for';";

/// The database.
#[derive(Debug)]
pub struct Cache {
    db: Connection,
    indexed: bool,
    kin_known: bool,
    /// For which rule about unknown ids `blockers` and `inherited` are filled, if they are.
    blocked_known: Option<UnknownIds>,
    /// `front`, `held` and `epics` are filled from these.
    front_known: bool,
    tally_known: bool,
    texts_known: bool,
    /// Some row stands behind another one of the same id.
    shadowed: bool,
    /// Some row has edges of another one.
    lent: bool,
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
    pub fn new() -> Result<Self> {
        let db = Connection::open_in_memory()?;
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")?;
        db.execute_batch(&schema())?;
        filter::add_functions(&db)?;
        db.set_prepared_statement_cache_capacity(64);
        Ok(Cache {
            db,
            indexed: false,
            kin_known: false,
            blocked_known: None,
            front_known: false,
            tally_known: false,
            texts_known: false,
            shadowed: false,
            lent: false,
            own: HashMap::new(),
        })
    }

    /// The rows and what is computed from them as bytes, for an image.
    pub fn to_image(&mut self, unknown: UnknownIds) -> Result<Vec<u8>> {
        self.compute_front(unknown)?;
        self.compute_tally()?;
        self.db.execute_batch(ORDERED)?;
        self.db.pragma_update(None, "user_version", unknown as i64)?;
        Ok(self.db.serialize("main")?.to_vec())
    }

    /// A database from such bytes. They must come from this very schema.
    pub fn from_image(bytes: &[u8]) -> Result<Self> {
        let mut db = Connection::open_in_memory()?;
        db.deserialize_read_exact("main", bytes, bytes.len(), false)?;
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY;")?;
        filter::add_functions(&db)?;
        db.set_prepared_statement_cache_capacity(64);
        let written_for: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let rules = [UnknownIds::Done, UnknownIds::MayBeOpen, UnknownIds::Block];
        Ok(Cache {
            db,
            indexed: true,
            kin_known: true,
            blocked_known: rules.into_iter().find(|rule| *rule as i64 == written_for),
            front_known: true,
            tally_known: true,
            texts_known: false,
            shadowed: false,
            lent: false,
            own: HashMap::new(),
        })
    }

    /// How many lines it mirrors.
    pub fn rows(&self) -> Result<usize> {
        let count: i64 = self.db.query_row("SELECT count(*) FROM issues", [], |row| row.get(0))?;
        Ok(usize::try_from(count).unwrap_or_default())
    }

    /// Forgets what was computed from the rows.
    fn touch(&mut self) {
        self.kin_known = false;
        self.blocked_known = None;
        self.front_known = false;
        self.tally_known = false;
    }
}
