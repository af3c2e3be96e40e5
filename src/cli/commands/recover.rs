use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::model::when::Calendar;
use crate::ops::{self, RecoverAction};
use crate::store::Recovered;
use crate::view::{self, Exit, plural};

/// Put back writes that another program removed
///
/// `bd` also logs each write outside the working copy until a remote has it. When `git checkout`, a merge or an editor removes
/// such a write from the ledger, every command warns, and this one puts it back: a missing line as it was, a changed line merged
/// with what it lacks. If you removed it on purpose, --discard forgets it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd recover --dry-run    what is missing
  bd recover              put it back
  bd recover --discard    it was meant to go")]
pub(super) struct RecoverArgs {
    /// Show what would be put back; change nothing
    #[arg(long, conflicts_with = "discard")]
    dry_run: bool,
    /// Forget what is missing
    #[arg(long)]
    discard: bool,
    /// Limit to this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Also recover writes from checkouts that are gone
    #[arg(long)]
    from_gone: bool,
}

pub(super) fn run(args: RecoverArgs, cx: &mut Context) -> Outcome {
    let action = match (args.dry_run, args.discard) {
        (true, _) => RecoverAction::Show,
        (_, true) => RecoverAction::Discard,
        _ => RecoverAction::PutBack,
    };
    // Missing writes are the answer here, not a warning.
    cx.answers_removed = true;
    let found = ops::recover(cx.store()?, args.repo.as_deref(), action, args.from_gone)?;
    let several = cx.has_several_repos()?;
    json_answer!(cx, view::recovery(&found, args.dry_run, args.discard));
    let calendar = cx.ui.calendar();
    for one in &found.recovered {
        cx.ui.done(&line(one, action, several, &calendar));
    }
    cx.ui.note_if(found.recovered.is_empty(), "nothing to recover");
    if !found.gone.is_empty() {
        let ids: Vec<&str> = found.gone.iter().map(|(_, id)| id.as_str()).collect();
        let count = plural(found.gone.len(), "issue");
        cx.ui.note(&format!(
            "written in checkouts that are gone, {count} (--from-gone takes them in): {}",
            ids.join(" ")
        ));
    }
    Ok(Exit::Ok)
}

fn line(one: &Recovered, action: RecoverAction, several: bool, calendar: &Calendar) -> String {
    let what = match (action, one.was_gone) {
        (RecoverAction::PutBack, true) => "Restored",
        (RecoverAction::PutBack, false) => "Merged",
        (RecoverAction::Show, true) => "Would restore",
        (RecoverAction::Show, false) => "Would merge",
        (RecoverAction::Discard, _) => "Discarded",
    };
    let fields = if one.fields.is_empty() { String::new() } else { format!(" {}", one.fields.join(", ")) };
    let fields = if action == RecoverAction::Discard { String::new() } else { fields };
    let place = if several { format!(" in {}", one.source_repo) } else { String::new() };
    format!("{what}{fields}{place} (written {} by {}): {}", calendar.local_text(&one.at), one.actor, one.id)
}
