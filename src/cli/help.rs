//! Help for newcomers: everyday commands first, the rest on request.

use clap::{CommandFactory as _, builder::StyledStr};

use super::Cli;
use super::commands::{COMMANDS, Entry, GROUPS};
use super::context::Context;
use super::page::filled;
use super::topics::{self, TOPICS};
use crate::view::{Exit, Failure};

/// The argument parser with every command.
pub fn whole() -> clap::Command {
    Cli::command().subcommands(COMMANDS.iter().map(Entry::parser))
}

/// The same, with only everyday commands in the overview.
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

/// Every command with its summary, by group.
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
    let topics: Vec<&str> = TOPICS.iter().map(|(topic, _)| *topic).collect();
    text.push_str(&format!(
        "Topics: {}\n\nFor one command run `bd COMMAND --help`, for a topic `bd help TOPIC`.",
        topics.join(", ")
    ));
    cx.page_answer(&text);
    Ok(Exit::Ok)
}

/// The long help of one command, or a topic; `query` is both.
pub fn of(cx: &mut Context, names: &[String]) -> Result<Exit, Failure> {
    let topic = names.first().filter(|_| names.len() == 1).and_then(|name| topics::find(name)).map(str::trim_end);
    let mut command = whole();
    command.build();
    if let Some(topic) = topic.filter(|_| command.find_subcommand(&names[0]).is_none()) {
        cx.page_answer(topic);
        return Ok(Exit::Ok);
    }
    let mut current = &mut command;
    for name in names {
        let found = current.find_subcommand_mut(name);
        current = found.ok_or_else(|| Failure::usage(format!("no command or topic {name:?}; run `bd help --all`")))?;
    }
    let mut text = current.render_long_help().to_string().trim_end().to_owned();
    if let Some(topic) = topic {
        text = format!("{text}\n\n{}", filled(topic, cx.ui.width()));
    }
    cx.text_answer(&text);
    Ok(Exit::Ok)
}
