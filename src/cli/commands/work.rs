use clap::Args;

use super::claim;
use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::{ClaimWish, Claimed};
use crate::view;

/// Take an issue: assign it to yourself and start it
///
/// Refused (exit 4) if another has it. Of many that try at once, one wins.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd work bd-a3f8\n  bd work $(bd ready -n 1 --json | jq -r '.[0].id')")]
pub(super) struct WorkArgs {
    #[command(flatten)]
    named: IdArgs,
}

pub(super) fn run(args: WorkArgs, cx: &mut Context) -> Outcome {
    claim::require_issue(&args.named.ids)?;
    let ids = args.named.read(cx)?;
    let results = ops::claim(cx.store()?, &ids, &ClaimWish::default(), false)?;
    let calendar = cx.host().clock.calendar();
    // A program may act for another one under the same name; every command of a person at a terminal is another process.
    let is_person = cx.agent()?.is_none() && !cx.ui.is_interactive();
    let is_again = |claimed: &Claimed| claimed.again && !claimed.written.changed;
    let any_again = results.iter().any(|(_, result)| result.as_ref().is_ok_and(is_again));
    let beside = claim::beside(&results);
    claim::warn_waiting(cx, results.iter().filter_map(|(_, result)| result.as_ref().ok()));
    let text = |claimed: &Claimed| match (claimed.again, claimed.written.changed) {
        (true, false) => view::already_yours(claimed, &calendar, is_person),
        (false, false) => format!("Already yours: {}", claimed.id),
        (_, true) => format!("In progress, yours: {}", claimed.id),
    };
    let exit = cx.each(results, |_, one| view::reply(&one.written), |cx, _, one| cx.ui.done(&text(one)))?;
    beside.iter().for_each(|written| cx.tell_beside(written));
    if any_again && is_person {
        cx.ui.hint(claim::NAME_AGENTS);
    }
    Ok(exit)
}
