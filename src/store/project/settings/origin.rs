//! Where a setting comes from, and which of them may decide.

use super::file::{Owner, Value};
use super::keys::Key;
use crate::model::words::words;

words! {
    /// Where a value comes from; later ones win.
    #[derive(PartialOrd, Ord)]
    pub enum Origin {
        BuiltIn = "built-in",
        User = "user",
        Shared = "shared",
        Personal = "personal",
        Environment = "environment",
        Flag = "flag",
    }
}

/// Why a value is not in effect although a later layer says nothing about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldBecause {
    /// The personal file bears no mark of this user.
    Unmarked,
    /// The committed file says it against what the user has joined.
    Joined,
    /// It names something that only the user's own file may name.
    NotOwn,
}

impl HeldBecause {
    pub fn text(self) -> &'static str {
        match self {
            HeldBecause::Unmarked => "not in effect: the file is not known to be yours; run `bd trust`",
            HeldBecause::Joined => {
                "not in effect: the committed file cannot decide this once you have joined a planning repo"
            }
            HeldBecause::NotOwn => "not in effect: aliases and queries count only in your own settings",
        }
    }
}

/// A value that is set and not in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub setting: Setting,
    pub because: HeldBecause,
    /// It would change something.
    pub matters: bool,
}

/// Whose word the place of a file is.
pub(super) fn owner(origin: Origin) -> Owner {
    if origin == Origin::User { Owner::User } else { Owner::Repository }
}

/// One value in effect, and the layer that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub key: &'static Key,
    pub value: Value,
    pub origin: Origin,
    /// The file and line, or the variable, or nothing for built-in values.
    pub place: String,
}
