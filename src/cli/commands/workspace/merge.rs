use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Merge a finished workspace into the checkout it was made from
///
/// Merges its branch, code and ledger, without a push. If code conflicts, nothing is merged: the issue is open again, with the
/// reason, and the workspace stays. Changes of the ledger here are committed first; other changed files must be committed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd workspace merge bd-a3f8\n  bd workspace merge")]
pub(super) struct MergeArgs {
    /// Its id, path, issue or branch (default: the only one that is finished)
    workspace: Option<String>,
    /// Show what would be done; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: MergeArgs, cx: &mut Context) -> Outcome {
    let cwd = cx.host().env.cwd().to_owned();
    let row = ops::merge_workspace(cx.store()?, args.workspace.as_deref(), args.dry_run, &cwd)?;
    let exit = if row.outcome.is_landed() { Exit::Ok } else { Exit::Failed };
    if cx.ui.wants_json() {
        cx.json(view::land_row(&row));
        return Ok(exit);
    }
    cx.ui.done(&view::landed_text(&row));
    if let Some(before) = &row.before {
        cx.ui.hint(&format!("to take it back, run `git reset --keep {}`", before.get(..12).unwrap_or(before)));
    }
    Ok(exit)
}
