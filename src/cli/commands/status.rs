use clap::Args;

use super::{stats, worktree};
use crate::cli::context::{Context, Outcome};
use crate::cli::report::{changed_line, with_force};
use crate::model::change::Change;
use crate::ops;

/// Set the status of an issue; without arguments, show statistics
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd status bd-a3f8 in-progress\n  bd status --json\n  bd status --all-worktrees")]
pub(super) struct StatusArgs {
    /// The issue, by id or its first characters
    #[arg(requires = "status")]
    id: Option<String>,
    /// The status: open, in_progress, blocked, deferred, closed, pinned or hooked
    status: Option<String>,
    /// Close even if the issue is blocked or has open children or tasks
    #[arg(long, requires = "id")]
    force: bool,
    /// Show all work in progress: each checkout with its branch, agents, claims and unmerged issues
    #[arg(long, conflicts_with = "id")]
    all_worktrees: bool,
    /// Show the work in one checkout, by id, name or path
    #[arg(long, value_name = "CHECKOUT", conflicts_with_all = ["id", "all_worktrees"])]
    worktree: Option<String>,
    #[arg(long, hide = true)]
    no_activity: bool,
}

pub(super) fn run(args: StatusArgs, cx: &mut Context) -> Outcome {
    if args.all_worktrees || args.worktree.is_some() {
        return worktree::overview(args.worktree.as_deref(), cx);
    }
    let (Some(id), Some(word)) = (args.id, args.status) else {
        return stats::run(stats::StatsArgs::default(), cx);
    };
    let changes = with_force(vec![Change::Status(ops::check_status(cx.store()?, &word)?)], args.force);
    let batch = ops::change_each(cx.store()?, &[id], |_| changes.clone())?;
    cx.report(batch, |written| changed_line(written, "Updated issue: "))
}
