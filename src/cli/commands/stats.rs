use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::ScopeArgs;
use crate::ops;
use crate::view::{self, Exit};

/// Show statistics over all issues
#[derive(Debug, Args, Default)]
#[command(after_help = "Examples:\n  bd stats\n  bd stats --repo . --json")]
pub(super) struct StatsArgs {
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(super) fn run(args: StatsArgs, cx: &mut Context) -> Outcome {
    let numbers = ops::statistics(cx.store()?, &args.scope.expr())?;
    json_answer!(cx, view::statistics(&numbers));
    let lines = [
        ("Total Issues:", numbers.total),
        ("Open:", numbers.open),
        ("In Progress:", numbers.in_progress),
        ("Ready:", numbers.ready),
        ("Blocked:", numbers.blocked),
        ("Deferred:", numbers.deferred),
        ("Pinned:", numbers.pinned),
        ("Closed:", numbers.closed),
        ("Other:", numbers.other()),
        ("Deleted:", numbers.tombstones),
        ("Epics to close:", numbers.epics_closeable),
    ];
    let is_rare = |name: &str| matches!(name, "Pinned:" | "Other:");
    for (name, number) in lines.into_iter().filter(|(name, number)| *number > 0 || !is_rare(name)) {
        cx.ui.line(&format!("{name:<16}{number:>6}"));
    }
    if numbers.closed > 0 {
        cx.ui.line(&format!("{:<16}{:>6.1} h", "Average lead:", numbers.average_lead_time_hours));
    }
    Ok(Exit::Ok)
}
