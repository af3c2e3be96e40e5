use clap::Args;

use super::{Context, Outcome, print_page};
use crate::cli::filters::{DoneArgs, FilterArgs, PageArgs, ShapeArgs, WorktreeArgs};
use crate::ops::{self, Listing, Only};
use crate::view::RowShape;

/// List issues
///
/// Closed issues are left out unless a status is named or --all is given, deleted ones unless --status tombstone or --deleted
/// is given.
#[derive(Debug, Args, Default)]
#[command(after_help = "Examples:
  bd list
  bd list --status open,in_progress -l backend --sort updated
  bd list --all --limit 0 --json
  bd list --parent bd-a3f8 --tree
  bd list --overdue -a me
  bd list --at v1.2
  bd list --all-worktrees
  bd list --fields id,title,labels")]
pub struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    done: DoneArgs,
    /// Every copy of an issue that stands in several repos
    #[arg(long, conflicts_with = "ready")]
    copies: bool,
    /// Only what can be worked on now
    #[arg(long)]
    ready: bool,
    #[command(flatten)]
    checkouts: WorktreeArgs,
    /// As it was at a revision or a date, by the commits
    #[arg(long, value_name = "REV|DATE")]
    at: Option<String>,
    /// Children below their parents
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    tree: Option<bool>,
    #[command(flatten)]
    shape: ShapeArgs,
    #[arg(long, hide = true, conflicts_with = "tree")]
    flat: bool,
    #[arg(long, hide = true)]
    long: bool,
    #[arg(long, hide = true)]
    pretty: bool,
}

impl ListArgs {
    pub fn of(filter: FilterArgs, copies: bool, at: Option<String>, checkouts: WorktreeArgs) -> Self {
        ListArgs { filter, copies, at, checkouts, ..ListArgs::default() }
    }
}

pub fn run(args: ListArgs, cx: &mut Context) -> Outcome {
    if cx.shape == RowShape::Full {
        args.shape.apply(cx);
    }
    let json = cx.ui.wants_json();
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let filter = args.filter.expr(cx)?;
    let sorted = args.page.sort.is_some() || args.page.reverse;
    let only = match (args.ready, args.copies) {
        (true, _) => Only::Ready { any_type: !args.filter.types.is_empty(), sorted },
        (false, true) => Only::Copies,
        (false, false) => Only::Every,
    };
    let filter = match args.ready || args.filter.names_ids() {
        true => filter,
        false => args.done.limited(filter, args.filter.names_status()),
    };
    let listing = Listing { filter, sort: args.page.sort(), limit: args.page.limit(json), only };
    let page = ops::list(cx.store()?, &listing, args.checkouts.asked(place))?;
    print_page(cx, &page, args.tree == Some(true), "no issues")
}
