use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{ScopeArgs, ShapeArgs};
use crate::cli::render;
use crate::model::query::{Expr, Field};
use crate::ops;
use crate::view::{self, Exit, inline};

/// List blocked issues and what they wait for
///
/// Lists issues with open blockers, those below a blocked ancestor, and those whose status is `blocked`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd blocked\n  bd blocked --parent bd-a3f8 --json")]
pub(super) struct BlockedArgs {
    /// Only children of an issue (`none`: issues without a parent)
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Show at most N issues, 0 for all (default: all)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    shape: ShapeArgs,
}

pub(super) fn run(args: BlockedArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    let filter = match args.parent {
        Some(parent) => Expr::And(vec![Expr::value(Field::Parent, &parent), args.scope.expr()]),
        None => args.scope.expr(),
    };
    let limit = args.limit.filter(|limit| *limit > 0);
    let ops::BlockedPage { rows: found, total, unjoined } = ops::blocked(cx.store()?, filter, limit)?;
    if cx.ui.wants_json() {
        cx.json_rows(found.iter().map(view::blocked))?;
        render::cut_note(&mut cx.ui, found.len(), total);
        return Ok(Exit::Ok);
    }
    let (index, ui) = cx.index()?;
    let unknown = match unjoined.is_empty() {
        true => " (in no ledger)".to_owned(),
        false => format!(" ({})", inline(&view::blocker_unknown(&unjoined))),
    };
    let lines = found.iter().map(|one| {
        let waits = one.blocked.blockers.iter().map(|blocker| {
            let unknown = if blocker.known { "" } else { unknown.as_str() };
            format!("{}{unknown}", inline(&view::waits_for(blocker)))
        });
        let above = one.blocked.inherited.iter();
        let above = above.map(|inherited| format!("is below {}, which is blocked", inline(&inherited.ancestor)));
        (&one.row, waits.chain(above).collect())
    });
    render::noted_rows(ui, &index, &lines.collect::<Vec<_>>());
    ui.note_if(found.is_empty(), "nothing is blocked");
    render::cut_note(ui, found.len(), total);
    Ok(Exit::Ok)
}
