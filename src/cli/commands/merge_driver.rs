use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::{Context, Outcome};
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
pub struct MergeDriverArgs {
    /// What both sides grew from; missing or empty if nobody knows
    base: PathBuf,
    /// Our side; the merge replaces it
    ours: PathBuf,
    /// Their side
    theirs: PathBuf,
    /// git's %L; no markers are ever written
    #[arg(hide = true)]
    marker_size: Option<String>,
    /// git's %P, for messages
    #[arg(hide = true, allow_hyphen_values = true)]
    path: Option<OsString>,
    /// Where the merge goes (default: OURS)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(args: MergeDriverArgs, cx: &mut Context) -> Outcome {
    let at = |path: &PathBuf| cx.directory().join(path);
    let (base, ours, theirs) = (at(&args.base), at(&args.ours), at(&args.theirs));
    let output = args.output.as_ref().map_or_else(|| ours.clone(), at);
    let files = MergeFiles { base: &base, ours: &ours, theirs: &theirs, output: &output };
    match ops::merge_files(files, &cx.host().entropy) {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => {
            let of = args.path.map(|path| format!("{}: ", path.display())).unwrap_or_default();
            Err(Failure::merge(format!("{of}the merge failed: {error}")))
        }
    }
}

/// Whether these are the arguments of this command. From then on a panic ends the process by a signal: git would take the exit
/// code of a panic for a conflict and leave our side alone in the file.
pub fn is_called(args: &[OsString]) -> bool {
    let is_it = args
        .iter()
        .skip(1)
        .find(|arg| !arg.as_encoded_bytes().starts_with(b"-"))
        .is_some_and(|arg| arg == "merge-driver");
    if is_it {
        process::abort_on_panic();
    }
    is_it
}
