//! Settings in layers, later wins: built-in, the user's file, the committed file, the personal file, the environment, flags.
//!
//! Owns `$XDG_CONFIG_HOME/beads/config.toml` (user), `.beads/config.toml` (committed) and `<state home>/config.toml`
//! (personal). Lists add up over the layers. A file that cannot be read is reported and left out; the store then writes
//! nothing, because it cannot know where a write belongs.

mod edit;
mod file;
mod keys;
mod trust;

pub use edit::{Edits, SettingsError};
pub use file::{ConfigError, UnknownKey, Value, is_ledger_name, typed_value};
pub use keys::{KEYS, Key, Kind, find as find_key, nearest as nearest_key};
pub use trust::{OutsidePath, TRUST_NAME, Trust};

use std::path::{Path, PathBuf};

use super::home;
use crate::sys::Env;
use file::{Entry, Owner, Parsed};

pub const CONFIG_NAME: &str = "config.toml";

/// Where a value comes from; later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    BuiltIn,
    User,
    Shared,
    Personal,
    Environment,
    Flag,
}

impl Origin {
    pub fn word(self) -> &'static str {
        match self {
            Origin::BuiltIn => "built-in",
            Origin::User => "user",
            Origin::Shared => "shared",
            Origin::Personal => "personal",
            Origin::Environment => "environment",
            Origin::Flag => "flag",
        }
    }
}

/// Where each file of the layers is, whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub user: Option<PathBuf>,
    pub shared: PathBuf,
    pub personal: PathBuf,
}

impl Files {
    pub fn of(beads: &Path, env: &Env) -> Self {
        Files {
            user: home::user_config(env).map(|dir| dir.join(CONFIG_NAME)),
            shared: beads.join(CONFIG_NAME),
            personal: home::state_home(beads, env).join(CONFIG_NAME),
        }
    }

    pub fn path(&self, origin: Origin) -> Option<&Path> {
        match origin {
            Origin::User => self.user.as_deref(),
            Origin::Shared => Some(&self.shared),
            Origin::Personal => Some(&self.personal),
            Origin::BuiltIn | Origin::Environment | Origin::Flag => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    origin: Origin,
    parsed: Parsed,
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub files: Files,
    layers: Vec<Layer>,
    /// Files that cannot be used.
    pub broken: Vec<ConfigError>,
}

impl Settings {
    /// Reads all layers.
    pub fn read(files: Files, env: &Env, flags: &[(String, String)]) -> Self {
        let mut broken = Vec::new();
        let mut layers = Vec::new();
        for origin in [Origin::User, Origin::Shared, Origin::Personal] {
            match files.path(origin).map(|path| file::read(path, owner(origin))).unwrap_or(Ok(Parsed::default())) {
                Ok(parsed) if parsed == Parsed::default() => {}
                Ok(parsed) => layers.push(Layer { origin, parsed }),
                Err(error) => broken.push(error),
            }
        }
        let variables = keys::KEYS.iter().filter_map(|key| Some((key, env.var(&variable(key))?)));
        let given = flags.iter().map(|(name, text)| (name.as_str(), text.clone()));
        for (origin, pairs) in [
            (Origin::Environment, variables.map(|(key, text)| (key.name, text)).collect::<Vec<_>>()),
            (Origin::Flag, given.collect()),
        ] {
            let (parsed, errors) = typed(origin, pairs);
            broken.extend(errors);
            if parsed != Parsed::default() {
                layers.push(Layer { origin, parsed });
            }
        }
        Settings { files, layers, broken }
    }

    /// What a repo that is read along says of itself: only its own committed file counts, and of that only what concerns the
    /// ledger.
    pub fn of_repo(beads: &Path) -> Result<(Option<String>, Option<String>), ConfigError> {
        let parsed = file::read(&beads.join(CONFIG_NAME), Owner::Repository)?;
        let text = |name: &str| {
            let entry = parsed.entries.iter().find(|entry| entry.key.name == name);
            entry.map(|entry| entry.value.to_string())
        };
        Ok((text("issue_prefix"), text("ledger.file")))
    }

    /// The same settings with these additional repos instead of those that the layers name.
    pub(super) fn with_repos(mut self, repos: &[String]) -> Self {
        for layer in &mut self.layers {
            layer.parsed.entries.retain(|entry| !matches!(entry.key.name, "repos.additional" | "repos.exclude"));
        }
        if let Some(key) = keys::find("repos.additional") {
            let entries = vec![Entry { key, value: Value::List(repos.to_vec()), line: 0 }];
            self.layers.push(Layer { origin: Origin::Flag, parsed: Parsed { entries, unknown: Vec::new() } });
        }
        self
    }

    /// The committed file names directories.
    pub(super) fn names_outside(&self) -> bool {
        let shared = self.layers.iter().filter(|layer| layer.origin == Origin::Shared);
        shared.flat_map(|layer| &layer.parsed.entries).any(|entry| entry.key.kind.is_path())
    }

    /// What the layers say about one key, first layer first.
    fn entries(&self, name: &str) -> Vec<(Origin, &Entry)> {
        let mut found = Vec::new();
        for layer in &self.layers {
            let mine = layer.parsed.entries.iter().filter(|entry| entry.key.name == name);
            found.extend(mine.map(|entry| (layer.origin, entry)));
        }
        found
    }

    /// A text as some layer set it.
    pub fn text(&self, name: &str) -> Option<(&str, Origin)> {
        self.entries(name).pop().and_then(|(origin, entry)| match &entry.value {
            Value::Text(text) => Some((text.as_str(), origin)),
            _ => None,
        })
    }

    /// A text that the user set in some way; what the project's committed file says does not count.
    pub fn own_text(&self, name: &str) -> Option<&str> {
        let mut own = self.entries(name).into_iter().filter(|(origin, _)| *origin != Origin::Shared);
        own.next_back().and_then(|(_, entry)| match &entry.value {
            Value::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// A text, or the built-in one.
    pub fn word(&self, name: &str) -> &str {
        let built_in = || keys::find(name).and_then(|key| key.default).unwrap_or_default();
        self.text(name).map_or_else(built_in, |(text, _)| text)
    }

    pub fn flag(&self, name: &str) -> bool {
        match self.entries(name).pop().map(|(_, entry)| &entry.value) {
            Some(Value::Flag(flag)) => *flag,
            _ => keys::find(name).and_then(|key| key.default) == Some("true"),
        }
    }

    /// The items of a list over all layers, first layer first.
    pub fn list(&self, name: &str) -> Vec<(&str, Origin)> {
        let mut items = Vec::new();
        for (origin, entry) in self.entries(name) {
            if let Value::List(list) = &entry.value {
                items.extend(list.iter().map(|item| (item.as_str(), origin)));
            }
        }
        items
    }

    /// Only the primary is wanted: said so in a layer that comes after everything about other repos.
    pub fn is_single(&self) -> bool {
        const OTHERS: [&str; 5] = [
            "repos.additional",
            "routing.mode",
            "routing.default",
            "routing.auto.maintainer",
            "routing.auto.contributor",
        ];
        let said = self.text("mode").filter(|(word, _)| *word == "single").map(|(_, origin)| origin);
        let others = OTHERS.iter().flat_map(|key| self.entries(key)).map(|(origin, _)| origin).max();
        said.is_some_and(|said| others.is_none_or(|others| said > others))
    }

    /// How new issues find their repo.
    pub fn routing(&self) -> &str {
        if self.is_single() { "single" } else { self.word("routing.mode") }
    }

    /// Every value in effect, in the order of the table; of a list one row per layer.
    pub fn in_effect(&self) -> Vec<Setting> {
        let mut all = Vec::new();
        for key in keys::KEYS {
            let found = self.entries(key.name);
            if key.name == "mode" {
                all.extend(self.mode(&found));
                continue;
            }
            let shown = if key.kind.is_list() { &found[..] } else { &found[found.len().saturating_sub(1)..] };
            all.extend(shown.iter().map(|(origin, entry)| self.setting(*origin, entry)));
            if let (true, Some(text)) = (found.is_empty(), key.default) {
                let value = file::typed_text(key, text).unwrap_or(Value::Text(text.to_owned()));
                all.push(Setting { key, value, origin: Origin::BuiltIn, place: String::new() });
            }
        }
        all
    }

    /// The mode in effect: several repos are implied by a list of them, whatever an earlier layer says.
    fn mode(&self, said: &[(Origin, &Entry)]) -> Option<Setting> {
        let listed = self.entries("repos.additional").pop().filter(|_| !self.is_single());
        let mut setting = match (listed, said.last()) {
            (Some((origin, entry)), _) => self.setting(origin, entry),
            (None, Some((origin, entry))) => return Some(self.setting(*origin, entry)),
            (None, None) => Setting {
                key: keys::find("mode")?,
                value: Value::Text("single".into()),
                origin: Origin::BuiltIn,
                place: String::new(),
            },
        };
        setting.key = keys::find("mode")?;
        setting.value = Value::Text(if listed.is_some() { "multi" } else { "single" }.into());
        Some(setting)
    }

    fn setting(&self, origin: Origin, entry: &Entry) -> Setting {
        let place = match (origin, self.files.path(origin)) {
            (Origin::Environment, _) => variable(entry.key),
            (_, Some(path)) => format!("{}:{}", path.display(), entry.line),
            _ => String::new(),
        };
        Setting { key: entry.key, value: entry.value.clone(), origin, place }
    }

    pub fn unknown(&self) -> impl Iterator<Item = &UnknownKey> {
        self.layers.iter().flat_map(|layer| &layer.parsed.unknown)
    }
}

/// Whose word the place of a file is.
fn owner(origin: Origin) -> Owner {
    if origin == Origin::User { Owner::User } else { Owner::Repository }
}

/// The environment variable of a key: `BD_ROUTING_MODE` for `routing.mode`.
fn variable(key: &Key) -> String {
    format!("BD_{}", key.name.replace('.', "_").to_uppercase())
}

/// A layer that is not a file.
fn typed(origin: Origin, pairs: Vec<(&str, String)>) -> (Parsed, Vec<ConfigError>) {
    let mut parsed = Parsed::default();
    let mut errors = Vec::new();
    for (name, text) in pairs {
        let source = if origin == Origin::Flag { "--config" } else { "environment" };
        let error = |message| ConfigError { path: PathBuf::from(source), line: 0, column: 0, message };
        match keys::find(name).map(|key| (key, file::typed_text(key, &text))) {
            Some((key, Ok(value))) => parsed.entries.push(Entry { key, value, line: 0 }),
            Some((_, Err(message))) => errors.push(error(message)),
            None => parsed.unknown.push(UnknownKey {
                path: PathBuf::from(source),
                line: 0,
                name: name.to_owned(),
                nearest: keys::nearest(name),
            }),
        }
    }
    (parsed, errors)
}
