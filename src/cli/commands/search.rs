use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{FilterArgs, LayoutArgs, PageArgs, ShapeArgs};
use crate::cli::render;
use crate::model::field;
use crate::model::query::Field;
use crate::ops;
use crate::view::{self, Exit, Failure, shell_word};

/// Search the texts of all issues, including closed ones
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:\n  bd search login timeout\n  bd search crash --status open --json")]
pub(super) struct SearchArgs {
    /// The words to search for
    words: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    layout: LayoutArgs,
}

fn about() -> String {
    format!(
        "Search everything people wrote, closed issues included

Looks at title, {}, comments, labels and ids. Every word must occur, as a word or its beginning. Best matches come first.",
        field::text_names(|_| true, ", ")
    )
}

pub(super) fn run(args: SearchArgs, cx: &mut Context) -> Outcome {
    let text = args.words.join(" ");
    if text.trim().is_empty() {
        let condition = args.filter.condition.as_deref().unwrap_or("EXPR");
        let list = format!("bd list --where {}", shell_word(condition));
        let hint = format!("name the words to search for; to find issues by a condition alone, run `{list}`");
        return Err(Failure::usage("search query is required").shell(hint));
    }
    args.shape.apply(cx);
    args.layout.apply(cx)?;
    let json = cx.ui.wants_json();
    let filter = args.filter.expr(cx)?;
    if filter.names(Field::Status, "tombstone") {
        return Err(Failure::usage("deleted issues are not searched; run `bd list 'status=tombstone WORD'`"));
    }
    let (sort, limit) = (
        (!args.page.sort.is_empty()).then(|| args.page.sort()),
        args.page.limit(json || args.layout.is_for_programs()),
    );
    let (found, total) = ops::search(cx.store()?, &text, &filter, sort, args.page.reverse, limit)?;
    if json {
        cx.json_rows(found.iter().map(view::found))?;
    } else if cx.laid_out(found.iter().map(|hit| &hit.row)) {
        cx.ui.note_if(total == 0, "nothing found");
    } else {
        let marks = ops::marks(cx.store()?, found.iter().map(|hit| &hit.row))?;
        let (index, ui) = cx.index()?;
        render::rows(ui, &index, found.iter().map(|hit| &hit.row), &marks);
        if total == 0 {
            ui.note("nothing found");
        }
    }
    render::cut_note(&mut cx.ui, found.len(), total);
    Ok(Exit::Ok)
}
