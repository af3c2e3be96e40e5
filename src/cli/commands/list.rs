use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{
    DoneArgs, FilterArgs, LayoutArgs, PageArgs, ShapeArgs, WorktreeArgs, conditions, search_hint,
};
use crate::cli::render;
use crate::ops::{self, Checkouts, Listing, Only};
use crate::view::{Exit, RowShape};

/// List issues
///
/// Closed issues are left out unless a status is named or --all is given, deleted ones unless --status tombstone or --deleted
/// is given.
#[derive(Debug, Args, Default)]
#[command(after_help = "Examples:
  bd list
  bd list --status open,in_progress -l backend --sort priority,-updated
  bd list 'due<=eow' assignee=@me
  bd list @mine                   a saved query: bd config set query.mine 'assignee=@me'
  bd list --all --limit 0 --json
  bd list --parent bd-a3f8 --tree
  bd list --overdue -a me
  bd list --at v1.2
  bd list --all-worktrees
  bd list --fields id,title,labels
  bd list --columns id,due,title
  bd list --format '{id} {title}'
  bd list --ids --overdue | bd update - --priority 1")]
pub(super) struct ListArgs {
    /// Conditions, as with --where: `status=open`, `due<=eow`, a word, `@mine` for a saved query
    query: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    done: DoneArgs,
    /// Show every copy of an issue that is in several repos
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
    #[command(flatten)]
    layout: LayoutArgs,
    #[arg(long, hide = true, conflicts_with = "tree")]
    flat: bool,
    #[arg(long, hide = true)]
    long: bool,
    #[arg(long, hide = true)]
    pretty: bool,
}

impl ListArgs {
    pub(super) fn of(filter: FilterArgs, copies: bool, at: Option<String>, checkouts: WorktreeArgs) -> Self {
        ListArgs { filter, copies, at, checkouts, ..ListArgs::default() }
    }
}

pub(super) fn run(mut args: ListArgs, cx: &mut Context) -> Outcome {
    args.filter.condition = conditions(&args.query, args.filter.condition.as_ref());
    if cx.shape == RowShape::Full {
        args.shape.apply(cx);
    }
    args.layout.apply(cx)?;
    let json = cx.ui.wants_json();
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let filter = args.filter.expr(cx)?;
    let sorted = args.page.is_sorted();
    let only = match (args.ready, args.copies) {
        (true, _) => Only::Ready { any_type: args.filter.names_types(cx)?, sorted },
        (false, true) => Only::Copies,
        (false, false) => Only::Every,
    };
    let filter = match args.ready || args.filter.names_ids() {
        true => filter,
        false => {
            let names_status = args.filter.names_status(cx)?;
            args.done.limited(filter, names_status)
        }
    };
    let listing =
        Listing { filter, sort: args.page.sort(), limit: args.page.limit(json || args.layout.is_for_programs()), only };
    let checkouts = args.checkouts.requested(place);
    let (exit, total) = match checkouts {
        Checkouts::One(place) if json && cx.shape == RowShape::Full && only == Only::Every => {
            let (shown, total) = cx.json_listing(&listing, place)?;
            render::cut_note(&mut cx.ui, shown, total);
            (Exit::Ok, total)
        }
        checkouts => {
            let page = ops::list(cx.store()?, &listing, checkouts)?;
            let total = page.total;
            (cx.print_page(page, args.tree == Some(true), "no issues")?, total)
        }
    };
    let is_empty = total == 0;
    if let Some(hint) = search_hint(args.filter.condition.as_ref()).filter(|_| is_empty) {
        cx.ui.hint(&hint);
    }
    Ok(exit)
}

/// Find issues by conditions, as bd list does; `bd help query` has the language
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd query 'status=open priority<=1 label=backend'
  bd query 'updated>7d author=@me'
  bd query 'due <= 7d and not assignee = none'
  bd query '(type=bug or label=regression) and not assignee=none'
  bd query 'title~crash status=closed' --sort closed")]
pub(super) struct QueryArgs {
    /// The conditions
    #[arg(required_unless_present = "condition")]
    expression: Vec<String>,
    /// The conditions, as other commands take them
    #[arg(long = "where", value_name = "EXPR")]
    condition: Option<String>,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    done: DoneArgs,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    layout: LayoutArgs,
}

pub(super) fn run_query(args: QueryArgs, cx: &mut Context) -> Outcome {
    let QueryArgs { expression, condition, page, done, shape, layout } = args;
    let filter = FilterArgs { condition, ..FilterArgs::default() };
    run(ListArgs { query: expression, filter, page, done, shape, layout, ..ListArgs::default() }, cx)
}
