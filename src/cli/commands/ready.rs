use clap::Args;

use super::claim::LeaseArgs;
use super::{Context, Outcome, print_page};
use crate::cache::ReadyOrder;
use crate::cli::filters::{FilterArgs, ShapeArgs, WorktreeArgs, limit};
use crate::coordination;
use crate::model::query::Expr;
use crate::ops::{self, ReadyPage};
use crate::store::{AutoClaim, ReadyFilter};
use crate::view::{self, Exit};

/// List issues that can be worked on now
///
/// Open issues that nothing blocks, most urgent first: baseline-failure, discovered:blocker, priority, oldest. `bd why ID`
/// says why an issue is not among them. An epic with open children is not offered: its children are the work. --include-epics
/// lists it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd ready\n  bd ready -n 1 --json\n  bd ready -l backend --unassigned --sort oldest\n  bd ready --compact"
)]
pub struct ReadyArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Show at most N issues, 0 for all (default: 50 for people, all with --json)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Order: priority, hybrid (recent by priority, then by age) or oldest
    #[arg(long, value_name = "ORDER", value_parser = order)]
    sort: Option<ReadyOrder>,
    /// Include deferred issues
    #[arg(long)]
    include_deferred: bool,
    /// Include epics with open children
    #[arg(long, conflicts_with = "claim")]
    include_epics: bool,
    /// Take the first one that may be handed out: accepted, yours to write, not labelled no-auto-claim or needs-attention, and
    /// whose requires:X labels you have as capabilities
    #[arg(long, conflicts_with_all = ["at", "all_worktrees", "worktree"])]
    claim: bool,
    #[command(flatten)]
    lease: LeaseArgs,
    #[command(flatten)]
    checkouts: WorktreeArgs,
    /// As it was at a revision or a date, by the commits
    #[arg(long, value_name = "REV|DATE")]
    at: Option<String>,
    #[command(flatten)]
    shape: ShapeArgs,
}

fn order(text: &str) -> Result<ReadyOrder, String> {
    match text {
        "priority" => Ok(ReadyOrder::Priority),
        "hybrid" => Ok(ReadyOrder::Hybrid),
        "oldest" => Ok(ReadyOrder::Oldest),
        _ => Err("one of priority hybrid oldest".into()),
    }
}

pub fn run(args: ReadyArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    let json = cx.ui.wants_json();
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let filter = ReadyFilter {
        filter: args.filter.expr(cx)?,
        order: args.sort.unwrap_or_default(),
        include_deferred: args.include_deferred,
        include_epics: args.include_epics,
        any_type: !args.filter.types.is_empty(),
        limit: limit(args.limit, json),
    };
    if args.claim {
        return hand_out(cx, AutoClaim { filter, wish: args.lease.wish()? });
    }
    let all = filter.filter == Expr::ALL;
    let ReadyPage { page, taken, unjoined, unknown } = ops::ready(cx.store()?, &filter, args.checkouts.asked(place))?;
    let what = if all { "nothing is ready" } else { "nothing that matches is ready" };
    let exit = print_page(cx, &page, false, &format!("{what}; run `bd blocked` to see what waits"))?;
    if taken > 0 && !json {
        let verb = if taken == 1 { "is" } else { "are" };
        let text = format!(
            "{taken} more {verb} held by others, or done or in progress in other checkouts; run `bd why ID` for the reason"
        );
        cx.ui.note(&text);
    }
    if !json && unknown > 0 {
        let what = view::inline(&view::blocker_unknown(&unjoined)).into_owned();
        match unknown {
            1 => cx.ui.note(&format!("1 more is not offered ({what}); run `bd blocked` to see it")),
            n => cx.ui.note(&format!("{n} more are not offered ({what}); run `bd blocked` to see them")),
        }
    }
    Ok(exit)
}

fn hand_out(cx: &mut Context, wanted: AutoClaim) -> Outcome {
    let claimed = coordination::claim_ready(cx.store()?, &wanted)?;
    let why = if claimed.is_some() { None } else { ops::why_nothing(cx.store()?, &wanted.filter)? };
    json_answer!(cx, view::each(&claimed, view::claimed));
    match claimed {
        Some(claimed) => {
            cx.ui.done(&view::claimed_text(&claimed));
            cx.ui.line(&view::inline(&claimed.written.issue().title));
        }
        None => cx.ui.note("nothing is ready that may be handed out"),
    }
    if let Some(why) = why {
        cx.ui.hint(&view::inline(&why.to_string()));
    }
    Ok(Exit::Ok)
}
