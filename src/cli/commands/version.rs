use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::view::{self, Exit};

/// Print the version
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd version\n  bd version --json")]
pub(super) struct VersionArgs {}

pub(super) fn run(_: VersionArgs, cx: &mut Context) -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    json_answer!(cx, view::version(version));
    cx.ui.line(&format!("bd version {version}"));
    Ok(Exit::Ok)
}
