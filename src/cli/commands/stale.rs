use clap::Args;

use crate::cache::{Sort, SortBy};
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{LayoutArgs, ScopeArgs, ShapeArgs, limit};
use crate::model::issue::Status;
use crate::model::query::{Expr, Field, Op, Value};
use crate::model::time::DAY;
use crate::ops::{self, not_done};

/// List issues not updated for a while, oldest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd stale\n  bd stale --days 7 --status in_progress")]
pub(super) struct StaleArgs {
    /// Not updated for this many days
    #[arg(short, long, value_name = "N", default_value_t = 30)]
    days: u32,
    /// Only issues with this status
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Show at most N issues, 0 for all
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    shape: ShapeArgs,
    #[command(flatten)]
    layout: LayoutArgs,
}

pub(super) fn run(args: StaleArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    args.layout.apply(cx)?;
    let json = cx.ui.wants_json();
    let before = cx.host().clock.now().plus_nanos(-i64::from(args.days).saturating_mul(DAY));
    let mut parts = vec![Expr::Is(Field::Updated, Op::Less, Value::Time(before)), not_done(), args.scope.expr()];
    if let Some(word) = &args.status {
        parts.push(Expr::text(Field::Status, Status::typed(word).as_str()));
    }
    let filter = ops::with_known_words(cx.store()?, Expr::And(parts))?;
    let sort = Sort { reverse: true, ..Sort::by(SortBy::Updated) };
    let page = ops::list_by(cx.store()?, &filter, sort, limit(args.limit, json || args.layout.is_for_programs()))?;
    cx.print_page(page, false, "nothing is stale")
}
