use clap::Args;

use super::{Context, Outcome, print_page};
use crate::cli::filters::{PageArgs, not_done};
use crate::model::query::{self, Expr, Field, QueryContext};
use crate::ops::OpError;

/// Find issues by conditions
///
/// Conditions are FIELD OP VALUE without blanks: = != < <= > >= and ~ (contains). Side by side they mean AND; OR, NOT and
/// brackets work too. Fields: id title description notes text status type priority label assignee author owner parent
/// external_ref visibility repo project created updated started closed due defer. A length of time such as 7d means that long
/// ago, so updated>7d is what changed within the last week. `me` is you, `none` is no value, a comma is OR. Without a
/// condition on status, closed and deleted issues are left out.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd query 'status=open priority<=1 label=backend'
  bd query 'updated>7d author=me'
  bd query '(type=bug or label=regression) and not assignee=none'
  bd query 'title~crash status=closed' --sort closed")]
pub struct QueryArgs {
    /// The conditions
    #[arg(required = true)]
    expression: Vec<String>,
    #[command(flatten)]
    page: PageArgs,
    /// Closed and deleted ones too
    #[arg(long)]
    all: bool,
}

pub fn run(args: QueryArgs, cx: &mut Context) -> Outcome {
    let json = cx.ui.wants_json();
    let me = cx.actor()?;
    let calendar = cx.host().clock.calendar();
    let text = args.expression.join(" ");
    let expr = query::parse(&text, &QueryContext { me: &me, calendar: &calendar }).map_err(OpError::from)?;
    let names_status = expr.mentions(Field::Status) || expr.mentions(Field::Closed);
    let expr = if args.all || names_status { expr } else { Expr::And(vec![expr, not_done()]) };
    let page = cx.store()?.list(&expr, args.page.sort(), args.page.limit(json))?;
    print_page(cx, &page, false, "no issues")
}
