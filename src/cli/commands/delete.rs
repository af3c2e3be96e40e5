use clap::Args;

use crate::cli::chosen::ChosenArgs;
use crate::cli::context::{Context, Outcome};
use crate::cli::report::changed_line;
use crate::model::change::Change;
use crate::model::dependency::DependencyType;
use crate::ops;
use crate::view::{self, Exit, Failure, inline};

/// Delete issues; a tombstone remains
///
/// It shows what would be deleted and, on a terminal, asks; in a script it needs --yes. The line stays in the ledger with all its fields, so `bd reopen`
/// brings the issue back.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd delete bd-a3f8            what would go\n  bd delete bd-a3f8 --yes -r \"filed twice\""
)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Delete without a question; in a script nothing is deleted without it
    #[arg(short, long, visible_alias = "force")]
    yes: bool,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Show what would be deleted; change nothing, even with --yes
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: DeleteArgs, cx: &mut Context) -> Outcome {
    if args.chosen.is_empty() {
        // Clients match these words, here in the plural.
        return Err(Failure::usage("no issue IDs provided: an issue ID is required"));
    }
    let ids = args.chosen.ids(cx)?;
    if args.dry_run || !args.yes && !cx.ui.is_interactive() {
        return preview(&ids, args.yes, cx);
    }
    if !args.yes {
        listed(&ids, "Would delete:", cx)?;
        return cx.after_question("Delete this?", |cx| run(DeleteArgs { yes: true, ..args }, cx));
    }
    let batch = ops::change_each(cx.store()?, &ids, |_| vec![Change::Delete { reason: args.reason.clone() }])?;
    if !cx.ui.wants_json() {
        return cx.report(batch, |written| changed_line(written, "Deleted "));
    }
    let deleted: Vec<&str> = batch.written().map(|written| written.id.as_str()).collect();
    if !deleted.is_empty() {
        let one = deleted.first().copied().filter(|_| ids.len() == 1);
        cx.json(view::deleted(one, &deleted));
    }
    cx.report_failures(batch)
}

fn preview(ids: &[String], is_confirmed: bool, cx: &mut Context) -> Outcome {
    if cx.ui.wants_json() {
        let rows = ops::named(cx.store()?, ids)?;
        cx.json(view::would_delete(&rows.iter().collect::<Vec<_>>()));
        return Ok(Exit::Ok);
    }
    listed(ids, "DELETE PREVIEW: nothing was changed", cx)?;
    let how = if is_confirmed { "run it again without --dry-run" } else { "add --yes" };
    cx.ui.hint(&format!("{how} to delete; `bd reopen` brings them back"));
    Ok(Exit::Ok)
}

/// Shows what would be deleted, and what refers to it.
fn listed(ids: &[String], head: &str, cx: &mut Context) -> Result<(), Failure> {
    let mut shown = Vec::new();
    for row in ops::named(cx.store()?, ids)? {
        shown.push(ops::show(cx.store()?, &row.issue.id)?);
    }
    cx.ui.line(head);
    for one in &shown {
        cx.ui.line(&format!("  {}  {}", inline(&one.row.issue.id), inline(&one.row.issue.title)));
        for dependent in &one.dependents {
            let waits = DependencyType::new(dependent.kind.clone()).is_blocking();
            let what = if waits { "would no longer wait for it" } else { "refers to it" };
            cx.ui.line(&format!("    {} ({}) {what}", inline(&dependent.id), inline(&dependent.kind)));
        }
    }
    Ok(())
}
