//! Whether a state home is the user's own.
//!
//! Owns `mark` in a state home: random ids, one per line. The home is this user's if the user's own state lists one of
//! them ([`Trust::lists`]). An unpacked archive or a copied directory can bring any file, but not a listed id. An id is
//! minted when `bd` first stores deciding content there, and by `bd trust`; it is never read from the file, so that a
//! stranger's mark cannot become the user's. Moving the repository or editing by hand does not affect it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::trust::{MARK, OutsidePath};
use super::{home, paths};
use crate::model::state_id;
use crate::store::error::SettingsError;
use crate::store::file_names::MARK_NAME;
use crate::store::read_trust;
use crate::store::state::directory::prepare;
use crate::sys::{Entropy, Env, below};

const MAX_MARK: u64 = 64 << 10;
/// The state home has a mark of this user, or the environment names it.
pub(crate) fn is_own(home: &Path, env: &Env) -> bool {
    if home::is_named(home, env) {
        return true;
    }
    // A link points to another home, whose mark says nothing about this one.
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

/// Marks a state home as this user's. Marks of other users who share it stay.
pub(crate) fn make(home: &Path, env: &Env, wait: Duration) -> Result<(), SettingsError> {
    prepare(home)?;
    // A secret: never from a test's seed.
    let entropy = Entropy::System;
    let id = state_id::mint(state_id::MARK, entropy.bytes());
    let entry = OutsidePath {
        repository: paths::real(home),
        root: paths::real(home),
        key: MARK,
        text: id.clone(),
        resolved: PathBuf::new(),
    };
    // First the list: a listed id without a home is harmless.
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
