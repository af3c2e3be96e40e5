use clap::Args;

use super::{Context, Outcome};
use crate::ops::{self, Replacement};
use crate::view::{Exit, Object};

/// Close an issue as a duplicate of another
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd duplicate bd-a3f8 --of bd-k9z2")]
pub struct DuplicateArgs {
    /// The issue to close, by id or its first characters
    id: String,
    /// The issue that stays
    #[arg(long, value_name = "ID")]
    of: String,
}

/// Close an issue that another one supersedes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd supersede bd-a3f8 --with bd-k9z2")]
pub struct SupersedeArgs {
    /// The issue to close, by id or its first characters
    id: String,
    /// The issue that takes its place
    #[arg(long, value_name = "ID")]
    with: String,
}

pub fn run(args: DuplicateArgs, cx: &mut Context) -> Outcome {
    let (written, by) = ops::replace(cx.store()?, &args.id, &args.of, Replacement::Duplicate)?;
    answer(cx, ("duplicate", &written.id), ("canonical", &by), "as duplicate of")
}

pub fn run_supersede(args: SupersedeArgs, cx: &mut Context) -> Outcome {
    let (written, by) = ops::replace(cx.store()?, &args.id, &args.with, Replacement::Superseded)?;
    answer(cx, ("superseded", &written.id), ("replacement", &by), "as superseded by")
}

fn answer(cx: &mut Context, closed: (&str, &str), by: (&str, &str), word: &str) -> Outcome {
    if cx.ui.wants_json() {
        let object = Object::new().text(closed.0, closed.1).text(by.0, by.1).text("status", "closed");
        cx.json(object.finish());
    } else {
        cx.ui.done(&format!("Marked {} {word} {} (closed)", closed.1, by.1));
    }
    Ok(Exit::Ok)
}
