use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, Resumption};
use crate::view::{self, Exit, inline, plural};

/// Show your open work and the checkpoint to resume from
///
/// Shows what you have claimed, or what is in progress and assigned to you. For each issue it names the last checkpoint that is not
/// an error, later errors, and questions about the issue that nobody has answered.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd resume
  bd resume bd-a3f8 --json
  bd resume --agent worker-1")]
pub(super) struct ResumeArgs {
    /// The issue, whoever holds it
    id: Option<String>,
}

pub(super) fn run(args: ResumeArgs, cx: &mut Context) -> Outcome {
    let found = ops::resume(cx.store()?, args.id.as_deref())?;
    json_answer!(cx, view::each(&found, view::resumption));
    if found.is_empty() {
        let actor = cx.actor()?;
        cx.ui.note(&format!("{actor} has no open work; run `bd ready` to find some"));
    }
    for (n, one) in found.iter().enumerate() {
        cx.ui.blank_if(n > 0);
        print(one, cx);
    }
    Ok(Exit::Ok)
}

fn print(one: &Resumption, cx: &mut Context) {
    let calendar = cx.ui.calendar();
    let place = one.worktree.as_ref().map(|place| (cx.ui.path(&place.root), place.branch.as_deref()));
    let mut line = |text: &str| cx.ui.line(&inline(text));
    line(&format!("{}  {}  {}", one.row.issue.id, one.row.issue.status, one.row.issue.title));
    if let Some(text) = one.lease.as_ref().and_then(|row| view::claim_text(row, |at| calendar.full(at))) {
        line(&format!("  {text}"));
    }
    if let Some(why) = &one.lost {
        line(&format!("  do not go on: {why}"));
    }
    match &one.from {
        Some(from) => line(&format!("  resume from {}", view::checkpoint_text(from, &calendar))),
        None if one.errors.is_empty() => line("  no checkpoint: a fresh start"),
        None => line("  no checkpoint but errors: a fresh start"),
    }
    for error in &one.errors {
        line(&format!("  not from {}", view::checkpoint_text(error, &calendar)));
    }
    if let Some(from) = one.from.as_ref().filter(|from| !from.checkpoint.files.is_empty()) {
        line(&format!("  files: {}", from.checkpoint.files.join(" ")));
    }
    if let Some((path, branch)) = place {
        let branch = branch.map(|name| format!(", branch {name}")).unwrap_or_default();
        line(&format!("  the work is in {path}{branch}"));
    }
    for question in &one.questions {
        let (who, gist) = (view::sender(question), view::gist(question));
        line(&format!("  not answered: {who} asks {}: {gist}  {}", question.to, question.id));
    }
    if one.checkpoints > 0 {
        line(&format!("  {} in all", plural(one.checkpoints, "checkpoint")));
    }
}
