use clap::Args;

use super::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit, inline};

/// Agree to the programs that a repository makes its version control run
///
/// Filters, helpers, drivers and the like that stand in the repository's own settings, not in yours. Until you agree, `bd` reads such a
/// repository but does not commit, merge or exchange anything there. You agree to exactly these; another one asks again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd trust --dry-run\n  bd trust ~/src/project")]
pub struct TrustArgs {
    /// A directory in the working copy; without one, all working copies of the project
    #[arg(value_name = "DIR")]
    path: Option<String>,
    /// Only show what it names
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub fn run(args: TrustArgs, cx: &mut Context) -> Outcome {
    let roots = match args.path {
        Some(path) => vec![path],
        None => ops::working_copies(cx.store()?)?.iter().map(|root| root.display().to_string()).collect(),
    };
    let mut found = Vec::new();
    for root in &roots {
        found.push(ops::trust_working_copy(root, &cx.directory(), cx.host(), args.dry_run)?);
    }
    if cx.ui.wants_json() {
        cx.ui.json(view::trusted(&found, args.dry_run), &[]);
        return Ok(Exit::Ok);
    }
    for one in &found {
        let verb = match (one.programs.is_empty(), one.known, args.dry_run) {
            (true, _, _) => "names no programs",
            (false, true, _) => "trusted already",
            (false, false, true) => "not trusted",
            (false, false, false) => "trusted",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", one.root.display())));
        for program in &one.programs {
            cx.ui.line(&inline(&format!("  {program}")));
        }
    }
    Ok(Exit::Ok)
}
