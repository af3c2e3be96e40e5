use clap::Args;

use super::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Take back claims whose time is over, or whose process is gone
///
/// The issues are open again. Their former holders are refused (exit 7) until they claim anew. Anybody may do it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd reclaim --dry-run\n  bd reclaim bd-a3f8")]
pub struct ReclaimArgs {
    /// One issue; all of them if none is named
    id: Option<String>,
    /// Only claims that are over (there are no others)
    #[arg(long, hide = true)]
    expired: bool,
    /// Say what would be taken back
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: ReclaimArgs, cx: &mut Context) -> Outcome {
    let found = ops::reclaim(cx.store()?, args.id.as_deref(), args.dry_run)?;
    json_answer!(cx, view::each(&found, view::reclaimed));
    for one in &found {
        cx.ui.done(&view::reclaimed_text(one, args.dry_run));
    }
    cx.ui.note_if(found.is_empty(), "no claim is over");
    Ok(Exit::Ok)
}
