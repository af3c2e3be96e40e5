use clap::Args;
use clap_complete::Shell;

use crate::cli::complete::shells;
use crate::cli::context::{Context, Outcome};
use crate::cli::entry::Table;
use crate::cli::tips;
use crate::view::Exit;

/// Print the completion script for your shell
///
/// The script asks bd while you type, so it completes ids (with titles), statuses, types, labels, repos, agents, templates, saved
/// queries and settings of the project you are in. Completing never writes anything. What it inserts is quoted, so that nothing in a
/// ledger can run a command.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  bd completions bash > ~/.local/share/bash-completion/completions/bd
  bd completions zsh > ~/.zfunc/_bd
  bd completions fish > ~/.config/fish/completions/bd.fish
  bd completions bash --static")]
pub(super) struct CompletionsArgs {
    /// Your shell
    shell: Shell,
    /// Print a script that knows commands and flags only and never runs bd
    #[arg(long = "static")]
    is_static: bool,
}

pub(super) fn run(args: CompletionsArgs, table: Table, cx: &mut Context) -> Outcome {
    let text = match args.is_static {
        true => {
            let mut text = Vec::new();
            clap_complete::generate(args.shell, &mut tips::visible(&[], table), "bd", &mut text);
            String::from_utf8_lossy(&text).into_owned()
        }
        false => shells::script(args.shell),
    };
    cx.ui.verbatim(&text);
    Ok(Exit::Ok)
}
