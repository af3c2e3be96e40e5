use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::cli::report::NO_ID;
use crate::ops::{self, Batch};
use crate::view::{self, Exit, Failure, block, inline};

/// Comment on an issue
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd comment bd-a3f8 \"seen again on main\"\n  bd comment a3 --stdin < log.txt")]
pub(super) struct CommentArgs {
    /// The issue, by id or its first characters
    id: String,
    /// The text; no quotes needed
    text: Vec<String>,
    /// The author (default: you)
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Read the text from standard input
    #[arg(long)]
    stdin: bool,
    /// Read the text from a file
    #[arg(short, long, value_name = "FILE")]
    file: Option<String>,
    /// Answer as the first time if this key was used before, and write nothing
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

/// List the comments of an issue; `add` writes one
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Examples:\n  bd comments bd-a3f8 --json\n  bd comments add bd-a3f8 \"seen again on main\"")]
pub(super) struct CommentsArgs {
    #[command(subcommand)]
    command: Option<CommentsCommand>,
    /// The issue, by id or its first characters
    #[arg(required = true)]
    id: Option<String>,
}

#[derive(Debug, Subcommand)]
enum CommentsCommand {
    /// Comment on an issue
    Add(CommentArgs),
    /// List the comments of an issue
    List {
        /// The issue, by id or its first characters
        id: String,
    },
}

pub(super) fn run(args: CommentArgs, cx: &mut Context) -> Outcome {
    let given = (!args.text.is_empty()).then(|| args.text.join(" "));
    let text = cx.text(given.as_deref(), args.file.as_deref(), args.stdin)?;
    let text = text.ok_or_else(|| Failure::usage("a comment needs a text"))?;
    let request = format!("{args:?}\n{text}");
    let author = args.author.map_or_else(|| cx.actor(), Ok)?;
    cx.once(
        args.key.as_deref(),
        &request,
        |store| Ok(ops::plan_comment(store)),
        |cx, given| Ok(ops::comment_once(cx.store()?, &args.id, &text, &author, given)?),
        |cx, batch| tell(batch, &text, cx),
    )
}

fn tell(batch: Batch, text: &str, cx: &mut Context) -> Outcome {
    if !cx.ui.wants_json() {
        return cx.report(batch, |written| format!("Comment added: {}", written.id));
    }
    if let Some(written) = batch.written().next() {
        let issue = written.issue();
        let json = issue
            .comments
            .iter()
            .rfind(|comment| comment.text == text)
            .map(|comment| view::comment(&issue.id, comment));
        cx.json(json.unwrap_or_default());
    }
    cx.report_failures(batch)
}

pub(super) fn run_comments(args: CommentsArgs, cx: &mut Context) -> Outcome {
    let id = match (args.command, args.id) {
        (Some(CommentsCommand::Add(args)), _) => return run(args, cx),
        (Some(CommentsCommand::List { id }), _) | (None, Some(id)) => id,
        (None, None) => return Err(Failure::usage(NO_ID)),
    };
    let row = ops::find_with_own(cx.store()?, &id)?;
    json_answer!(cx, view::each(&row.issue.comments, |one| view::comment(&row.issue.id, one)));
    let calendar = cx.ui.calendar();
    for comment in &row.issue.comments {
        let time = comment.created_at.as_ref().map(|time| calendar.full(time.instant)).unwrap_or_default();
        cx.ui.line(&format!("{} {}", inline(&time), inline(&comment.author)));
        for line in block(&comment.text).lines() {
            cx.ui.line(&format!("  {line}"));
        }
    }
    cx.ui.note_if(row.issue.comments.is_empty(), "no comments");
    Ok(Exit::Ok)
}
