use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit, inline};

/// Explain why an issue is ready, or not
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd why bd-a3f8\n  bd why a3 --json")]
pub(super) struct WhyArgs {
    /// The issue, by id or its first characters
    id: String,
}

pub(super) fn run(args: WhyArgs, cx: &mut Context) -> Outcome {
    let explanation = ops::explain(cx.store()?, &args.id)?;
    json_answer!(cx, view::explanation(&explanation));
    let id = inline(&explanation.row.issue.id).into_owned();
    if explanation.ready {
        cx.ui.line(&format!("{id} is ready"));
    } else {
        cx.ui.line(&format!("{id} is not ready:"));
    }
    let calendar = cx.ui.calendar();
    for reason in &explanation.reasons {
        let text = view::reason_text(reason, |time| calendar.local_text(time));
        cx.ui.line(&format!("  {}", inline(&text)));
    }
    for done in &explanation.satisfied {
        cx.ui.line(&format!("  no longer waits for {}", inline(done)));
    }
    for unknown in &explanation.unknown {
        cx.ui.line(&format!("  depends on {}, which is in no ledger", inline(unknown)));
    }
    Ok(Exit::Ok)
}
