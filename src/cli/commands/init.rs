use clap::Args;

use super::{Context, Outcome};
use crate::ops;
use crate::view::{Exit, Failure, Object};

/// Make a ledger here
///
/// Creates `.beads/` with an empty ledger and touches nothing else: no hook, no commit, no other file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd init\n  bd init --prefix web")]
pub struct InitArgs {
    /// What new ids start with (default: the directory's name)
    #[arg(short, long, value_name = "PREFIX")]
    prefix: Option<String>,
}

pub fn run(args: InitArgs, cx: &mut Context) -> Outcome {
    if !cx.directory().is_dir() {
        return Err(Failure::usage(format!("no such directory: {}", cx.directory().display())));
    }
    let mut made = ops::init(cx.host(), &cx.directory(), args.prefix.as_deref())?;
    if made.already {
        made.prefix = cx.store()?.prefix()?;
    }
    if cx.ui.wants_json() {
        let object = Object::new()
            .text("status", if made.already { "already_initialized" } else { "initialized" })
            .text("path", &made.beads.display().to_string())
            .text("ledger", &made.ledger.display().to_string())
            .text("prefix", &made.prefix);
        cx.json(object.finish());
    } else if made.already {
        cx.ui.done(&format!("already initialized, nothing changed: {}", made.ledger.display()));
    } else {
        cx.ui.done(&format!("bd initialized successfully: {}", made.ledger.display()));
        cx.ui.done(&format!("new ids start with {}-", made.prefix));
        cx.ui.hint("bd add \"First issue\", then bd ready");
    }
    Ok(Exit::Ok)
}
