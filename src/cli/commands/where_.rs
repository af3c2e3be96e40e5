use std::path::Path;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, Whereabouts};
use crate::view::{self, Exit, Failure};

/// Show which ledger is used, where new issues go, and why; a part of bd info
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd where\n  bd -C ../other where --json")]
pub(super) struct WhereArgs {}

pub(super) fn run(_: WhereArgs, cx: &mut Context) -> Outcome {
    let found = ops::whereabouts(cx.store()?)?;
    json_answer!(cx, view::whereabouts(&found));
    let facts = facts(found, cx);
    cx.ui.facts(facts);
    Ok(Exit::Ok)
}

pub(super) fn facts(found: Whereabouts, cx: &Context) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Ledger", cx.ui.path(Path::new(&found.ledger))),
        ("Directory", cx.ui.path(&found.beads)),
        ("Because", found.reason),
        ("New ids", format!("{}-…", found.prefix)),
        ("State home", cx.ui.path(&found.state.path)),
        ("Its mode", format!("{}: {}", found.state.mode.word(), found.state.reason)),
    ];
    if let Some(outbox) = &found.outbox {
        facts.push(("Outbox", format!("{}: records wait there", cx.ui.path(outbox))));
    }
    if let Some(one) = &found.checkout {
        let id = one.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        facts.push(("Checkout", format!("{}{id}", one.name)));
    }
    if let Some(one) = &found.workspace {
        let issue = one.issue.as_ref().map(|id| format!(" for {id}")).unwrap_or_default();
        facts.push(("Workspace", format!("{}{issue}", one.id)));
    }
    if let Some((name, true)) = &found.agent {
        facts.push(("You are", format!("{name}, the agent of this workspace; --agent and BD_AGENT name another")));
    }
    if found.repos.len() > 1 {
        facts.push(("Repos", found.repos.join("  ")));
    }
    match found.route {
        Ok((repo, rule)) => facts.push(("New issues", format!("go to {repo}: {rule}"))),
        Err(error) => facts.push(("New issues", format!("go nowhere: {}", Failure::from(error).message))),
    }
    facts
}
