use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops;
use crate::view::{self, Exit, inline};

/// Show who set each field of an issue, and in which commit
///
/// A field that lost its value is listed with the commit that took it away. An issue that has left the ledger is found in the
/// history. Ids that the issue had before are followed, and what a proposed issue came with is followed into the planning repo.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd blame bd-a3f8\n  bd blame a3 --json")]
pub(super) struct BlameArgs {
    /// The issue, by id or its first characters
    id: String,
}

pub(super) fn run(args: BlameArgs, cx: &mut Context) -> Outcome {
    let blame = ops::blame(cx.store()?, &args.id)?;
    cx.tell_shallow()?;
    json_answer!(cx, view::blame(&blame));
    let calendar = cx.ui.calendar();
    let lines = blame.fields.iter().map(|field| {
        let [commit, day, author] = match &field.commit {
            Some(commit) => {
                let repo = field.source_repo.as_ref().map(|repo| format!("  [{repo}]")).unwrap_or_default();
                let author = format!("{}{repo}", commit.author);
                [view::short(commit).to_owned(), calendar.day_text(commit.authored), author]
            }
            None => ["not committed".to_owned(), String::new(), String::new()],
        };
        [field.field.clone(), commit, day, author, view::blamed_value(field, &calendar)]
            .map(|cell| inline(&cell).into_owned())
    });
    let lines: Vec<_> = lines.collect();
    render::columns(&mut cx.ui, "", &lines);
    if let Some(past) = &blame.past {
        cx.ui.note(&view::departure(past));
    }
    Ok(Exit::Ok)
}
