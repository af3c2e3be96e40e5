use clap::Args;

use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view;

/// Bring an issue, or an older version of it, back from history
///
/// An issue that was pruned, or removed in any other way, comes back with its last line, byte for byte, into the repo that had it. A
/// deleted one comes back as it was before the deletion. With --at, an issue gets the values that it had then: an edit like any
/// other, with the comments that were written since.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd restore bd-a3f8                    the last version of what is gone or deleted
  bd restore bd-a3f8 --at 2026-01-01    as it was on a day
  bd restore bd-a3f8 --at HEAD~3 --dry-run")]
pub(super) struct RestoreArgs {
    #[command(flatten)]
    named: IdArgs,
    /// The version: a revision of the project's repository, a date, or how long ago
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Show what would come back; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: RestoreArgs, cx: &mut Context) -> Outcome {
    let ids = args.named.read(cx)?;
    let done = ops::restore(cx.store()?, &ids, args.at.as_deref(), args.dry_run)?;
    let text = |cx: &mut Context, _: &str, one: &_| cx.ui.done(&view::restored_text(one, args.dry_run));
    cx.each(done, |_, one| view::restored(one, args.dry_run), text)
}
