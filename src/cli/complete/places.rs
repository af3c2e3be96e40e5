//! Completions for each place of a command line, chosen by the value names in the help.

use clap::Arg;

use crate::cli::entry::Table;
use crate::cli::topics::TOPICS;
use crate::cli::{filters, layout};
use crate::model::agent::{Role, Status};
use crate::model::dependency::DependencyType;
use crate::model::issue::Priority;
use crate::ops::{Offer, ROUTING, Wanted};
use crate::store::StateMode;
use crate::store::settings::{KEYS, Kind, find_key};
use crate::view::{issue_fields, schema};

/// The source of an argument's words.
pub(super) enum Source {
    Words(Vec<Offer>),
    /// The same, each with an optional sign.
    Order(Vec<Offer>),
    Project(Vec<Wanted>),
    /// Issues, each with an optional type and colon before it.
    Dependencies,
}

impl Source {
    fn words(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Source::Words(words.into_iter().map(Offer::plain).collect())
    }

    /// The length of what precedes the word in the typed text.
    pub(super) fn before(&self, typed: &str) -> usize {
        match self {
            Source::Order(_) => typed.len() - typed.trim_start_matches(['-', '+']).len(),
            Source::Dependencies => typed.find(':').map_or(0, |colon| colon + 1),
            Source::Words(_) | Source::Project(_) => 0,
        }
    }
}

/// A command, and the words typed before the one to complete.
pub(super) struct Place<'a> {
    /// The names of the command, separated by blanks.
    path: String,
    typed: &'a [String],
    table: Table,
}

impl<'a> Place<'a> {
    pub(super) fn root(typed: &'a [String], table: Table) -> Self {
        Place { path: String::new(), typed, table }
    }

    pub(super) fn below(&self, name: &str) -> Self {
        Place { path: format!("{} {name}", self.path).trim_start().to_owned(), ..*self }
    }

    /// The possible values of an argument; `None` if unknown.
    pub(super) fn source(&self, arg: &Arg) -> Option<Source> {
        let called = arg.get_value_names().and_then(|names| names.first()).map(|name| name.to_string());
        let called = called.unwrap_or_else(|| arg.get_id().as_str().to_uppercase());
        match self.wanted(&called, arg) {
            wanted if wanted.is_empty() => self.words(&called, arg.get_id().as_str()),
            wanted => Some(Source::Project(wanted)),
        }
    }

    /// Values from the project.
    fn wanted(&self, called: &str, arg: &Arg) -> Vec<Wanted> {
        let (path, id) = (self.path.as_str(), arg.get_id().as_str());
        let one = match called {
            // Here ids are those of messages.
            "ID" | "IDS" if path.starts_with("mail ") && arg.is_positional() => return Vec::new(),
            "ID" if id == "ids_and_label" && !matches!(self.last(), Some("add" | "remove")) => {
                return vec![Wanted::Labels, Wanted::Issues];
            }
            "TARGET" | "OTHER" if matches!(path, "dep remove" | "dep unrelate") => match self.last() {
                Some(of) => Wanted::Dependencies(of.to_owned()),
                None => Wanted::Issues,
            },
            "ID" | "IDS" | "ISSUE" | "TARGET" | "OTHER" => match path {
                "work" | "claim" | "run" => Wanted::Work,
                "reopen" => Wanted::Closed,
                _ => Wanted::Issues,
            },
            "STATUS" if path != "agent list" => Wanted::Statuses,
            "TYPE" if !path.starts_with("dep") => Wanted::Types,
            "LABEL" | "LABELS" => Wanted::Labels,
            "REPO" => Wanted::Repos,
            "TO" | "AGENT" | "WHO" => Wanted::Agents,
            "TEMPLATE" if id != "format" => Wanted::Templates,
            "QUERY" | "EXPRESSION" | "CONDITION" | "EXPR" => Wanted::Queries,
            "NAME" => match id {
                "agent" => Wanted::Agents,
                "template" => Wanted::Templates,
                "name" if path == "template show" => Wanted::Templates,
                "actor" | "assignee" | "owner" | "author" => Wanted::People,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        vec![one]
    }

    /// Values that every project has.
    fn words(&self, called: &str, id: &str) -> Option<Source> {
        let path = self.path.as_str();
        Some(match called {
            "WHEN" => Source::words(["auto", "always", "never"]),
            "STATUS" => Source::words(Status::WORDS.iter().copied()),
            "ROLE" if path.starts_with("agent") => Source::words(Role::WORDS.iter().copied()),
            "TYPE" => Source::words(DependencyType::KNOWN.iter().copied()),
            "MODE" if path == "state move" => Source::words(StateMode::CHOICES.iter().copied()),
            "MODE" if id == "routing" => Source::words(ROUTING.iter().copied()),
            "PRIORITY" if path.starts_with("mail") => Source::words(["low", "normal", "high", "urgent"]),
            "ORDER" => Source::words(["hybrid", "oldest"].into_iter().chain(filters::SORTED_BY)),
            "TYPE:ID" => Source::Dependencies,
            "FIELD" => match id {
                "sort" => Source::Order(filters::SORTED_BY.into_iter().map(Offer::plain).collect()),
                "columns" => Source::words(layout::names()),
                "by" => Source::words(["status", "priority", "type", "assignee", "label"]),
                _ => Source::words(issue_fields()),
            },
            "KEY" if id == "fields" => Source::words(issue_fields()),
            "KEY" if path.starts_with("config ") => Source::Words(keys("")),
            "KEY=VALUE" if id == "config" => Source::Words(keys("=")),
            "VALUES" if path == "config set" => match find_key(self.last()?)?.kind {
                Kind::OneOf(words) => Source::words(words.iter().copied()),
                Kind::Flag => Source::words(["true", "false"]),
                _ => return None,
            },
            "COMMAND" => self.commands()?,
            // The value name lists the values.
            called if called.contains('|') && !called.contains(|c: char| c.is_uppercase()) => {
                Source::words(called.split('|'))
            }
            _ if id.starts_with("priority") => {
                let word = |(n, about): (usize, &&str)| Offer { word: n.to_string(), about: (*about).to_owned() };
                Source::Words(Priority::WORDS.iter().enumerate().map(word).collect())
            }
            _ => return None,
        })
    }

    /// The previous word, if it is not a flag.
    fn last(&self) -> Option<&'a str> {
        self.typed.last().map(String::as_str).filter(|word| !word.starts_with('-'))
    }

    /// The commands for `help`, `man` and `schema`, or the subcommands of the typed ones.
    fn commands(&self) -> Option<Source> {
        let at = self.typed.iter().position(|word| *word == self.path)?;
        let named: Vec<&str> =
            self.typed[at + 1..].iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
        if self.path == "schema" {
            let start = named.iter().map(|word| format!("{word} ")).collect::<String>();
            let next = schema::commands().filter_map(|name| name.strip_prefix(&start)?.split(' ').next());
            let mut next: Vec<&str> = next.collect();
            next.dedup();
            return Some(Source::words(next));
        }
        let whole = self.table.whole();
        let within = named.iter().try_fold(&whole, |command, name| command.find_subcommand(name))?;
        let offered = within.get_subcommands().filter(|sub| !sub.is_hide_set());
        let offered = offered.filter(|sub| !named.is_empty() || self.table.is_shown(sub.get_name(), false));
        let about = |sub: &clap::Command| sub.get_about().map(ToString::to_string).unwrap_or_default();
        let mut offers: Vec<Offer> =
            offered.map(|sub| Offer { word: sub.get_name().to_owned(), about: about(sub) }).collect();
        if self.path == "help" && named.is_empty() {
            offers.extend(TOPICS.iter().map(|(topic, _)| Offer { word: (*topic).to_owned(), about: "topic".into() }));
        }
        Some(Source::Words(offers))
    }
}

fn keys(end: &str) -> Vec<Offer> {
    KEYS.iter().map(|key| Offer { word: format!("{}{end}", key.name), about: key.about.to_owned() }).collect()
}
