use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::ops::{self, OpError};
use crate::store;
use crate::view::{self, Exit, Failure, plural};

/// Print the ledger's lines unchanged
///
/// Sorted by id, closed and deleted issues included; filters narrow it. With --json and without -o the lines themselves are
/// the JSON. Private issues are not written
/// to a file that the project's next commit could pick up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd export > backup.jsonl\n  bd export --status open -o open.jsonl")]
pub(super) struct ExportArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    #[arg(long, hide = true)]
    all: bool,
}

pub(super) fn run(args: ExportArgs, cx: &mut Context) -> Outcome {
    let filter = args.filter.expr(cx)?;
    let path = args.output.map(|output| cx.directory().join(output));
    let (text, count) = ops::export(cx.store()?, &filter, path.as_deref())?;
    let Some(path) = path else {
        cx.ui.verbatim(&text);
        return Ok(Exit::Ok);
    };
    ops::refuse_ledger(cx.store()?, &path)?;
    let written = store::write_named(&path, &cx.directory(), text.as_bytes());
    written.map_err(|error| Failure::from(OpError::Fs(error)))?;
    cx.answer(view::exported(count, &path), &format!("Exported {} to {}", plural(count, "issue"), cx.ui.path(&path)))
}
