use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::{DoneArgs, LayoutArgs, PageArgs, ShapeArgs, conditions, names_status, search_hint};
use crate::model::field;
use crate::ops;

/// Find issues by conditions
#[derive(Debug, Args)]
#[command(long_about = about(), after_help = "Examples:
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

fn about() -> String {
    format!(
        "Find issues by conditions

Conditions are FIELD OP VALUE: = != < <= > >= and ~ (contains). Side by side they mean AND; OR, NOT and brackets work too. \
Fields: {}. A word alone is searched for in every text. `me` or `@me` is you, `none` means no value, a comma means OR, quotes \
keep blanks and commas; names of people match in any case.

Dates are days in your time zone: created=today, closed>=monday, due<=2026-03-01. A length of time such as 7d counts from now, \
back for what has happened and ahead for due and defer: updated>7d is what changed within the last week, due<=7d what is due \
within the next.

A field, status, type, visibility, repo or id that does not exist is an error. Without a condition on status, closed issues are \
left out; status=all includes them. Deleted ones are left out unless status=tombstone or --deleted asks for them.",
        field::query_names().join(" ")
    )
}

pub(super) fn run(args: QueryArgs, cx: &mut Context) -> Outcome {
    args.shape.apply(cx);
    args.layout.apply(cx)?;
    let json = cx.ui.wants_json();
    let condition = conditions(&args.expression, args.condition.as_ref());
    let expr = ops::parse_query(cx.store()?, condition.as_deref().unwrap_or_default())?;
    let names_status = names_status(&expr);
    let expr = args.done.limited(expr, names_status);
    let page =
        ops::list_by(cx.store()?, &expr, args.page.sort(), args.page.limit(json || args.layout.is_for_programs()))?;
    let is_empty = page.total == 0;
    let exit = cx.print_page(page, false, "no issues")?;
    if let Some(hint) = search_hint(condition.as_ref()).filter(|_| is_empty) {
        cx.ui.hint(&hint);
    }
    Ok(exit)
}
