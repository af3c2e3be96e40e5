use clap::Args;

use crate::cache::GroupBy;
use crate::cli::context::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::ops;
use crate::view::{self, Exit, inline};

/// Count issues
///
/// Counts every issue that is not deleted, closed ones included; filters narrow it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd count --status open\n  bd count --by status\n  bd count --by label --type bug --json"
)]
pub(super) struct CountArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Group by status, priority, type, assignee or label
    #[arg(long, value_name = "FIELD", value_parser = group, group = "grouping")]
    by: Option<GroupBy>,
    #[arg(long, hide = true, group = "grouping")]
    by_status: bool,
    #[arg(long, hide = true, group = "grouping")]
    by_priority: bool,
    #[arg(long, hide = true, group = "grouping")]
    by_type: bool,
    #[arg(long, hide = true, group = "grouping")]
    by_assignee: bool,
    #[arg(long, hide = true, group = "grouping")]
    by_label: bool,
}

fn group(text: &str) -> Result<GroupBy, String> {
    match text {
        "status" => Ok(GroupBy::Status),
        "priority" => Ok(GroupBy::Priority),
        "type" => Ok(GroupBy::Type),
        "assignee" => Ok(GroupBy::Assignee),
        "label" => Ok(GroupBy::Label),
        _ => Err("one of status priority type assignee label".into()),
    }
}

pub(super) fn run(args: CountArgs, cx: &mut Context) -> Outcome {
    let filter = args.filter.expr(cx)?;
    let flags = [
        (args.by_status, GroupBy::Status),
        (args.by_priority, GroupBy::Priority),
        (args.by_type, GroupBy::Type),
        (args.by_assignee, GroupBy::Assignee),
        (args.by_label, GroupBy::Label),
    ];
    let by = args.by.or_else(|| flags.into_iter().find(|(set, _)| *set).map(|(_, by)| by));
    let (total, groups) = ops::count(cx.store()?, filter, by)?;
    if by.is_none() {
        json_answer!(cx, view::count(total));
        cx.ui.line(&total.to_string());
        return Ok(Exit::Ok);
    }
    json_answer!(cx, view::groups(&groups, total));
    groups.iter().for_each(|(group, count)| cx.ui.line(&format!("{count:>6}  {}", inline(group))));
    cx.ui.note_if(groups.is_empty(), "no issues");
    Ok(Exit::Ok)
}
