use clap::Args;

use crate::cli::chosen::{CareArgs, ChosenArgs};
use crate::cli::context::{Context, Outcome};
use crate::cli::report::{changed_line, with_force};
use crate::model::change::Change;
use crate::model::field::Field;
use crate::model::issue::Priority;
use crate::model::json::{self, Dialect};
use crate::model::query::is_none;
use crate::model::when::When;
use crate::ops::{self, OpError};
use crate::view::{Exit, Failure};

/// Change fields of issues
///
/// An empty text clears a field. --notes replaces the notes; --append-notes and `bd note` add to them.
///
/// Several issues are changed in one write of each ledger, and one `bd undo` takes all of it back. If one of the ids or values is
/// not valid, nothing is written. At a terminal `bd` asks before it changes more than ten issues, unless --yes is given or the
/// ids come from standard input; a script is not asked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd update bd-a3f8 --status in_progress --assignee me
  bd update a3 k9 --priority 1 --add-label urgent
  bd update a3 --due \"next monday\" --parent bd-e1
  bd update a3 --parent none     detach it from its parent
  bd update --where 'label=ui status=open' --add-label frontend --dry-run
  bd list --ids --overdue | bd update - --priority 1")]
pub(super) struct UpdateArgs {
    #[command(flatten)]
    chosen: ChosenArgs,
    /// Status: open, in_progress, blocked, deferred, closed, pinned or hooked
    #[arg(short, long, value_name = "STATUS")]
    status: Option<String>,
    /// Priority: 0 to 4, or critical, high, medium, low, backlog
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// Type: bug, feature, task, epic, chore, …
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// A new title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    title: Option<String>,
    /// A new description
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Read the description from a file (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "description")]
    body_file: Option<String>,
    /// Read the description from standard input
    #[arg(long, conflicts_with_all = ["description", "body_file"])]
    stdin: bool,
    /// The design: how to do it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    design: Option<String>,
    /// The acceptance criteria: when it is done
    #[arg(long, value_name = "TEXT", visible_alias = "acceptance-criteria", allow_hyphen_values = true)]
    acceptance: Option<String>,
    /// Replace the notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// Add to the notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with = "notes")]
    append_notes: Option<String>,
    /// Assignee (`me` or `@me`: you; an empty text: nobody)
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// A reference elsewhere, such as gh-9
    #[arg(long, value_name = "REF")]
    external_ref: Option<String>,
    /// Estimated minutes
    #[arg(short, long, value_name = "MINUTES", allow_negative_numbers = true)]
    estimate: Option<i64>,
    /// When it is due; a date without a time means the end of that day (`none`: no date)
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    due: Option<String>,
    /// Defer until this date: ready from the start of that day (`none`: no date)
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    defer: Option<String>,
    /// Add these labels
    #[arg(long, value_name = "LABEL", value_delimiter = ',', visible_alias = "label", alias = "labels")]
    add_label: Vec<String>,
    /// Remove these labels
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    remove_label: Vec<String>,
    /// Replace all labels
    #[arg(long, value_name = "LABEL", value_delimiter = ',')]
    set_labels: Option<Vec<String>>,
    /// Free data for other programs, as JSON or @FILE (an empty text removes it)
    #[arg(long, value_name = "JSON", conflicts_with_all = ["set_metadata", "unset_metadata"])]
    metadata: Option<String>,
    /// Set one key of the metadata; a value that is not JSON is a text
    #[arg(long, value_name = "KEY=VALUE")]
    set_metadata: Vec<String>,
    /// Remove one key of the metadata
    #[arg(long, value_name = "KEY")]
    unset_metadata: Vec<String>,
    /// The parent issue (`none`: no parent)
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// The project that a planning issue belongs to: `.` is this one (an empty text is every one that plans there)
    #[arg(long, value_name = "PROJECT", value_parser = [".", ""])]
    project: Option<String>,
    /// Assign it to yourself and start it, unless somebody else holds it
    #[arg(long, conflicts_with = "dry_run")]
    claim: bool,
    /// Close even if it is blocked or has open children or tasks
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    care: CareArgs,
    #[arg(long, hide = true)]
    allow_empty_description: bool,
}

pub(super) fn run(args: UpdateArgs, cx: &mut Context) -> Outcome {
    args.chosen.require()?;
    let changes = with_force(changes(&args, cx)?, args.force);
    if changes.is_empty() && !args.claim {
        return Err(Failure::usage("nothing to change: name a field, such as --status or --priority"));
    }
    let ids = args.chosen.ids(cx)?;
    if !args.care.agrees(cx, "Update", ids.len()) {
        return Ok(Exit::Failed);
    }
    if args.care.dry_run {
        let batch = ops::rehearse_each(cx.store()?, &ids, |_| changes.clone())?;
        return cx.report_rehearsal(batch);
    }
    let batch = if args.claim {
        ops::claim_and_change(cx.store()?, &ids, changes)?
    } else {
        ops::change_each(cx.store()?, &ids, |_| changes.clone())?
    };
    cx.report(batch, |written| changed_line(written, "Updated issue: "))
}

fn changes(args: &UpdateArgs, cx: &mut Context) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    changes.extend(args.title.clone().map(Change::Title));
    let description = cx.text(args.description.as_deref(), args.body_file.as_deref(), args.stdin)?;
    let assignee = args.assignee.as_deref().map(|name| cx.person(name)).transpose()?;
    let texts = [
        (Field::Description, description),
        (Field::Design, args.design.clone()),
        (Field::AcceptanceCriteria, args.acceptance.clone()),
        (Field::Notes, args.notes.clone()),
        (Field::Assignee, assignee),
        (Field::ExternalRef, args.external_ref.clone()),
    ];
    changes.extend(texts.into_iter().filter_map(|(field, text)| Some(Change::Text(field, text?))));
    changes.extend(args.append_notes.clone().map(Change::AppendNotes));
    if let Some(word) = &args.status {
        changes.push(Change::Status(ops::check_status(cx.store()?, word)?));
    }
    if let Some(text) = &args.priority {
        changes.push(Change::Priority(Priority::typed(text).map_err(OpError::from)?));
    }
    if let Some(word) = &args.kind {
        changes.push(Change::Type(ops::check_type(cx.store()?, word)?));
    }
    changes.extend(args.estimate.map(|minutes| Change::Estimate(Some(minutes))));
    if let Some(text) = &args.due {
        let at = if text.is_empty() { None } else { cx.due(text)? };
        changes.push(Change::Date(Field::Due, at));
    }
    if let Some(text) = &args.defer {
        let at = if text.is_empty() { None } else { cx.date_or_none("defer", text)? };
        changes.push(Change::Date(Field::Defer, at.map(When::start)));
    }
    if let Some(labels) = &args.set_labels {
        let labels = labels.iter().map(|label| label.trim().to_owned()).filter(|label| !label.is_empty());
        changes.push(Change::SetLabels(labels.collect()));
    }
    changes.extend(args.add_label.iter().cloned().map(Change::AddLabel));
    changes.extend(args.remove_label.iter().cloned().map(Change::RemoveLabel));
    match args.metadata.as_deref() {
        Some("") => changes.push(Change::Metadata(None)),
        Some(text) => changes.push(Change::Metadata(Some(super::add::metadata(text, cx)?))),
        None => {}
    }
    for pair in &args.set_metadata {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(Failure::usage(format!("--set-metadata wants KEY=VALUE, not {pair:?}")));
        };
        let is_json = json::elements(&format!("[{value}]")).is_ok_and(|values| values.len() == 1);
        let value = if is_json { value.to_owned() } else { Dialect::default().string(value) };
        changes.push(Change::MetadataKey { key: key.to_owned(), value: Some(value) });
    }
    let removed = args.unset_metadata.iter().map(|key| Change::MetadataKey { key: key.clone(), value: None });
    changes.extend(removed);
    match args.parent.as_deref() {
        Some(word) if is_none(word) => changes.push(Change::Parent(None)),
        Some(parent) => changes.push(Change::Parent(Some(cx.resolve(parent)?))),
        None => {}
    }
    match args.project.as_deref() {
        Some("") => changes.push(Change::Project(None)),
        Some(_) => changes.push(Change::Project(Some(ops::this_project(cx.store()?)?))),
        None => {}
    }
    Ok(changes)
}
