//! Contents of a state home that count only if they are the user's own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::mark::{is_own, make};
use super::paths;
use super::settings::{Settings, SettingsError};
use crate::store::file_names::{CONFIG_NAME, WRITES_NAME};
use crate::store::state::installed::{DRIVER, HOOKS};
use crate::store::state::log;
use crate::sys::Env;

/// Contents of a state home that count only if they are this user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeContents {
    pub home: PathBuf,
    pub contents: Vec<String>,
    /// Already known as this user's.
    pub is_trusted: bool,
}

/// Marks a state home before the first deciding content is put there. `false` if it has some from someone else.
pub(crate) fn make_first(home: &Path, env: &Env, wait: Duration) -> Result<bool, SettingsError> {
    if is_own(home, env) {
        return Ok(true);
    }
    let word = word(home, env);
    if word.contents.is_empty() {
        make(home, env, wait)?;
    }
    Ok(word.contents.is_empty())
}

/// The deciding contents of a state home, and whether they are this user's.
pub(crate) fn word(home: &Path, env: &Env) -> HomeContents {
    let settings = Settings::deciding(&home.join(CONFIG_NAME));
    let mut contents: Vec<String> = settings.into_iter().map(|entry| format!("{CONFIG_NAME}: {entry}")).collect();
    contents.extend(manifests(home));
    if log::leads_elsewhere(home) {
        contents.push(format!("{WRITES_NAME}: writes that went to other repos too"));
    }
    HomeContents { home: home.to_owned(), contents, is_trusted: is_own(home, env) }
}

/// Installations outside of the repository that the state home records.
pub(in crate::store) fn manifests(home: &Path) -> Vec<String> {
    let common = paths::real(home.parent().unwrap_or(home));
    let root = common.parent().unwrap_or(&common);
    let leaves = |path: &Path| !paths::real(path).starts_with(&common) && paths::real(path).parent() != Some(root);
    let hooks = HOOKS.read(home).map(|known| ("hooks.json", known.directory));
    let driver = DRIVER.read(home).map(|known| ("merge-driver.json", known.file));
    let outside = hooks.into_iter().chain(driver).filter(|(_, path)| leaves(path));
    outside.map(|(name, path)| format!("{name}: installed in {}", path.display())).collect()
}
