use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::when::Calendar;
use crate::ops;
use crate::store::{UndoAction, UndoneIssue, UndoneWrite};
use crate::view::{self, Exit, inline};

/// Undo your last writes
///
/// It shows what it would do and, on a terminal, asks; in a script it needs --yes. One command is one write, over however many issues and repos. The undo is a new
/// write: history is not rewritten, and the next `bd undo` takes the undo back. What others changed since stays; if they changed
/// the same field, nothing is undone and they are named. Without logged writes, as in a fresh clone, your last commit is undone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd undo             what would go back
  bd undo --yes       take back the last write
  bd undo 3 --yes     take back the last three, as one write")]
pub(super) struct UndoArgs {
    /// How many writes to undo
    #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    count: u32,
    /// Undo without a question; in a script nothing is undone without it
    #[arg(short, long)]
    yes: bool,
    /// Show what would be undone; change nothing, even with --yes
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: UndoArgs, cx: &mut Context) -> Outcome {
    let preview = !args.yes || args.dry_run;
    let count = usize::try_from(args.count).unwrap_or(usize::MAX);
    let undo = ops::undo(cx.store()?, count, preview)?;
    json_answer!(cx, view::undone(&undo, preview));
    let several = cx.has_several_repos()?;
    let calendar = cx.ui.calendar();
    if preview {
        cx.ui.line("Would undo:");
        for write in &undo.writes {
            cx.ui.line(&format!("  {}", described(write, &calendar)));
        }
    }
    for one in &undo.issues {
        let line = line(one, preview, several);
        if preview { cx.ui.line(&format!("  {}", inline(&line))) } else { cx.ui.done(&line) }
    }
    cx.ui.note_if(undo.issues.is_empty(), "nothing to change: it is as it was before");
    for repair in &undo.repairs {
        cx.ui.note(&format!("{} only put a file in order, and stays", described(repair, &calendar)));
    }
    if preview && !args.dry_run && !undo.issues.is_empty() && cx.ui.is_interactive() {
        return cx.after_question("Undo this?", |cx| run(UndoArgs { yes: true, ..args }, cx));
    }
    if preview && !undo.issues.is_empty() {
        cx.ui.hint("add --yes to undo; run `bd undo` again to take the undo back");
    }
    Ok(Exit::Ok)
}

fn described(write: &UndoneWrite, calendar: &Calendar) -> String {
    let what = match &write.commit {
        Some(commit) => format!("commit {}", commit.get(..10).unwrap_or(commit)),
        None if write.command.is_empty() => "a write".to_owned(),
        None => format!("bd {}", write.command),
    };
    format!("{} of {}", inline(&what), inline(&calendar.local_text(&write.at)))
}

fn line(one: &UndoneIssue, preview: bool, several: bool) -> String {
    let verb = match (one.action, preview) {
        (UndoAction::Reverted, true) => "Would revert",
        (UndoAction::Reverted, false) => "Reverted",
        (UndoAction::Removed, true) => "Would remove",
        (UndoAction::Removed, false) => "Removed",
        (UndoAction::Restored, true) => "Would restore",
        (UndoAction::Restored, false) => "Restored",
    };
    let fields = if one.fields.is_empty() { String::new() } else { format!(" {}", one.fields.join(", ")) };
    let word = if one.action == UndoAction::Removed { "from" } else { "in" };
    let place = if several { format!(" {word} {}", one.source_repo) } else { String::new() };
    format!("{verb}{fields}{place}: {}", one.id)
}
