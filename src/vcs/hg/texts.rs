//! Versions of files: read in batches, identified by content, and cached while there is room.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use super::call::{Client, pattern};
use super::lines::{Lines, Text};
use super::server::{Answer, answers, request};
use crate::vcs::archive::{Version, joined};
use crate::vcs::{HistoryError, Kind, SyncError};

/// The cache size; versions beyond it are read again.
const ROOM: usize = 256 << 20;
/// The estimated size of a batch for one process.
const BATCH: usize = 64 << 20;
/// The number of versions in a batch for one process.
const MANY: usize = 4096;
/// From this many on a second process is worth its start.
const WORTH: usize = 64;
/// The smallest size assumed for a version.
const SMALL: usize = 4096;

/// A file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub commit: String,
    pub file: PathBuf,
}

/// A version: where it was found, and its text if there was room.
struct Known {
    place: Place,
    text: Option<Text>,
}

/// The known versions.
#[derive(Default)]
pub(super) struct Texts {
    /// By the part of a version.
    known: HashMap<String, Known>,
    lines: Lines,
}

impl Texts {
    /// The version at each place; `None` if the file does not exist there.
    pub(super) fn versions(
        &mut self,
        client: &Client<'_>,
        places: &[Place],
    ) -> Result<Vec<Option<Version>>, SyncError> {
        let mut found = vec![None; places.len()];
        read(client, places, &mut |number, bytes| {
            found[number] = bytes.map(|bytes| self.remember(&places[number], &bytes));
        })?;
        Ok(found)
    }

    fn remember(&mut self, place: &Place, bytes: &[u8]) -> Version {
        let part = blake3::hash(bytes).to_hex().to_string();
        if !self.known.contains_key(&part) {
            let text = self.lines.keep(bytes, ROOM);
            self.known.insert(part.clone(), Known { place: place.clone(), text });
        }
        Version::of(part)
    }

    fn known(&self, part: &str) -> Result<&Known, SyncError> {
        self.known.get(part).ok_or_else(|| lost(part, "it was not read here"))
    }

    /// The bytes of a version.
    pub(super) fn text(&self, client: &Client<'_>, version: &Version) -> Result<Vec<u8>, SyncError> {
        let texts = version.0.iter().map(|part| self.part(client, part));
        Ok(joined(texts.collect::<Result<_, _>>()?))
    }

    fn part(&self, client: &Client<'_>, part: &str) -> Result<Vec<u8>, SyncError> {
        let known = self.known(part)?;
        if let Some(text) = &known.text {
            return Ok(self.lines.bytes(text));
        }
        let mut found = None;
        read(client, std::slice::from_ref(&known.place), &mut |_, bytes| found = bytes)?;
        found.ok_or_else(|| lost(part, "it is not in its commit any more"))
    }
}

fn lost(part: &str, why: &str) -> SyncError {
    HistoryError::Object { id: part.to_owned(), message: why.to_owned() }.into()
}

/// Reads files of commits in batches, and passes each on with its number.
pub(super) fn read(
    client: &Client<'_>,
    places: &[Place],
    each: &mut dyn FnMut(usize, Option<Vec<u8>>),
) -> Result<(), SyncError> {
    // The command server of sl is undocumented.
    if client.kind == Kind::Sl {
        for (number, place) in places.iter().enumerate() {
            each(number, client.cat(&place.commit, &place.file)?);
        }
        return Ok(());
    }
    // Versions of a file are about as large as the one in the working copy.
    let size = |place: &Place| std::fs::symlink_metadata(client.root.join(&place.file)).map_or(0, |found| found.len());
    let mut largest = places.first().map_or(0, size) as usize;
    let mut done = 0;
    while done < places.len() {
        let most = (BATCH / largest.max(SMALL)).clamp(1, MANY);
        // Two processes in parallel, each with a part of the work, if there is enough.
        let left = &places[done..];
        let part = if left.len() < WORTH { left.len() } else { left.len().div_ceil(2) }.min(most);
        let (one, rest) = left.split_at(part);
        let other = &rest[..rest.len().min(part)];
        let (found, others) = std::thread::scope(|scope| {
            let others = (!other.is_empty()).then(|| scope.spawn(|| some(client, other)));
            (
                some(client, one),
                others.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            )
        });
        let mut take = |batch: &[Place], found: Vec<Answer>| -> Result<bool, SyncError> {
            let is_all = found.len() >= batch.len();
            for (place, answer) in batch.iter().zip(found) {
                let bytes = text(client, place, answer)?;
                largest = largest.max(bytes.as_ref().map_or(0, Vec::len));
                each(done, bytes);
                done += 1;
            }
            Ok(is_all)
        };
        // Truncated answers are requested again, and all after them.
        if take(one, found?)?
            && let Some(found) = others
        {
            take(other, found?)?;
        }
    }
    Ok(())
}

/// The answers for the first of these places, as many as fit but at least one.
fn some(client: &Client<'_>, places: &[Place]) -> Result<Vec<Answer>, SyncError> {
    let mut input = Vec::new();
    for place in places {
        let options = ["cat", &format!("--rev={}", place.commit), "--template={path}\\0{data}", "--"];
        let mut arguments: Vec<OsString> = options.map(OsString::from).into();
        arguments.push(pattern(&place.file));
        request(&mut input, &arguments);
    }
    let (output, is_cut) = client.serve(input)?;
    let found = answers(&output.stdout);
    if found.is_empty() || found.len() < places.len() && !is_cut {
        return Err(client.failed(&["serve"], &output));
    }
    Ok(found)
}

/// The bytes, or `None` if the file does not exist. A directory of that name does not count.
fn text(client: &Client<'_>, place: &Place, answer: Answer) -> Result<Option<Vec<u8>>, SyncError> {
    let name = place.file.as_os_str().as_bytes();
    match answer.status {
        0 if answer.out.starts_with(name) && answer.out.get(name.len()) == Some(&0) => {
            let mut bytes = answer.out;
            bytes.drain(..=name.len());
            Ok(Some(bytes))
        }
        0 | 1 => Ok(None),
        status => Err(client.failed_with("cat", status, &answer.err)),
    }
}
