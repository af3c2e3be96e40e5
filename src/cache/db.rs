//! The connection to SQLite.

use std::cell::OnceCell;
use std::fmt;

use rusqlite::{CachedStatement, Connection, Params, Result, Row, Statement, Transaction};

type Make = Box<dyn Fn() -> Result<Connection> + Send>;

/// A connection, made when it is used for the first time: a reader that finds an image needs no database in memory.
pub(super) struct Db {
    open: OnceCell<Connection>,
    make: Make,
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Db").field("open", &self.open).finish_non_exhaustive()
    }
}

impl Db {
    pub fn made_by(make: impl Fn() -> Result<Connection> + Send + 'static) -> Self {
        Db { open: OnceCell::new(), make: Box::new(make) }
    }

    pub fn of(db: Connection) -> Self {
        Db { open: OnceCell::from(db), ..Self::made_by(Connection::open_in_memory) }
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
        let db = (self.make)()?;
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
