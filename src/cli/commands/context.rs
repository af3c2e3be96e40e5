use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Print what an agent needs to start on an issue, within a token budget
///
/// One text: the issue and what it is part of (15% of the budget), its description, plan, design, notes, comments and what it depends
/// on (55%), the latest 5 checkpoints (20%), the issues around it (10%). What one part does not need goes to the others. What does not
/// fit is cut at the end of a line, and said. Tokens are estimated as bytes / 4, rounded up. What others wrote is quoted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd context bd-a3f8
  bd context a3f8 --max-tokens 2000 --json
  bd context a3f8 --all-checkpoints")]
pub(super) struct ContextArgs {
    /// The issue, by id or its first characters
    id: String,
    /// The budget in tokens
    #[arg(long, value_name = "N", default_value_t = 8000)]
    max_tokens: usize,
    /// Include all checkpoints, not only the latest 5
    #[arg(long)]
    all_checkpoints: bool,
}

pub(super) fn run(args: ContextArgs, cx: &mut Context) -> Outcome {
    let found = ops::issue_context(cx.store()?, &args.id, args.all_checkpoints)?;
    let text = view::context_text(&found, args.max_tokens);
    json_answer!(cx, view::fitted_context(&found.row.issue.id, &text));
    cx.ui.verbatim(&text.text);
    let (tokens, max) = (text.tokens(), args.max_tokens);
    let left_out = match text.left_out() {
        0 => String::new(),
        bytes => format!("; {bytes} bytes did not fit"),
    };
    cx.ui.note(&format!("about {tokens} of {max} tokens (bytes / 4){left_out}"));
    Ok(Exit::Ok)
}
