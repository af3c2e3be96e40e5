//! Text styles on a terminal, and when colours are used.

use crate::model::words::words;
use crate::sys::Env;

/// A text style on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Bold,
    Dim,
    Red,
    Yellow,
    Cyan,
    Italic,
    Underline,
    /// The unambiguous part of an id.
    Prefix,
}

impl Style {
    pub(super) fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Red => "31",
            Style::Yellow => "33",
            Style::Cyan => "36",
            Style::Italic => "3",
            Style::Underline => "4",
            Style::Prefix => "1;4",
        }
    }
}

words! {
    /// When to use colours.
    #[derive(Default)]
    pub(super) enum Colours {
        /// On a terminal, according to `NO_COLOR`, `CLICOLOR` and `CLICOLOR_FORCE`.
        #[default]
        Auto = "auto",
        Always = "always",
        Never = "never",
    }
}

impl Colours {
    pub(super) fn are_wanted(self, env: &Env, is_terminal: bool) -> bool {
        let has = |name: &str, word: &str| env.var(name).is_some_and(|value| value == word);
        match self {
            Colours::Always => true,
            Colours::Never => false,
            Colours::Auto if env.var("NO_COLOR").is_some() => false,
            Colours::Auto if env.var("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            Colours::Auto => is_terminal && !has("TERM", "dumb") && !has("CLICOLOR", "0"),
        }
    }
}
