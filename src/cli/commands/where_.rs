use clap::Args;

use super::{Context, Outcome};
use crate::coordination;
use crate::store::StoreError;
use crate::view::{self, Exit, Failure, Whereabouts};

/// Which ledger is used, where new issues go, and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd where\n  bd -C ../other where --json")]
pub struct WhereArgs {}

pub fn run(_: WhereArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let repo = &store.repos().primary_member().repo;
    let (beads, reason) = (repo.beads().to_owned(), repo.reason().to_owned());
    let prefix = store.prefix(0)?;
    let checkout = store.worktrees()?.into_iter().find(|one| one.is_here);
    let agent = store.agent().map(|agent| (agent.name.clone(), agent.workspace.is_some()));
    let route = match store.route(None, &[]).map(|route| (store.name(route.repo).to_owned(), route.rule)) {
        Err(error @ StoreError::Cache(_)) => return Err(error.into()),
        route => route.map_err(|error| Failure::from(error).message),
    };
    let found = Whereabouts {
        beads,
        ledger: store.ledger_path(0).map(|path| path.display().to_string()).unwrap_or_default(),
        prefix,
        reason,
        state: store.state().home().clone(),
        checkout,
        workspace: coordination::workspace_here(store),
        agent: agent.as_ref().map(|(name, _)| name.clone()),
        repos: store.repos().members.iter().map(|member| member.name.clone()).collect(),
        route,
    };
    json_answer!(cx, view::whereabouts(&found));
    let mut facts = vec![
        ("Ledger", found.ledger),
        ("Directory", found.beads.display().to_string()),
        ("Because", found.reason),
        ("New ids", format!("{}-…", found.prefix)),
        ("State home", found.state.path.display().to_string()),
        ("Its mode", format!("{}: {}", found.state.mode.word(), found.state.reason)),
    ];
    if let Some(one) = &found.checkout {
        let id = one.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        facts.push(("Checkout", format!("{}{id}", one.name)));
    }
    if let Some(one) = &found.workspace {
        let issue = one.issue.as_ref().map(|id| format!(" for {id}")).unwrap_or_default();
        facts.push(("Workspace", format!("{}{issue}", one.id)));
    }
    if let Some((name, true)) = &agent {
        facts.push(("You are", format!("{name}, the agent of this workspace; --agent and BD_AGENT name another")));
    }
    if found.repos.len() > 1 {
        facts.push(("Repos", found.repos.join("  ")));
    }
    match found.route {
        Ok((repo, rule)) => facts.push(("New issues", format!("go to {repo}: {rule}"))),
        Err(message) => facts.push(("New issues", format!("go nowhere: {message}"))),
    }
    cx.ui.facts(facts);
    Ok(Exit::Ok)
}
