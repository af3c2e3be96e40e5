//! Lines out of the ledger, as they are.

use super::Result;
use crate::cache::{Sort, SortBy};
use crate::model::query::Expr;
use crate::store::Store;

/// The lines of the issues that meet a condition, sorted by id, each with a line feed.
pub fn export(store: &mut Store, filter: &Expr) -> Result<(String, usize)> {
    let page = store.list(filter, Sort { by: SortBy::Id, reverse: false }, None)?;
    let mut text = String::new();
    for row in &page.rows {
        text.push_str(&row.line);
        text.push('\n');
    }
    Ok((text, page.rows.len()))
}
