use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::cli::ui::Style;
use crate::ops::{self, Concern};
use crate::view::{self, Exit, inline};

/// List what needs a look: in progress without a holder, perhaps done, perhaps double, forgotten
///
/// Each issue is listed once. A commit names an issue in brackets in its first line, as in "Fix the parser (bd-a3f8)". Titles are
/// the same if they differ only in case, blanks and punctuation; the oldest of them is not listed. Deferred issues are not forgotten.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd triage\n  bd triage --days 90\n  bd triage --json")]
pub(super) struct TriageArgs {
    /// Forgotten is what was not updated for this many days
    #[arg(short, long, value_name = "N", default_value_t = 30)]
    days: u32,
}

pub(super) fn run(args: TriageArgs, cx: &mut Context) -> Outcome {
    let found = ops::triage(cx.store()?, args.days)?;
    json_answer!(cx, view::each(&found, view::triaged));
    let mut is_first = true;
    for concern in Concern::ALL {
        let own = found.iter().filter(|one| one.concern == concern);
        let lines: Vec<[String; 4]> =
            own.map(|one| view::triaged_cells(one).map(|cell| inline(&cell).into_owned())).collect();
        if lines.is_empty() {
            continue;
        }
        cx.ui.blank_if(!is_first);
        is_first = false;
        cx.ui.line(&format!("{}:", concern.heading()));
        render::columns(&mut cx.ui, "  ", &lines);
        let advice = cx.ui.paint(Style::Dim, concern.advice());
        cx.ui.line(&format!("  {advice}"));
    }
    cx.ui.note_if(found.is_empty(), "nothing needs a look");
    Ok(Exit::Ok)
}
