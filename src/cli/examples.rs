//! Checks the help: each argument has a text, and the parser accepts each example.

use clap::Command;

use super::commands::COMMANDS;

/// Every visible command and subcommand, with the words that name it.
fn all() -> Vec<(String, Command)> {
    let mut whole = COMMANDS.whole();
    whole.build();
    let mut found = vec![("bd".to_owned(), whole)];
    let mut next = 0;
    while next < found.len() {
        let (words, command) = found[next].clone();
        let below = command.get_subcommands().filter(|sub| next == 0 || !sub.is_hide_set());
        found.extend(below.map(|sub| (format!("{words} {}", sub.get_name()), sub.clone())));
        next += 1;
    }
    found
}

#[test]
fn every_command_flag_and_argument_has_a_text() {
    let all = all();
    let mut bare = Vec::new();
    for (words, command) in &all {
        if command.get_about().is_none_or(|text| text.to_string().trim().is_empty()) {
            bare.push(words.clone());
        }
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            if arg.get_help().is_none_or(|text| text.to_string().trim().is_empty()) {
                bare.push(format!("{words} {arg}"));
            }
        }
    }
    assert!(all.len() > 150, "{} commands were found", all.len());
    assert!(bare.is_empty(), "without a text:\n{}", bare.join("\n"));
}

#[test]
fn every_example_is_taken_by_the_parser() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (words, command) in all() {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let Some((_, examples)) = text.split_once("Examples:\n") else { continue };
        for line in examples.lines().take_while(|line| line.starts_with("  ")) {
            let calls = calls(line);
            if calls.is_empty() {
                wrong.push(format!("{words}: {line}: no call of bd"));
            }
            for call in calls {
                seen += 1;
                if let Err(error) = COMMANDS.parser().try_get_matches_from(&call) {
                    wrong.push(format!("{words}: {call:?}: {error}"));
                }
            }
        }
    }
    assert!(seen > 250, "{seen} examples were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The calls of `bd` in a line of shell, without explanations.
fn calls(line: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    // A process number is a number.
    let mut line = line.trim().replace("$$", "1");
    while let Some((before, rest)) = line.split_once("$(") {
        let (inner, after) = rest.split_once(')').expect("a bracket is closed");
        found.extend(calls(inner));
        line = format!("{before}inner{after}");
    }
    for command in commands(&line) {
        let mut words = command.into_iter().skip_while(|word| word.contains('=')).peekable();
        if words.peek().is_some_and(|first| first == "bd") {
            found.push(words.collect());
        }
    }
    found
}

/// The words of each command in a line: split at operators such as pipes, up to a remark after two blanks or a redirection.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut found, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let mut quote = None;
    let mut chars = line.chars().peekable();
    let mut is_aside = false;
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '&' | ';') if word.is_none() => {
                found.push(std::mem::take(&mut words));
                is_aside = false;
            }
            (None, '>' | '<') if word.is_none() => is_aside = true,
            (None, ' ') => {
                words.extend(word.take().filter(|_| !is_aside));
                if chars.peek() == Some(&' ') {
                    break;
                }
            }
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word.filter(|_| !is_aside));
    found.push(words);
    found
}

#[test]
fn lines_are_read_as_by_a_shell() {
    let read = |line: &str| calls(line).iter().map(|call| call.join("|")).collect::<Vec<_>>();
    assert_eq!(read("  bd a 'b  c' d    what it does"), ["bd|a|b  c|d"]);
    assert_eq!(read("  make 2>&1 | tail -20 | bd note a3 --stdin"), ["bd|note|a3|--stdin"]);
    assert_eq!(read("  A=b bd x \"$(bd y -q)\" && bd z > file"), ["bd|y|-q", "bd|x|inner", "bd|z"]);
    assert_eq!(read("  bd x -m - < summary.txt"), ["bd|x|-m|-"]);
    assert_eq!(read("  id=$(bd q \"Fix it\")"), ["bd|q|Fix it"]);
}
