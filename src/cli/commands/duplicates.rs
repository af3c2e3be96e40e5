use std::collections::BTreeMap;

use clap::Args;

use super::{Context, Outcome};
use crate::cache::{Sort, SortBy};
use crate::cli::filters::{not_deleted, not_done};
use crate::cli::render;
use crate::store::Row;
use crate::view::{self, Exit};

/// Open issues that say the same
///
/// Groups issues whose titles are equal but for case, blanks and punctuation. With --all, closed ones too.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd duplicates\n  bd duplicates --all --json")]
pub struct DuplicatesArgs {
    /// Closed ones too
    #[arg(long)]
    all: bool,
}

pub fn run(args: DuplicatesArgs, cx: &mut Context) -> Outcome {
    let filter = if args.all { not_deleted() } else { not_done() };
    let page = cx.store()?.list(&filter, Sort { by: SortBy::Id, reverse: false }, None)?;
    let mut groups: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    for row in page.rows {
        let key: String = row.issue.title.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        groups.entry(key).or_default().push(row);
    }
    groups.retain(|key, rows| !key.is_empty() && rows.len() > 1);
    json_answer!(cx, view::duplicates(&groups));
    let (store, ui) = cx.parts()?;
    let index = store.prefix_index()?;
    for (n, rows) in groups.values().enumerate() {
        if n > 0 {
            ui.line("");
        }
        render::rows(ui, &index, rows);
    }
    ui.note_if(groups.is_empty(), "no duplicates");
    Ok(Exit::Ok)
}
