use clap::Args;

use super::{Context, Outcome};
use crate::cli::filters::FilterArgs;
use crate::ops::{self, OpError};
use crate::sys::fs::FsError;
use crate::view::{Exit, Failure, Object};

/// Print the ledger's lines, as they are
///
/// Sorted by id, closed and deleted issues included; filters narrow it. With --json and without -o the lines themselves are
/// the JSON.
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
    let (text, count) = ops::export(cx.store()?, &filter)?;
    let Some(output) = args.output else {
        cx.ui.verbatim(&text);
        return Ok(Exit::Ok);
    };
    let path = cx.directory().join(&output);
    let same =
        |a: &std::path::Path, b: &std::path::Path| std::fs::canonicalize(a).ok() == std::fs::canonicalize(b).ok();
    if path.exists() && same(&path, cx.store()?.ledger_path()) {
        return Err(Failure::usage(format!("{} is the ledger itself", path.display())));
    }
    std::fs::write(&path, text).map_err(|e| Failure::from(OpError::Fs(FsError::new("write", &path, e))))?;
    if cx.ui.wants_json() {
        cx.json(Object::new().number("exported", count as i64).text("path", &path.display().to_string()).finish());
    } else {
        cx.ui.done(&format!("Exported {count} issues to {}", path.display()));
    }
    Ok(Exit::Ok)
}
