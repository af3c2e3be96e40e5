use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::ops::AGENTS_BLOCK;

/// Print the block of instructions that `bd setup` puts into AGENTS.md, to paste it elsewhere
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd onboard\n  bd onboard >> AGENTS.md")]
pub(super) struct OnboardArgs {}

pub(super) fn run(_: OnboardArgs, cx: &mut Context) -> Outcome {
    cx.text_answer(AGENTS_BLOCK.trim_end())
}
