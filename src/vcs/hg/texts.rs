//! Versions of files: identified by content, and cached while there is room.

use std::collections::HashMap;
use std::path::PathBuf;

use super::call::Client;
use crate::vcs::archive::{Version, joined};
use crate::vcs::{HistoryError, SyncError};

/// The cache size; versions beyond it are read again.
const ROOM: usize = 128 << 20;

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub commit: String,
    pub file: PathBuf,
}

/// A version: where it was found, and its text if there was room.
struct Known {
    place: Place,
    text: Option<Vec<u8>>,
}

/// The known versions.
#[derive(Default)]
pub(super) struct Texts {
    /// By the part of a version.
    known: HashMap<String, Known>,
    /// The length of all cached texts.
    held: usize,
}

impl Texts {
    /// The version at a place; `None` if the file does not exist there.
    pub(super) fn version(&mut self, client: &Client<'_>, place: Place) -> Result<Option<Version>, SyncError> {
        let Some(bytes) = client.cat(&place.commit, &place.file)? else { return Ok(None) };
        let part = blake3::hash(&bytes).to_hex().to_string();
        if !self.known.contains_key(&part) {
            let text = (self.held + bytes.len() <= ROOM).then_some(bytes);
            self.held += text.as_ref().map_or(0, Vec::len);
            self.known.insert(part.clone(), Known { place, text });
        }
        Ok(Some(Version::of(part)))
    }

    /// The bytes of a version.
    pub(super) fn text(&self, client: &Client<'_>, version: &Version) -> Result<Vec<u8>, SyncError> {
        let texts = version.0.iter().map(|part| self.part(client, part));
        Ok(joined(texts.collect::<Result<_, _>>()?))
    }

    fn part(&self, client: &Client<'_>, part: &str) -> Result<Vec<u8>, SyncError> {
        let known = self.known.get(part).ok_or_else(|| lost(part, "it was not read here"))?;
        if let Some(text) = &known.text {
            return Ok(text.clone());
        }
        let found = client.cat(&known.place.commit, &known.place.file)?;
        found.ok_or_else(|| lost(part, "it is not in its commit any more"))
    }
}

fn lost(part: &str, why: &str) -> SyncError {
    HistoryError::object(part, why).into()
}
