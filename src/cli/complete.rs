//! Completion while somebody types: the shell asks `bd` itself, which knows the ids, labels and names of the project.
//!
//! It only looks: it writes nothing, takes no lock, and leaves not even an image of the cache. Where neither an image nor a small
//! ledger makes the answer quick, it offers what needs no ledger. What goes wrong is nothing to offer.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Arg, Command};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, Shell};

use super::{context, tips};
use crate::ops::{self, Offer, Wanted};
use crate::sys::Host;
use crate::sys::env::is_set;
use crate::view::inline;

/// Set by the script of a shell, with the shell's name.
const VARIABLE: &str = "BD_COMPLETE";
/// So many bytes of ledgers are read where no image has the answer.
const MOST_READ: u64 = 4 << 20;

/// Answers a shell, if one asks; `false` if this is a command like any other.
pub fn answer(args: &[OsString]) -> bool {
    if !is_set(VARIABLE) {
        return false;
    }
    let typed: Vec<OsString> = args.iter().skip_while(|arg| *arg != "--").skip(1).cloned().collect();
    let directory = directory(&typed);
    // The last word is still being typed.
    let before = &typed[..typed.len().saturating_sub(1)];
    let parser = || offering(tips::visible(before), directory.as_ref());
    let host = Host::real();
    // Nothing is printed in the middle of what somebody types.
    let _ = CompleteEnv::with_factory(parser)
        .var(VARIABLE)
        .bin("bd")
        .completer("bd")
        .try_complete(args, Some(host.env.cwd()));
    true
}

/// The script that makes a shell ask.
pub fn script(shell: Shell) -> String {
    let mut text = Vec::new();
    let known = Shells::builtins();
    let written = known
        .completer(&shell.to_string())
        .map(|known| known.write_registration(VARIABLE, "bd", "bd", "bd", &mut text));
    debug_assert!(matches!(written, Some(Ok(()))), "every shell has its script");
    String::from_utf8_lossy(&text).trim_start().to_owned()
}

/// The directory that the command is to be about.
fn directory(typed: &[OsString]) -> Option<PathBuf> {
    let flag = typed.iter().position(|word| word == "-C" || word == "--directory")?;
    typed.get(flag + 1).map(PathBuf::from)
}

/// The same parser, with offers where a word names something of the project.
fn offering(command: Command, directory: Option<&PathBuf>) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let within = command.get_name().to_owned();
    let mut command = command.mut_args(|arg| match wanted(&within, &arg) {
        Some(wanted) => {
            let directory = directory.cloned();
            arg.add(ArgValueCompleter::new(move |word: &OsStr| offered(wanted, directory.as_ref(), word)))
        }
        None => arg,
    });
    for name in names {
        command = command.mut_subcommand(name, |sub| offering(sub, directory));
    }
    command
}

/// What the value of an argument names, by what the help calls it.
fn wanted(command: &str, arg: &Arg) -> Option<Wanted> {
    let called = arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
    let called = called.unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
    Some(match called.as_str() {
        "ID" | "IDS" | "ISSUE" => match command {
            "work" | "claim" | "run" => Wanted::Work,
            _ => Wanted::Issues,
        },
        "STATUS" => Wanted::Statuses,
        "TYPE" => Wanted::Types,
        "LABEL" | "LABELS" => Wanted::Labels,
        "REPO" => Wanted::Repos,
        "TO" | "AGENT" => Wanted::Agents,
        "TEMPLATE" => Wanted::Templates,
        "NAME" => match arg.get_id().as_str() {
            "agent" => Wanted::Agents,
            "template" => Wanted::Templates,
            "actor" | "assignee" | "owner" | "author" => Wanted::People,
            _ => return None,
        },
        _ => return None,
    })
}

fn offered(wanted: Wanted, directory: Option<&PathBuf>, word: &OsStr) -> Vec<CompletionCandidate> {
    let Some(word) = word.to_str() else { return Vec::new() };
    // Of several with commas the last one is typed.
    let (before, typed) = word.rsplit_once(',').map_or(("", word), |(before, typed)| (&word[..=before.len()], typed));
    let offers = context::glance(directory, MOST_READ)
        .and_then(|mut store| ops::offer(&mut store, wanted, typed).ok())
        .unwrap_or_default();
    let candidate = |(n, Offer { word, about }): (usize, Offer)| {
        let about = (!about.is_empty()).then(|| inline(&about).into_owned().into());
        CompletionCandidate::new(format!("{before}{word}")).help(about).display_order(Some(n))
    };
    offers.into_iter().enumerate().map(candidate).collect()
}
