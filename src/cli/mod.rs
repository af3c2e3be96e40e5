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
mod layout;
mod manual;
mod meter;
mod output;
mod page;
mod parse;
mod paths;
mod render;
mod report;
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
    ExitCode::from(run_with(&args).code())
}

fn run_with(args: &[OsString]) -> Exit {
    let merges = commands::merge_driver::is_called(args);
    let wants_json = args.iter().take_while(|arg| *arg != "--").any(|arg| arg == "--json");
    let typed = match parse::parse(args, COMMANDS) {
        Ok(typed) => typed,
        Err(error) => {
            let expanded = match error.kind() {
                ErrorKind::InvalidSubcommand => alias::expanded(args, COMMANDS),
                _ => Ok(None),
            };
            return match expanded {
                Ok(Some(typed)) => run_with(&typed),
                Ok(None) => usage_error(tips::retold(error, args, COMMANDS), wants_json, merges),
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
        Err(error) => return usage_error(error.with_cmd(&COMMANDS.whole()), wants_json, merges),
    };
    let mut cx = Context::new(global, words, is_one_look, waits);
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
