use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit, plural};

/// Rename the prefix of all issues
///
/// Changes the ids of the project's own issues, what refers to them in every ledger that you write, and texts that mention them; new
/// issues follow. Sync all clones first: a clone that edits an issue under its old id brings it back. History before this is under the
/// old ids; `bd log` and `bd blame` follow it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd rename-prefix web --dry-run\n  bd rename-prefix web")]
pub(super) struct RenamePrefixArgs {
    /// The new prefix, with or without the dash
    prefix: String,
    /// Also rename issues with any other prefix
    #[arg(long)]
    repair: bool,
    /// Show what would change; write nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Rename without a question
    #[arg(short, long)]
    yes: bool,
}

/// So many examples are shown.
const SHOWN: usize = 5;

pub(super) fn run(args: RenamePrefixArgs, cx: &mut Context) -> Outcome {
    let asks = !args.yes && !args.dry_run && cx.ui.is_interactive();
    rename(&args, args.dry_run || asks, cx)?;
    if asks {
        return cx.after_question("Rename these?", |cx| rename(&args, false, cx));
    }
    Ok(Exit::Ok)
}

fn rename(args: &RenamePrefixArgs, dry_run: bool, cx: &mut Context) -> Outcome {
    let prefix = args.prefix.strip_suffix('-').unwrap_or(&args.prefix);
    let done = ops::rename_prefix(cx.store()?, prefix, args.repair, dry_run)?;
    json_answer!(cx, view::renamed_prefix(&done, dry_run));
    let word = if dry_run { "Would rename" } else { "Renamed" };
    cx.ui.done(&format!("{word} {} from {}- to {}-", plural(done.names.len(), "issue"), done.old, done.new));
    let shown = done.names.iter().take(if dry_run { SHOWN } else { 0 });
    cx.ui.below(shown.map(|(old, new)| format!("{old} -> {new}")));
    if dry_run && done.names.len() > SHOWN {
        cx.ui.line(&format!("  … and {} more", done.names.len() - SHOWN));
    }
    if done.others > 0 {
        cx.ui.note(&format!(
            "{} with another prefix stay as they are; --repair renames them",
            plural(done.others, "issue")
        ));
    }
    Ok(Exit::Ok)
}
