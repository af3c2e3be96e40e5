use clap::Args;

use super::{Context, Outcome};
use crate::cache::Sort;
use crate::cli::filters::not_done;
use crate::cli::render;
use crate::view::{self, Exit, inline};

/// List open issues that commits name
///
/// A commit names an issue in brackets in its first line, as in "Fix the parser (bd-a3f8)". Such an issue may be done and not closed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd orphans\n  bd orphans --details")]
pub struct OrphansArgs {
    /// With the commit
    #[arg(long)]
    details: bool,
}

pub fn run(args: OrphansArgs, cx: &mut Context) -> Outcome {
    let rows = cx.store()?.list(&not_done(), Sort::default(), None)?.rows;
    let ids = rows.iter().map(|row| row.issue.id.clone()).collect();
    let commits = cx.store()?.mentioned(&ids)?;
    let found = rows.iter().filter_map(|row| Some((row, commits.get(&row.issue.id)?)));
    let found: Vec<_> = found.collect();
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
