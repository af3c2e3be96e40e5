//! Help for newcomers: everyday commands first, the rest on request.

use clap::builder::StyledStr;

use super::context::{Context, Outcome};
use super::entry::{GROUPS, Table};
use super::signposts;
use super::topics;
use crate::view::Failure;

pub(super) fn overview(table: Table, cx: &mut Context) -> Outcome {
    let text: StyledStr = table.parser().render_help();
    cx.text_answer(text.to_string().trim_end())
}

/// Every command with its summary, by group.
pub(super) fn all(table: Table, cx: &mut Context) -> Outcome {
    let command = table.whole();
    let mut text = String::new();
    for group in GROUPS {
        text.push_str(&format!("{group}:\n"));
        for name in table.in_group(group).iter().map(|entry| entry.name) {
            let about = command.find_subcommand(name).and_then(|sub| sub.get_about()).map(ToString::to_string);
            text.push_str(&format!("  {name:<16} {}\n", about.unwrap_or_default()));
        }
        text.push('\n');
    }
    text.push_str(&format!(
        "{}\n\nFor one command run `bd COMMAND --help`, for a topic `bd help TOPIC`.",
        topics::names()
    ));
    cx.page_answer(&text)
}

/// The long help of one command, or a topic.
pub(super) fn of(names: &[String], table: Table, cx: &mut Context) -> Outcome {
    let topic = names.first().filter(|_| names.len() == 1).and_then(|name| topics::find(name));
    if let Some(topic) = topic {
        return cx.page_answer(topic.trim_end());
    }
    let mut command = table.whole();
    command.build();
    let mut current = &mut command;
    for name in names {
        let found = current.find_subcommand_mut(name);
        current = found.ok_or_else(|| {
            let unknown = Failure::usage(format!("no command or topic {name:?}; run `bd help --all`"));
            match signposts::command(&names.join(" ")) {
                Some(advice) => unknown.hint(advice),
                None => unknown,
            }
        })?;
    }
    cx.text_answer(current.render_long_help().to_string().trim_end())
}
