use std::path::PathBuf;

use clap::Args;

use crate::cli::context::{Context, Outcome};
use crate::cli::entry::Table;
use crate::cli::manual;
use crate::ops;
use crate::view::{Exit, Failure};

/// Print the manual page of a command, or install all pages
///
/// On a terminal man shows it. Pages are installed for you alone, in ~/.local/share/man/man1 (or below XDG_DATA_HOME). If man does not look there, bd says what to
/// add to MANPATH.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd man\n  bd man dep add\n  bd man list > list.1\n  bd man --install\n  bd man --install --dir /usr/local/share/man/man1"
)]
pub(super) struct ManArgs {
    /// The command and its subcommand; without one, the page of bd itself
    #[arg(value_name = "COMMAND", conflicts_with = "install")]
    command: Vec<String>,
    /// Write the pages of all commands to a directory
    #[arg(long)]
    install: bool,
    /// The directory to install them in
    #[arg(long, value_name = "DIR", requires = "install")]
    dir: Option<PathBuf>,
}

pub(super) fn run(args: ManArgs, table: Table, cx: &mut Context) -> Outcome {
    if !args.install {
        let unknown = || Failure::usage(format!("no command {:?}; run `bd help --all`", args.command.join(" ")));
        let (_, text) = manual::one(&args.command, table).ok_or_else(unknown)?;
        // A person reads it as man shows it.
        cx.ui.page(Some("man -l -"));
        cx.ui.verbatim(&text);
        return Ok(Exit::Ok);
    }
    let pages = manual::all(table);
    let directory = args.dir.map(|dir| cx.directory().join(dir));
    let installed = ops::install_pages(&cx.host_here().env, directory, &pages)?;
    cx.ui.note(&format!("Installed {} pages in {}", pages.len(), installed.directory.display()));
    if let Some(hint) = installed.unseen {
        cx.ui.hint(&hint);
    }
    Ok(Exit::Ok)
}
