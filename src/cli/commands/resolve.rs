use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::ResolvedLedger;
use crate::view::{self, Exit, plural};

/// Merge a ledger that contains conflict markers
///
/// Takes the regions of git (also diff3) and jj apart and merges them as `bd merge-driver` would have: field by field, with nothing lost from
/// any side. Markers that do not fit together are named with their line, and nothing is changed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd resolve\n  bd resolve --dry-run\n  bd resolve --repo ~/.beads-planning")]
pub(super) struct ResolveArgs {
    /// Limit to this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show what would be merged; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: ResolveArgs, cx: &mut Context) -> Outcome {
    // The command is about the markers: no additional warning.
    cx.reports_problems = true;
    let resolved = ops::resolve(cx.store()?, args.repo.as_deref(), args.dry_run)?;
    if cx.ui.wants_json() {
        cx.ui.json(view::resolved(&resolved, args.dry_run), &[]);
        return Ok(Exit::Ok);
    }
    for ledger in &resolved {
        print(ledger, args.dry_run, cx);
    }
    cx.ui.done_if(resolved.is_empty(), "nothing to resolve");
    Ok(Exit::Ok)
}

fn print(ledger: &ResolvedLedger, dry_run: bool, cx: &mut Context) {
    let verb = if dry_run { "Would merge" } else { "Merged" };
    cx.ui.done(&format!("{verb} {}: {}", plural(ledger.regions, "marked region"), cx.ui.path(&ledger.file)));
    let calendar = cx.ui.calendar();
    cx.ui.below(ledger.lines.iter().flat_map(|line| view::merged_text(line, &calendar)));
    if let Some(next) = &ledger.next {
        cx.ui.hint(&format!("look at it, then: {next}"));
    }
}
