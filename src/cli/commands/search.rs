use std::collections::HashMap;

use clap::Args;

use super::{Context, Outcome};
use crate::cli::filters::{FilterArgs, PageArgs};
use crate::cli::render;
use crate::model::field;
use crate::model::query::{Expr, Field};
use crate::view::{self, Exit, Failure};

/// Search everything people wrote, closed issues included
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:\n  bd search login timeout\n  bd search crash --status open --json")]
pub struct SearchArgs {
    /// Words
    words: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    page: PageArgs,
}

fn about() -> String {
    format!(
        "Search everything people wrote, closed issues included

Looks at title, {}, comments, labels and ids. Every word must occur, as a word or its beginning. Best matches come first.",
        field::text_names(|_| true, ", ")
    )
}

pub fn run(args: SearchArgs, cx: &mut Context) -> Outcome {
    let text = args.words.join(" ");
    if text.trim().is_empty() {
        return Err(Failure::usage("search query is required"));
    }
    let json = cx.ui.wants_json();
    let filter = args.filter.expr(cx)?;
    if filter.names(Field::Status, "tombstone") {
        return Err(Failure::usage("deleted issues are not searched; run `bd query 'status=tombstone WORD'`"));
    }
    let limit = args.page.limit(json);
    let plain = filter == Expr::ALL && args.page.sort.is_none() && !args.page.reverse;
    let (mut found, mut total) = cx.store()?.search_first(&text, if plain { limit } else { None })?;
    if !plain {
        let page = cx.store()?.list(&filter, args.page.sort(), None)?;
        let places: HashMap<&str, usize> =
            page.rows.iter().enumerate().map(|(n, row)| (row.issue.id.as_str(), n)).collect();
        found.retain(|hit| places.contains_key(hit.row.issue.id.as_str()));
        if args.page.sort.is_some() {
            found.sort_by_key(|hit| places.get(hit.row.issue.id.as_str()).copied());
        } else if args.page.reverse {
            found.reverse();
        }
        total = found.len();
        found.truncate(limit.unwrap_or(total));
    }
    if json {
        cx.json(view::each(&found, view::found));
    } else {
        let (store, ui) = cx.parts()?;
        let index = store.prefix_index()?;
        render::rows(ui, &index, found.iter().map(|hit| &hit.row));
        if total == 0 {
            ui.note("nothing found");
        }
    }
    if total > found.len() {
        cx.ui.note(&format!("{} of {total} issues shown; --limit 0 shows all", found.len()));
    }
    Ok(Exit::Ok)
}
