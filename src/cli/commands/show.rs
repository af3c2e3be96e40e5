use clap::Args;

use super::list;
use crate::cli::chosen::IdArgs;
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{FilterArgs, ScopeArgs, ShapeArgs, WorktreeArgs};
use crate::cli::render;
use crate::ops;
use crate::view::{self, Exit, Failure};

/// So many ids that cannot be shown are named to a person.
const NAMED: usize = 3;

/// Show issues in full; without an id, the list
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd show bd-a3f8\n  bd show a3 k9 --json\n  bd show --repo ~/.beads-planning\n  bd show a3 --at v1.2\n  bd show a3 --all-worktrees\n  bd show"
)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    named: IdArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Show every copy of an issue that is in several repos
    #[arg(long)]
    copies: bool,
    #[command(flatten)]
    checkouts: WorktreeArgs,
    /// As it was at a revision or a date, by the commits
    #[arg(long, value_name = "REV|DATE")]
    at: Option<String>,
    /// One line each
    #[arg(long)]
    short: bool,
    #[command(flatten)]
    shape: ShapeArgs,
    #[arg(long, hide = true)]
    long: bool,
    #[arg(long, hide = true)]
    include_dependents: bool,
    #[arg(long, hide = true)]
    include_comments: bool,
}

pub(super) fn run(args: ShowArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    if args.named.ids.is_empty() {
        let filter = FilterArgs { scope: args.scope, ..FilterArgs::default() };
        return list::run(list::ListArgs::of(filter, args.copies, args.at, args.checkouts), cx);
    }
    cx.go_back(args.at.as_deref())?;
    let place = cx.go_to(args.checkouts.worktree.as_deref())?;
    let ids = args.named.read(cx)?;
    let store = cx.store()?;
    let mut shown = Vec::new();
    let mut failures = Vec::new();
    for typed in ids {
        let found = if args.checkouts.all_worktrees {
            ops::show_in_all_worktrees(store, &typed)
        } else {
            let copies = ops::show_copies(store, &typed, &args.scope.repo, args.copies);
            if args.at.is_none() { ops::show_past(store, &typed, copies) } else { copies }
        };
        match found {
            Ok(all) => shown.extend(all.into_iter().map(|mut one| {
                one.row.place = one.row.place.take().or_else(|| place.clone());
                one
            })),
            Err(error) => match Failure::from(error) {
                // The ledger changed meanwhile, or the cache failed: the id is not the problem.
                failure if matches!(failure.exit, Exit::Busy | Exit::Failed) => return Err(failure),
                failure => failures.push((typed, failure)),
            },
        }
    }
    if !args.checkouts.all_worktrees {
        ops::mark_elsewhere(cx.store()?, &mut shown)?;
    }
    if cx.ui.wants_json() {
        cx.json_rows(shown.iter().map(view::detail))?;
    } else {
        let marks = ops::marks(cx.store()?, shown.iter().map(|one| &one.row).filter(|_| args.short))?;
        let (index, ui) = cx.index()?;
        if args.short {
            render::rows(ui, &index, shown.iter().map(|one| &one.row), &marks);
        } else {
            for (n, one) in shown.iter().enumerate() {
                ui.blank_if(n > 0);
                render::shown(ui, &index, one);
            }
        }
    }
    let all = failures.len();
    let reported = if cx.ui.wants_json() { all } else { NAMED };
    let exit = cx.fail_each(failures.into_iter().take(reported));
    cx.ui.note_if(all > reported, &format!("and {} more", all.saturating_sub(reported)));
    Ok(exit)
}
