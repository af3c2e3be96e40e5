use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{LayoutArgs, ShapeArgs};
use crate::ops;

/// List the children of an issue, including closed ones
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd children bd-a3f8\n  bd children a3 --json")]
pub(super) struct ChildrenArgs {
    /// The issue, by id or its first characters
    id: String,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    layout: LayoutArgs,
}

pub(super) fn run(args: ChildrenArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    args.layout.apply(cx)?;
    let page = ops::children(cx.store()?, &args.id)?;
    cx.print_page(page, false, "no children")
}
