//! Completion while somebody types: the shell asks `bd` itself, which knows the ids, labels and names of the project.
//!
//! It only looks: it writes nothing, takes no lock, and leaves nothing in the cache directory. Where neither what is there nor a small
//! ledger makes the answer quick, it offers what needs no ledger. What goes wrong is nothing to offer.

mod places;
pub mod shells;

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::PathBuf;

use clap::Command;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, ValueCompleter, complete};

use super::entry::Table;
use super::{context, tips};
use crate::ops::{self, Offer, Wanted};
use crate::sys::Host;
use crate::sys::env::is_set;
use places::{Place, Source};

/// So many bytes of ledgers are read where the cache directory has no answer.
const MOST_READ: u64 = 4 << 20;

/// Answers a shell, if one asks; `false` if this is a command like any other.
pub fn answer(args: &[OsString], table: Table) -> bool {
    if !is_set(shells::VARIABLE) {
        return false;
    }
    let host = Host::real();
    let words = args.iter().skip_while(|arg| *arg != "--").skip(1).cloned().collect();
    let asked = host.env.var(shells::VARIABLE).and_then(|name| shells::asked(&name, words, &host.env));
    // Nothing is printed in the middle of what somebody types.
    if let Some(asked) = asked {
        let typed: Vec<String> = asked.before().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let directory = directory(&typed);
        let mut parser =
            offering(tips::visible(asked.before(), table), &Place::root(&typed, table), directory.as_ref());
        let found = complete(&mut parser, asked.words.clone(), asked.at, Some(host.env.cwd())).unwrap_or_default();
        let _ = std::io::stdout().write_all(asked.answered(&found).as_bytes());
    }
    true
}

/// The directory that the command is to be about.
fn directory(typed: &[String]) -> Option<PathBuf> {
    let flag = typed.iter().position(|word| word == "-C" || word == "--directory")?;
    typed.get(flag + 1).map(PathBuf::from)
}

/// The same parser, with offers where a word names something of the project. Another name of a command is offered only where its
/// first one does not fit.
fn offering(command: Command, place: &Place<'_>, directory: Option<&PathBuf>) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let mut command = command.mut_args(|arg| match place.source(&arg) {
        Some(source) => arg.add(ArgValueCompleter::new(Completer { source, directory: directory.cloned() })),
        None => arg,
    });
    for name in names {
        command = command.mut_subcommand(&name, |sub| {
            let others: Vec<String> = sub.get_all_aliases().map(str::to_owned).collect();
            offering(sub.alias(None).aliases(others), &place.below(&name), directory)
        });
    }
    command
}

struct Completer {
    source: Source,
    directory: Option<PathBuf>,
}

impl ValueCompleter for Completer {
    fn complete(&self, word: &OsStr) -> Vec<CompletionCandidate> {
        let Some(word) = word.to_str() else { return Vec::new() };
        // Of several with commas the last one is typed; a sign, or a word before a colon, may stand before it.
        let at = word.rfind(',').map_or(0, |comma| comma + 1);
        let at = at + self.source.before(&word[at..]);
        let (before, typed) = word.split_at(at);
        let offers = match &self.source {
            Source::Words(words) | Source::Order(words) => {
                words.iter().filter(|offer| offer.word.starts_with(typed)).cloned().collect()
            }
            Source::Dependencies => self.look(&[Wanted::Issues], typed),
            Source::Project(wanted) => self.look(wanted, typed),
        };
        let candidate = |(n, Offer { word, about }): (usize, Offer)| {
            let about = (!about.is_empty()).then(|| about.into());
            CompletionCandidate::new(format!("{before}{word}")).help(about).display_order(Some(n))
        };
        offers.into_iter().enumerate().map(candidate).collect()
    }
}

impl Completer {
    fn look(&self, wanted: &[Wanted], typed: &str) -> Vec<Offer> {
        let Some(mut store) = context::glance(self.directory.as_ref(), MOST_READ) else { return Vec::new() };
        let found = wanted.iter().flat_map(|wanted| ops::offer(&mut store, wanted, typed).unwrap_or_default());
        // What begins with a dash would be a flag in its place.
        found.filter(|offer| !offer.word.starts_with('-')).collect()
    }
}
