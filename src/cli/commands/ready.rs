use clap::Args;

use super::claim::LeaseArgs;
use crate::cache::{ReadyOrder, Sort};
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{FilterArgs, LayoutArgs, ShapeArgs, WorktreeArgs, limit, sort_key};
use crate::model::query::Expr;
use crate::ops::{self, Marks, ReadyPage};
use crate::store::{AutoClaim, ReadyFilter};
use crate::view::{self, Exit, Failure};

/// List issues that can be worked on now
///
/// Open issues that nothing blocks, most urgent first: baseline-failure, discovered:blocker, priority, oldest. `bd why ID`
/// says why an issue is not among them. An epic with open children is not offered: its children are the work. --include-epics
/// lists it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd ready\n  bd ready -n 1 --json\n  bd ready -l backend --unassigned --sort oldest\n  bd ready --compact"
)]
pub(super) struct ReadyArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Show at most N issues, 0 for all (default: 50 for people, all with --json)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Order: priority, hybrid (recent by priority, then by age), oldest, or fields as with `bd list --sort`
    #[arg(long, value_name = "ORDER", value_parser = order, allow_hyphen_values = true)]
    sort: Option<Order>,
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
    /// Only what --claim would hand out: a loop that works while this lists something ends
    #[arg(long, conflicts_with_all = ["claim", "at", "all_worktrees", "worktree"])]
    claimable: bool,
    #[command(flatten)]
    lease: LeaseArgs,
    #[command(flatten)]
    checkouts: WorktreeArgs,
    /// As it was at a revision or a date, by the commits
    #[arg(long, value_name = "REV|DATE")]
    at: Option<String>,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    layout: LayoutArgs,
    #[arg(long, hide = true)]
    pretty: bool,
    #[arg(long, hide = true)]
    plain: bool,
}

/// An order of what is ready, or one of any list.
#[derive(Debug, Clone)]
enum Order {
    Ready(ReadyOrder),
    Fields(Sort),
}

fn order(text: &str) -> Result<Order, String> {
    Ok(match text.to_lowercase().as_str() {
        "priority" => Order::Ready(ReadyOrder::Priority),
        "hybrid" => Order::Ready(ReadyOrder::Hybrid),
        "oldest" => Order::Ready(ReadyOrder::Oldest),
        _ => {
            let keys = text.split(',').map(sort_key).collect::<Result<_, _>>();
            let keys = keys.map_err(|known| format!("one of priority hybrid oldest, or {known}"))?;
            Order::Fields(Sort { keys, reverse: false })
        }
    })
}

pub(super) fn run(args: ReadyArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    args.layout.apply(cx)?;
    let json = cx.ui.wants_json();
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let (order, sort) = match args.sort {
        Some(Order::Fields(_)) if args.claim => {
            return Err(Failure::usage("with --claim, --sort is one of priority hybrid oldest"));
        }
        Some(Order::Fields(sort)) => (ReadyOrder::default(), Some(sort)),
        Some(Order::Ready(order)) => (order, None),
        None => (ReadyOrder::default(), None),
    };
    let filter = ReadyFilter {
        filter: args.filter.expr(cx)?,
        order,
        sort,
        include_deferred: args.include_deferred,
        include_epics: args.include_epics,
        any_type: args.filter.names_types(cx)?,
        limit: limit(args.limit, json || args.layout.is_for_programs()),
    };
    if args.claim {
        return hand_out(cx, AutoClaim { filter, wish: args.lease.wish()?, ..AutoClaim::default() });
    }
    if args.claimable {
        let page = ops::claimable(cx.store()?, &filter)?;
        return cx.print_marked(&page, &Marks::default(), false, "nothing is ready that may be handed out");
    }
    let all = filter.filter == Expr::ALL;
    let ReadyPage { page, taken, unjoined, unknown } =
        ops::ready(cx.store()?, &filter, args.checkouts.requested(place))?;
    let what = if all { "nothing is ready" } else { "nothing that matches is ready" };
    // Ready issues are neither blocked nor claimed.
    let none = format!("{what}; run `bd blocked` to see what waits");
    let more = if page.rows.is_empty() { "" } else { " more" };
    let exit = cx.print_marked(&page, &Marks::default(), false, &none)?;
    if taken > 0 && !json {
        let verb = if taken == 1 { "is" } else { "are" };
        let text = format!(
            "{taken}{more} {verb} held by others, or done or in progress in other checkouts; run `bd why ID` for the reason"
        );
        cx.ui.note(&text);
    }
    if !json && args.at.is_none() {
        match ops::abandoned(cx.store()?)?.len() {
            0 => {}
            1 => cx.ui.note(&format!("1{more} is in progress without a claim; run `bd doctor` to see it")),
            n => cx.ui.note(&format!("{n}{more} are in progress without a claim; run `bd doctor` to see them")),
        }
    }
    if !json && unknown > 0 {
        let what = view::inline(&view::blocker_unknown(&unjoined)).into_owned();
        match unknown {
            1 => cx.ui.note(&format!("1{more} is not offered ({what}); run `bd blocked` to see it")),
            n => cx.ui.note(&format!("{n}{more} are not offered ({what}); run `bd blocked` to see them")),
        }
    }
    Ok(exit)
}

fn hand_out(cx: &mut Context, wanted: AutoClaim) -> Outcome {
    let claimed = ops::claim_ready(cx.store()?, &wanted)?;
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
