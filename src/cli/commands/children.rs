use clap::Args;

use super::{Context, Outcome};
use crate::cache::Sort;
use crate::cli::filters::not_deleted;
use crate::cli::render;
use crate::model::query::{Expr, Field};
use crate::view::{self, Exit};

/// The children of an issue, closed ones included
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd children bd-a3f8\n  bd children a3 --json")]
pub struct ChildrenArgs {
    /// The issue, by id or its first characters
    id: String,
}

pub fn run(args: ChildrenArgs, cx: &mut Context) -> Outcome {
    let id = cx.store()?.resolve(&args.id)?;
    let filter = Expr::And(vec![Expr::text(Field::Parent, id), not_deleted()]);
    let page = cx.store()?.list(&filter, Sort::default(), None)?;
    if cx.ui.wants_json() {
        cx.json(view::rows(&page.rows));
        return Ok(Exit::Ok);
    }
    let (store, ui) = cx.parts()?;
    let index = store.prefix_index()?;
    render::rows(ui, &index, &page.rows);
    if page.rows.is_empty() {
        ui.note("no children");
    }
    Ok(Exit::Ok)
}
