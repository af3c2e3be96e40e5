use clap::Args;

use crate::cache::Sort;
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::model::query::Expr;
use crate::ops::{self, not_done};
use crate::view::{self, Exit, inline, plural};

/// Check issues for the sections that their type needs
///
/// A bug needs "Steps to Reproduce" and "Acceptance Criteria", a task and a feature "Acceptance Criteria", an epic "Success Criteria":
/// as a heading in the description, or in the field for it (--acceptance). The setting `lint.sections` names others: with it, only
/// the types that it names are checked. Exits 1 if something is missing.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd lint\n  bd lint bd-a3f8 k9\n  bd lint --type bug --status all\n  bd config set --shared lint.sections 'bug: Steps to Reproduce' 'epic: Success Criteria'"
)]
pub(super) struct LintArgs {
    /// Only these issues, by id or its first characters (`-`: ids from standard input; default: all that are not closed)
    ids: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

pub(super) fn run(args: LintArgs, cx: &mut Context) -> Outcome {
    let rows = if args.ids.is_empty() {
        let usual = if args.filter.status.is_empty() { not_done() } else { Expr::ALL };
        let filter = Expr::And(vec![args.filter.expr(cx)?, usual]);
        ops::list_by(cx.store()?, &filter, Sort::default(), None)?.rows
    } else {
        let ids = cx.named(&args.ids)?;
        ops::named(cx.store()?, &ids)?
    };
    let (found, checked) = ops::lint(cx.store()?, rows)?;
    let exit = if found.is_empty() { Exit::Ok } else { Exit::Failed };
    if cx.ui.wants_json() {
        cx.json(view::lint(&found));
        return Ok(exit);
    }
    for one in &found {
        let issue = &one.row.issue;
        let line = format!("{} [{}]: {}", issue.id, issue.issue_type, issue.title);
        cx.ui.line(&inline(&line));
        one.missing.iter().for_each(|section| cx.ui.line(&format!("  missing: {section}")));
    }
    if found.is_empty() {
        cx.ui.done(&format!("nothing is missing ({} checked)", plural(checked, "issue")));
    }
    Ok(exit)
}
