use clap::Args;

use super::{Context, Outcome, print_page};
use crate::cache::Sort;
use crate::cli::filters::not_deleted;
use crate::model::query::{Expr, Field};

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
    print_page(cx, &page, false, "no children")
}
