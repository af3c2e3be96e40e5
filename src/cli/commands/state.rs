use clap::{Args, Subcommand};

use super::{Context, Outcome};
use crate::ops;
use crate::view::{Exit, Object, array, inline, plural};

/// Where claims, mail and checkpoints are kept, and moving them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd state\n  bd state move --to global --dry-run")]
pub struct StateArgs {
    #[command(subcommand)]
    command: Option<StateCommand>,
}

#[derive(Debug, Subcommand)]
enum StateCommand {
    /// Copy everything to the state home of another mode, and use that one; what was there before stays
    Move {
        /// repo (with the repository), global (of all your repositories), worktree (of this checkout alone)
        #[arg(long, value_name = "MODE")]
        to: String,
        /// Say what would be copied
        #[arg(long)]
        dry_run: bool,
    },
}

pub fn run(args: StateArgs, cx: &mut Context) -> Outcome {
    match args.command {
        None => show(cx),
        Some(StateCommand::Move { to, dry_run }) => go(cx, &to, dry_run),
    }
}

fn show(cx: &mut Context) -> Outcome {
    let state = cx.store()?.state();
    let home = state.home().clone();
    if cx.ui.wants_json() {
        let object = Object::new()
            .text("state_home", &home.path.display().to_string())
            .text("mode", home.mode.word())
            .text("reason", &home.reason)
            .flag("exists", state.exists());
        cx.json(object.finish());
        return Ok(Exit::Ok);
    }
    for (name, value) in [
        ("State home", home.path.display().to_string()),
        ("Mode", home.mode.word().to_owned()),
        ("Because", home.reason),
    ] {
        cx.ui.line(&format!("{name:<12}{}", inline(&value)));
    }
    Ok(Exit::Ok)
}

fn go(cx: &mut Context, to: &str, dry_run: bool) -> Outcome {
    let moved = ops::move_state(cx.store()?, to, dry_run)?;
    let (from, target) = (moved.from.path.display().to_string(), moved.to.path.display().to_string());
    let total: usize = moved.copied.iter().map(|(_, count)| count).sum();
    if cx.ui.wants_json() {
        let files = moved
            .copied
            .iter()
            .map(|(name, count)| Object::new().text("file", name).number("records", *count as i64).finish());
        let object = Object::new()
            .text("from", &from)
            .text("to", &target)
            .text("mode", moved.to.mode.word())
            .number("records", total as i64)
            .raw("files", &array(files))
            .flag("dry_run", dry_run);
        cx.json(object.finish());
        return Ok(Exit::Ok);
    }
    let what = if dry_run { "Would copy" } else { "Copied" };
    cx.ui.done(&format!("{what} {} from {} to {}", plural(total, "record"), inline(&from), inline(&target)));
    if !dry_run {
        cx.ui.note("what was there before is still there");
    }
    Ok(Exit::Ok)
}
