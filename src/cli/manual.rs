//! Manual pages, made from the parser: one for `bd`, for each command, and for each of its subcommands.

use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::entry::Table;

/// The name of a page's file, and its text.
pub(super) type Page = (String, String);

/// The page of the command with this name, or of `bd` itself if the name is empty. `None` for an unknown command.
pub(super) fn one(words: &[String], table: Table) -> Option<Page> {
    if words.is_empty() {
        return Some(page(&table.parser()));
    }
    let whole = built(table);
    let found = words.iter().try_fold(&whole, |command, word| command.find_subcommand(word))?;
    Some(page(found))
}

/// Every page.
pub(super) fn all(table: Table) -> Vec<Page> {
    let mut pages = vec![page(&table.parser())];
    let whole = built(table);
    let mut work: Vec<&Command> = table
        .0
        .iter()
        .filter(|entry| table.is_shown(entry.name, true))
        .filter_map(|entry| whole.find_subcommand(entry.name))
        .collect();
    work.reverse();
    while let Some(command) = work.pop() {
        pages.push(page(command));
        work.extend(command.get_subcommands().filter(|sub| !sub.is_hide_set()));
    }
    pages
}

fn built(table: Table) -> Command {
    let mut whole = table.whole();
    whole.build();
    whole
}

fn page(command: &Command) -> Page {
    let mut command = command.clone().version(env!("CARGO_PKG_VERSION"));
    command.build();
    let name = command.get_display_name().unwrap_or("bd").to_owned();
    let synopsis = synopsis(&command);
    let after = after_help(&command.get_after_help().map(ToString::to_string).unwrap_or_default());
    let command = command.override_usage(synopsis).after_help(None);
    let man = Man::new(command).title(name.to_uppercase()).source(concat!("bd ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text).expect("memory takes every page");
    let text = String::from_utf8_lossy(&text)
        // A flag must not be hyphenated at the end of a line.
        .replacen(".SH SYNOPSIS\n", ".SH SYNOPSIS\n.nh\n.ad l\n", 1)
        .replacen(".SH DESCRIPTION\n", ".hy\n.ad b\n.SH DESCRIPTION\n", 1)
        .replacen(".SH VERSION\n", &format!("{after}.SH VERSION\n"), 1);
    (format!("{name}.1"), text)
}

/// The synopsis: flags with their values, then arguments; and subcommands, if any.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or("bd");
    let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    let own = |arg: &&&Arg| arg.get_help_heading() != Some("Global options") && arg.get_id() != "help";
    let flags = shown.iter().filter(own).filter(|arg| !arg.is_positional()).map(|arg| flag(arg));
    let words = shown.iter().filter(own).filter(|arg| arg.is_positional()).map(|arg| arg.to_string());
    let typed: Vec<String> = flags.chain(words).collect();
    let mut forms = Vec::new();
    if !command.is_subcommand_required_set() {
        forms.push([vec![name.to_owned(), "[GLOBAL OPTIONS]".to_owned()], typed].concat().join(" "));
    }
    if command.has_subcommands() {
        forms.push(format!("{name} COMMAND [ARGUMENTS]"));
    }
    forms.join("\n")
}

fn flag(arg: &Arg) -> String {
    let names = [arg.get_short().map(|short| format!("-{short}")), arg.get_long().map(|long| format!("--{long}"))];
    let mut text = names.into_iter().flatten().collect::<Vec<_>>().join("|");
    if arg.get_num_args().is_some_and(|number| number.takes_values()) {
        let values = arg.get_value_names().unwrap_or_default();
        text = format!("{text} {}", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    }
    if arg.is_required_set() { text } else { format!("[{text}]") }
}

/// Examples, one per line; then the rest of the text after the help.
fn after_help(text: &str) -> String {
    let mut roff = Roff::default();
    let (examples, rest) = match text.strip_prefix("Examples:\n") {
        Some(text) => text.split_once("\n\n").unwrap_or((text, "")),
        None => ("", text),
    };
    if !examples.is_empty() {
        roff.control("SH", ["EXAMPLES"]).control("nf", []);
        for line in examples.lines() {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
    if !rest.is_empty() {
        roff.control("SH", ["NOTES"]).text([roman(rest)]);
    }
    // The page already starts with these definitions.
    let text = roff.render();
    text.find(".SH").map(|at| text[at..].to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_that_is_named_exists() {
        let pages = all(crate::cli::commands::COMMANDS);
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        let mut named = 0;
        for (name, text) in &pages {
            assert!(!text.contains(".SH EXTRA"), "{name}");
            // roff escapes a dash with a backslash.
            let text = text.replace('\\', "");
            for word in text.split_whitespace().filter_map(|word| word.strip_suffix("(1)")) {
                assert!(names.contains(&format!("{word}.1").as_str()), "{name} names {word}");
                named += 1;
            }
        }
        assert!(named > 50, "{named}");
    }
}
