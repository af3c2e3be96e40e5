use clap::Args;

use super::{Context, Outcome, report, require_ids};
use crate::cli::render;
use crate::model::change::Change;
use crate::ops;
use crate::view::{self, Object};

/// Close issues
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd close bd-a3f8 -r \"fixed in 4f2e\"
  bd done a3 k9 m2
  bd close a3 --suggest-next      and show what that made ready")]
pub struct CloseArgs {
    /// Issues, by id or its first characters
    ids: Vec<String>,
    /// Why
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Read the reason from a file (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "reason")]
    reason_file: Option<String>,
    /// Show what became ready by it
    #[arg(long)]
    suggest_next: bool,
    /// Close even if it is blocked or has open children or tasks
    #[arg(short, long)]
    force: bool,
}

pub fn run(args: CloseArgs, cx: &mut Context) -> Outcome {
    require_ids(&args.ids)?;
    let reason = cx.text(args.reason.as_deref(), args.reason_file.as_deref(), false)?;
    if args.force {
        cx.store()?.force();
    }
    let batch = ops::change_each(cx.store()?, &args.ids, |_| vec![Change::Close { reason: reason.clone() }])?;
    let line = |written: &crate::store::Written| {
        if written.changed { format!("Closed {}", written.id) } else { format!("Already closed: {}", written.id) }
    };
    if !args.suggest_next {
        return report(cx, batch, line);
    }
    let closed: Vec<String> = batch.written().map(|written| written.id.clone()).collect();
    let next = ops::unblocked_by(cx.store()?, &closed)?;
    if cx.ui.wants_json() {
        let object = Object::new().raw("closed", &view::replies(batch.written())).raw("unblocked", &view::rows(&next));
        cx.json(object.finish());
        return super::report_failures(cx, batch);
    }
    let exit = report(cx, batch, line)?;
    let (store, ui) = cx.parts()?;
    if next.is_empty() {
        ui.note("nothing became ready by it");
    } else {
        let index = store.prefix_index()?;
        ui.done("Ready now:");
        render::rows(ui, &index, &next);
    }
    Ok(exit)
}
