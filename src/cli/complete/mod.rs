//! Shell completion: the shell asks `bd` itself, which knows the project's ids, labels and names.
//!
//! Read-only: it writes nothing, takes no lock, and leaves nothing in the cache directory. If neither an image nor a
//! small ledger makes the answer fast, it only offers words that need no ledger. On errors it offers nothing.

mod places;
pub(super) mod shells;

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

/// How many bytes of ledgers to read if the cache directory has no answer.
const MOST_READ: u64 = 4 << 20;

/// Answers a shell's request; `false` if this is an ordinary command.
pub(super) fn answer(args: &[OsString], table: Table) -> bool {
    if !is_set(shells::VARIABLE) {
        return false;
    }
    let host = Host::real();
    let words = args.iter().skip_while(|arg| *arg != "--").skip(1).cloned().collect();
    let request = host.env.var(shells::VARIABLE).and_then(|name| shells::request(&name, words, &host.env));
    // Print nothing in the middle of a command line.
    if let Some(request) = request {
        let typed: Vec<String> = request.before().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let directory = directory(&typed);
        let mut parser =
            offering(tips::visible(request.before(), table), &Place::root(&typed, table), directory.as_ref());
        let found = complete(&mut parser, request.words.clone(), request.at, Some(host.env.cwd())).unwrap_or_default();
        let _ = std::io::stdout().write_all(request.answered(&found).as_bytes());
    }
    true
}

/// The directory that the command would use.
fn directory(typed: &[String]) -> Option<PathBuf> {
    let flag = typed.iter().position(|word| word == "-C" || word == "--directory")?;
    typed.get(flag + 1).map(PathBuf::from)
}

/// The parser, extended with completions for words that name something in the project. An alias of a command is offered
/// only if its main name does not match.
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
        // In a comma-separated list only the last item is completed; a sign, or a word before a colon, may precede it.
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
        let Some(store) = context::glance(self.directory.as_ref(), MOST_READ) else { return Vec::new() };
        let found = wanted.iter().flat_map(|wanted| ops::offer(&store, wanted, typed).unwrap_or_default());
        // A word that starts with a dash would be parsed as a flag.
        found.filter(|offer| !offer.word.starts_with('-')).collect()
    }
}
