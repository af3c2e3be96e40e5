//! Contents of a state home that count only if they are the user's own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::mark::{is_own, make};
use super::place;
use super::settings::{Settings, SettingsError};
use crate::store::names::{CONFIG_NAME, WRITES_NAME};
use crate::store::state::installed::{DriverManifest, Manifest};
use crate::store::state::log;
use crate::sys::Env;

/// Contents of a state home that count only if they are this user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeWord {
    pub home: PathBuf,
    pub says: Vec<String>,
    /// Already known as this user's.
    pub known: bool,
}

/// Marks a state home before the first deciding content is put there. `false` if it has some from someone else.
pub fn make_first(home: &Path, env: &Env, wait: Duration) -> Result<bool, SettingsError> {
    if is_own(home, env) {
        return Ok(true);
    }
    let word = word(home, env);
    if word.says.is_empty() {
        make(home, env, wait)?;
    }
    Ok(word.says.is_empty())
}

/// The deciding contents of a state home, and whether they are this user's.
pub fn word(home: &Path, env: &Env) -> HomeWord {
    let settings = Settings::deciding(&home.join(CONFIG_NAME));
    let mut says: Vec<String> = settings.into_iter().map(|entry| format!("{CONFIG_NAME}: {entry}")).collect();
    says.extend(manifests(home));
    if log::leads_elsewhere(home) {
        says.push(format!("{WRITES_NAME}: writes that went to other repos too"));
    }
    HomeWord { home: home.to_owned(), says, known: is_own(home, env) }
}

/// Installations outside of the repository that the state home records.
pub(in crate::store) fn manifests(home: &Path) -> Vec<String> {
    let common = place::real(home.parent().unwrap_or(home));
    let root = common.parent().unwrap_or(&common);
    let leaves = |path: &Path| !place::real(path).starts_with(&common) && place::real(path).parent() != Some(root);
    let hooks = Manifest::read(home).map(|known| ("hooks.json", known.directory));
    let driver = DriverManifest::read(home).map(|known| ("merge-driver.json", known.file));
    let outside = hooks.into_iter().chain(driver).filter(|(_, path)| leaves(path));
    outside.map(|(name, path)| format!("{name}: installed in {}", path.display())).collect()
}
