use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit, inline};

/// Trust a repository's programs, its text for agents, and the personal settings found in it
///
/// The repository's own version control settings, not yours, can name programs, files to write and ways for passwords; links in its
/// directory can lead out of it. Until you agree, `bd` reads and writes issues there but does not commit, merge or sync. You agree
/// to exactly what is listed; something new asks again. Settings that no bd command uses are listed too, and need no consent. `bd prime`
/// shows .beads/PRIME.md to agents once you agree to exactly that text. Personal settings that you did not make with this `bd`
/// have no effect, because an unpacked archive may bring them; until you confirm that they are yours, `bd` reads and does not
/// write. docs/security.md says more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd trust --dry-run\n  bd trust ~/src/project")]
pub(super) struct TrustArgs {
    /// A directory in the working copy; without one, all working copies of the project
    #[arg(value_name = "DIR")]
    path: Option<String>,
    /// Show what you would agree to; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: TrustArgs, cx: &mut Context) -> Outcome {
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
            (true, _, _) => "asks for nothing",
            (false, true, _) => "trusted already",
            (false, false, true) => "not trusted",
            (false, false, false) => "trusted",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", cx.ui.path(&one.root))));
        cx.ui.below(&one.programs);
        cx.ui.below(one.idle.iter().map(|setting| format!("no bd command uses {setting}")));
    }
    for one in &agreed.homes {
        let verb = match (one.is_trusted, args.dry_run) {
            (true, _) => "yours already",
            (false, true) => "not known to be yours",
            (false, false) => "yours from now on",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", cx.ui.path(&one.home))));
        cx.ui.below(&one.contents);
    }
    if let Some(one) = &agreed.text {
        let verb = match (one.known, args.dry_run) {
            (true, _) => "trusted already",
            (false, true) => "not trusted; `bd prime` would show it to agents",
            (false, false) => "trusted; `bd prime` shows it to agents",
        };
        cx.ui.line(&inline(&format!("{}: {verb}", cx.ui.path(&one.path))));
        cx.ui.below(one.text.lines());
    }
    Ok(Exit::Ok)
}
