use clap::Args;

use super::{Context, Outcome};
use crate::ops::{self, LeaseFilter};
use crate::view::{self, Exit};

/// Who holds which issue, in all checkouts
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd leases\n  bd leases --expired --json\n  bd leases --worktree feature-x")]
pub struct LeasesArgs {
    /// Only those whose time is over
    #[arg(long)]
    expired: bool,
    /// Only those of one agent or person
    #[arg(long, value_name = "NAME")]
    holder: Option<String>,
    /// Only those of one checkout, by id, name or path
    #[arg(long, value_name = "CHECKOUT", conflicts_with = "all_worktrees")]
    worktree: Option<String>,
    /// Those of all checkouts (they are always shown)
    #[arg(long, hide = true)]
    all_worktrees: bool,
}

pub fn run(args: LeasesArgs, cx: &mut Context) -> Outcome {
    let filter = LeaseFilter { expired: args.expired, holder: args.holder, worktree: args.worktree };
    let rows = ops::leases(cx.store()?, &filter)?;
    if cx.ui.wants_json() {
        let json = view::array(rows.iter().map(view::lease));
        cx.json(json);
        return Ok(Exit::Ok);
    }
    let now = cx.host().clock.now();
    for row in &rows {
        cx.ui.line(&view::lease_text(row, now));
    }
    if rows.is_empty() {
        cx.ui.note("nobody holds an issue");
    }
    Ok(Exit::Ok)
}
