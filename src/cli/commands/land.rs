use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::{self, LandWish};
use crate::view::{self, Exit, inline, plural};

/// Merge all finished workspaces, each after a check
///
/// Takes the workspaces that were made from this checkout and whose issue is closed there, those that others wait for first.
/// Each is merged in a checkout of its own, land.check is run there, and only what passes is merged here, as it was checked. Work
/// that conflicts or fails its check goes back: its issue is open again, with the reason, and the workspace stays. Stops after the
/// first of these. Never pushes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd config set land.check \"make test\"
  bd land --dry-run
  bd land
  bd land --keep-going --check \"cargo test\"")]
pub(super) struct LandArgs {
    /// The command that must succeed before each merge (default: land.check, from your own settings)
    #[arg(long, value_name = "COMMAND")]
    check: Option<String>,
    /// Merge without a check
    #[arg(long, conflicts_with = "check")]
    no_check: bool,
    /// Go on after work that was put back
    #[arg(short, long)]
    keep_going: bool,
    /// Show what would be done; change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) fn run(args: LandArgs, cx: &mut Context) -> Outcome {
    let cwd = cx.host().env.cwd().to_owned();
    let LandArgs { check, no_check, keep_going, dry_run } = args;
    let wish = LandWish { check, no_check, keep_going, dry_run };
    let mut landing = ops::land(cx.store()?, &wish, &cwd)?;
    let stopped = landing.stopped.take();
    let is_any_back = landing.rows.iter().any(|row| row.outcome.is_put_back());
    let exit = if is_any_back { Exit::Failed } else { Exit::Ok };
    if cx.ui.wants_json() {
        cx.json(view::landing(&landing));
        return stopped.map_or(Ok(exit), |error| Err(error.into()));
    }
    for note in &landing.notes {
        cx.ui.note(&inline(note));
    }
    for row in &landing.rows {
        cx.ui.done(&view::landed_text(row));
        if let Some(output) = &row.output {
            cx.ui.below([inline(output).into_owned()]);
        }
    }
    cx.ui.note_if(landing.rows.is_empty() && stopped.is_none(), "no workspace is finished and not merged");
    if landing.left > 0 {
        let what = plural(landing.left, "finished workspace");
        cx.ui.hint(&format!("{what} not tried; run `bd land --keep-going` to go on"));
    }
    if let Some(before) = &landing.before {
        cx.ui.hint(&format!("to take all of it back, run `git reset --keep {}`", before.get(..12).unwrap_or(before)));
    }
    stopped.map_or(Ok(exit), |error| Err(error.into()))
}
