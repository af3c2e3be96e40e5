use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Take back claims that expired or whose process is gone
///
/// The issues are open again. Their former holders are refused (exit 7) until they claim again. Anybody may run this.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd reclaim --dry-run\n  bd reclaim bd-a3f8\n  bd reclaim --orphans")]
pub(super) struct ReclaimArgs {
    /// The issue (default: all)
    id: Option<String>,
    /// Only expired claims (always on)
    #[arg(long, hide = true)]
    expired: bool,
    /// Free work in progress that no claim here covers: open again and unassigned
    #[arg(long, conflicts_with = "expired")]
    orphans: bool,
    /// Show what would be taken back; change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: ReclaimArgs, cx: &mut Context) -> Outcome {
    let found = ops::reclaim(cx.store()?, args.id.as_deref(), args.orphans, args.dry_run)?;
    json_answer!(cx, view::each(&found, view::reclaimed));
    for one in &found {
        cx.ui.done(&view::reclaimed_text(one, args.dry_run));
    }
    let none = if args.orphans { "no work in progress is without a claim" } else { "no claim is over" };
    cx.ui.note_if(found.is_empty(), none);
    Ok(Exit::Ok)
}
