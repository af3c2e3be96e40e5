//! Suggestions for people who type: tips after a mistake, and shell completions. Neither offers hidden things: the
//! original's flags without a meaning here, commands only for hooks, and duplicate commands.

use std::ffi::OsString;

use clap::Command;
use clap::builder::Resettable::{self, Reset};
use clap::error::ErrorKind::{
    ArgumentConflict, InvalidSubcommand, MissingRequiredArgument, MissingSubcommand, UnknownArgument, ValueValidation,
};
use clap::error::{ContextKind, ContextValue};

use super::entry::Table;
use super::signposts;
use crate::model::nearest::{distance, nearest};

/// The parser with only what people may use. A duplicate command is included only if its name was typed.
pub(super) fn visible(typed: &[OsString], table: Table) -> Command {
    let mut whole = table.whole();
    whole.build();
    let is_shown = |name: &str| table.is_shown(name, typed.iter().any(|word| word == name));
    let subs = whole.get_subcommands().filter(|sub| is_shown(sub.get_name())).map(without_hidden);
    bare(&whole).subcommands(subs)
}

fn without_hidden(command: &Command) -> Command {
    let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(without_hidden);
    bare(command).subcommands(subs)
}

/// A command with its visible flags and without its subcommands.
fn bare(command: &Command) -> Command {
    let copy = Command::new(command.get_name().to_owned())
        .disable_help_subcommand(true)
        .args_conflicts_with_subcommands(command.is_args_conflicts_with_subcommands_set())
        .subcommand_negates_reqs(command.is_subcommand_negates_reqs_set())
        .arg_required_else_help(command.is_arg_required_else_help_set())
        .visible_aliases(command.get_visible_aliases().map(str::to_owned).collect::<Vec<_>>())
        .about(Resettable::from(command.get_about().cloned()));
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    // clap adds these two itself.
    let shown = shown.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version"));
    // Relations between flags are useless to a shell, and may name a hidden one.
    copy.args(shown.map(|arg| {
        let alone = arg.clone().global(false).group(Reset).conflicts_with(Reset).overrides_with(Reset);
        alone.requires(Reset).required_unless_present(Reset).long_help(Reset).help_heading(Reset).display_order(Reset)
    }))
}

/// A parser error, with a tip that names only what people may use.
pub(super) fn retold(error: clap::Error, args: &[OsString], table: Table) -> clap::Error {
    if error.kind() == ValueValidation {
        return with_number_named(error);
    }
    if !matches!(error.kind(), UnknownArgument | InvalidSubcommand | MissingRequiredArgument | ArgumentConflict) {
        return error;
    }
    let mut command = visible(args, table);
    command.build();
    let (at, word) = innermost(&mut command, args);
    let mut error = in_group(error, at, word);
    let (invalid, tip) = match error.kind() {
        UnknownArgument => (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        InvalidSubcommand => (ContextKind::InvalidSubcommand, ContextKind::SuggestedSubcommand),
        _ => return error,
    };
    let Some(ContextValue::String(wrong)) = error.get(invalid).cloned() else { return error };
    let usage = at.render_usage();
    // The parser's own tips name flags of other commands, including hidden ones, and values that begin with a dash.
    error.remove(ContextKind::Suggested);
    error.remove(tip);
    let path = at.get_bin_name().unwrap_or_default().trim_start_matches("bd").trim().to_owned();
    let (advice, meant) = match tip {
        ContextKind::SuggestedArg if wrong.starts_with('-') => {
            let wrong = wrong.split('=').next().unwrap_or_default();
            (flag_advice(&path, wrong), near_flag(&path, wrong, at).map(ContextValue::String))
        }
        _ => {
            let words = format!("{path} {wrong}");
            let near = near_command(&wrong, at).map(|name| ContextValue::Strings(vec![name]));
            let advice = signposts::command(words.trim());
            let guess = || nearest_word(&wrong).filter(|_| path.is_empty() && near.is_none());
            (advice.or_else(guess), if tip == ContextKind::SuggestedSubcommand { near } else { None })
        }
    };
    match (advice, meant) {
        (Some(advice), _) => {
            let advice = advice.to_owned().into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![advice]));
        }
        (None, Some(meant)) => drop(error.insert(tip, meant)),
        (None, None) => {}
    }
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
    error
}

/// The error for a command that has both subcommands and arguments: a mistyped subcommand looks like an argument.
fn in_group(error: clap::Error, at: &mut Command, word: Option<String>) -> clap::Error {
    let is_slip = |word: &String| at.has_subcommands() && near_command(word, at).is_some();
    match (error.kind(), word) {
        (MissingRequiredArgument | ArgumentConflict, Some(word)) if is_slip(&word) => {
            let mut slip = clap::Error::new(InvalidSubcommand).with_cmd(at);
            slip.insert(ContextKind::InvalidSubcommand, ContextValue::String(word));
            slip
        }
        (MissingRequiredArgument, None) if at.has_subcommands() && at.is_arg_required_else_help_set() => {
            let names = at.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
            let name = at.get_bin_name().unwrap_or_default().to_owned();
            let mut missing = clap::Error::new(MissingSubcommand).with_cmd(at);
            missing.insert(ContextKind::InvalidSubcommand, ContextValue::String(name));
            missing.insert(ContextKind::ValidSubcommand, ContextValue::Strings(names));
            missing.insert(ContextKind::Usage, ContextValue::StyledStr(at.render_usage()));
            missing
        }
        _ => error,
    }
}

/// The command named by the words, and the first following word that is neither a flag nor a flag's value.
fn innermost<'a>(command: &'a mut Command, args: &[OsString]) -> (&'a mut Command, Option<String>) {
    let mut at = command;
    let mut words = args.iter().skip(1).filter_map(|arg| arg.to_str()).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word.len() > 1 && word.starts_with('-') {
            let has_value = |arg: &clap::Arg| arg.get_num_args().is_some_and(|number| number.takes_values());
            if named(at, word).is_some_and(has_value) {
                words.next();
            }
        } else if at.find_subcommand(word).is_some() {
            at = at.find_subcommand_mut(word).expect("it was just found");
        } else {
            return (at, Some(word.to_owned()));
        }
    }
    (at, None)
}

/// The typed flag, if the next word is its value.
fn named<'a>(command: &'a Command, typed: &str) -> Option<&'a clap::Arg> {
    command.get_arguments().find(|arg| {
        let is_short = arg.get_short().is_some_and(|short| typed == format!("-{short}"));
        let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
        is_short || typed.strip_prefix("--").is_some_and(|typed| longs.contains(&typed))
    })
}

/// Explains why a value is not a number; the parser's own message is about digits in strings.
fn with_number_named(error: clap::Error) -> clap::Error {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    let source = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<std::num::ParseIntError>());
    let values = (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue));
    let (Some(source), (Some(ContextValue::String(argument)), Some(ContextValue::String(value)))) = (source, values)
    else {
        return error;
    };
    let what = match source.kind() {
        PosOverflow | NegOverflow => "number too large",
        _ if value.parse::<i64>().is_ok() => "number below zero",
        _ if value.parse::<f64>().is_ok_and(f64::is_finite) => "not a whole number",
        _ => "not a number",
    };
    let text = format!("{what}: {value} (for {argument})\n\nFor more information, try '--help'.\n");
    clap::Error::raw(ValueValidation, text)
}

fn flag_advice(path: &str, wrong: &str) -> Option<&'static str> {
    let is_number = wrong[1..].starts_with(|c: char| c.is_ascii_digit());
    signposts::flag(path, wrong).or(is_number.then_some("a number below zero has no meaning here"))
}

/// The flag that was meant: what another program calls so, what the word begins, or what is near.
fn near_flag(path: &str, wrong: &str, command: &Command) -> Option<String> {
    if let Some(same) = signposts::same_flag(path, wrong) {
        return Some(same.to_owned());
    }
    let wrong = wrong.strip_prefix("--")?;
    let flags = command.get_arguments().flat_map(|arg| {
        let aliases = arg.get_visible_aliases().unwrap_or_default();
        arg.get_long().into_iter().chain(aliases).map(str::to_owned).collect::<Vec<_>>()
    });
    let flags: Vec<String> = flags.collect();
    let longer = flags.iter().find(|flag| wrong.len() > 2 && flag.starts_with(wrong)).map(String::as_str);
    longer.or_else(|| nearest(wrong, flags.iter().map(String::as_str))).map(|flag| format!("--{flag}"))
}

/// The row for a word of another program that is near.
fn nearest_word(wrong: &str) -> Option<&'static str> {
    let meant = nearest(wrong, signposts::words())?;
    (distance(wrong, meant) <= (wrong.chars().count() / 4).max(1)).then(|| signposts::command(meant)).flatten()
}

/// A command is suggested only for a small mistake: `prove` is not `prune`.
fn near_command(wrong: &str, command: &Command) -> Option<String> {
    let names = command.get_subcommands().flat_map(|sub| [sub.get_name()].into_iter().chain(sub.get_visible_aliases()));
    let names: Vec<&str> = names.collect();
    let meant = nearest(wrong, names.iter().copied())?;
    (distance(wrong, meant) <= (wrong.chars().count() / 4).max(1)).then(|| meant.to_owned())
}
