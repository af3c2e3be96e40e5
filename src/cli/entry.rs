//! What is known of each command: a row of the table, and what follows from all of its rows.

use clap::{ArgMatches, Command, CommandFactory as _, Parser};

use super::context::{Context, Outcome};
use super::global::GlobalArgs;
use super::topics;

/// A git-native work ledger: issues are lines of a JSONL file in your repo, committed like code.
#[derive(Debug, Parser)]
#[command(name = "bd", version = concat!("version ", env!("CARGO_PKG_VERSION")), disable_help_subcommand = true)]
#[command(after_help = format!("{}\n\nNew here? Run `bd help quickstart`. `bd help --all` lists every command, `bd COMMAND --help` explains one.", topics::names()))]
pub(super) struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
}

/// A command: its names, its arguments, what runs it, and what others must know of it.
pub(super) struct Entry {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub place: Place,
    /// The forms of it that change nothing, each unless one of these arguments is given.
    pub looks: &'static [(&'static str, &'static [&'static str])],
    /// With one of these arguments it only shows what it would do.
    pub shows: &'static [&'static str],
    /// The forms of it that wait for somebody, or hand the terminal to another program.
    pub waits: &'static [&'static str],
    pub arguments: fn(Command) -> Command,
    /// Takes the arguments out of what was parsed.
    pub read: fn(&mut ArgMatches) -> Result<Call, clap::Error>,
}

/// A command with its arguments.
pub(super) type Call = Box<dyn FnOnce(&mut Context) -> Outcome>;

/// Who a command is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// For those who work with this group of commands: the help lists it there, in this place.
    At(&'static str, u8),
    /// It does what another one does. It works and has help, and its flags are completed; nothing names it to somebody who did not.
    Like(&'static str),
    /// The hooks and settings of repositories call it that the original set up. It works, but users do not type it.
    ForHooks,
}

/// The groups of the help; the first one is what a newcomer sees.
pub(super) const GROUPS: [&str; 10] = [
    "Every day",
    "Issues",
    "Finding",
    "Undoing",
    "History",
    "Sharing",
    "Joined repos",
    "Proposals",
    "Agents",
    "Orchestration",
];

/// The flags that the help of a command with very many begins with.
const FIRST: [(&str, &[&str]); 1] = [(
    "list",
    &["status", "types", "priority", "assignee", "labels", "condition", "ready", "all", "tree", "sort", "limit", "at"],
)];

impl Entry {
    pub(super) fn parser(&self) -> Command {
        let command = (self.arguments)(Command::new(self.name)).visible_aliases(self.aliases);
        let first = FIRST.iter().find(|(name, _)| *name == self.name).map_or(&[][..], |(_, flags)| flags);
        first.iter().enumerate().fold(command, |command, (n, id)| {
            command.mut_arg(id, |arg| arg.help_heading(None::<&str>).display_order(n))
        })
    }

    /// Its place in a group of the help.
    pub(super) fn place_in(&self, group: &str) -> Option<u8> {
        match self.place {
            Place::At(its, place) if its == group => Some(place),
            _ => None,
        }
    }
}

/// All commands.
#[derive(Clone, Copy)]
pub(super) struct Table(pub &'static [Entry]);

impl Table {
    /// The command of this name or alias.
    pub(super) fn find(self, name: &str) -> Option<&'static Entry> {
        self.0.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// The argument parser with every command.
    pub(super) fn whole(self) -> Command {
        Cli::command().subcommands(self.0.iter().map(Entry::parser))
    }

    /// The same, with everything but the everyday commands hidden from the overview.
    pub(super) fn parser(self) -> Command {
        Cli::command().subcommands(self.0.iter().map(|entry| match entry.place_in(GROUPS[0]) {
            Some(place) => entry.parser().display_order(usize::from(place)),
            None => entry.parser().hide(true),
        }))
    }

    /// The commands of a group, in the order of the help.
    pub(super) fn in_group(self, group: &str) -> Vec<&'static Entry> {
        let mut found: Vec<_> = self.0.iter().filter(|entry| entry.place_in(group).is_some()).collect();
        found.sort_by_key(|entry| entry.place_in(group));
        found
    }

    /// Whether a command is one that people type; a duplicate of another only if it is asked for, too.
    pub(super) fn is_shown(self, name: &str, with_duplicates: bool) -> bool {
        self.find(name).is_some_and(|entry| match entry.place {
            Place::At(..) => true,
            Place::Like(_) => with_duplicates,
            Place::ForHooks => false,
        })
    }
}
