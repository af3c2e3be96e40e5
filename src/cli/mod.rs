//! The `bd` program: arguments in, text or JSON out. Everything it does is an operation of the library.

mod alias;
mod chosen;
mod commands;
mod complete;
mod context;
#[cfg(test)]
mod examples;
mod filters;
mod form;
mod global;
mod help;
mod layout;
mod manual;
mod meter;
mod output;
mod page;
mod paths;
mod reading;
mod render;
mod style;
mod tips;
mod topics;
mod ui;
mod width;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as _, Command, CommandFactory as _, FromArgMatches as _, Parser};

use crate::view::{Exit, Failure};
use commands::{Call, Entry};
use context::Context;
use global::GlobalArgs;

/// A git-native work ledger: issues are lines of a JSONL file in your repo, committed like code.
#[derive(Debug, Parser)]
#[command(name = "bd", version = concat!("version ", env!("CARGO_PKG_VERSION")), disable_help_subcommand = true)]
#[command(after_help = "Run `bd help --all` for every command, `bd COMMAND --help` for one.")]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
}

/// Runs the program on its own arguments and gives its exit code.
pub fn run() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // Clients ask for the version at each start; that needs no parser.
    if matches!(args.as_slice(), [_, flag] if flag == "--version") {
        let _ = writeln!(std::io::stdout(), "bd version {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    if complete::answer(&args) {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(run_with(&args).code())
}

fn run_with(args: &[OsString]) -> Exit {
    let merges = commands::merge_driver::is_called(args);
    let wants_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let typed = match parse(args) {
        Ok(typed) => typed,
        Err(error) => {
            let expanded = match error.kind() {
                ErrorKind::InvalidSubcommand => alias::expanded(args),
                _ => Ok(None),
            };
            return match expanded {
                Ok(Some(typed)) => run_with(&typed),
                Ok(None) => usage_error(tips::retold(error, args), wants_json, merges),
                Err(failure) => {
                    Context::new(GlobalArgs { json: wants_json, ..GlobalArgs::default() }, String::new(), false)
                        .finish(Err(failure))
                }
            };
        }
    };
    let (words, given) = (typed.words(), &typed.given);
    let refused = if given.get_flag("readonly") { reading::refuse(&words, given) } else { Ok(()) };
    let is_one_look = reading::only_looks(&words, given) && !context::waits(&words);
    let (global, call) = match typed.read() {
        Ok(read) => read,
        Err(error) => return usage_error(error.with_cmd(&help::whole()), wants_json, merges),
    };
    let mut cx = Context::new(global, words, is_one_look);
    let result = match call {
        Some(_) if refused.is_err() => refused.map(|()| Exit::Ok),
        Some(call) => call(&mut cx),
        None => help::overview(&mut cx),
    };
    let result = result.and_then(|exit| cx.refuse_failed_read().map(|()| exit));
    let exit = cx.finish(result);
    if is_one_look {
        // Everything is written: the system frees the memory faster.
        std::mem::forget(cx);
    }
    exit
}

/// The command that was typed, if one was, and what was given to it, the global flags included.
struct Typed {
    entry: Option<&'static Entry>,
    given: ArgMatches,
}

impl Typed {
    /// What the whole parser found.
    fn of(mut given: ArgMatches) -> Self {
        match given.remove_subcommand() {
            Some((name, given)) => Typed { entry: Entry::find(&name), given },
            None => Typed { entry: None, given },
        }
    }

    /// The command and its subcommand, by their own names.
    fn words(&self) -> String {
        let mut words: Vec<&str> = self.entry.iter().map(|entry| entry.name).collect();
        let mut next = self.given.subcommand();
        while let Some((name, inner)) = next {
            words.push(name);
            next = inner.subcommand();
        }
        words.join(" ")
    }

    /// The global flags, and the command with its arguments.
    fn read(mut self) -> Result<(GlobalArgs, Option<Call>), clap::Error> {
        let global = GlobalArgs::from_arg_matches_mut(&mut self.given)?;
        Ok((global, self.entry.map(|entry| (entry.read)(&mut self.given)).transpose()?))
    }
}

/// Parses with the one command that is named, since building all of them takes longer than most commands do. What that does not
/// accept is the whole parser's to explain: where both accept something, they read it the same, but for global flags before a
/// subcommand, of which the whole one loses some.
fn parse(args: &[OsString]) -> Result<Typed, clap::Error> {
    let names = |(at, arg): (usize, &OsString)| Some((at, Entry::find(arg.to_str()?)?));
    let parsed = match args.iter().enumerate().skip(1).find_map(names) {
        Some((at, entry)) => parse_named(entry, &args[..at], &args[at + 1..]),
        None => parse_by(Cli::command(), args),
    };
    match parsed {
        Err(error) if error.kind() != ErrorKind::DisplayVersion => {
            help::command().try_get_matches_from(args).map(Typed::of)
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
    // Global flags before a subcommand count as if they came after it: there the parser cannot mistake them.
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
    // It is built once: the system frees the memory faster.
    std::mem::forget(command);
    Ok(Typed { entry: None, given: given? })
}

/// clap's own errors: help and version are no errors; the rest exits 2, as JSON if asked.
fn usage_error(error: clap::Error, json: bool, merges: bool) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Ok;
    }
    let text = as_hint(&error.render().to_string());
    if json {
        let lines = text.lines().take_while(|line| !line.starts_with("Usage:"));
        let message = lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
        let message = message.trim_start_matches("error: ").to_owned();
        ui::json_error(&Failure::usage(message), None);
    } else {
        ui::plain_error(&text);
    }
    // An exit code that git treats as a conflict would leave only one side in the file.
    if merges { Exit::Merge } else { Exit::Usage }
}

/// The parser's tips look like every other hint.
fn as_hint(text: &str) -> String {
    text.replace("\n\n  tip: ", "\nhint: ").replace("\n  tip: ", "\nhint: ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        help::command().debug_assert();
        help::whole().debug_assert();
        for entry in commands::COMMANDS {
            GlobalArgs::augment_args(entry.parser()).debug_assert();
        }
    }

    /// Words that name a command stand where another thing is meant.
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
            let whole = help::command().try_get_matches_from(&args).map(Typed::of);
            let said = |parsed: Result<Typed, clap::Error>| match parsed {
                Ok(typed) => Ok((typed.words(), typed_debug(&typed.given))),
                Err(error) => Err(error.render().to_string()),
            };
            assert_eq!(said(parse(&args)), said(whole), "{line}");
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
            let (global, _) = parse(&args).unwrap().read().unwrap();
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
            let typed = parse(&args).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(typed.words(), words, "{line}");
        }
    }

    /// What was given to the innermost command, and the global flags.
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
