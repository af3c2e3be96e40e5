use clap::Args;

use super::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit, inline};

/// Agree to the programs that a repository makes its version control run, to its text for agents, and to personal settings found there
///
/// Programs are filters, helpers, drivers and the like that stand in the repository's own settings, not in yours. Until you agree,
/// `bd` reads such a repository but does not commit, merge or exchange anything there. You agree to exactly these; another one asks
/// again. A `.beads/PRIME.md` is shown to agents by `bd prime` once you agree to exactly that text. Personal settings that were not made by you with this `bd` decide nothing: an unpacked archive may bring them. Until you
/// confirm that they are yours, `bd` reads and does not write. `docs/security.md` says more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd trust --dry-run\n  bd trust ~/src/project")]
pub struct TrustArgs {
    /// A directory in the working copy; without one, all working copies of the project
    #[arg(value_name = "DIR")]
    path: Option<String>,
    /// Only show what you would agree to
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub fn run(args: TrustArgs, cx: &mut Context) -> Outcome {
    let agreed = match &args.path {
        Some(path) => ops::agree_at(path, &cx.directory(), cx.host(), args.dry_run)?,
        None => ops::agree(cx.store()?, args.dry_run)?,
    };
    if cx.ui.wants_json() {
        cx.ui.json(view::trusted(&agreed, args.dry_run), &[]);
        return Ok(Exit::Ok);
    }
    for one in &agreed.copies {
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
    for one in &agreed.homes {
        let verb = match (one.known, args.dry_run) {
            (true, _) => "yours already",
            (false, true) => "not known to be yours",
            (false, false) => "yours from now on",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", one.home.display())));
        for line in &one.says {
            cx.ui.line(&inline(&format!("  {line}")));
        }
    }
    if let Some(one) = &agreed.text {
        let verb = match (one.known, args.dry_run) {
            (true, _) => "trusted already",
            (false, true) => "not trusted; bd prime would show it to agents",
            (false, false) => "trusted; bd prime shows it to agents",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", one.path.display())));
        for line in one.text.lines() {
            cx.ui.line(&inline(&format!("  {line}")));
        }
    }
    Ok(Exit::Ok)
}
