//! Files as they were when something was derived from them, for those who poll: as long as they are the same, so is the answer.

use std::path::PathBuf;

use crate::model::time::Instant;
use crate::sys::fs::{FileStamp, Granularity};
use crate::sys::{fs, looks};

/// Some files, those included that are not there.
#[derive(Debug)]
pub(in crate::store) struct Stamps {
    seen: Vec<(PathBuf, Option<FileStamp>)>,
    at: Instant,
    granularity: Granularity,
}

impl Stamps {
    /// To be taken before the files are read.
    pub fn of(mut paths: Vec<PathBuf>) -> Self {
        paths.sort();
        paths.dedup();
        let at = fs::stamp_time();
        let seen: Vec<_> = paths.into_iter().map(|path| (looks::stamp(&path), path)).collect();
        let there = seen.iter().find(|(stamp, _)| stamp.is_some());
        let granularity = there.map_or(Granularity::Fine, |(_, path)| fs::granularity(path));
        Stamps { seen: seen.into_iter().map(|(stamp, path)| (path, stamp)).collect(), at, granularity }
    }

    /// None of them was there.
    pub fn are_of_nothing(&self) -> bool {
        self.seen.iter().all(|(_, stamp)| stamp.is_none())
    }

    /// Nothing is seen to have changed since.
    pub fn hold_so_far(&self) -> bool {
        self.seen.iter().all(|(path, known)| looks::stamp(path) == *known)
    }

    /// Nothing has changed since: the stamps are the same, and were old enough that a later change would show in them.
    pub fn hold(&self) -> bool {
        let proves = |stamp: &FileStamp| self.granularity.tells_later(stamp, self.at);
        self.seen.iter().all(|(_, known)| known.as_ref().is_none_or(proves)) && self.hold_so_far()
    }
}
