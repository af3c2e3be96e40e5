//! From the words of a command line to a command with its arguments.
//!
//! clap's own `defer` does not do it: with flags that are global each command gets a copy of all of them (2.8 M instructions), such a
//! flag between a command and its subcommand makes a word of the subcommand, and of `--config` before and after only one counts.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args as _, Command, CommandFactory as _, FromArgMatches as _};

use super::entry::{Call, Cli, Entry, Table};
use super::global::GlobalArgs;
use crate::view::Failure;

/// The command that was typed, if one was, and what was given to it, the global flags included.
pub(super) struct Typed {
    entry: Option<&'static Entry>,
    given: ArgMatches,
}

impl Typed {
    /// What the whole parser found.
    fn of(table: Table, mut given: ArgMatches) -> Self {
        match given.remove_subcommand() {
            Some((name, given)) => Typed { entry: table.find(&name), given },
            None => Typed { entry: None, given },
        }
    }

    /// The subcommand by its own names, and what was given to it.
    fn form(&self) -> (String, &ArgMatches) {
        let (mut words, mut given) = (Vec::new(), &self.given);
        while let Some((name, inner)) = given.subcommand() {
            words.push(name);
            given = inner;
        }
        (words.join(" "), given)
    }

    /// The command and its subcommand, by their own names.
    pub(super) fn words(&self) -> String {
        let words = self.entry.map_or_else(String::new, |entry| format!("{} {}", entry.name, self.form().0));
        words.trim_end().to_owned()
    }

    /// The typed command waits for somebody, or hands the terminal to another program.
    pub(super) fn waits(&self) -> bool {
        self.entry.is_some_and(|entry| entry.waits.contains(&self.form().0.as_str()))
    }

    /// What was typed changes nothing.
    pub(super) fn only_looks(&self) -> bool {
        // Without a command it is the help.
        if self.entry.is_none() {
            return true;
        }
        let (form, given) = self.form();
        let looks = self.entry.and_then(|entry| entry.looks.iter().find(|(known, _)| *known == form));
        looks.is_some_and(|(_, unless)| !unless.iter().any(|name| is_given(given, name)))
    }

    /// With `--readonly`, refuses what does not only look, or show what it would do.
    pub(super) fn refused(&self) -> Result<(), Failure> {
        let Some(entry) = self.entry.filter(|_| self.given.get_flag("readonly")) else { return Ok(()) };
        let (_, given) = self.form();
        let shows = ["dry_run", "inspect"].iter().chain(entry.shows).any(|name| is_given(given, name));
        if shows || self.only_looks() {
            return Ok(());
        }
        Err(Failure::read_only(format!("operation '{}' is not allowed in read-only mode", self.words())))
    }

    /// The global flags, and the command with its arguments.
    pub(super) fn read(mut self) -> Result<(GlobalArgs, Option<Call>), clap::Error> {
        let global = GlobalArgs::from_arg_matches_mut(&mut self.given)?;
        Ok((global, self.entry.map(|entry| (entry.read)(&mut self.given)).transpose()?))
    }
}

fn is_given(given: &ArgMatches, name: &str) -> bool {
    given.try_contains_id(name).is_ok() && given.value_source(name) == Some(ValueSource::CommandLine)
}

/// Parses with the one command that is named, since building all of them takes longer than most commands do. Input that it does not
/// accept is left to the whole parser to explain: where both accept something, they read it the same, but for global flags before a
/// subcommand, of which the whole one loses some.
pub(super) fn parse(args: &[OsString], table: Table) -> Result<Typed, clap::Error> {
    let names = |(at, arg): (usize, &OsString)| Some((at, table.find(arg.to_str()?)?));
    let parsed = match args.iter().enumerate().skip(1).find_map(names) {
        Some((at, entry)) => parse_named(entry, &args[..at], &args[at + 1..]),
        None => parse_by(Cli::command(), args),
    };
    match parsed {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => {
            table.parser().try_get_matches_from(args).map(|given| Typed::of(table, given))
        }
        parsed => parsed,
    }
}

/// The same for one command, with the global flags among its own: much cheaper than as a part of another.
fn parse_named(entry: &'static Entry, before: &[OsString], after: &[OsString]) -> Result<Typed, clap::Error> {
    if before.len() > 1 {
        // Only global flags may be there, and no end of them.
        parse_by(Cli::command(), before)?;
        if before.iter().any(|arg| arg == "--") {
            return Err(clap::Error::new(ErrorKind::InvalidSubcommand));
        }
    }
    let command = GlobalArgs::augment_args(entry.parser());
    // Global flags before a subcommand count as if they came after it: there the parser takes them for nothing else.
    let (mut words, mut flags, mut rest) = (vec![&before[0]], before[1..].to_vec(), after);
    let mut innermost = &command;
    while let Some((at, inner)) = subcommand(innermost, rest) {
        flags.extend_from_slice(&rest[..at]);
        words.push(&rest[at]);
        (innermost, rest) = (inner, &rest[at + 1..]);
    }
    let args: Vec<&OsString> = words.into_iter().chain(&flags).chain(rest).collect();
    let typed = parse_by(command, args)?;
    Ok(Typed { entry: Some(entry), ..typed })
}

/// Where a subcommand is named, with nothing but global flags before it.
fn subcommand<'c>(of: &'c Command, args: &[OsString]) -> Option<(usize, &'c Command)> {
    let named = |at: usize| args.get(at).and_then(|arg| of.find_subcommand(arg));
    if let Some(found) = named(0) {
        return Some((0, found));
    }
    if !of.has_subcommands() || !args.first()?.as_encoded_bytes().starts_with(b"-") {
        return None;
    }
    let end = args.iter().position(|arg| arg == "--").unwrap_or(args.len());
    let are_global = |at: &usize| {
        let flags = std::iter::once(OsString::from("bd")).chain(args[..*at].iter().cloned());
        parse_by(Cli::command(), flags).is_ok()
    };
    (1..end).filter(|at| named(*at).is_some()).find(are_global).and_then(|at| Some((at, named(at)?)))
}

fn parse_by(
    mut command: Command,
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Result<Typed, clap::Error> {
    let given = command.try_get_matches_from_mut(args);
    // It is made once: the system takes the memory back faster.
    std::mem::forget(command);
    Ok(Typed { entry: None, given: given? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::COMMANDS;

    #[test]
    fn arguments_are_consistent() {
        COMMANDS.parser().debug_assert();
        COMMANDS.whole().debug_assert();
        for entry in COMMANDS.0 {
            GlobalArgs::augment_args(entry.parser()).debug_assert();
        }
    }

    /// Words that name a command, where another thing is meant.
    #[test]
    fn the_named_command_is_parsed_as_by_the_whole() {
        let lines = [
            "list",
            "-C list show x",
            "--actor show list",
            "show list ready",
            "list --actor list",
            "dep add list show",
            "create --priority 1 -- list",
            "view x",
            "--json",
            "--actor list",
            "-C show",
            "--version",
            "list --version",
            "help list",
            "list --help",
            "-- list",
            "lst list",
            "list lst",
            "--lock-timeout list show x",
            "--json list -n 5",
            "list --json --json",
            "--json list --json",
            "-C a list -C b",
            "--limit 5 list",
            "--version list",
            "--help list",
            "--json dep add a b --actor x",
            "dep",
            "dep add",
            "-q workflow add-task --readonly",
            "ls -- --json",
            "add list --readonly",
            "show",
            "",
        ];
        for line in lines {
            let args: Vec<OsString> =
                std::iter::once("bd").chain(line.split_whitespace()).map(OsString::from).collect();
            let whole = COMMANDS.parser().try_get_matches_from(&args).map(|given| Typed::of(COMMANDS, given));
            let outcome = |parsed: Result<Typed, clap::Error>| match parsed {
                Ok(typed) => Ok((typed.words(), typed_debug(&typed.given))),
                Err(error) => Err(error.render().to_string()),
            };
            assert_eq!(outcome(parse(&args, COMMANDS)), outcome(whole), "{line}");
        }
    }

    #[test]
    fn settings_before_and_after_the_command_count() {
        for line in [
            "--config a=b list --config c=d",
            "--config a=b dep list x --config c=d",
            "config --config a=b --config c=d list",
        ] {
            let args: Vec<OsString> = "bd".split(' ').chain(line.split(' ')).map(OsString::from).collect();
            let (global, _) = parse(&args, COMMANDS).unwrap().read().unwrap();
            assert_eq!(global.config, [("a".into(), "b".into()), ("c".into(), "d".into())], "{line}");
        }
    }

    /// A flag between a command and its subcommand does not make an argument of the subcommand.
    #[test]
    fn global_flags_may_come_between() {
        let lines = [
            ("reserve --json list", "reserve list"),
            ("reserve -q check x", "reserve check"),
            ("reserve -C list -q list", "reserve list"),
            ("dep --json add a b", "dep add"),
            ("config -q --config=a=b get x", "config get"),
            ("-q reserve -- list", "reserve"),
            ("reserve list-x", "reserve"),
        ];
        for (line, words) in lines {
            let args: Vec<OsString> = "bd".split(' ').chain(line.split(' ')).map(OsString::from).collect();
            let typed = parse(&args, COMMANDS).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(typed.words(), words, "{line}");
        }
    }

    /// The arguments of the innermost command, and the global flags.
    fn typed_debug(matches: &ArgMatches) -> Vec<String> {
        let mut inner = matches;
        while let Some((_, next)) = inner.subcommand() {
            inner = next;
        }
        let ids = inner.ids().map(|id| id.as_str().to_owned());
        let mut given: Vec<String> = ids
            .map(|id| {
                let raw: Vec<OsString> = inner.get_raw(&id).into_iter().flatten().map(Into::into).collect();
                format!("{id}={raw:?} {:?}", inner.value_source(&id))
            })
            .collect();
        given.sort();
        given
    }
}
