//! Stamps of files from which something was derived, for polling: while they are equal, so is the answer.

use std::path::PathBuf;

use crate::model::time::Instant;
use crate::sys::fs::{self, FileStamp, Granularity};

/// Some files, missing ones included.
#[derive(Debug, Clone)]
pub(in crate::store) struct Stamps {
    seen: Vec<(PathBuf, Option<FileStamp>)>,
    at: Instant,
    granularity: Granularity,
}

/// No files at all.
impl Default for Stamps {
    fn default() -> Self {
        Stamps::of(Vec::new())
    }
}

impl Stamps {
    /// Must be taken before the files are read.
    pub(crate) fn of(mut paths: Vec<PathBuf>) -> Self {
        paths.sort();
        paths.dedup();
        let at = fs::stamp_time();
        let seen: Vec<_> = paths.into_iter().map(|path| (fs::stat(&path).ok(), path)).collect();
        let there = seen.iter().find(|(stamp, _)| stamp.is_some());
        let granularity = there.map_or(Granularity::Fine, |(_, path)| fs::granularity(path));
        Stamps { seen: seen.into_iter().map(|(stamp, path)| (path, stamp)).collect(), at, granularity }
    }

    /// Adds files, before they are read.
    pub(crate) fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.seen.extend(paths.into_iter().map(|path| (fs::stat(&path).ok(), path)).map(|(stamp, path)| (path, stamp)));
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.seen.iter().map(|(path, _)| path)
    }

    /// None of the files existed.
    pub(crate) fn are_of_nothing(&self) -> bool {
        self.seen.iter().all(|(_, stamp)| stamp.is_none())
    }

    /// No change is visible so far.
    pub(crate) fn hold_so_far(&self) -> bool {
        self.seen.iter().all(|(path, known)| fs::stat(path).ok() == *known)
    }

    /// Nothing has changed: the stamps are equal, and were old enough to show any later change.
    pub(crate) fn hold(&self) -> bool {
        let proves = |stamp: &FileStamp| self.granularity.tells_later(stamp, self.at);
        self.seen.iter().all(|(_, known)| known.as_ref().is_none_or(proves)) && self.hold_so_far()
    }
}
