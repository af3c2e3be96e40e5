use std::io::Read as _;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, BatchError, BatchLine, BatchOptions, MAX_BATCH_BYTES, OpError};
use crate::store;
use crate::sys::fs::FsError;
use crate::view::{self, Exit, Failure};

/// Make many changes at once, one JSON object per line
///
/// Prints one JSON object for each line of the input. Each ledger is locked and written once, and `bd undo` takes the batch back.
/// A line that fails names itself and the others are written; the exit code is that of the first failure. Operations: add, update,
/// close, reopen, defer, undefer, delete, note, comment, label add, label remove, dep add, dep remove. `$1` is the issue that
/// line 1 files.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd batch changes.jsonl
  bd batch changes.jsonl --atomic --dry-run
  echo '{\"op\":\"add\",\"title\":\"Fix it\",\"priority\":1}' | bd batch
  echo '{\"op\":\"close\",\"id\":\"bd-a3f8\",\"reason\":\"done\"}' | bd batch")]
pub(super) struct BatchArgs {
    /// The file (default, and -: standard input)
    file: Option<String>,
    /// Write all of it or nothing; refused if it would write more than one repo
    #[arg(long)]
    atomic: bool,
    /// Only say what would come of it
    #[arg(long)]
    dry_run: bool,
    /// Answer as the first time if this key was used before, and write nothing
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

pub(super) fn run(args: BatchArgs, cx: &mut Context) -> Outcome {
    let bytes = input(args.file.as_deref(), cx).map_err(|error| Failure::from(OpError::Fs(error)))?;
    let options = BatchOptions { atomic: args.atomic, dry_run: args.dry_run };
    let request = format!("{}\n{}", args.atomic, blake3::hash(&bytes));
    cx.once(
        args.key.as_deref().filter(|_| !args.dry_run),
        &request,
        ops::plan_batch,
        |cx, given| Ok(ops::batch_once(cx.store()?, &bytes, options, given)?),
        |cx, lines| tell(lines, args.dry_run, cx),
    )
}

fn tell(lines: Vec<BatchLine>, dry_run: bool, cx: &mut Context) -> Outcome {
    let (total, mut failed, mut exit) = (lines.len(), 0, Exit::Ok);
    for line in lines {
        let is_aborted = matches!(&line.result, Err(OpError::Batch(BatchError::Aborted { .. })));
        let failure = line.result.as_ref().err().map(Failure::from);
        cx.ui.json_row(&view::batched(&line, dry_run, failure.as_ref()).finish());
        if let Some(failure) = failure {
            failed += 1;
            // A line that was not written because of another one did not fail itself.
            if exit == Exit::Ok && !is_aborted {
                exit = failure.exit;
            }
        }
    }
    let word = if dry_run { "would fail" } else { "failed" };
    cx.ui.note_if(failed > 0, &format!("{failed} of {} {word}", view::plural(total, "line")));
    Ok(exit)
}

/// All of the input; of one that is too long a little more than is allowed.
fn input(file: Option<&str>, cx: &Context) -> Result<Vec<u8>, FsError> {
    match file.filter(|name| *name != "-") {
        Some(name) => store::read_named(&cx.directory().join(name), &cx.directory(), MAX_BATCH_BYTES + 1),
        None => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(MAX_BATCH_BYTES + 1).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(|error| FsError::new("read", "standard input", error))
        }
    }
}
