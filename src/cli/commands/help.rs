use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::entry::Table;
use crate::cli::{help, topics};

/// Show help for a command or a topic; --all lists every command
#[derive(Debug, Args)]
#[command(after_help = format!("Examples:\n  bd help --all\n  bd help dep add\n  bd help dates\n\n{}", topics::names()))]
pub(super) struct HelpArgs {
    /// The command, or a topic
    command: Vec<String>,
    /// List every command by task
    #[arg(long)]
    all: bool,
}

pub(super) fn run(args: HelpArgs, table: Table, cx: &mut Context) -> Outcome {
    match (args.all, args.command.as_slice()) {
        (true, _) => help::all(table, cx),
        (false, []) => help::overview(table, cx),
        (false, names) => help::of(names, table, cx),
    }
}
