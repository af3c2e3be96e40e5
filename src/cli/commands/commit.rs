use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::report::failures;
use crate::ops;
use crate::view::{self, inline};

/// Commit the ledgers and nothing else
///
/// Commits the ledger of every repo that has changes in it, with its own version control. Other changed files, and what is staged of them,
/// stay as they are. The project of a contributor is not committed to. Where prune.auto is set, issues that have been closed for so long
/// then leave the ledger, in a commit of their own.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd commit\n  bd commit -m 'plan the release'\n  bd commit --repo . --dry-run")]
pub(super) struct CommitArgs {
    /// The commit message (default: names the issues)
    #[arg(short, long, value_name = "TEXT")]
    message: Option<String>,
    /// Limit to this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show what would be committed
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: CommitArgs, cx: &mut Context) -> Outcome {
    let mut done = ops::commit(cx.store()?, args.repo.as_deref(), args.message.as_deref(), args.dry_run)?;
    let failures = failures(&mut done);
    if cx.ui.wants_json() {
        cx.json(view::committed(&done, &failures, args.dry_run));
    } else {
        for (one, failure) in done.iter().zip(&failures) {
            let verb = match (one.committed, args.dry_run) {
                (true, false) => "committed",
                (true, true) => "would be committed",
                (false, _) => "nothing to commit",
            };
            if failure.is_none() {
                let pruned = view::pruned_text(one, args.dry_run).map(|text| format!(", {text}")).unwrap_or_default();
                cx.ui.line(&inline(&format!("{}: {verb}{pruned}", one.repos.join(", "))));
            }
            for note in &one.notes {
                cx.ui.line(&inline(&format!("  {}", cx.ui.short(note))));
            }
        }
    }
    Ok(cx.fail_repos(&done, failures))
}
