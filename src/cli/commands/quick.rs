use clap::Args;

use super::{Context, Outcome};
use crate::model::change::NewIssue;
use crate::model::issue::Priority;
use crate::ops::{self, Filing, OpError};
use crate::view::{Exit, inline};

/// File an issue and print only its id
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd q \"Look into the slow start\"\n  id=$(bd q \"Fix it\" -p high -t bug)\n  bd q Part two --parent bd-a3f8 --deps bd-k9"
)]
pub struct QuickArgs {
    /// The title; words need no quotes
    #[arg(required = true)]
    title: Vec<String>,
    /// Type: bug, feature, task, epic, chore, …
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Priority: 0 (urgent) to 4, or critical, high, medium, low, backlog
    #[arg(short, long, value_name = "N")]
    priority: Option<String>,
    /// Labels, comma-separated
    #[arg(short, long = "labels", value_name = "LABEL", value_delimiter = ',', alias = "label")]
    labels: Vec<String>,
    /// The parent issue
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// Dependencies, comma-separated
    #[arg(long, value_name = "TYPE:ID", value_delimiter = ',')]
    deps: Vec<String>,
    /// The repo to file it in (default: its parent's, else by routing)
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
}

pub fn run(args: QuickArgs, cx: &mut Context) -> Outcome {
    let mut issue = NewIssue::titled(args.title.join(" "));
    if let Some(text) = &args.priority {
        issue.priority = Priority::typed(text).map_err(OpError::from)?;
    }
    if let Some(word) = &args.kind {
        issue.issue_type = ops::check_type(cx.store()?, word)?;
    }
    issue.labels = args.labels;
    let dependencies = args.deps.iter().map(|text| ops::parse_dependency(text)).collect::<Result<Vec<_>, _>>()?;
    let filing = Filing { repo: args.repo, parent: args.parent, dependencies, ..Filing::of(issue) };
    super::tell_contributor(cx)?;
    let written = ops::file_all(cx.store()?, vec![filing])?;
    written.iter().for_each(|issue| cx.ui.line(&inline(&issue.id)));
    Ok(Exit::Ok)
}
