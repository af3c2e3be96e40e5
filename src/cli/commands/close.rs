use clap::Args;

use crate::cli::chosen::{CareArgs, ChosenArgs};
use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::cli::report::with_force;
use crate::model::change::Change;
use crate::model::issue::status_of;
use crate::model::record::Record;
use crate::ops::{self, Replacement};
use crate::store::Written;
use crate::view::{self, Exit, Failure, inline};

/// Close issues
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd close bd-a3f8 -r \"fixed in 4f2e\"
  bd done a3 k9 m2
  bd close a3 --suggest-next      and show what that made ready
  bd close a3 --duplicate-of k9
  bd close --where 'label=spike updated<30d' -r \"not pursued\"")]
pub(super) struct CloseArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Why; replaces the reason of a closed issue, and an empty text removes it
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    reason: Option<String>,
    /// Read the reason from a file (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "reason")]
    reason_file: Option<String>,
    /// Close as a duplicate of this issue
    #[arg(long, value_name = "ID")]
    duplicate_of: Option<String>,
    /// Close as superseded by this issue
    #[arg(long, value_name = "ID", conflicts_with = "duplicate_of")]
    superseded_by: Option<String>,
    /// Show what became ready
    #[arg(long)]
    suggest_next: bool,
    /// Close even if the issue is blocked or has open children or tasks
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    care: CareArgs,
}

/// What to say of an issue that was to be closed. One that was closed keeps its reason, unless another was given.
fn closed_line(written: &Written) -> String {
    let reason = |line: &str| Record::parse(line).ok()?.text_of("close_reason").map(|text| text.into_owned());
    let was_closed = |line: &str| Record::parse(line).is_ok_and(|record| status_of(&record).as_str() == "closed");
    let id = &written.id;
    match written.before.as_deref() {
        _ if !written.changed => format!("Already closed: {id}"),
        Some(before) if was_closed(before) => match (reason(before), reason(&written.line)) {
            (old, new) if old == new => format!("Already closed: {id}"),
            (Some(old), None) => format!("Already closed; removed the reason {:?}: {id}", inline(&old)),
            (Some(old), _) => format!("Already closed; replaced the reason {:?}: {id}", inline(&old)),
            (None, _) => format!("Already closed; added the reason: {id}"),
        },
        _ => format!("Closed {id}"),
    }
}

pub(super) fn run(args: CloseArgs, cx: &mut Context) -> Outcome {
    args.chosen.require()?;
    let reason = cx.text(args.reason.as_deref(), args.reason_file.as_deref(), false)?;
    let ids = args.chosen.ids(cx)?;
    let duplicate = args.duplicate_of.as_ref().map(|by| (by, Replacement::Duplicate));
    let changes = match duplicate.or(args.superseded_by.as_ref().map(|by| (by, Replacement::Superseded))) {
        Some((by, why)) => ops::replacement(cx.store()?, &ids, by, why, reason)?.0,
        None => vec![Change::Close { reason }],
    };
    let changes = with_force(changes, args.force);
    if !args.care.agrees(cx, "Close", ids.len()) {
        return Ok(Exit::Failed);
    }
    if args.care.dry_run {
        let batch = ops::rehearse_each(cx.store()?, &ids, |_| changes.clone())?;
        return cx.report_rehearsal(batch);
    }
    let done = ops::change_each(cx.store()?, &ids, |_| changes.clone());
    if let Some(words) = cx.words_after_ids(&ids, &done) {
        return done.map(|_| Exit::Failed).map_err(|error| {
            Failure::from(error).without_hint().shell(format!("a reason follows -r: `bd close ID -r {words:?}`"))
        });
    }
    let batch = done?;
    if !args.suggest_next {
        return cx.report(batch, closed_line);
    }
    let closed: Vec<String> = batch.written().map(|written| written.id.clone()).collect();
    let next = ops::unblocked_by(cx.store()?, &closed)?;
    if cx.ui.wants_json() {
        cx.json(view::closed(&batch.written().collect::<Vec<_>>(), &next));
        return cx.report_failures(batch);
    }
    let exit = cx.report(batch, closed_line)?;
    let (index, ui) = cx.index()?;
    if next.is_empty() {
        ui.note("nothing became ready by it");
    } else {
        ui.done("Ready now:");
        render::rows(ui, &index, &next, &ops::Marks::default());
    }
    Ok(exit)
}
