use clap::Args;

use super::{Context, Outcome, changed_line, report, stats, worktree};
use crate::model::change::Change;
use crate::ops;

/// Set the status of an issue; without arguments, the statistics
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd status bd-a3f8 in-progress\n  bd status --json\n  bd status --all-worktrees")]
pub struct StatusArgs {
    /// The issue, by id or its first characters
    #[arg(requires = "status")]
    id: Option<String>,
    /// open, in_progress, blocked, deferred, closed, pinned, hooked
    status: Option<String>,
    /// Close even if it is blocked or has open children or tasks
    #[arg(long, requires = "id")]
    force: bool,
    /// All work that goes on: each checkout with its branch, agents, claims and what is not merged
    #[arg(long, conflicts_with = "id")]
    all_worktrees: bool,
}

pub fn run(args: StatusArgs, cx: &mut Context) -> Outcome {
    if args.all_worktrees {
        return worktree::overview(cx);
    }
    let (Some(id), Some(word)) = (args.id, args.status) else {
        return stats::run(stats::StatsArgs::default(), cx);
    };
    if args.force {
        cx.force()?;
    }
    let status = ops::check_status(cx.store()?, &word)?;
    let batch = ops::change_each(cx.store()?, &[id], |_| vec![Change::Status(status.clone())])?;
    report(cx, batch, |written| changed_line(written, "Updated issue: "))
}
