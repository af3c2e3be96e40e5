//! The tables of the database, with a column for each field that has one.

use twox_hash::XxHash3_128;

use crate::model::field::{COLUMNS, Field, Kind};

const TABLES: &str = include_str!("schema.sql");

/// Statuses of what is over, as SQL.
pub(super) const DONE: &str = "('closed', 'tombstone')";

/// Indexes that are created after the bulk of the rows is inserted, which is much cheaper than before.
pub(super) const INDEXES: &str = "
    CREATE INDEX IF NOT EXISTS issues_id ON issues (id);
    CREATE INDEX IF NOT EXISTS edges_target ON edges (target);";

/// Indexes that only pay off in a file: open issues in the usual order, shadowed rows, and issues that wait for another
/// one's children.
pub(super) const ORDERED: &str = "
    CREATE INDEX IF NOT EXISTS open_order ON issues (priority, created DESC, id)
      WHERE effective = 1 AND status NOT IN ('closed', 'tombstone');
    CREATE INDEX IF NOT EXISTS shadows ON issues (key) WHERE effective = 0;
    CREATE INDEX IF NOT EXISTS edges_waits ON edges (coalesce(spawner, target)) WHERE type = 'waits-for';";

/// The column of a field: its name, its type and its constraint.
fn column(field: Field) -> Option<[&'static str; 3]> {
    let (name, absent) = field.row().column?;
    let kind = match field.row().kind {
        Kind::Text | Kind::Word | Kind::Person => "TEXT",
        _ => "INTEGER",
    };
    let is_always = field.row().always || absent.is_some();
    Some([name, kind, if is_always { "NOT NULL" } else { "" }])
}

/// The whole schema, as short as possible: SQLite stores its text and parses it whenever it opens a file.
pub(super) fn schema() -> String {
    let columns: String = COLUMNS.into_iter().filter_map(column).map(|parts| parts.join(" ") + ",").collect();
    let words = TABLES.lines().flat_map(|line| line.split("--").next().unwrap_or_default().split_whitespace());
    words.collect::<Vec<_>>().join(" ").replace("{fields}", &columns)
}

/// A checksum that identifies this schema.
pub fn schema_sum() -> u128 {
    let mut sum = XxHash3_128::new();
    for part in [TABLES, INDEXES, ORDERED].into_iter().chain(COLUMNS.into_iter().filter_map(column).flatten()) {
        sum.write(part.as_bytes());
        sum.write(b"\0");
    }
    sum.finish_128()
}
