use std::path::PathBuf;

use clap::Args;

use super::{Context, Outcome, grouped};
use crate::cli::help;
use crate::ops;
use crate::view::{Exit, Failure};

/// Print the manual page of a command, or install all pages
///
/// Pages are installed for you alone, in ~/.local/share/man/man1 (or below XDG_DATA_HOME), where man finds them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  bd man | man -l -\n  bd man list | man -l -\n  bd man --install\n  bd man --install --dir /usr/local/share/man/man1"
)]
pub struct ManArgs {
    /// The command; without one, the page of bd itself
    #[arg(value_name = "COMMAND", conflicts_with = "install")]
    command: Option<String>,
    /// Write the pages of all commands to a directory
    #[arg(long)]
    install: bool,
    /// The directory to install them in
    #[arg(long, value_name = "DIR", requires = "install")]
    dir: Option<PathBuf>,
}

pub fn run(args: ManArgs, cx: &mut Context) -> Outcome {
    if !args.install {
        let (_, text) = page(args.command.as_deref())?;
        cx.ui.verbatim(&text);
        return Ok(Exit::Ok);
    }
    let pages = std::iter::once(None).chain(grouped().map(Some)).map(page).collect::<Result<Vec<_>, _>>()?;
    let directory = args.dir.map(|dir| cx.directory().join(dir));
    let installed = ops::install_pages(&cx.host_here().env, directory, &pages)?;
    cx.ui.note(&format!("Installed {} pages in {}", pages.len(), installed.display()));
    Ok(Exit::Ok)
}

/// The name of a page and its text.
fn page(command: Option<&str>) -> Result<(String, String), Failure> {
    let mut whole = help::whole();
    whole.build();
    let (name, found) = match command {
        None => ("bd".to_owned(), Some(help::command())),
        Some(name) => (format!("bd-{name}"), whole.find_subcommand(name).cloned()),
    };
    let unknown = || Failure::usage(format!("no command {:?}; run `bd help --all`", command.unwrap_or_default()));
    let found = found.ok_or_else(unknown)?.version(env!("CARGO_PKG_VERSION")).display_name(name.clone());
    let mut text = Vec::new();
    let man = clap_mangen::Man::new(found).title(name.to_uppercase()).source(concat!("bd ", env!("CARGO_PKG_VERSION")));
    man.render(&mut text).expect("memory takes every page");
    Ok((format!("{name}.1"), String::from_utf8_lossy(&text).into_owned()))
}
