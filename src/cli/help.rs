//! Help for newcomers: the commands of every day first, the rest on request.

use clap::{CommandFactory as _, builder::StyledStr};

use super::Cli;
use super::commands::{COMMANDS, Entry, GROUPS};
use super::context::Context;
use crate::view::{Exit, Failure};

/// The argument parser with every command.
pub fn whole() -> clap::Command {
    Cli::command().subcommands(COMMANDS.iter().map(Entry::parser))
}

/// The same, with everything but the everyday commands hidden from the overview.
pub fn command() -> clap::Command {
    let everyday = |name| GROUPS[0].1.split(' ').position(|known| known == name);
    Cli::command().subcommands(COMMANDS.iter().map(|entry| match everyday(entry.name) {
        Some(place) => entry.parser().display_order(place),
        None => entry.parser().hide(true),
    }))
}

pub fn overview(cx: &mut Context) -> Result<Exit, Failure> {
    let text: StyledStr = command().render_help();
    cx.text_answer(text.to_string().trim_end());
    Ok(Exit::Ok)
}

/// Every command with its one line, by group.
pub fn all(cx: &mut Context) -> Result<Exit, Failure> {
    let command = whole();
    let mut text = String::new();
    for (group, names) in GROUPS {
        text.push_str(&format!("{group}:\n"));
        for name in names.split(' ') {
            let about = command.find_subcommand(name).and_then(|sub| sub.get_about()).map(ToString::to_string);
            text.push_str(&format!("  {name:<16} {}\n", about.unwrap_or_default()));
        }
        text.push('\n');
    }
    text.push_str("Help on one: bd COMMAND --help");
    cx.text_answer(&text);
    Ok(Exit::Ok)
}

/// The long help of one command.
pub fn of(cx: &mut Context, names: &[String]) -> Result<Exit, Failure> {
    let mut command = whole();
    command.build();
    let mut current = &mut command;
    for name in names {
        let found = current.find_subcommand_mut(name);
        current =
            found.ok_or_else(|| Failure::usage(format!("no command {name:?}; run `bd help --all` to list them")))?;
    }
    let text = current.render_long_help();
    cx.text_answer(text.to_string().trim_end());
    Ok(Exit::Ok)
}
