use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::report::changed_line;
use crate::ops;
use crate::view::Failure;

/// Add a line to an issue's notes
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd note bd-a3f8 \"the cache is cold on start\"\n  make 2>&1 | tail -20 | bd note a3 --stdin"
)]
pub(super) struct NoteArgs {
    /// The issue, by id or its first characters
    id: String,
    /// The text; no quotes needed (`-`: from standard input)
    text: Vec<String>,
    /// Read the text from standard input
    #[arg(long)]
    stdin: bool,
    /// Answer as the first time if this key was used before, and write nothing
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

pub(super) fn run(args: NoteArgs, cx: &mut Context) -> Outcome {
    let given = (!args.text.is_empty()).then(|| args.text.join(" "));
    let given = given.filter(|text| text != "-");
    let is_piped = args.stdin || given.is_none() && !args.text.is_empty();
    let text = cx.text(given.as_deref(), None, is_piped)?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| Failure::usage("a note needs a text"))?;
    cx.once(
        args.key.as_deref(),
        &format!("{args:?}\n{text}"),
        |store| ops::plan_note(store, &args.id),
        |cx, given| Ok(ops::note_once(cx.store()?, &args.id, &text, given)?),
        |cx, batch| cx.report(batch, |written| changed_line(written, "Note added: ")),
    )
}
