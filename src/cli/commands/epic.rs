use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::model::change::Change;
use crate::ops;
use crate::view::{self, Exit, inline};

/// Show the progress of epics
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd epic status\n  bd epic status --eligible-only --json\n  bd epic close-eligible --dry-run"
)]
pub(super) struct EpicArgs {
    #[command(subcommand)]
    command: Option<EpicCommand>,
}

#[derive(Debug, Subcommand)]
enum EpicCommand {
    /// List open epics with the number of closed and all children
    #[command(visible_alias = "list")]
    Status {
        /// Only epics whose children are all closed
        #[arg(long)]
        eligible_only: bool,
    },
    /// Close epics whose children are all closed
    CloseEligible {
        /// Show which; change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(args: EpicArgs, cx: &mut Context) -> Outcome {
    let (eligible_only, close) = match args.command {
        None => (false, false),
        Some(EpicCommand::Status { eligible_only }) => (eligible_only, false),
        Some(EpicCommand::CloseEligible { dry_run }) => (true, !dry_run),
    };
    let epics = ops::epics(cx.store()?, eligible_only)?;
    if close {
        let ids: Vec<String> = epics.iter().map(|(row, _)| row.issue.id.clone()).collect();
        let reason = Some("all children are closed".to_owned());
        let batch = ops::change_each(cx.store()?, &ids, |_| vec![Change::Close { reason: reason.clone() }])?;
        cx.ui.note_if(batch.results.is_empty(), "no epic has all its children closed");
        return cx.report(batch, |written| format!("Closed {}", written.id));
    }
    json_answer!(cx, view::each(&epics, |(row, progress)| view::epic(row, progress)));
    let lines = epics.iter().map(|(row, progress)| {
        let done = format!("{}/{} closed", progress.closed, progress.children);
        [inline(&row.issue.id).into_owned(), done, inline(&row.issue.title).into_owned()]
    });
    render::columns(&mut cx.ui, "", &lines.collect::<Vec<_>>());
    if epics.is_empty() {
        cx.ui.note(if eligible_only { "no epic has all its children closed" } else { "no open epics" });
    }
    Ok(Exit::Ok)
}
