use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// List the issues closed since a revision or a date, as release notes
///
/// Markdown, by type. Issues that have left the ledger since are among them; reopened ones are not. Only the primary repo, or
/// the one that is named, and nothing that is private.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd changelog --since v1.2\n  bd changelog --since 2026-01-01 --json")]
pub(super) struct ChangelogArgs {
    /// A revision of the repo, or a date
    #[arg(long, value_name = "REV|DATE")]
    since: String,
    /// Use this repo of the project instead of the primary
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
}

pub(super) fn run(args: ChangelogArgs, cx: &mut Context) -> Outcome {
    let since = cx.moment(&args.since);
    let closed = ops::changelog(cx.store()?, since, args.repo.as_deref())?;
    cx.tell_shallow()?;
    json_answer!(cx, view::each(&closed, view::changelog));
    cx.ui.line(&view::changelog_markdown(&closed));
    Ok(Exit::Ok)
}
