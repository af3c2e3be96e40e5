use std::path::Path;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops;
use crate::view::{self, Exit};

/// Show facts about this ledger and this program
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd info\n  bd info --json")]
pub(super) struct InfoArgs {
    #[arg(long, hide = true)]
    schema: bool,
}

pub(super) fn run(_: InfoArgs, cx: &mut Context) -> Outcome {
    let facts = ops::facts(cx.store()?)?;
    json_answer!(cx, view::info(&facts));
    cx.ui.facts([
        ("Ledger", cx.ui.path(Path::new(&facts.ledger))),
        ("Issues", facts.issues.to_string()),
        ("Size", format!("{} bytes", facts.bytes)),
        ("Prefix", facts.prefix),
        ("Actor", facts.actor),
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    Ok(Exit::Ok)
}
