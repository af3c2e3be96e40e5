use clap::Args;

use super::{Context, Outcome};
use crate::view::{Exit, Object, inline};

/// Which ledger is used, and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd where\n  bd -C ../other where --json")]
pub struct WhereArgs {}

pub fn run(_: WhereArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let beads = store.repo().beads().display().to_string();
    let ledger = store.ledger_path().display().to_string();
    let reason = store.repo().reason().to_owned();
    let prefix = store.prefix()?;
    if cx.ui.wants_json() {
        let object = Object::new()
            .text("path", &beads)
            .text("prefix", &prefix)
            .text("database_path", &ledger)
            .text("ledger", &ledger)
            .text("source_repo", ".")
            .text("reason", &reason);
        cx.json(object.finish());
        return Ok(Exit::Ok);
    }
    for (name, value) in
        [("Ledger", &ledger), ("Directory", &beads), ("Because", &reason), ("New ids", &format!("{prefix}-…"))]
    {
        cx.ui.line(&format!("{name:<12}{}", inline(value)));
    }
    Ok(Exit::Ok)
}
