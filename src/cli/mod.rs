//! The `bd` program: arguments in, text or JSON out. Everything it does is an operation of the library.

mod commands;
mod context;
mod filters;
mod help;
mod meter;
mod reading;
mod render;
mod tips;
mod ui;
mod width;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};

use crate::view::{Exit, Failure};
use commands::Command;
use context::{Context, GlobalArgs};

/// A git-native work ledger: issues are lines of a JSONL file in your repo, committed like code.
#[derive(Debug, Parser)]
#[command(name = "bd", version = concat!("version ", env!("CARGO_PKG_VERSION")), disable_help_subcommand = true)]
#[command(after_help = "More commands: bd help --all. Help on one: bd COMMAND --help.")]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Runs the program on its own arguments and gives its exit code.
pub fn run() -> ExitCode {
    let exit = run_with(std::env::args_os().collect());
    ExitCode::from(exit.code())
}

fn run_with(args: Vec<OsString>) -> Exit {
    let merges = commands::merge_driver::is_called(&args);
    let wants_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let matches = match help::command().try_get_matches_from(&args) {
        Ok(matches) => matches,
        Err(error) => return usage_error(tips::retold(error, &args), wants_json, merges),
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => return usage_error(error.with_cmd(&Cli::command()), wants_json, merges),
    };
    let refused = if cli.global.readonly { reading::refuse(&matches) } else { Ok(()) };
    let mut cx = Context::new(cli.global, command_words(&matches));
    let result = match cli.command {
        Some(_) if refused.is_err() => refused.map(|()| Exit::Ok),
        Some(command) => command.run(&mut cx),
        None => help::overview(&mut cx),
    };
    cx.finish(result)
}

/// The command and its subcommand, by their own names.
fn command_words(matches: &clap::ArgMatches) -> String {
    let mut words = Vec::new();
    let mut next = matches.subcommand();
    while let Some((name, inner)) = next {
        words.push(name);
        next = inner.subcommand();
    }
    words.join(" ")
}

/// clap's own errors: help and version are no errors; the rest exits 2, as JSON if asked.
fn usage_error(error: clap::Error, json: bool, merges: bool) -> Exit {
    use clap::error::ErrorKind;
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Ok;
    }
    if json {
        let text = error.render().to_string();
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
        let message = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let message = message.trim_start_matches("error: ").to_owned();
        ui::json_error(&Failure::usage(message), None);
    } else {
        ui::plain_error(&error.render().to_string());
    }
    // What git takes for a conflict would leave one side alone in the file.
    if merges { Exit::Merge } else { Exit::Usage }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        help::command().debug_assert();
        Cli::command().debug_assert();
    }
}
