//! Text for people, from the same results as the JSON.

mod detail;
mod mail;
mod markdown;
mod table;
mod tree;

pub(super) use detail::shown;
pub(super) use mail::{conversation, message, messages};
pub(super) use table::{columns, cut_note, noted_rows, rows, tree_rows};
pub(super) use tree::{branch, guides, tree};

use crate::cli::ui::{Style, Ui};
use crate::model::id::{self, PrefixIndex};
use crate::view::inline;

/// An id with its unambiguous part marked.
pub(super) fn id(ui: &Ui, index: &PrefixIndex, full: &str) -> String {
    let hash = id::hash_of(full);
    let start = &full[..full.len() - hash.len()];
    let enough = index.shortest(full).unwrap_or(hash.len());
    let (head, tail) = hash.split_at(enough);
    format!("{}{}{}", inline(start), ui.paint(Style::Prefix, &inline(head)), inline(tail))
}

pub(super) fn status_style(status: &str) -> Style {
    match status {
        "open" => Style::Plain,
        "in_progress" => Style::Cyan,
        "blocked" => Style::Red,
        "closed" | "tombstone" | "deferred" => Style::Dim,
        _ => Style::Yellow,
    }
}

pub(super) fn priority_style(number: i64) -> Style {
    match number {
        0 => Style::Red,
        1 => Style::Yellow,
        _ => Style::Plain,
    }
}
