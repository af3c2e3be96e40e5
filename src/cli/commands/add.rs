use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::form;
use crate::model::change::NewIssue;
use crate::model::issue::Priority;
use crate::model::json;
use crate::model::when::When;
use crate::ops::{self, Filing, OpError, Placed};
use crate::store::Written;
use crate::view::{self, Exit, Failure};

/// Flags that describe one issue, and so conflict with a file that describes many.
const OF_ONE: [&str; 23] = [
    "title",
    "title_flag",
    "kind",
    "priority",
    "description",
    "assignee",
    "labels",
    "deps",
    "parent",
    "waits_for",
    "design",
    "acceptance",
    "notes",
    "id",
    "external_ref",
    "estimate",
    "due",
    "defer",
    "body_file",
    "stdin",
    "metadata",
    "spec_id",
    "ephemeral",
];

/// File an issue
///
/// Prints the id of the new issue. Dependencies are written TYPE:ID, or just ID for one that blocks. On a terminal, `bd add` without a
/// title opens a form in your editor; an empty form files nothing, and a form that is refused is kept.
#[derive(Debug, Args, Default)]
#[command(after_help = "Examples:
  bd add \"Fix the parser\" -t bug -p high
  bd add Fix the login        words need no quotes
  bd add \"Write docs\" -l docs --deps discovered-from:bd-a3f8 -d \"What and why\"
  bd add \"Part one\" --parent bd-a3f8 --due friday
  bd add -f plan.md          one issue for each \"## Title\" of a Markdown file
  bd add --editor -t bug     write it in your editor
  git log -1 --format=%b | bd add \"Follow up\" --stdin")]
pub(super) struct AddArgs {
    /// The title; no quotes needed
    title: Vec<String>,
    /// The title, as a flag
    #[arg(long = "title", value_name = "TITLE", hide = true, conflicts_with = "title")]
    title_flag: Option<String>,
    /// Type: bug, feature, task, epic, chore, …
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Priority: 0 to 4, or critical, high, medium, low, backlog
    #[arg(short, long, value_name = "N", allow_hyphen_values = true)]
    priority: Option<String>,
    /// The description
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Assignee (`me` or `@me`: you)
    #[arg(short, long, value_name = "NAME")]
    assignee: Option<String>,
    /// Labels, comma-separated
    #[arg(short, long = "labels", value_name = "LABEL", value_delimiter = ',', alias = "label")]
    labels: Vec<String>,
    /// Dependencies, comma-separated
    #[arg(long, value_name = "TYPE:ID", value_delimiter = ',')]
    deps: Vec<String>,
    /// The parent issue
    #[arg(long, value_name = "ID")]
    parent: Option<String>,
    /// The issue whose children it waits for
    #[arg(long, value_name = "ID")]
    waits_for: Option<String>,
    /// The design: how to do it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    design: Option<String>,
    /// The acceptance criteria: when it is done
    #[arg(long, value_name = "TEXT", alias = "acceptance-criteria", allow_hyphen_values = true)]
    acceptance: Option<String>,
    /// Notes
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    notes: Option<String>,
    /// An id of your choice
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// A reference elsewhere, such as gh-9
    #[arg(long, value_name = "REF")]
    external_ref: Option<String>,
    /// Estimated minutes
    #[arg(short, long, value_name = "MINUTES", allow_negative_numbers = true)]
    estimate: Option<i64>,
    /// When it is due; a date without a time means the end of that day
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    due: Option<String>,
    /// Defer until this date: ready from the start of that day
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    defer: Option<String>,
    /// Read the description from a file (- is standard input)
    #[arg(long, value_name = "FILE", conflicts_with = "description")]
    body_file: Option<String>,
    /// Read the description from standard input
    #[arg(long, conflicts_with_all = ["description", "body_file"])]
    stdin: bool,
    /// File many issues from a Markdown file
    #[arg(short, long, value_name = "FILE", conflicts_with_all = OF_ONE)]
    file: Option<String>,
    /// Metadata as JSON, or @FILE
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    metadata: Option<String>,
    /// The specification it implements
    #[arg(long, value_name = "ID")]
    spec_id: Option<String>,
    /// Mark it as short-lived; `bd ready` does not offer it
    #[arg(long)]
    ephemeral: bool,
    /// The repo to file it in (default: its parent's, else by routing)
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Print only the id
    #[arg(long)]
    silent: bool,
    /// Write the issue as a form in your editor ($VISUAL, $EDITOR, or git's core.editor)
    #[arg(long, conflicts_with = "file")]
    editor: bool,
    /// Go on with a form that was refused and kept
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    form: Option<String>,
    /// Say what would be filed, and file nothing
    #[arg(long)]
    dry_run: bool,
    /// Answer as the first time if this key was used before, and write nothing
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    #[arg(long, hide = true)]
    force: bool,
}

/// File an issue and print only its id
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd q \"Look into the slow start\"\n  id=$(bd q \"Fix it\" -p high -t bug)\n  bd q Part two --parent bd-a3f8 --deps bd-k9"
)]
pub(super) struct QuickArgs {
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

pub(super) fn run(args: AddArgs, cx: &mut Context) -> Outcome {
    let many = args.file.is_some();
    let key = args.key.clone().map(|key| (key, format!("{args:?}")));
    let (silent, dry_run) = (args.silent || cx.global.quiet && !cx.ui.wants_json(), args.dry_run);
    let filings = match &args.file {
        Some(file) => {
            let text = cx.text(None, Some(file), false)?.unwrap_or_default();
            let planned = ops::parse_plan(cx.store()?, &text).map_err(|error| {
                let failure = Failure::from(error);
                Failure { message: format!("{file}: {}", failure.message), ..failure }
            })?;
            planned.into_iter().map(|filing| Filing { repo: args.repo.clone(), ..filing }).collect()
        }
        None if wants_form(&args, cx) => {
            let again = again(&args);
            match fill_form(args, &again, cx)? {
                Some(exit) => return Ok(exit),
                None => return Err(Failure::failed("nothing was filed: the form has no title")),
            }
        }
        None => vec![filing(args, cx, true)?],
    };
    if dry_run {
        return preview(filings, cx);
    }
    file(filings, many, silent, key, cx)
}

/// `bd add --silent` for scripts, whatever else is asked for.
pub(super) fn run_quick(args: QuickArgs, cx: &mut Context) -> Outcome {
    let QuickArgs { title, kind, priority, labels, parent, deps, repo } = args;
    let args = AddArgs { title, kind, priority, labels, parent, deps, repo, ..AddArgs::default() };
    let filing = filing(args, cx, false)?;
    file(vec![filing], false, true, None, cx)
}

/// On a terminal, somebody who gives no title wants to write at length.
fn wants_form(args: &AddArgs, cx: &Context) -> bool {
    let has_title = !args.title.is_empty() || args.title_flag.is_some();
    let reads = args.stdin || args.body_file.is_some();
    args.editor
        || args.form.is_some()
        || !has_title && !reads && !args.silent && !args.dry_run && cx.ui.is_interactive()
}

/// The command with what a form does not cover, or says less exactly.
fn again(args: &AddArgs) -> Vec<String> {
    let number = args.estimate.map(|minutes| minutes.to_string());
    let texts = [
        ("--assignee", &args.assignee),
        ("--waits-for", &args.waits_for),
        ("--id", &args.id),
        ("--external-ref", &args.external_ref),
        ("--estimate", &number),
        ("--due", &args.due),
        ("--defer", &args.defer),
        ("--metadata", &args.metadata),
        ("--spec-id", &args.spec_id),
        ("--repo", &args.repo),
        ("--key", &args.key),
    ];
    let texts = texts.into_iter().filter_map(|(flag, text)| Some(format!("{flag}={}", text.as_ref()?)));
    let deps = args.deps.iter().map(|dependency| format!("--deps={dependency}"));
    let switches = [("--ephemeral", args.ephemeral), ("--dry-run", args.dry_run)];
    let switches = switches.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_owned());
    std::iter::once("add".to_owned()).chain(texts).chain(deps).chain(switches).collect()
}

/// Has a form filled in and files it; `None` if it has no title, and nothing else either.
fn fill_form(args: AddArgs, again: &[String], cx: &mut Context) -> Result<Option<Exit>, Failure> {
    let silent = cx.global.quiet && !cx.ui.wants_json();
    let (kept, key, dry_run) =
        (args.form.clone(), args.key.clone().map(|key| (key, format!("{args:?}"))), args.dry_run);
    let filing = filing(args, cx, false)?;
    let shown = ops::sheet_to_file(cx.store()?, &filing);
    let form = match kept {
        Some(path) => form::take_up(cx, &path)?.0,
        None => form::begin(&shown)?,
    };
    let filled = form::fill(cx, form, &shown, again, |cx, sheet| {
        if sheet.title().is_empty() && *sheet == shown {
            return Ok(None);
        }
        let filing = ops::with_sheet(cx.store()?, &filing, &shown, sheet)?;
        if dry_run {
            return preview(vec![filing], cx).map(Some);
        }
        file(vec![filing], false, silent, key, cx).map(Some)
    })?;
    Ok(filled.flatten())
}

/// Files issues; with a key and the words of the command only once.
fn file(filings: Vec<Filing>, many: bool, silent: bool, key: Option<(String, String)>, cx: &mut Context) -> Outcome {
    let (key, typed) = key.unzip();
    let texts = filings.iter().flat_map(|filing| [&*filing.issue.title, &filing.issue.description]);
    let request = format!("{}\n{}", typed.unwrap_or_default(), texts.collect::<Vec<_>>().join("\n"));
    let is_public = cx.tell_contributor()?;
    let planned = filings.clone();
    cx.once(
        key.as_deref(),
        &request,
        |store| ops::plan_filings(store, &planned),
        |cx, given| Ok(ops::file_once(cx.store()?, filings, given)?),
        |cx, written| tell(&written, many, silent, is_public, cx),
    )
}

fn tell(written: &[Written], many: bool, silent: bool, is_public: bool, cx: &mut Context) -> Outcome {
    if silent {
        written.iter().for_each(|issue| cx.ui.line(&view::inline(&issue.id)));
    } else if cx.ui.wants_json() {
        let json: String = match written {
            [one] if !many => view::reply(one).into(),
            all => view::replies(all).into(),
        };
        cx.json(json);
    } else {
        for issue in written {
            let place = if issue.source_repo == "." { String::new() } else { format!(" in {}", issue.source_repo) };
            cx.ui.done(&format!("Created issue{place}: {}", issue.id));
        }
        let store = cx.store()?;
        let guests = written
            .iter()
            .filter(|issue| ops::is_guest(store, &issue.source_repo))
            .map(|issue| issue.source_repo.clone());
        for guest in guests.collect::<BTreeSet<_>>() {
            cx.ui.note(&format!("{guest} is not part of this project; bd repo add shows its issues here"));
        }
        if is_public {
            cx.tell_way_out(written);
        }
    }
    Ok(Exit::Ok)
}

fn preview(filings: Vec<Filing>, cx: &mut Context) -> Outcome {
    let placed = ops::place(cx.store()?, filings)?;
    json_answer!(cx, view::each(&placed, view::placed));
    for Placed { issue, route, repo, ledger, .. } in &placed {
        let what = format!("{} {} \"{}\"", issue.priority, issue.issue_type, issue.title);
        cx.ui.done(&format!("Would file {what} in {}", cx.ui.path(Path::new(ledger))));
        cx.ui.done(&format!("  repo {repo}: {}", cx.ui.short(&route.rule)));
    }
    Ok(Exit::Ok)
}

fn filing(args: AddArgs, cx: &mut Context, needs_title: bool) -> Result<Filing, Failure> {
    let description = cx.text(args.description.as_deref(), args.body_file.as_deref(), args.stdin)?;
    let title = if args.title.is_empty() { args.title_flag.unwrap_or_default() } else { args.title.join(" ") };
    const MARKS: [&str; 5] = ["+", "due:", "pri:", "priority:", "project:"];
    let is_mark = |word: &String| MARKS.iter().any(|mark| word.len() > mark.len() && word.starts_with(mark));
    if args.title.len() > 1 && args.title.iter().any(is_mark) {
        cx.ui.hint("words such as +ui and due:tomorrow are part of the title; flags set them: -l ui --due tomorrow");
    }
    let mut issue = NewIssue::titled(title);
    if needs_title {
        issue.validate().map_err(crate::store::StoreError::from)?;
    }
    issue.description = description.unwrap_or_default();
    issue.design = args.design.unwrap_or_default();
    issue.acceptance_criteria = args.acceptance.unwrap_or_default();
    issue.notes = args.notes.unwrap_or_default();
    issue.external_ref = args.external_ref.unwrap_or_default();
    issue.estimated_minutes = args.estimate;
    issue.labels = args.labels;
    issue.spec_id = args.spec_id.unwrap_or_default();
    issue.ephemeral = args.ephemeral;
    issue.metadata = args.metadata.as_deref().map(|text| metadata(text, cx)).transpose()?;
    if let Some(text) = &args.priority {
        issue.priority = Priority::typed(text).map_err(OpError::from)?;
    }
    if let Some(word) = &args.kind {
        issue.issue_type = ops::check_type(cx.store()?, word)?;
    }
    issue.assignee = cx.person(args.assignee.as_deref().unwrap_or_default())?;
    issue.due_at = args.due.map(|text| cx.due(&text)).transpose()?.flatten();
    let defer = args.defer.map(|text| cx.date_or_none("defer", &text)).transpose()?;
    issue.defer_until = defer.flatten().map(When::start);
    let mut dependencies = args.deps.iter().map(|text| ops::parse_dependency(text)).collect::<Result<Vec<_>, _>>()?;
    if let Some(target) = args.waits_for {
        dependencies.push((crate::model::dependency::DependencyType::new("waits-for"), target));
    }
    Ok(Filing { issue, id: args.id, parent: args.parent, dependencies, repo: args.repo })
}

/// JSON from a flag, or from the file that the flag names.
pub(super) fn metadata(text: &str, cx: &Context) -> Result<String, Failure> {
    let text = match text.strip_prefix('@') {
        Some(file) => cx.text(None, Some(file), false)?.unwrap_or_default(),
        None => text.to_owned(),
    };
    let is_json = json::elements(&format!("[{text}]")).is_ok_and(|values| values.len() == 1);
    // A record is one line, and all blanks between its values are equivalent.
    let line = text.trim().replace(['\n', '\r'], " ");
    if is_json { Ok(line) } else { Err(Failure::usage(format!("invalid --metadata: {text:?} is not JSON"))) }
}
