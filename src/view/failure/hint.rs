//! What to do about a failure, in clauses: each is true by itself, so a front end can leave out those that its readers cannot follow.

use std::borrow::Cow;
use std::fmt;

/// A part of a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Clause {
    /// Every reader can follow it.
    Text(Cow<'static, str>),
    /// It names a program, a flag or a variable: for those who have a shell.
    Shell(Cow<'static, str>),
    /// A command to run, and what it does.
    Run(Cow<'static, str>, Cow<'static, str>),
}

pub(super) fn shell(text: impl Into<Cow<'static, str>>) -> Clause {
    Clause::Shell(text.into())
}

pub(super) fn run(command: impl Into<Cow<'static, str>>, what: impl Into<Cow<'static, str>>) -> Clause {
    Clause::Run(command.into(), what.into())
}

impl<T: Into<Cow<'static, str>>> From<T> for Clause {
    fn from(text: T) -> Self {
        Clause::Text(text.into())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Clause::Text(text) | Clause::Shell(text) => f.write_str(text),
            Clause::Run(command, what) if what.is_empty() => write!(f, "run `{command}`"),
            Clause::Run(command, what) => write!(f, "run `{command}` {what}"),
        }
    }
}

/// Sentences, each of which names one way or several to choose from. It may have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hint(pub(super) Vec<Vec<Clause>>);

impl Hint {
    /// For a reader with a shell.
    pub fn text(&self) -> Option<String> {
        self.worded(|clause| Some(clause.to_string()))
    }

    /// In the words of a front end, which may have none for a clause.
    pub fn worded(&self, words: impl Fn(&Clause) -> Option<String>) -> Option<String> {
        let sentences = self.0.iter().map(|ways| ways.iter().filter_map(&words).collect::<Vec<_>>().join(", or "));
        let kept: Vec<String> = sentences.filter(|sentence| !sentence.is_empty()).collect();
        (!kept.is_empty()).then(|| kept.join("; "))
    }
}
