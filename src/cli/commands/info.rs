use clap::Args;

use super::{Context, Outcome};
use crate::cache::Sort;
use crate::cli::filters::not_deleted;
use crate::view::{self, Exit};

/// Facts about this ledger and this program
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd info\n  bd info --json")]
pub struct InfoArgs {
    #[arg(long, hide = true)]
    schema: bool,
}

pub fn run(_: InfoArgs, cx: &mut Context) -> Outcome {
    let store = cx.store()?;
    let count = store.list(&not_deleted(), Sort::default(), Some(0))?.total;
    let ledger = store.ledger_path(0).map(|path| path.display().to_string()).unwrap_or_default();
    let bytes: usize = store.documents().iter().map(|(_, _, document)| document.bytes().len()).sum();
    let prefix = store.prefix(0)?;
    let actor = store.actor().to_owned();
    json_answer!(cx, view::info(&ledger, count, bytes, &prefix, &actor));
    cx.ui.facts([
        ("Ledger", ledger),
        ("Issues", count.to_string()),
        ("Size", format!("{bytes} bytes")),
        ("Prefix", prefix),
        ("Actor", actor),
        ("Version", env!("CARGO_PKG_VERSION").to_owned()),
    ]);
    Ok(Exit::Ok)
}
