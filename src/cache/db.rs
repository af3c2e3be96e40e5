//! The connection to SQLite.

use std::cell::{OnceCell, RefCell};
use std::ops::{Deref, DerefMut};

use rusqlite::{Connection, Result};

use super::bulk::Bulk;

/// A connection. A database in memory is made when it is asked for the first time: who finds an image never does.
#[derive(Debug)]
pub(super) struct Db {
    open: OnceCell<Connection>,
    /// Makes one of the bytes of its pages, or an empty one.
    make: fn(Option<&[u8]>) -> Result<Connection>,
    /// Rows that it will have.
    bulk: RefCell<Option<Bulk>>,
}

impl Db {
    pub fn made_by(make: fn(Option<&[u8]>) -> Result<Connection>) -> Self {
        Db { open: OnceCell::new(), make, bulk: RefCell::default() }
    }

    pub fn of(db: Connection) -> Self {
        Db { open: OnceCell::from(db), make: |_| Connection::open_in_memory(), bulk: RefCell::default() }
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
}

impl Deref for Db {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        // It does not depend on any file: there is memory for it, or for nothing else either.
        self.open.get_or_init(|| {
            let rows = self.bulk.take().map(Bulk::into_rows);
            (self.make)(rows.as_deref()).expect("a database in memory")
        })
    }
}

impl DerefMut for Db {
    fn deref_mut(&mut self) -> &mut Connection {
        let _ = Deref::deref(self);
        self.open.get_mut().expect("a database that was just made")
    }
}
