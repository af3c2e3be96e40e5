use clap::Args;

use super::{Context, Outcome, changed_line, report, require_ids};
use crate::ops;
use crate::store::ClaimWish;

/// Take an issue: assign it to yourself and start it
///
/// Refused (exit 4) if another has it. Of many that try at once, one wins.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd work bd-a3f8\n  bd work $(bd ready -n 1 --json | jq -r '.[0].id')")]
pub struct WorkArgs {
    /// Issues, by id or its first characters
    ids: Vec<String>,
}

pub fn run(args: WorkArgs, cx: &mut Context) -> Outcome {
    require_ids(&args.ids)?;
    let batch = ops::claim_each(cx.store()?, &args.ids, &ClaimWish::default())?;
    report(cx, batch, |written| changed_line(written, "In progress, yours: "))
}
