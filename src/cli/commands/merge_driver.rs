use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, MergeFiles};
use crate::sys::process;
use crate::view::{Exit, Failure};

/// Merge two versions of a ledger, for git, hg and jj
///
/// Version control runs this; `bd hooks install` registers it. The result replaces OURS, or goes to --output. Nothing is printed. On any
/// problem the output stays as it was and the exit code is 129, which git takes for a failed merge and never for a finished one.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd merge-driver base.jsonl ours.jsonl theirs.jsonl\n  bd merge-driver base.jsonl ours.jsonl theirs.jsonl --output merged.jsonl"
)]
pub(crate) struct MergeDriverArgs {
    /// The common ancestor; missing or empty if unknown
    base: PathBuf,
    /// Our side; replaced by the merge
    ours: PathBuf,
    /// Their side
    theirs: PathBuf,
    /// git's %L; bd never writes markers
    #[arg(hide = true)]
    marker_size: Option<String>,
    /// git's %P, for messages
    #[arg(hide = true, allow_hyphen_values = true)]
    path: Option<OsString>,
    /// Write the merge here (default: OURS)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Merge two versions of a ledger, called as the original's merge driver is
///
/// Clones that the original set up call `bd merge %A %O %A %B`. It does the same as `bd merge-driver`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd merge merged.jsonl base.jsonl ours.jsonl theirs.jsonl")]
pub(crate) struct MergeArgs {
    /// Write the merge here; may be one of the sides
    output: PathBuf,
    /// The common ancestor; missing or empty if unknown
    base: PathBuf,
    /// Our side
    ours: PathBuf,
    /// Their side
    theirs: PathBuf,
    /// Accepted for compatibility
    #[arg(long, hide = true)]
    debug: bool,
}

pub(crate) fn run(args: MergeDriverArgs, cx: &mut Context) -> Outcome {
    let output = args.output.as_ref().unwrap_or(&args.ours);
    merge([&args.base, &args.ours, &args.theirs, output], args.path, cx)
}

pub(crate) fn run_merge(args: MergeArgs, cx: &mut Context) -> Outcome {
    merge([&args.base, &args.ours, &args.theirs, &args.output], None, cx)
}

fn merge(files: [&PathBuf; 4], name: Option<OsString>, cx: &Context) -> Outcome {
    let [base, ours, theirs, output] = files.map(|path| cx.directory().join(path));
    let files = MergeFiles { base: &base, ours: &ours, theirs: &theirs, output: &output };
    match ops::merge_files(files, &cx.host().entropy) {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => {
            let of = name.map(|path| format!("{}: ", path.display())).unwrap_or_default();
            Err(Failure::merge(format!("{of}the merge failed: {error}")))
        }
    }
}

/// Whether these are the arguments of a merge. From then on a panic ends the process by a signal: git would take the exit
/// code of a panic for a conflict and leave our side alone in the file.
pub(crate) fn is_called(args: &[OsString]) -> bool {
    let is_it = args
        .iter()
        .skip(1)
        .find(|arg| !arg.as_encoded_bytes().starts_with(b"-"))
        .is_some_and(|arg| arg == "merge-driver" || arg == "merge");
    if is_it {
        process::abort_on_panic();
    }
    is_it
}
