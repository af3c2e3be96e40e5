//! The connection to SQLite.

use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};

use rusqlite::{Connection, Result};

/// A connection. A database in memory is made when it is asked for the first time: who finds an image never does.
#[derive(Debug)]
pub(super) struct Db {
    open: OnceCell<Connection>,
    make: fn() -> Result<Connection>,
}

impl Db {
    pub fn made_by(make: fn() -> Result<Connection>) -> Self {
        Db { open: OnceCell::new(), make }
    }

    pub fn of(db: Connection) -> Self {
        Db { open: OnceCell::from(db), make: Connection::open_in_memory }
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
        self.open.get_or_init(|| (self.make)().expect("a database in memory"))
    }
}

impl DerefMut for Db {
    fn deref_mut(&mut self) -> &mut Connection {
        let _ = Deref::deref(self);
        self.open.get_mut().expect("a database that was just made")
    }
}
