//! The tables of a database, with a column for each field that has one.

use crate::model::field::{COLUMNS, Field, Kind};

/// Indexes that are made after the bulk of the rows is in: that is much cheaper than before.
pub(super) const INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS issues_id ON issues (id);
    CREATE INDEX IF NOT EXISTS edges_target ON edges (target);";

/// Indexes that only an image is worth: what is open in the usual order, what stands behind something, and what waits for the
/// children of something.
pub(super) const ORDERED: &str = "
    CREATE INDEX IF NOT EXISTS open_order ON issues (priority, created DESC, id)
      WHERE effective = 1 AND status NOT IN ('closed', 'tombstone');
    CREATE INDEX IF NOT EXISTS shadows ON issues (key) WHERE effective = 0;
    CREATE INDEX IF NOT EXISTS edges_waits ON edges (coalesce(spawner, target)) WHERE type = 'waits-for';";

/// The whole schema.
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
