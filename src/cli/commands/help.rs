use clap::Args;

use super::{Context, Outcome};
use crate::cli::help;

/// Show help for a command; --all lists every command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  bd help --all\n  bd help dep add")]
pub struct HelpArgs {
    command: Vec<String>,
    /// List every command
    #[arg(long)]
    all: bool,
}

pub fn run(args: HelpArgs, cx: &mut Context) -> Outcome {
    match (args.all, args.command.as_slice()) {
        (true, _) => help::all(cx),
        (false, []) => help::overview(cx),
        (false, names) => help::of(cx, names),
    }
}
