use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::topics;

/// Show the first five minutes with bd
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd quickstart")]
pub(super) struct QuickstartArgs {}

pub(super) fn run(_: QuickstartArgs, cx: &mut Context) -> Outcome {
    cx.page_answer(topics::find("quickstart").expect("it is a topic").trim_end())
}
