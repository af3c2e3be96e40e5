use clap::Args;
use clap_complete::Shell;

use super::{Context, Outcome};
use crate::view::Exit;

/// Print a completion script for your shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd completions bash > ~/.local/share/bash-completion/completions/bd\n  bd completions zsh > ~/.zfunc/_bd"
)]
pub struct CompletionsArgs {
    shell: Shell,
}

pub fn run(args: CompletionsArgs, cx: &mut Context) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut crate::cli::tips::visible(), "bd", &mut text);
    cx.ui.verbatim(&String::from_utf8_lossy(&text));
    Ok(Exit::Ok)
}
