//! The `bd` program: arguments in, text or JSON out. Everything it does is an operation of the library.

#[macro_use]
mod context;

mod alias;
mod chosen;
mod commands;
mod complete;
mod entry;
#[cfg(test)]
mod examples;
mod filters;
mod form;
mod global;
mod help;
mod json;
mod layout;
mod manual;
mod meter;
mod once;
mod output;
mod page;
mod parse;
mod paths;
mod render;
mod report;
mod signposts;
mod style;
mod tips;
mod topics;
mod ui;
mod width;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::error::ErrorKind;

use crate::view::{Exit, Failure};
use commands::COMMANDS;
use context::Context;
use global::GlobalArgs;

/// Runs the program on its own arguments and gives its exit code.
pub fn run() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // Clients ask for the version at each start; that needs no parser.
    if matches!(args.as_slice(), [_, flag] if flag == "--version") {
        let _ = writeln!(std::io::stdout(), "bd version {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    if complete::answer(&args, COMMANDS) {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(run_with(&args, None).code())
}

/// Runs the program on arguments, which may come from an alias.
fn run_with(args: &[OsString], alias: Option<&str>) -> Exit {
    if alias.is_none()
        && alias::may_name_later(args)
        && let Ok(Some((name, typed))) = alias::expanded(args, COMMANDS)
    {
        return run_with(&typed, Some(&name));
    }
    let merges = commands::merge_driver::is_called(args);
    let wants_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json" || arg == "--ndjson");
    let typed = match parse::parse(args, COMMANDS) {
        Ok(typed) => typed,
        Err(error) => {
            let expanded = match error.kind() {
                ErrorKind::InvalidSubcommand => alias::expanded(args, COMMANDS),
                _ => Ok(None),
            };
            // `bd dep help add`, as git has it.
            if let [program, command, help, rest @ ..] = args
                && help == "help"
                && COMMANDS.find(&command.to_string_lossy()).is_some()
            {
                let words = [program.clone(), "help".into(), command.clone()];
                return run_with(&[&words, rest].concat(), alias);
            }
            return match expanded {
                Ok(Some((name, typed))) => run_with(&typed, Some(&name)),
                Ok(None) => usage_error(tips::retold(error, args, COMMANDS), args, wants_json, merges),
                Err(failure) => {
                    Context::new(GlobalArgs { json: wants_json, ..GlobalArgs::default() }, String::new(), false, false)
                        .finish(Err(failure))
                }
            };
        }
    };
    let refused = typed.refused();
    let (words, waits) = (typed.words(), typed.waits());
    let is_one_look = typed.only_looks() && !waits;
    let (global, call) = match typed.read() {
        Ok(read) => read,
        Err(error) => return usage_error(error.with_cmd(&COMMANDS.whole()), args, wants_json, merges),
    };
    let mut cx = Context::new(global, words, is_one_look, waits);
    if let Some(name) = alias.filter(|name| COMMANDS.find(name).is_some()) {
        cx.ui.hint(&format!("your alias {name} hides a command; `bd config unset alias.{name}` brings it back"));
    }
    let result = match call {
        Some(_) if refused.is_err() => refused.map(|()| Exit::Ok),
        Some(call) => call(&mut cx),
        None => help::overview(COMMANDS, &mut cx),
    };
    let result = result.and_then(|exit| cx.refuse_failed_read().map(|()| exit));
    let exit = cx.finish(result);
    if is_one_look {
        // Everything is written: the system frees the memory faster.
        std::mem::forget(cx);
    }
    exit
}

/// clap's own errors: help and version are not errors; the rest exits 2, as JSON if asked.
fn usage_error(error: clap::Error, args: &[OsString], json: bool, merges: bool) -> Exit {
    let is_typed = |flag: &str| args.iter().take_while(|arg| *arg != "--").any(|arg| arg == flag);
    let global = GlobalArgs { json, no_pager: is_typed("--no-pager"), ..GlobalArgs::default() };
    let is_help = error.kind() == ErrorKind::DisplayHelp;
    if error.kind() == ErrorKind::DisplayVersion {
        let _ = error.print();
        return Exit::Ok;
    }
    let mut cx = Context::new(GlobalArgs { json: json && !is_help, ..global }, String::new(), is_help, false);
    let text = error.render().to_string();
    if is_help {
        let shown = cx.text_answer(text.trim_end());
        return cx.finish(shown);
    }
    if !json && !text.starts_with("error: ") {
        // A command that is nothing without a subcommand shows its help.
        cx.ui.note(text.trim_end());
        return Exit::Usage;
    }
    let (mut failure, usage) = explained(&text);
    if json {
        let lines = failure.message.lines().map(str::trim).filter(|line| !line.is_empty());
        failure.message = lines.collect::<Vec<_>>().join(" ");
    }
    cx.ui.failure(&failure, None);
    cx.ui.note_if(!json, &usage);
    // An exit code that git treats as a conflict would leave only one side in the file.
    if merges { Exit::Merge } else { Exit::Usage }
}

/// The parser's error as any other one, and its lines about usage. Its tips are hints.
fn explained(text: &str) -> (Failure, String) {
    let (text, usage) = match text.find("\nUsage:").or_else(|| text.find("\nFor more information")) {
        Some(at) => (&text[..at], text[at..].trim_end()),
        None => (text, ""),
    };
    let (tips, message): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("  tip: "));
    let message = message.join("\n").trim_end().trim_start_matches("error: ").to_owned();
    let hint = |failure: Failure, tip: &&str| failure.hint(tip.trim_start_matches("  tip: ").to_owned());
    (tips.iter().fold(Failure::usage(message), hint), usage.to_owned())
}
