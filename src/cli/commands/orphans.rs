use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops;
use crate::view::{self, Exit, inline};

/// List open issues that commits mention
///
/// A commit names an issue in brackets in its first line, as in "Fix the parser (bd-a3f8)". Such an issue may be done and not closed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd orphans\n  bd orphans --details")]
pub(super) struct OrphansArgs {
    /// Show the commit
    #[arg(long)]
    details: bool,
}

pub(super) fn run(args: OrphansArgs, cx: &mut Context) -> Outcome {
    let found = ops::orphans(cx.store()?)?;
    json_answer!(cx, view::each(&found, |(row, commit)| view::named_issue(row, commit)));
    let lines = found.iter().map(|(row, commit)| {
        let named = if args.details { format!("{} {}", view::short(commit), commit.summary) } else { String::new() };
        let issue = &row.issue;
        [&issue.id, issue.status.as_str(), &issue.title, &named].map(|cell| inline(cell).into_owned())
    });
    render::columns(&mut cx.ui, "", &lines.collect::<Vec<_>>());
    if found.is_empty() {
        cx.ui.note("no commit names an open issue");
    } else {
        cx.ui.hint("close those that are done with `bd close`");
    }
    Ok(Exit::Ok)
}
