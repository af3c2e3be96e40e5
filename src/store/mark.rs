//! Whether a state home is the user's own word.
//!
//! Owns `mark` in a state home: random ids, one per line. The home is this user's if the user's own state lists one of them
//! ([`Trust::lists`]). An archive or a copied directory can bring any file along, but it cannot bring an id that is listed. An id is
//! made when `bd` first puts something there that decides, and by `bd trust`; it is never taken over from the file, so that a
//! stranger's mark never becomes the user's. Moves of the repository and edits by hand change nothing about it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::settings::{CONFIG_NAME, MARK, OutsidePath, Settings, SettingsError};
use super::undo::UNDO_NAME;
use super::{home, hooks, place, read_trust};
use crate::model::state_id;
use crate::sys::{Entropy, Env, below};

pub const MARK_NAME: &str = "mark";
const MAX_MARK: u64 = 64 << 10;
/// The log is put aside long before.
const MAX_LOG: u64 = 16 << 20;

/// What a state home holds that counts only if it is this user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeWord {
    pub home: PathBuf,
    pub says: Vec<String>,
    /// This user's already.
    pub known: bool,
}

/// The state home bears a mark of this user, or the environment names it.
pub fn is_own(home: &Path, env: &Env) -> bool {
    if home::is_named(home, env) {
        return true;
    }
    // Behind a link lies another home, whose mark says nothing about this one.
    if home.symlink_metadata().is_ok_and(|data| data.is_symlink()) {
        return false;
    }
    let ids = ids(home);
    !ids.is_empty() && {
        let trust = read_trust(env);
        ids.iter().any(|id| trust.lists(id))
    }
}

fn ids(home: &Path) -> Vec<String> {
    let bytes = below::read(home, MARK_NAME, MAX_MARK).map(|contents| contents.bytes).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    text.lines().map(str::trim).filter(|id| state_id::is(state_id::MARK, id)).map(str::to_owned).collect()
}

/// Marks a state home as this user's. Others who share it keep their marks.
pub fn make(home: &Path, env: &Env, wait: Duration) -> Result<(), SettingsError> {
    home::prepare(home)?;
    // A secret: never from the seed of a test.
    let entropy = Entropy::System;
    let id = state_id::mint(state_id::MARK, entropy.bytes());
    let entry = OutsidePath {
        repository: place::real(home),
        root: place::real(home),
        key: MARK,
        text: id.clone(),
        resolved: PathBuf::new(),
    };
    // First the list: an id that no home bears says nothing.
    read_trust(env).add(&[entry], wait, &entropy).map_err(|error| SettingsError::NoPlace(Box::new(error)))?;
    let mut bytes = match below::read(home, MARK_NAME, MAX_MARK) {
        Ok(known) => known.bytes,
        Err(error) if error.is_missing() => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(id.as_bytes());
    bytes.push(b'\n');
    Ok(below::put(home, MARK_NAME, &bytes)?)
}

/// Marks a state home in which nothing decides yet, before something is put there that does. `false` if somebody else's word
/// stands there already.
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

/// What a state home holds, and whether that is this user's word.
pub fn word(home: &Path, env: &Env) -> HomeWord {
    let settings = Settings::deciding(&home.join(CONFIG_NAME));
    let mut says: Vec<String> = settings.into_iter().map(|entry| format!("{CONFIG_NAME}: {entry}")).collect();
    says.extend(hooks::manifests(home));
    let log = below::read(home, UNDO_NAME, MAX_LOG).map(|contents| contents.bytes).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    if ["\"guests\":[", "\"with\":["].iter().any(|key| log.contains(key)) {
        says.push(format!("{UNDO_NAME}: writes that went to other repos too"));
    }
    HomeWord { home: home.to_owned(), says, known: is_own(home, env) }
}
