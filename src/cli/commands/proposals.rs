use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::render;
use crate::ops::{self, Which};
use crate::view::{self, Exit, inline};

/// List proposals and their state
///
/// Without a flag, those that are open.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "Examples:
  bd proposals
  bd proposals --incoming        for maintainers
  bd proposals --mine --json
  bd proposals reconcile         after a pull: what was accepted or rejected")]
pub(super) struct ProposalsArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// Only proposals you made
    #[arg(long, group = "which")]
    mine: bool,
    /// Only proposals that await a decision here
    #[arg(long, group = "which")]
    incoming: bool,
    /// Include decided and withdrawn ones
    #[arg(long, group = "which")]
    all: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Update planning copies with what became of their proposals
    Reconcile {
        /// Show what would be done; change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(args: ProposalsArgs, cx: &mut Context) -> Outcome {
    if let Some(Action::Reconcile { dry_run }) = args.action {
        return reconcile(dry_run, cx);
    }
    let flags = [(args.mine, Which::Mine), (args.incoming, Which::Incoming), (args.all, Which::All)];
    let which = flags.into_iter().find(|(set, _)| *set).map_or(Which::Open, |(_, which)| which);
    let rows = ops::proposals(cx.store()?, which)?;
    json_answer!(cx, view::each(&rows, view::proposal));
    let calendar = cx.ui.calendar();
    let lines: Vec<[String; 6]> = rows
        .iter()
        .map(|row| {
            let proposal = &row.proposal;
            let by = if proposal.by == proposal.author { String::new() } else { format!(" by {}", proposal.by) };
            let since = format!("{}{by}", calendar.local_text(&proposal.at));
            let branches = if row.branches.is_empty() { "on no branch".to_owned() } else { row.branches.join(" ") };
            [&row.id, row.standing.word(), &proposal.author, &since, &branches, &row.title]
                .map(|cell| inline(cell).into_owned())
        })
        .collect();
    render::columns(&mut cx.ui, "", &lines);
    cx.ui.note_if(rows.is_empty(), "no proposals");
    Ok(Exit::Ok)
}

fn reconcile(dry_run: bool, cx: &mut Context) -> Outcome {
    let done = ops::reconcile(cx.store()?, dry_run)?;
    json_answer!(cx, view::reconciliation(&done, dry_run));
    for one in &done {
        cx.ui.done(&format!("{}: {}", one.id, one.what));
    }
    cx.ui.done_if(done.is_empty(), "everything is in step");
    Ok(Exit::Ok)
}
