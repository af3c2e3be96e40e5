use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::model::checkpoint::CheckpointKind;
use crate::model::{duration, json};
use crate::ops::{
    self, CHECKPOINT_DAYS, CheckpointFilter, CheckpointRow, FilesWish, NewCheckpoint, PrunedCheckpoints, Whose,
};
use crate::view::{self, Exit, Failure, inline, plural};

/// Record progress on an issue so that work can resume from there
///
/// Checkpoints are kept in the state home, not in the ledger: numbered for each issue over all checkouts, never changed, and still
/// there when the checkout is gone. With --snapshot version control also keeps all files of the checkout, uncommitted and untracked
/// ones included, without touching the index, the working copy or any branch.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd checkpoint add bd-a3f8 -m 'Parser done, tests next'
  bd checkpoint add -m 'Builds again' --type recovery --files auto --snapshot
  bd checkpoint list bd-a3f8 --all-worktrees
  bd checkpoint show a3f8#2
  bd checkpoint restore cp_k3 --to /tmp/then
  bd checkpoint prune --closed-older-than 90d")]
pub(super) struct CheckpointArgs {
    #[command(subcommand)]
    command: CheckpointCommand,
}

#[derive(Debug, Subcommand)]
enum CheckpointCommand {
    /// Add a checkpoint to an issue
    Add(AddArgs),
    /// List the checkpoints of this checkout, oldest first
    List(ListArgs),
    /// Show one checkpoint: by id, its first characters, or ISSUE#NUMBER
    Show {
        /// The checkpoint: its id, the first characters of it, or ISSUE#NUMBER
        #[arg(value_name = "CHECKPOINT")]
        which: String,
    },
    /// Write the files of a snapshot into a directory
    Restore {
        /// The checkpoint: its id, the first characters of it, or ISSUE#NUMBER
        #[arg(value_name = "CHECKPOINT")]
        which: String,
        /// The directory to write to; it must be empty or not exist
        #[arg(long, value_name = "DIR")]
        to: String,
    },
    /// Drop checkpoints and snapshots of issues closed long ago; only reports without --apply
    Prune {
        /// Closed at least this long ago (default: 30d)
        #[arg(long, value_name = "TIME")]
        closed_older_than: Option<String>,
        /// Drop them; without it, only show them
        #[arg(long)]
        apply: bool,
    },
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The issue (default: the one you work on)
    id: Option<String>,
    /// What to remember; - reads standard input
    #[arg(short, long, value_name = "TEXT")]
    message: String,
    /// Type: plan, replan, progress, decision, error, recovery or complete
    #[arg(short = 't', long = "type", value_name = "TYPE", default_value = "progress", value_parser = CheckpointKind::KNOWN.to_vec())]
    kind: String,
    /// The files concerned; auto takes changed and new files
    #[arg(long, value_name = "PATH|auto", num_args = 1..)]
    files: Vec<String>,
    /// More detail, as JSON; @FILE reads a file
    #[arg(long, value_name = "JSON|@FILE")]
    detail: Option<String>,
    /// Add nothing if the issue has a checkpoint with this key
    #[arg(long, value_name = "KEY", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    key: Option<String>,
    /// Also save all files of the checkout as they are now
    #[arg(long)]
    snapshot: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Only checkpoints of this issue
    id: Option<String>,
    /// Only checkpoints after this number
    #[arg(long, value_name = "N")]
    since: Option<i64>,
    /// Only of this type
    #[arg(short = 't', long = "type", value_name = "TYPE", value_parser = CheckpointKind::KNOWN.to_vec())]
    kind: Option<String>,
    /// Include all checkouts, also removed ones
    #[arg(long)]
    all_worktrees: bool,
    /// Another checkout, by id, name or path
    #[arg(long, value_name = "WORKTREE", conflicts_with = "all_worktrees")]
    worktree: Option<String>,
    /// Show only the latest N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: CheckpointArgs, cx: &mut Context) -> Outcome {
    match args.command {
        CheckpointCommand::Add(args) => add(args, cx),
        CheckpointCommand::List(args) => list(args, cx),
        CheckpointCommand::Show { which } => show(&which, cx),
        CheckpointCommand::Restore { which, to } => restore(&which, &to, cx),
        CheckpointCommand::Prune { closed_older_than, apply } => prune(closed_older_than.as_deref(), apply, cx),
    }
}

fn add(args: AddArgs, cx: &mut Context) -> Outcome {
    let summary = match args.message.as_str() {
        "-" => cx.text(None, Some("-"), false)?.unwrap_or_default(),
        text => text.to_owned(),
    };
    let detail = match args.detail.as_deref().map(|text| (text, text.strip_prefix('@'))) {
        Some((_, Some(file))) => cx.text(None, Some(file), false)?,
        Some((text, None)) => Some(text.to_owned()),
        None => None,
    };
    let files = match args.files.as_slice() {
        [word] if word == "auto" => FilesWish::Changed,
        _ => FilesWish::These(args.files),
    };
    let new = NewCheckpoint {
        issue: args.id,
        summary,
        kind: args.kind,
        files,
        detail,
        key: args.key,
        snapshot: args.snapshot,
    };
    let added = ops::add_checkpoint(cx.store()?, &new)?;
    let one = added.checkpoint;
    for left_out in one.snapshot.iter().flat_map(|saved| &saved.left_out) {
        cx.ui.warning(&format!("not in the snapshot: {left_out}"));
    }
    let worktree = one.worktree.clone().unwrap_or_default();
    let row = CheckpointRow { worktree, is_gone: false, checkpoint: one };
    let verb = if added.is_new { "Added" } else { "There already:" };
    let one = &row.checkpoint;
    cx.answer(
        view::added_checkpoint(&row, added.is_new),
        &format!("{verb} {}#{}  {}  {}", one.issue, one.number, one.kind.as_str(), one.id),
    )
}

fn list(args: ListArgs, cx: &mut Context) -> Outcome {
    let whose = match (args.all_worktrees, args.worktree) {
        (true, _) => Whose::All,
        (_, Some(text)) => Whose::Worktree(text),
        _ => Whose::Here,
    };
    // As everywhere, 0 means no limit.
    let limit = args.limit.filter(|most| *most > 0);
    let filter = CheckpointFilter { issue: args.id, since: args.since, kind: args.kind, whose, limit };
    let page = ops::checkpoints(cx.store()?, &filter)?;
    if cx.ui.wants_json() {
        cx.json(view::each(&page.rows, view::checkpoint));
    } else {
        let calendar = cx.ui.calendar();
        for row in &page.rows {
            cx.ui.line(&inline(&view::checkpoint_text(row, &calendar)));
        }
        cx.ui.note_if(page.rows.is_empty(), "no checkpoints");
    }
    if page.rows.len() < page.total {
        cx.ui.note(&format!("the latest {} of {}", page.rows.len(), plural(page.total, "checkpoint")));
    }
    Ok(Exit::Ok)
}

fn show(which: &str, cx: &mut Context) -> Outcome {
    let row = ops::find_checkpoint(cx.store()?, which)?;
    json_answer!(cx, view::checkpoint(&row));
    let one = &row.checkpoint;
    let gone = if row.is_gone { " (gone)" } else { "" };
    let branch = one.branch.as_deref().map(|name| format!(", branch {name}")).unwrap_or_default();
    cx.ui.line(&inline(&format!("{}#{}  {}  {}", one.issue, one.number, one.kind.as_str(), one.id)));
    let time = cx.ui.calendar().local_text(&one.created_at);
    cx.ui.line(&inline(&format!("by {} at {time} in {}{gone}{branch}", one.actor, row.worktree)));
    quote(&one.summary, cx);
    if let Some(detail) = &one.detail {
        cx.ui.line("detail:");
        quote(&json::pretty(&detail.0), cx);
    }
    for file in &one.files {
        cx.ui.line(&inline(&format!("file: {file}")));
    }
    if let Some(saved) = &one.snapshot {
        cx.ui.line(&inline(&format!("snapshot: {}, {} changed", saved.name, plural(saved.files.len(), "file"))));
        for left_out in &saved.left_out {
            cx.ui.line(&inline(&format!("not in the snapshot: {left_out}")));
        }
    }
    Ok(Exit::Ok)
}

/// Text that an agent or a person wrote.
fn quote(text: &str, cx: &mut Context) {
    for line in view::quoted(text) {
        cx.ui.line(&line);
    }
}

fn restore(which: &str, to: &str, cx: &mut Context) -> Outcome {
    let to = cx.directory().join(to);
    let (row, staged) = ops::restore_checkpoint(cx.store()?, which, &to)?;
    json_answer!(cx, view::restored_checkpoint(&row, &to, &staged));
    if let Some(path) = staged {
        cx.ui.note(&format!("what was staged and differs from the files is in {}", path.display()));
    }
    cx.ui.done(&format!("Restored {} into {}", row.checkpoint.id, cx.ui.path(&to)));
    Ok(Exit::Ok)
}

fn prune(typed: Option<&str>, apply: bool, cx: &mut Context) -> Outcome {
    let wrong = |text: &str| Failure::usage(format!("invalid --closed-older-than {text:?}: a time such as 30d or 12h"));
    let age = typed.map(|text| duration::parse(text).ok_or_else(|| wrong(text))).transpose()?;
    let done = ops::prune_checkpoints(cx.store()?, age, apply)?;
    json_answer!(cx, view::pruned_checkpoints(&done));
    let calendar = cx.ui.calendar();
    for row in &done.pruned {
        cx.ui.line(&inline(&view::checkpoint_text(row, &calendar)));
    }
    tell_pruned(&done, typed, cx);
    Ok(Exit::Ok)
}

fn tell_pruned(done: &PrunedCheckpoints, typed: Option<&str>, cx: &mut Context) {
    let kept = done.kept;
    if done.pruned.is_empty() {
        let age = typed.map_or_else(|| format!("{CHECKPOINT_DAYS}d"), str::to_owned);
        cx.ui.note(&format!("no issue with checkpoints was closed more than {age} ago; {kept} stay"));
        return;
    }
    let count = plural(done.pruned.len(), "checkpoint");
    let verb = if done.applied { "Dropped" } else { "Would drop" };
    cx.ui.done(&format!("{verb} {count}; {kept} stay"));
    if !done.applied {
        cx.ui.hint("add --apply to drop them and their snapshots");
    }
}
