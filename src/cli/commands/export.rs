use std::path::Path;

use clap::Args;

use super::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::ops::{self, OpError};
use crate::store::{self, LEDGER_NAMES};
use crate::sys;
use crate::view::{self, Exit, Failure, plural};

/// Print the ledger's lines, as they are
///
/// Sorted by id, closed and deleted issues included; filters narrow it. With --json and without -o the lines themselves are
/// the JSON. Private issues are not written
/// to a file that the project's next commit could pick up.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd export > backup.jsonl\n  bd export --status open -o open.jsonl")]
pub struct ExportArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Write to a file
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    #[arg(long, hide = true)]
    all: bool,
}

pub fn run(args: ExportArgs, cx: &mut Context) -> Outcome {
    let filter = args.filter.expr(cx)?;
    let path = args.output.map(|output| cx.directory().join(output));
    let (text, count) = ops::export(cx.store()?, &filter, path.as_deref())?;
    let Some(path) = path else {
        cx.ui.verbatim(&text);
        return Ok(Exit::Ok);
    };
    let store = cx.store()?;
    let parent = path.parent().and_then(|dir| std::fs::canonicalize(dir).ok());
    let identity = |path: &Path| sys::fs::stat(path).ok().map(|stamp| (stamp.dev, stamp.ino));
    let target = identity(&path);
    let is_ledger =
        target.is_some() && store.documents().iter().any(|(_, ledger, _)| identity(ledger.path()) == target);
    if is_ledger || parent.as_deref() == Some(store.repo().beads()) {
        let message = format!("{} is a ledger, or would be taken for one: choose another place", path.display());
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| LEDGER_NAMES.contains(name));
        let hint =
            name.filter(|_| !is_ledger).map(|name| format!("to rename the ledger, run `bd migrate --ledger {name}`"));
        return Err(Failure { hint, ..Failure::usage(message) });
    }
    let written = store::write_named(&path, &cx.directory(), text.as_bytes());
    written.map_err(|error| Failure::from(OpError::Fs(error)))?;
    json_answer!(cx, view::exported(count, &path));
    cx.ui.done(&format!("Exported {} to {}", plural(count, "issue"), path.display()));
    Ok(Exit::Ok)
}
