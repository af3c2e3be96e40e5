use clap::Args;

use super::{Context, Outcome, print_page};
use crate::cli::filters::{DoneArgs, FilterArgs, PageArgs, WorktreeArgs};
use crate::model::query::{Expr, Field};
use crate::ops;
use crate::store::{Page, ReadyFilter, Store};

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
  bd list --all-worktrees")]
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
    let json = cx.ui.wants_json();
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let filter = args.filter.expr(cx)?;
    let limit = args.page.limit(json);
    let page = if args.checkouts.all_worktrees {
        ops::in_all_worktrees(cx.store()?, limit, |store, also| {
            ask(store, &args, &Expr::And(vec![filter.clone(), also.clone()]), None)
        })?
    } else {
        let mut page = ask(cx.store()?, &args, &filter, limit)?;
        cx.store()?.mark_elsewhere(&mut page.rows)?;
        page.rows.iter_mut().for_each(|row| row.place = place.clone());
        page
    };
    print_page(cx, &page, args.tree == Some(true), "no issues")
}

fn ask(store: &mut Store, args: &ListArgs, filter: &Expr, limit: Option<usize>) -> ops::Result<Page> {
    if args.ready {
        let sorted = args.page.sort.is_some() || args.page.reverse;
        let any_type = !args.filter.types.is_empty();
        let limited = if sorted { None } else { limit };
        let filter = filter.clone();
        let page = store.ready(&ReadyFilter { filter, limit: limited, any_type, ..ReadyFilter::default() })?;
        if !sorted {
            return Ok(page);
        }
        let ids = Expr::any_of(Field::Id, page.rows.into_iter().map(|row| row.issue.id));
        return Ok(store.list(&ids, args.page.sort(), limit)?);
    }
    let filter = match args.filter.names_ids() {
        true => filter.clone(),
        false => args.done.limited(filter.clone(), args.filter.names_status()),
    };
    if args.copies {
        return Ok(store.list_copies(&filter, args.page.sort(), limit)?);
    }
    Ok(store.list(&filter, args.page.sort(), limit)?)
}
