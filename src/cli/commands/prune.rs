use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::size;
use crate::model::when::{Bare, When};
use crate::ops;
use crate::store::{PruneRequest, Pruned};
use crate::view::{self, Exit, Failure, inline, plural};

/// Remove old closed issues from the ledger; history keeps them
///
/// Issues that were closed more than 30 days ago leave the file, if the last commit has them exactly as they are and no other issue is
/// ready or blocked in another way without them. All other lines keep their bytes. `bd show ID` still finds them in the history,
/// `bd restore ID` brings one back. With --to-budget only as many leave, the oldest first, as it takes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd prune --dry-run                  what would leave, what stays and why
  bd prune                            what was closed more than 30 days ago
  bd prune --closed-before 2026-01-01
  bd prune --to-budget 25k            the oldest, until the file has 25 KB
  bd prune --tombstones               deleted issues and rejected proposals, too")]
pub(super) struct PruneArgs {
    /// Closed before this: a date, or how long ago (default: 30d; with --to-budget any time)
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    closed_before: Option<String>,
    /// Only as many as needed to shrink the file to this size (such as 25k or 1M)
    #[arg(long, value_name = "SIZE")]
    to_budget: Option<String>,
    /// Also remove deleted issues and rejected proposals; sync other clones first
    #[arg(long)]
    tombstones: bool,
    /// The repo of the project (default: the primary)
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show what would leave; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Remove without a question
    #[arg(short, long)]
    yes: bool,
}

pub(super) fn run(args: PruneArgs, cx: &mut Context) -> Outcome {
    let before = args.closed_before.as_deref().map(|text| cx.date("closed-before", text, Bare::Past)).transpose()?;
    let before = before.map(When::start);
    let budget = args.to_budget.as_deref().map(|text| {
        let wrong = || Failure::usage(format!("invalid --to-budget {text:?}: a size such as 25k, 1M or 30000"));
        size::parse(text).ok_or_else(wrong)
    });
    let request = PruneRequest { before, budget: budget.transpose()?, tombstones: args.tombstones };
    let repo = args.repo.as_deref();
    let asks = !args.yes && !args.dry_run && cx.ui.is_interactive();
    let done = ops::prune(cx.store()?, repo, &request, args.dry_run || asks)?;
    json_answer!(cx, view::pruned(&done, args.dry_run));
    print(&done, args.dry_run || asks, cx);
    if !asks || done.pruned.is_empty() {
        return Ok(Exit::Ok);
    }
    cx.after_question("Remove these?", |cx| {
        let done = ops::prune(cx.store()?, repo, &request, false)?;
        print(&done, false, cx);
        Ok(Exit::Ok)
    })
}

fn print(done: &Pruned, dry_run: bool, cx: &mut Context) {
    let calendar = cx.ui.calendar();
    for one in &done.pruned {
        let day = calendar.day_text(one.at);
        let verb = if one.status == "tombstone" { "deleted" } else { "closed" };
        cx.ui.line(&inline(&format!("{}  {verb} {day}  {}", one.id, one.title)));
    }
    for one in &done.kept {
        cx.ui.line(&inline(&format!("{}  stays: {}", one.id, view::kept_text(&one.why))));
    }
    let (before, after) = (size::text(done.bytes_before), size::text(done.bytes_after));
    let file = cx.ui.path(&done.file);
    if done.pruned.is_empty() {
        cx.ui.note(&format!("nothing to prune: {file} has {before}"));
    } else {
        let count = plural(done.pruned.len(), "issue");
        let verb = if dry_run { "Would prune" } else { "Pruned" };
        cx.ui.done(&format!("{verb} {count} from {file}: {before} before, {after} after"));
    }
    if !done.fits() {
        let budget = size::text(done.budget.unwrap_or_default());
        cx.ui.warning(&format!("that is more than {budget}, and nothing else can leave"));
    }
    if !dry_run && !done.pruned.is_empty() {
        cx.ui.hint("run `bd show ID` to see one in the history, or `bd restore ID` to bring it back");
    }
}
