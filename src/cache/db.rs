//! The connection to SQLite.

use std::cell::{OnceCell, RefCell};
use std::fmt;

use rusqlite::{CachedStatement, Connection, Params, Result, Row, Statement, Transaction};

use super::bulk::Bulk;

/// Makes a database of the bytes of its pages, or one that needs none.
type Make = Box<dyn Fn(Option<&[u8]>) -> Result<Connection> + Send>;

/// A connection, made when it is used for the first time: who finds an image needs no database in memory, and who learns enough
/// from its label needs no database at all.
pub(super) struct Db {
    open: OnceCell<Connection>,
    make: Make,
    /// Rows that it will have.
    bulk: RefCell<Option<Bulk>>,
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("open", &self.open).field("bulk", &self.bulk).finish_non_exhaustive()
    }
}

impl Db {
    pub fn made_by(make: impl Fn(Option<&[u8]>) -> Result<Connection> + Send + 'static) -> Self {
        Db { open: OnceCell::new(), make: Box::new(make), bulk: RefCell::default() }
    }

    pub fn of(db: Connection) -> Self {
        Db { open: OnceCell::from(db), ..Self::made_by(|_| Connection::open_in_memory()) }
    }

    /// Where rows are put as long as nobody has asked.
    pub fn bulk(&mut self) -> Result<Option<&mut Bulk>> {
        if self.open.get().is_some() {
            return Ok(None);
        }
        let bulk = self.bulk.get_mut();
        if bulk.is_none() {
            *bulk = Some(Bulk::new()?);
        }
        Ok(bulk.as_mut())
    }

    /// Those rows, if all can be computed from them.
    pub fn take_bulk(&mut self) -> Option<Bulk> {
        self.bulk.get_mut().take_if(|bulk| bulk.is_distinct())
    }

    /// Ends all changes.
    pub fn close(self) -> Result<()> {
        self.open.into_inner().map_or(Ok(()), |db| db.close().map_err(|(_, error)| error))
    }

    /// The connection itself.
    pub fn on(&self) -> Result<&Connection> {
        if let Some(db) = self.open.get() {
            return Ok(db);
        }
        let rows = self.bulk.take().map(Bulk::into_rows);
        let db = (self.make)(rows.as_deref())?;
        Ok(self.open.get_or_init(|| db))
    }

    pub fn on_mut(&mut self) -> Result<&mut Connection> {
        self.on()?;
        Ok(self.open.get_mut().expect("a connection that was just made"))
    }

    pub fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        self.on()?.prepare(sql)
    }

    pub fn prepare_cached(&self, sql: &str) -> Result<CachedStatement<'_>> {
        self.on()?.prepare_cached(sql)
    }

    pub fn query_row<T>(&self, sql: &str, params: impl Params, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        self.on()?.query_row(sql, params, read)
    }

    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        self.on()?.execute(sql, params)
    }

    pub fn execute_batch(&self, sql: &str) -> Result<()> {
        self.on()?.execute_batch(sql)
    }

    pub fn transaction(&mut self) -> Result<Transaction<'_>> {
        self.on_mut()?.transaction()
    }
}
