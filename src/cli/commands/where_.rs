use clap::Args;

use super::{Context, Outcome};
use crate::coordination;
use crate::store::StoreError;
use crate::view::{Exit, Failure, Object, inline};

/// Which ledger is used, where new issues go, and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd where\n  bd -C ../other where --json")]
pub struct WhereArgs {}

pub fn run(_: WhereArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let beads = store.repos().primary_member().repo.beads().display().to_string();
    let ledger = store.ledger_path(0).map(|path| path.display().to_string()).unwrap_or_default();
    let reason = store.repos().primary_member().repo.reason().to_owned();
    let prefix = store.prefix(0)?;
    let state = store.state().home().clone();
    let home = state.path.display().to_string();
    let here = store.worktrees()?.into_iter().find(|one| one.is_here);
    let workspace = coordination::workspace_here(store);
    let agent = store.agent().map(|agent| (agent.name.clone(), agent.workspace.clone()));
    let route = store.route(None, &[]).map(|route| (store.name(route.repo).to_owned(), route.rule));
    let repos: Vec<String> = store.repos().members.iter().map(|member| member.name.clone()).collect();
    let route = match route {
        Ok((repo, rule)) => Ok((repo, rule)),
        Err(error @ StoreError::Cache(_)) => return Err(error.into()),
        Err(error) => Err(Failure::from(error).message),
    };
    if cx.ui.wants_json() {
        let object = Object::new()
            .text("path", &beads)
            .text("prefix", &prefix)
            .text("database_path", &ledger)
            .text("ledger", &ledger)
            .text("source_repo", ".")
            .text("reason", &reason)
            .text("state_home", &home)
            .text("state_mode", state.mode.word())
            .text("state_reason", &state.reason)
            .optional("worktree_id", here.as_ref().and_then(|one| one.id.as_deref()))
            .optional("worktree", here.as_ref().map(|one| one.name.as_str()))
            .optional("workspace_id", workspace.as_ref().map(|one| one.id.as_str()))
            .optional("agent", agent.as_ref().map(|(name, _)| name.as_str()))
            .texts("repos", &repos);
        let object = match &route {
            Ok((repo, rule)) => object.text("new_issues", repo).text("routing_rule", rule),
            Err(message) => object.text("routing_error", message),
        };
        cx.json(object.finish());
        return Ok(Exit::Ok);
    }
    let mut facts = vec![
        ("Ledger", ledger),
        ("Directory", beads),
        ("Because", reason),
        ("New ids", format!("{prefix}-…")),
        ("State home", home),
        ("Its mode", format!("{}: {}", state.mode.word(), state.reason)),
    ];
    if let Some(one) = &here {
        let id = one.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        facts.push(("Checkout", format!("{}{id}", one.name)));
    }
    if let Some(one) = &workspace {
        let issue = one.issue.as_ref().map(|id| format!(" for {id}")).unwrap_or_default();
        facts.push(("Workspace", format!("{}{issue}", one.id)));
    }
    if let Some((name, Some(_))) = &agent {
        facts.push(("You are", format!("{name}, the agent of this workspace; --agent and BD_AGENT name another")));
    }
    if repos.len() > 1 {
        facts.push(("Repos", repos.join("  ")));
    }
    match route {
        Ok((repo, rule)) => facts.push(("New issues", format!("go to {repo}: {rule}"))),
        Err(message) => facts.push(("New issues", format!("go nowhere: {message}"))),
    }
    for (name, value) in facts {
        cx.ui.line(&format!("{name:<12}{}", inline(&value)));
    }
    Ok(Exit::Ok)
}
