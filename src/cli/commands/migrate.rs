use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops;
use crate::store::LEDGER_NAMES;
use crate::view::{self, Exit, plural};

/// Move issues to another repo, keeping their ids; or rename the ledger
///
/// The condition is that of `bd help query`. Lines are written to the target first and leave their old file afterwards; after a
/// crash the same command finishes the move. --ledger gives the ledger file its other name; the history follows it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd migrate --move-to ~/.beads-planning --filter 'author=me' --dry-run
  bd migrate --move-to ~/.beads-planning --filter 'author=me status=open'
  bd migrate --move-to . --filter 'repo=~/.beads-work/architecture label=shared'
  bd migrate --ledger issues.jsonl         the name that the original uses")]
pub(super) struct MigrateArgs {
    /// The repo to move them to
    #[arg(long, value_name = "REPO", required_unless_present_any = ["ledger", "inspect"], requires = "filter")]
    move_to: Option<String>,
    /// Which issues, as a query
    #[arg(long, value_name = "CONDITION")]
    filter: Option<String>,
    /// Rename the ledger
    #[arg(long, value_name = "NAME", value_parser = LEDGER_NAMES, conflicts_with_all = ["move_to", "filter", "count"])]
    ledger: Option<String>,
    /// Report what a migration would do: nothing, because the file is the only store
    #[arg(long, hide = true, conflicts_with_all = ["move_to", "filter", "count", "ledger"])]
    inspect: bool,
    /// Confirm the number of issues added to the project's own repo, if over 25
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Show what would move; change nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: MigrateArgs, cx: &mut Context) -> Outcome {
    if args.inspect {
        return inspect(cx);
    }
    if let Some(name) = &args.ledger {
        return rename(name, args.dry_run, cx);
    }
    let (move_to, filter) = (args.move_to.unwrap_or_default(), args.filter.unwrap_or_default());
    let filter = ops::parse_query(cx.store()?, &filter)?;
    let done = ops::migrate(cx.store()?, &move_to, &filter, args.dry_run, args.count)?;
    if cx.ui.wants_json() {
        cx.json(view::migrated(&done, args.dry_run));
    } else if args.dry_run {
        let (index, ui) = cx.index()?;
        render::rows(ui, &index, &done.chosen, &ops::Marks::default());
        ui.done(&format!("Would move {} to {}", plural(done.chosen.len(), "issue"), done.to));
    } else {
        cx.ui.done(&format!("Moved {} to {}", plural(done.moved.len(), "issue"), done.to));
    }
    if done.is_guest {
        cx.ui.note(&format!("{} is not part of this project; run `bd repo add` to see its issues here", done.to));
    }
    Ok(cx.fail_each(done.failed))
}

fn rename(name: &str, dry_run: bool, cx: &mut Context) -> Outcome {
    let done = ops::rename_ledger(cx.store()?, name, dry_run)?;
    let (from, to) = (cx.ui.path(&done.from), cx.ui.path(&done.to));
    json_answer!(cx, view::renamed_ledger(&done, dry_run));
    match (done.changed, dry_run) {
        (false, _) => cx.ui.done(&format!("Nothing to change: the ledger is {to}")),
        (true, true) => cx.ui.done(&format!("Would rename {from} to {name}")),
        (true, false) => {
            cx.ui.done(&format!("Renamed {from} to {name}"));
            cx.ui.hint("run `bd commit` or `bd sync`; the commit records the rename, and other clones follow it");
        }
    }
    Ok(Exit::Ok)
}

/// The original's answer about a database that it would migrate.
fn inspect(cx: &mut Context) -> Outcome {
    let ops::Facts { issues: count, prefix, .. } = ops::facts(cx.store()?)?;
    if cx.ui.wants_json() {
        // The shape has its own list of warnings.
        cx.ui.json(view::migrations(count, &prefix), &[]);
    } else {
        cx.ui.done(&format!("nothing to migrate: bd reads every format of the ledger ({})", plural(count, "issue")));
    }
    Ok(Exit::Ok)
}
