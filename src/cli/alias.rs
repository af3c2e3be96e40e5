//! Command aliases: `alias.NAME` in the user's own settings.
//!
//! Only a word that is not a command is looked up, so an alias cannot replace one, and commands cost nothing more. Commands that came
//! later are the exception: an alias of that name was there first, and goes on working. An alias expands to words of `bd`, not of a
//! shell: it starts no program.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::CommandFactory as _;

use super::context;
use super::entry::{Cli, Table};
use crate::ops;
use crate::sys::Host;
use crate::view::Failure;

/// The table of aliases, whose names users choose.
pub(super) const ALIAS: &str = "alias.";
pub(super) const QUERY: &str = "query.";

/// Commands that 2.0 did not have.
const LATER: [&str; 2] = ["land", "triage"];

/// Whether the words may name such a command.
pub(super) fn may_name_later(args: &[OsString]) -> bool {
    args.iter().any(|arg| LATER.iter().any(|name| arg == name))
}

/// An alias, and the arguments with it expanded; `None` if the command is not an alias.
pub(super) fn expanded(args: &[OsString], table: Table) -> Result<Option<(String, Vec<OsString>)>, Failure> {
    // Flags may precede the command, and their values may look like one.
    let outer = Cli::command().allow_external_subcommands(true).try_get_matches_from(args);
    let Some((name, rest)) = outer.as_ref().ok().and_then(|outer| outer.subcommand()) else { return Ok(None) };
    let known = ops::aliases(&Host::real().env);
    if !known.iter().any(|(alias, _)| alias == name) {
        let directory = outer.as_ref().ok().and_then(|outer| outer.get_one::<PathBuf>("directory"));
        return not_own(name, directory, table).map_or(Ok(None), Err);
    }
    let words = resolved(name, &known, table)?;
    let at = args.len() - rest.get_raw("").map_or(0, |rest| rest.len()) - 1;
    let words = words.into_iter().map(OsString::from);
    let all = args[..at].iter().cloned().chain(words).chain(args[at + 1..].iter().cloned()).collect();
    Ok(Some((name.to_owned(), all)))
}

/// Why an alias from a repository's settings is not used.
fn not_own(name: &str, directory: Option<&PathBuf>, table: Table) -> Option<Failure> {
    let key = format!("{ALIAS}{name}");
    let store = if table.find(name).is_none() { context::opened(directory) } else { None }?;
    let found = ops::settings(&store).foreign.into_iter().find(|one| one.name == key)?;
    let message =
        format!("{name} is not a command; {} calls it an alias, and only your own settings count", found.place);
    Some(
        Failure::usage(message).shell(format!(
            "run `bd config list --origin` to see it; `bd config set {key} WORDS` makes one of your own"
        )),
    )
}

/// The words of an alias; the first is a command, or unknown.
fn resolved(name: &str, known: &[(String, String)], table: Table) -> Result<Vec<String>, Failure> {
    let (mut chain, mut words) = (vec![name.to_owned()], Vec::<String>::new());
    let mut next = name.to_owned();
    while let Some((_, text)) = known.iter().find(|(alias, _)| *alias == next) {
        let mut own =
            split(text).ok_or_else(|| Failure::usage(format!("alias {next}: a quote is not closed in {text:?}")))?;
        match own.first() {
            Some(first) if !first.starts_with('-') => next = first.clone(),
            _ => return Err(Failure::usage(format!("alias {next}: {text:?} does not begin with a command"))),
        }
        own.extend(words.drain(..).skip(1));
        words = own;
        if table.find(&next).is_some() {
            break;
        }
        let is_circle = chain.contains(&next);
        chain.push(next.clone());
        if is_circle {
            return Err(Failure::usage(format!("alias {name} leads back to itself: {}", chain.join(" -> "))));
        }
    }
    Ok(words)
}

/// Refuses an alias that would not work, before it is stored.
pub(super) fn check(name: &str, text: &str, table: Table) -> Result<(), Failure> {
    if table.find(name).is_some() {
        return Err(Failure::usage(format!("{name} is a command; an alias cannot replace it")));
    }
    if name.is_empty() || name.starts_with('-') || name.contains(|c: char| c.is_whitespace() || c == '.') {
        return Err(Failure::usage(format!("{name:?} cannot be typed as a command")));
    }
    let mut known = ops::aliases(&Host::real().env);
    known.retain(|(alias, _)| alias != name);
    known.push((name.to_owned(), text.to_owned()));
    let words = resolved(name, &known, table)?;
    match words.first() {
        Some(first) if table.find(first).is_some() => Ok(()),
        first => Err(Failure::usage(format!("{:?} is not a command", first.map_or("", String::as_str)))),
    }
}

/// Splits words like a shell: at blanks outside of quotes. `None` if a quote is not closed.
fn split(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if matches!(c, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::COMMANDS;

    #[test]
    fn words_are_parted_as_by_a_shell() {
        let words = |list: &[&str]| Some(list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            split("list  -a @me --where 'due<=eow or label=\"x y\"'"),
            words(&["list", "-a", "@me", "--where", "due<=eow or label=\"x y\""])
        );
        assert_eq!(split("a '' b"), words(&["a", "", "b"]));
        assert_eq!(split(" "), words(&[]));
        assert_eq!(split("list 'x"), None);
    }

    #[test]
    fn an_alias_leads_to_a_command_and_never_back() {
        let known =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
        let chain = known(&[("mine", "list -a @me"), ("top", "mine -n 3")]);
        assert_eq!(resolved("top", &chain, COMMANDS).unwrap(), ["list", "-a", "@me", "-n", "3"]);
        for (name, pairs, expected) in [
            ("a", known(&[("a", "a -n 1")]), "alias a leads back to itself: a -> a"),
            ("a", known(&[("a", "b"), ("b", "c x"), ("c", "a")]), "alias a leads back to itself: a -> b -> c -> a"),
            ("x", known(&[("x", "a"), ("a", "b"), ("b", "a")]), "alias x leads back to itself: x -> a -> b -> a"),
            ("a", known(&[("a", "")]), "alias a: \"\" does not begin with a command"),
            ("a", known(&[("a", "--json a")]), "alias a: \"--json a\" does not begin with a command"),
        ] {
            assert_eq!(resolved(name, &pairs, COMMANDS).unwrap_err().message, expected);
        }
    }
}
