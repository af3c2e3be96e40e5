//! Workflows and their tasks.

use super::schema::DONE;
use super::{Cache, Key, Result};

/// An unfinished task below some issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenTask {
    pub id: String,
    pub status: String,
    pub parent: String,
    /// `None` if no repo holds the parent.
    pub parent_key: Option<Key>,
}

impl Cache {
    /// Issues of type workflow, by id.
    pub fn workflows(&self) -> Result<Vec<Key>> {
        let sql = "SELECT key FROM issues WHERE type = 'workflow' AND effective = 1 ORDER BY id";
        self.all(sql, [], |row| row.get(0))
    }

    /// Unfinished tasks, with the issues that they are below.
    pub fn open_tasks(&mut self) -> Result<Vec<OpenTask>> {
        let some = "SELECT EXISTS (SELECT 1 FROM issues WHERE task = 1)";
        if !self.db.query_row(some, [], |row| row.get(0))? {
            return Ok(Vec::new());
        }
        self.index()?;
        self.compute_kin()?;
        let sql = format!(
            "SELECT t.id, t.status, kin.parent, p.key FROM issues t
             JOIN kin ON kin.child = t.id LEFT JOIN live p ON p.id = kin.parent
             WHERE t.task = 1 AND t.effective = 1 AND t.status NOT IN {DONE} ORDER BY t.id"
        );
        self.all(&sql, [], |row| {
            Ok(OpenTask { id: row.get(0)?, status: row.get(1)?, parent: row.get(2)?, parent_key: row.get(3)? })
        })
    }
}
