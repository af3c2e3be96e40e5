use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view;

/// Assign an issue to an agent or a person and notify them by mail
///
/// For coordinators and people. The issue stays open until the assignee claims it; automatic claims of others pass it over.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd assign bd-a3f8 builder\n  bd assign bd-a3f8 ann")]
pub(super) struct AssignArgs {
    /// The issue, by id or its first characters
    id: String,
    /// An agent, by name or id, or a person (`me`: you; person:NAME if an agent has that name)
    to: String,
}

pub(super) fn run(args: AssignArgs, cx: &mut Context) -> Outcome {
    let id = cx.resolve(&args.id)?;
    let assigned = ops::assign(cx.store()?, &id, &args.to)?;
    cx.answer(view::assigned(&assigned), &format!("Assigned to {}: {id}", view::inline(&assigned.to)))
}
