use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, Replacement};
use crate::view;

/// Close an issue as a duplicate of another
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd duplicate bd-a3f8 --of bd-k9z2")]
pub(super) struct DuplicateArgs {
    /// The issue to close, by id or its first characters
    id: String,
    /// The issue that remains
    #[arg(long, value_name = "ID")]
    of: String,
}

/// Close an issue as superseded by another
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd supersede bd-a3f8 --with bd-k9z2")]
pub(super) struct SupersedeArgs {
    /// The issue to close, by id or its first characters
    id: String,
    /// The issue that replaces it
    #[arg(long, value_name = "ID")]
    with: String,
}

pub(super) fn run(args: DuplicateArgs, cx: &mut Context) -> Outcome {
    let (written, by) = ops::replace(cx.store()?, &args.id, &args.of, Replacement::Duplicate)?;
    cx.answer(view::duplicate(&written.id, &by), &format!("Marked {} as duplicate of {by} (closed)", written.id))
}

pub(super) fn run_supersede(args: SupersedeArgs, cx: &mut Context) -> Outcome {
    let (written, by) = ops::replace(cx.store()?, &args.id, &args.with, Replacement::Superseded)?;
    cx.answer(view::superseded(&written.id, &by), &format!("Marked {} as superseded by {by} (closed)", written.id))
}
