use clap::{Args, Subcommand};

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::store::StateMode;
use crate::view::{self, Exit, plural};

/// Show or move the directory that holds claims, mail and checkpoints
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd state\n  bd state move --to global --dry-run\n  bd state move --from ~/.old-state"
)]
pub(super) struct StateArgs {
    #[command(subcommand)]
    command: Option<StateCommand>,
}

#[derive(Debug, Subcommand)]
enum StateCommand {
    /// Copy everything to another state home and use that one; the old one stays
    ///
    /// With --from the records of another state home are brought in, such as one that BD_STATE_DIR named; it is not changed, and
    /// a second time copies nothing. Where both homes know an agent or a claim, the later word counts.
    Move {
        /// Which: repo (this repository's), global (shared by all your repositories) or worktree (this checkout's)
        #[arg(long, value_name = "MODE", required_unless_present = "from")]
        to: Option<String>,
        /// Copy from this state home instead of the one in use
        #[arg(long, value_name = "DIR")]
        from: Option<String>,
        /// Show what would be copied; change nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub(super) fn run(args: StateArgs, cx: &mut Context) -> Outcome {
    match args.command {
        None => show(cx),
        Some(StateCommand::Move { to, from, dry_run }) => go(cx, to.as_deref(), from.as_deref(), dry_run),
    }
}

fn show(cx: &mut Context) -> Outcome {
    let (home, exists) = ops::state_home(cx.store()?);
    json_answer!(cx, view::state_home(&home, exists));
    let path = cx.ui.path(&home.path);
    cx.ui.facts([("State home", path), ("Mode", home.mode.word().to_owned()), ("Because", home.reason)]);
    Ok(Exit::Ok)
}

fn go(cx: &mut Context, to: Option<&str>, from: Option<&str>, dry_run: bool) -> Outcome {
    let from = from.map(|path| cx.host().env.path(path));
    let moved = ops::move_state(cx.store()?, to, from.as_deref(), dry_run)?;
    let (from, target) = (cx.ui.path(&moved.from.path), cx.ui.path(&moved.to.path));
    let total: usize = moved.copied.iter().map(|(_, count)| count).sum();
    json_answer!(cx, view::moved_state(&moved, dry_run));
    let what = if dry_run { "Would copy" } else { "Copied" };
    cx.ui.done(&format!("{what} {} from {from} to {target}", plural(total, "record")));
    if !dry_run {
        cx.ui.note("what was there before is still there");
        if ops::state_home(cx.store()?).0.mode == StateMode::Named {
            cx.ui.note("BD_STATE_DIR or --state-dir still names another state home; leave it out to use this one");
        }
    }
    Ok(Exit::Ok)
}
