//! Settings in layers, later wins: built-in, the user's file, the committed file, the personal file, the environment, flags.
//!
//! A key that decides where issues go and who sees them is taken from the user's own files alone ([`Key::decides`]): a personal file that
//! bears no mark of this user does not count, and once the user has joined a planning repo the committed file can neither make a
//! maintainer of a contributor nor take anything away. Such values are kept apart ([`Settings::held`]) and shown.
//!
//! Owns `$XDG_CONFIG_HOME/beads/config.toml` (user), `.beads/config.toml` (committed) and `<state home>/config.toml`
//! (personal). Lists add up over the layers. A file that cannot be read is reported and left out; the store then writes
//! nothing, because it cannot know where a write belongs.

mod edit;
mod file;
mod keys;
mod origin;
mod original;

pub use crate::store::error::{ConfigError, ConfigFault, SettingsError, UnknownKey};
pub use edit::{Edits, put_shared, shared_text};
pub use file::{Value, is_ledger_name, typed_value};
pub use keys::{
    KEYS, Key, Kind, find as find_key, is_chosen as is_chosen_key, is_foreign as is_foreign_key, nearest as nearest_key,
};
pub use origin::{Held, HeldBecause, Origin, Setting};
pub use original::original_prefix;

use std::path::{Path, PathBuf};

use super::home::Site;
use super::{home, mark};
use crate::store::file_names::CONFIG_NAME;
use crate::store::state::home::StateMode;
use crate::sys::Env;
use file::{Entry, Owner, Parsed};
use origin::owner;

/// What is said about other repos.
const OTHERS: [&str; 5] =
    ["repos.additional", "routing.mode", "routing.default", "routing.auto.maintainer", "routing.auto.contributor"];

/// Where each file of the layers is, whether it exists or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub user: Option<PathBuf>,
    pub shared: PathBuf,
    pub personal: PathBuf,
}

impl Files {
    pub fn of(site: &Site, env: &Env) -> Self {
        Files {
            user: home::user_config(env).map(|dir| dir.join(CONFIG_NAME)),
            shared: site.beads().join(CONFIG_NAME),
            personal: site.settings_home().join(CONFIG_NAME),
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

/// A value that another tool keeps in the settings, and the layer that set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignSetting {
    pub name: String,
    pub value: String,
    pub origin: Origin,
    /// The file and line.
    pub place: String,
    /// Why it is not in effect.
    pub held: Option<HeldBecause>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub files: Files,
    layers: Vec<Layer>,
    /// Values that are set and not in effect.
    pub held: Vec<Held>,
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
        let ours: Vec<(&str, &str)> = env.beginning(VARIABLES).collect();
        let variable = |key: &'static Key| ours.iter().find(|(name, _)| is_variable(name, key));
        let variables = keys::KEYS.iter().filter_map(|key| Some((key, variable(key)?.1.to_owned())));
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
        let mut settings = Settings { files, layers, held: Vec::new(), broken };
        settings.hold_unmarked(env);
        settings.hold_shared();
        settings
    }

    /// Takes what decides out of a personal file that is not this user's.
    fn hold_unmarked(&mut self, env: &Env) {
        let decides = |layer: &Layer| {
            layer.origin == Origin::Personal && layer.parsed.entries.iter().any(|entry| entry.key.decides())
        };
        let home = self.files.personal.parent().unwrap_or(Path::new("."));
        if self.layers.iter().any(decides) && !mark::is_own(home, env) {
            self.hold(Origin::Personal, HeldBecause::Unmarked, |entry| entry.key.decides().then_some(true));
            let keys: Vec<&str> = self.held.iter().map(|held| held.setting.key.name).collect();
            let message = format!("sets {}, and is not known to be yours", keys.join(", "));
            self.broken.push(ConfigError::whole(&self.files.personal, message, ConfigFault::Unmarked));
        }
    }

    /// Takes out of the committed file what it may not say against the user's own layers: nothing in it ends a planning repo that
    /// the user has joined, leads issues away from it, or makes the user a maintainer.
    fn hold_shared(&mut self) {
        let names_others = OTHERS.iter().any(|name| self.own(name).is_some());
        if names_others {
            self.hold(Origin::Shared, HeldBecause::Joined, |entry| {
                (entry.key.name == "mode").then(|| entry.value == Value::Text("single".to_owned()))
            });
        }
        let own = |name: &str| self.own(name).map(|entry| entry.value.to_string());
        let (contributor, default, mode) =
            (own("routing.auto.contributor"), own("routing.default"), own("routing.mode"));
        let routes = matches!(mode.as_deref(), Some("auto" | "explicit"));
        let has_planning = contributor.is_some() || routes && (default.is_some() || own("repos.additional").is_some());
        if !has_planning {
            return;
        }
        let mode = mode.unwrap_or_else(|| "auto".to_owned());
        self.hold(Origin::Shared, HeldBecause::Joined, |entry| {
            let value = entry.value.to_string();
            match entry.key.name {
                "routing.role" => (value == "maintainer").then_some(true),
                // By role is towards the planning repo, unless everything goes there.
                "routing.mode" => (value != mode && (value != "auto" || mode == "explicit")).then_some(true),
                "routing.auto.contributor" => Some(contributor.as_ref() != Some(&value)),
                "routing.default" => Some(default.as_ref() != Some(&value)),
                // Whether it would change anything depends on who asks; `bd info` says so.
                "routing.maintainers" | "routing.auto.maintainer" => Some(false),
                _ => None,
            }
        });
    }

    /// Puts entries of a layer aside; the choice says whether each would change something.
    fn hold(&mut self, origin: Origin, because: HeldBecause, choose: impl Fn(&Entry) -> Option<bool>) {
        let mut held = Vec::new();
        for layer in self.layers.iter_mut().filter(|layer| layer.origin == origin) {
            let chosen = layer.parsed.entries.iter().filter_map(|entry| Some((entry.clone(), choose(entry)?)));
            held.extend(chosen.collect::<Vec<_>>());
            layer.parsed.entries.retain(|entry| choose(entry).is_none());
        }
        let held =
            held.into_iter().map(|(entry, matters)| Held { setting: self.setting(origin, &entry), because, matters });
        let held: Vec<Held> = held.collect();
        self.held.extend(held);
    }

    /// What the user's own layers say about a key.
    fn own(&self, name: &str) -> Option<&Entry> {
        let mut own = self.entries(name).into_iter().filter(|(origin, _)| *origin != Origin::Shared);
        own.next_back().map(|(_, entry)| entry)
    }

    /// What a personal file says that decides, as text.
    pub(in crate::store) fn deciding(path: &Path) -> Vec<String> {
        let parsed = file::read(path, Owner::Repository).unwrap_or_default();
        let decides = parsed.entries.iter().filter(|entry| entry.key.decides());
        decides.map(|entry| format!("{} = {}", entry.key.name, entry.value)).collect()
    }

    /// The personal file decides something and is not known to be this user's.
    pub fn is_unmarked(&self) -> bool {
        self.broken.iter().any(|error| error.fault == ConfigFault::Unmarked)
    }

    /// The settings of an additional repo about itself: only its own committed file counts, and of that only what concerns the
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
    pub(in crate::store) fn with_repos(mut self, repos: &[String]) -> Self {
        for layer in &mut self.layers {
            layer.parsed.entries.retain(|entry| !matches!(entry.key.name, "repos.additional" | "repos.exclude"));
        }
        if let Some(key) = keys::find("repos.additional") {
            let entries = vec![Entry { key, value: Value::List(repos.to_vec()), line: 0 }];
            self.layers.push(Layer { origin: Origin::Flag, parsed: Parsed { entries, ..Parsed::default() } });
        }
        self
    }

    /// The committed file names directories.
    pub(in crate::store) fn names_outside(&self) -> bool {
        let shared = self.layers.iter().filter(|layer| layer.origin == Origin::Shared);
        shared.flat_map(|layer| &layer.parsed.entries).any(|entry| entry.key.kind.is_path())
    }

    /// The entries of the layers for one key, first layer first.
    fn entries(&self, name: &str) -> Vec<(Origin, &Entry)> {
        let all =
            self.layers.iter().flat_map(|layer| layer.parsed.entries.iter().map(move |entry| (layer.origin, entry)));
        all.filter(|(_, entry)| entry.key.name == name).collect()
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
        self.own(name).and_then(|entry| match &entry.value {
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
        let single = self.text("mode").filter(|(word, _)| *word == "single").map(|(_, origin)| origin);
        let others = OTHERS.iter().flat_map(|key| self.entries(key)).map(|(origin, _)| origin).max();
        single.is_some_and(|single| others.is_none_or(|others| single > others))
    }

    /// How new issues find their repo. A planning repo without a mode means routing by role.
    pub fn routing(&self) -> &str {
        let implied = || self.own("routing.auto.contributor").map_or("single", |_| "auto");
        match self.text("routing.mode") {
            _ if self.is_single() => "single",
            Some((mode, _)) => mode,
            None => implied(),
        }
    }

    /// Where the user wants state. The committed file does not decide where others keep theirs.
    pub(in crate::store) fn state_mode(&self) -> StateMode {
        let own = self.text("state.mode").filter(|(_, origin)| *origin != Origin::Shared);
        own.map_or(StateMode::Repo, |(word, _)| StateMode::requested(word))
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
            let default = if key.name == "routing.mode" { Some(self.routing()) } else { key.default };
            if let (true, Some(text)) = (found.is_empty(), default) {
                let value = file::typed_text(key, text).unwrap_or(Value::Text(text.to_owned()));
                all.push(Setting { key, value, origin: Origin::BuiltIn, place: String::new() });
            }
        }
        all
    }

    /// Settings of other tools, by name, and the names that the user has chosen; a later layer wins. Those not in effect come
    /// last.
    pub fn foreign(&self) -> Vec<ForeignSetting> {
        let mut all: Vec<ForeignSetting> = Vec::new();
        for layer in self.layers.iter().rev() {
            let path = self.files.path(layer.origin).map(|path| path.display().to_string()).unwrap_or_default();
            for one in layer.parsed.foreign.iter().cloned() {
                let place = format!("{path}:{}", one.line);
                let is_held = keys::is_chosen(&one.name) && layer.origin != Origin::User;
                let held = is_held.then_some(HeldBecause::NotOwn);
                if is_held || all.iter().all(|known| known.name != one.name || known.held.is_some()) {
                    all.push(ForeignSetting { name: one.name, value: one.value, origin: layer.origin, place, held });
                }
            }
        }
        all.sort_by(|one, other| (&one.name, one.held.is_some()).cmp(&(&other.name, other.held.is_some())));
        all
    }

    /// The user's own file for a table whose names the user chooses, `alias` or `query`: the table of a repository
    /// does not count, since it would change what is typed.
    pub fn own_names(&self, table: &str) -> Vec<(String, String)> {
        let user = self.layers.iter().filter(|layer| layer.origin == Origin::User);
        user.flat_map(|layer| names_in(&layer.parsed, table)).collect()
    }

    /// The words that the project adds to the statuses (`status.custom`) or to the issue types (`types.custom`).
    pub fn custom_words(&self, name: &str) -> Vec<String> {
        self.text(name).and_then(|(text, _)| file::custom_words(text).ok()).unwrap_or_default()
    }

    /// The mode in effect: several repos are implied by a list of them, whatever an earlier layer says.
    fn mode(&self, entries: &[(Origin, &Entry)]) -> Option<Setting> {
        let listed = self.entries("repos.additional").pop().filter(|_| !self.is_single());
        let mut setting = match (listed, entries.last()) {
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

    /// The committed file calls this address a maintainer's, and that is not in effect.
    pub fn is_listed_in_vain(&self, email: &str) -> bool {
        let held = self.held.iter().filter(|held| held.setting.key.name == "routing.maintainers");
        held.filter(|held| held.because == HeldBecause::Joined).any(|held| match &held.setting.value {
            Value::List(known) => known.iter().any(|known| known.trim().eq_ignore_ascii_case(email.trim())),
            _ => false,
        })
    }

    /// The values of the committed file that are not in effect, where they would change something.
    pub fn overruled(&self) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(|held| held.matters && held.because == HeldBecause::Joined)
    }

    pub fn unknown(&self) -> impl Iterator<Item = &UnknownKey> {
        self.layers.iter().flat_map(|layer| &layer.parsed.unknown)
    }
}

/// The same where there is no project.
pub fn own_names(env: &Env, table: &str) -> Vec<(String, String)> {
    let path = home::user_config(env).map(|dir| dir.join(CONFIG_NAME));
    let parsed = path.and_then(|path| file::read(&path, Owner::User).ok()).unwrap_or_default();
    names_in(&parsed, table)
}

fn names_in(parsed: &Parsed, table: &str) -> Vec<(String, String)> {
    let named = parsed.foreign.iter().filter_map(|one| {
        let name = one.name.strip_prefix(table)?.strip_prefix('.')?;
        Some((name.to_owned(), one.value.clone()))
    });
    named.collect()
}

/// What the names of our environment variables begin with.
const VARIABLES: &str = "BD_";

/// The environment variable of a key: `BD_ROUTING_MODE` for `routing.mode`.
fn variable(key: &Key) -> String {
    VARIABLES.chars().chain(key.name.chars().map(in_variable)).collect()
}

/// Whether this is that variable.
fn is_variable(name: &str, key: &Key) -> bool {
    let name = name.strip_prefix(VARIABLES).filter(|name| name.len() == key.name.len());
    name.is_some_and(|name| name.chars().eq(key.name.chars().map(in_variable)))
}

fn in_variable(c: char) -> char {
    if c == '.' { '_' } else { c.to_ascii_uppercase() }
}

/// A layer that is not a file.
fn typed(origin: Origin, pairs: Vec<(&str, String)>) -> (Parsed, Vec<ConfigError>) {
    let mut parsed = Parsed::default();
    let mut errors = Vec::new();
    for (name, text) in pairs {
        let source = if origin == Origin::Flag { "--config" } else { "environment" };
        let error = |message: String| ConfigError::whole(source, message, ConfigFault::Broken);
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
