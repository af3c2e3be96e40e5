use std::io::Read as _;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, ImportOptions, OpError};
use crate::store;
use crate::sys::fs::FsError;
use crate::view::{self, Failure};

/// The longest file that is read; a ledger cannot be longer.
const MAX_IMPORT: u64 = 1 << 30;

/// Import issues from a JSONL file
///
/// Reads beads JSONL of any era. New ids come in as they are; a known issue is joined with the incoming one if that is
/// newer, and left alone otherwise, so importing twice changes nothing. A deletions.jsonl leaves tombstones.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd import old/.beads/issues.jsonl --dry-run\n  bd import old/.beads/issues.jsonl\n  curl -s URL | bd import -"
)]
pub(super) struct ImportArgs {
    /// The file to read (-: standard input)
    #[arg(required_unless_present = "input")]
    file: Option<String>,
    #[arg(short, long, value_name = "FILE", hide = true)]
    input: Option<String>,
    /// Show what would change; write nothing
    #[arg(long)]
    dry_run: bool,
    /// Skip unreadable lines instead of refusing the file
    #[arg(long)]
    skip_damaged: bool,
    /// The repo for new issues (default: by routing)
    #[arg(long, value_name = "REPO")]
    repo: Option<String>,
    /// Confirm the number of issues added to the project's own repo, if over 25
    #[arg(long, value_name = "N")]
    count: Option<usize>,
}

pub(super) fn run(args: ImportArgs, cx: &mut Context) -> Outcome {
    let name = args.file.or(args.input).unwrap_or_default();
    let bytes = if name == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes).map_err(|e| FsError::new("read", "standard input", e))
    } else {
        let path = cx.directory().join(&name);
        store::read_named(&path, &cx.directory(), MAX_IMPORT)
    };
    let bytes = bytes.map_err(|error| Failure::from(OpError::Fs(error)))?;
    let options = ImportOptions {
        dry_run: args.dry_run,
        skip_damaged: args.skip_damaged,
        repo: args.repo.as_deref(),
        count: args.count,
    };
    let report = ops::import(cx.store()?, &name, bytes, options)?;
    if cx.ui.wants_json() {
        cx.json(view::imported(&report, args.dry_run));
        return Ok(cx.fail_each(report.refused));
    }
    for (line, reason) in &report.skipped {
        cx.ui.warning(&format!("{name}:{line}: skipped: {reason}"));
    }
    let word = if args.dry_run { "Would import" } else { "Imported" };
    let refused = match report.refused.len() {
        0 => String::new(),
        n => format!(", {n} refused"),
    };
    cx.ui.done(&format!(
        "{word}: {} created, {} updated, {} unchanged, {} deleted{refused}",
        report.created.len(),
        report.updated.len(),
        report.unchanged.len(),
        report.deleted.len()
    ));
    Ok(cx.fail_each(report.refused))
}
