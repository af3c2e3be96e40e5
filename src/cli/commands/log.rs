use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::limit;
use crate::cli::ui::{Style, Ui};
use crate::cli::width::{cells_of, plain_cells};
use crate::ops;
use crate::store::{Event, LogQuery};
use crate::view::{self, Exit, inline};

/// Show who changed which field of which issue, newest first
///
/// Read from the commits of every repo of the project; what is not committed yet comes first. Names that a ledger had before
/// are followed, and so are the ids that an issue had before.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd log bd-a3f8
  bd log --since v1.2 --field status
  bd log --since 7d --author ann --json
  bd log --repo ~/.beads-planning -n 10")]
pub(super) struct LogArgs {
    /// The issue; it may have left the ledger
    id: Option<String>,
    /// Only changes after a revision or a date
    #[arg(long, value_name = "REV|DATE")]
    since: Option<String>,
    /// Only changes by people whose name or address contains this
    #[arg(long, value_name = "TEXT")]
    author: Option<String>,
    /// Only changes of this field (status, title, labels, …)
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    field: Vec<String>,
    /// Only changes in this repo of the project
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Show at most N changes, 0 for all (default: 50 for people, all with --json)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: LogArgs, cx: &mut Context) -> Outcome {
    let json = cx.ui.wants_json();
    let query = LogQuery {
        since: args.since.as_deref().map(|text| cx.moment(text)),
        author: args.author,
        fields: args.field,
        limit: limit(args.limit, json),
        ..LogQuery::default()
    };
    let mut printer = Printer { several: cx.has_several_repos()?, under: None };
    let (store, ui) = cx.parts()?;
    let mut array = json.then(|| ui.begin_array());
    let end = ops::log(store, args.id.as_deref(), args.repo.as_deref(), query, |event| match &mut array {
        Some(array) => ui.add_item(array, &view::event(&event).finish()),
        None => printer.print(ui, &event),
    });
    if let Some(array) = array {
        cx.end_array(&array);
    }
    let end = end?;
    if !json && printer.under.is_none() {
        cx.ui.note("no changes");
    }
    if let Some((old, new)) = &end.renamed {
        cx.ui.note(&format!("{}; see also `bd log {new}`", view::renamed_text(old, new)));
    }
    for repo in &end.without_past {
        cx.ui.note(&format!("{repo} is not under version control, so it has no history"));
    }
    for commit in &end.cut {
        cx.ui.note(&format!("the history ends at {}: this is a shallow clone", view::short(commit)));
    }
    if end.is_limited {
        cx.ui.note("there are more; -n 0 shows all");
    }
    Ok(Exit::Ok)
}

/// Prints changes for people, those of one commit under one heading.
struct Printer {
    several: bool,
    /// The commit and the repo of the last one.
    under: Option<(Option<String>, String)>,
}

impl Printer {
    fn print(&mut self, ui: &mut Ui, event: &Event) {
        let group = (event.commit.as_ref().map(|commit| commit.id.clone()), event.source_repo.clone());
        if self.under.as_ref() != Some(&group) {
            ui.blank_if(self.under.is_some());
            let repo = if self.several { format!("  [{}]", inline(&event.source_repo)) } else { String::new() };
            let head = match &event.commit {
                None => [(Style::Yellow, "not committed".to_owned()), (Style::Plain, repo)].to_vec(),
                Some(commit) => {
                    let by = format!("  {}  {}  ", ui.calendar().full(commit.authored), inline(&commit.author));
                    let summary = inline(&commit.summary).into_owned();
                    [
                        (Style::Yellow, view::short(commit).to_owned()),
                        (Style::Plain, by),
                        (Style::Dim, summary),
                        (Style::Plain, repo),
                    ]
                    .to_vec()
                }
            };
            ui.cells("", "  ", &cells_of(&head));
            self.under = Some(group);
        }
        ui.cells("  ", "    ", &plain_cells(&inline(&view::event_text(event))));
        for text in view::event_changes(event, &ui.calendar()) {
            ui.cells("      ", "        ", &plain_cells(&inline(&text)));
        }
    }
}
