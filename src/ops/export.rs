//! Exports ledger lines unchanged.

use std::path::Path;

use super::Result;
use crate::cache::{Sort, SortBy};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::merge::AGREED;
use crate::model::query::Expr;
use crate::store::Store;

/// The lines of matching issues, sorted by id, each with a line feed. Refused for a file through which private ones
/// would get into the primary's commits.
pub fn export(store: &Store, filter: &Expr, file: Option<&Path>) -> Result<(String, usize)> {
    let page = store.list(filter, Sort::by(SortBy::Id), None)?;
    if let Some(file) = file {
        store.check_export(file, &page.rows)?;
    }
    let mut text = String::new();
    for row in &page.rows {
        // The last common version of a proposal's two copies is internal.
        let agreed = Some(row.record()).filter(|record| record.raw(AGREED).is_some());
        let dialect = DialectEvidence::of(&row.line).or(Dialect::default());
        match agreed {
            Some(record) => text.push_str(&record.with(&[(AGREED, None)], dialect)),
            None => text.push_str(&row.line),
        }
        text.push('\n');
    }
    Ok((text, page.rows.len()))
}
