//! Every command and flag that a page, a help or a message names exists.

use super::texts::{self, help};

/// Flags that are hidden from the help: for tests and for clients of the original. Pages for programs may name them.
const HIDDEN: &[&str] = &[
    "--flush-only",
    "--inspect",
    "--readonly",
    "--lock-timeout",
    "--state-dir",
    "--global",
    "--db",
    "--no-daemon",
    "--help",
    "--version",
];
/// Words that pages put in the place of a command.
const PLACEHOLDERS: &[&str] = &["COMMAND", "X", "…", "..."];
/// An alias that a page defines before it uses it.
const ALIASES: &[&str] = &["mine"];

#[test]
fn pages_name_commands_that_exist() {
    let mut wrong = Vec::new();
    for (name, text) in texts::pages() {
        for (line, command) in commands_of(&text) {
            if let Err(problem) = check(&command) {
                wrong.push(format!("{name}:{line}: {command}: {problem}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn help_names_commands_that_exist() {
    let mut wrong = Vec::new();
    for words in texts::commands() {
        let names: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = help(&names).unwrap();
        let examples = text.split("Examples:\n").nth(1).unwrap_or_default().lines().filter_map(command);
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for named in spans(&flat).filter_map(command).chain(examples) {
            if let Err(problem) = check(named) {
                wrong.push(format!("bd {} --help: {named}: {problem}", words.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn messages_name_commands_that_exist() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for text in texts::literals() {
        for named in spans(&text.text).filter_map(command) {
            seen += 1;
            if let Err(problem) = check(named) {
                wrong.push(format!("{}: {named}: {problem}", text.place));
            }
        }
    }
    assert!(seen > 100, "{seen} commands were found in the source");
    assert!(wrong.is_empty(), "{} problems:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_check_finds_what_it_looks_for() {
    for good in [
        "bd ready",
        "bd dep add a b --type blocks",
        "bd -C DIR list --all",
        "bd create X -p 1",
        "bd --agent a claim ID",
        "bd run a -- ./x --odd",
    ] {
        assert_eq!(check(good), Ok(()), "{good}");
    }
    for bad in ["bd redy", "bd dep ad a b", "bd list --al", "bd workflow begin W", "bd -C DIR lst"] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

/// The spans between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A command of `bd`, without a prompt or variables before it.
fn command(text: &str) -> Option<&str> {
    let mut rest = text.trim().trim_start_matches("$ ");
    while let Some((word, after)) = rest.split_once(' ') {
        match word.split_once('=') {
            Some((name, _)) if !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => {
                rest = after.trim_start()
            }
            _ => break,
        }
    }
    rest.starts_with("bd ").then_some(rest)
}

/// The commands on a page: in spans, and in blocks of commands.
fn commands_of(page: &str) -> Vec<(usize, String)> {
    let mut block: Option<&str> = None;
    let mut found = Vec::new();
    for (at, line) in page.lines().enumerate() {
        if let Some(tag) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(tag) };
            continue;
        }
        match block {
            None => found.extend(spans(line).filter_map(command).map(|command| (at + 1, command.to_owned()))),
            Some("sh") => found.extend(command(line).map(|command| (at + 1, command.to_owned()))),
            Some("console" | "text") if line.starts_with("$ ") => {
                found.extend(command(line).map(|command| (at + 1, command.to_owned())))
            }
            Some(_) => {}
        }
    }
    found
}

/// Whether a command line names a command, and flags, that exist.
fn check(line: &str) -> Result<(), String> {
    let words: Vec<&str> = line.split_whitespace().skip(1).collect();
    let end = words
        .iter()
        .position(|word| ["--", "|", "#", "&&", ";", ">", ">>", "<", "||"].contains(word) || word.starts_with('#'));
    let words = &words[..end.unwrap_or(words.len())];
    let mut names: Vec<&str> = Vec::new();
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        if names.is_empty() && ["-C", "--directory", "--actor", "--agent", "--config", "--state-dir"].contains(word) {
            skip = true;
        } else if word.starts_with('-') {
            if !names.is_empty() {
                break;
            }
        } else if is_name(word) && names.len() < 2 {
            names.push(word.trim_end_matches([';', ',', ')', ':']));
        } else if names.is_empty() {
            return if PLACEHOLDERS.contains(word) { Ok(()) } else { Err("not a command".to_owned()) };
        } else {
            break;
        }
    }
    let Some(first) = names.first().copied().filter(|name| !ALIASES.contains(name)) else { return Ok(()) };
    let outer = help(&[first]).ok_or("no such command")?;
    let mut text = outer.clone();
    if let (Some(second), true) = (names.get(1), outer.contains("\nCommands:\n")) {
        let inner = help(&[first, second]).filter(|inner| *inner != outer);
        let usage = outer.split("Usage:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
        match inner {
            Some(inner) => text += &inner,
            // An id may follow some of these commands, too; it has a dash.
            None if usage.contains("<COMMAND>") && !(usage.contains("<ID>") && second.contains('-')) => {
                return Err(format!("bd {first} has no command {second}"));
            }
            None => {}
        }
    }
    for flag in words.iter().filter(|word| word.starts_with("--")).map(|word| flag(word)) {
        let known = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').any(|word| word == flag);
        if !known(&text) && !HIDDEN.contains(&flag) {
            return Err(format!("no flag {flag}"));
        }
    }
    Ok(())
}

fn is_name(word: &str) -> bool {
    let word = word.trim_end_matches([';', ',', ')', ':']);
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// The flag itself, without a value or punctuation.
fn flag(word: &str) -> &str {
    let end = word.char_indices().skip(2).find(|(_, c)| !c.is_ascii_alphanumeric() && *c != '-');
    &word[..end.map_or(word.len(), |(at, _)| at)]
}
