//! Finds out which lines of a file are in a commit.

use std::collections::HashMap;

use crate::model::time::{Instant, SECOND};

/// A line, and when it was written: no earlier commit can contain it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatedLine<'a> {
    pub text: &'a str,
    pub since: Instant,
}

/// The commits to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that a remote has, as of the last fetch or push: no command here can remove them.
    Remote,
    /// Those that are easily found again: with git, ancestors of a branch or a tag, here or on a remote; with jj and
    /// hg, all visible ones. A commit that only a detached `HEAD` or a reflog refers to does not count.
    Any,
}

/// Lines that were not found yet, by their text.
pub(super) struct Wanted<'a> {
    lines: &'a [DatedLine<'a>],
    left: HashMap<&'a [u8], Vec<usize>>,
    found: Vec<bool>,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(lines: &'a [DatedLine<'a>]) -> Self {
        let mut left: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (n, line) in lines.iter().enumerate() {
            left.entry(line.text.as_bytes()).or_default().push(n);
        }
        Wanted { lines, left, found: vec![false; lines.len()] }
    }

    /// The time in nanoseconds before which no commit can contain the remaining lines; `None` if there are none. Allows
    /// for clocks that were set back.
    pub(super) fn oldest(&self) -> Option<i64> {
        self.left.values().flatten().map(|n| self.lines[*n].since.nanos().saturating_sub(SLACK)).min()
    }

    /// Searches a version of the file.
    pub(super) fn see(&mut self, version: &[u8]) {
        for line in version.split(|byte| *byte == b'\n') {
            for n in self.left.remove(line.strip_suffix(b"\r").unwrap_or(line)).unwrap_or_default() {
                self.found[n] = true;
            }
        }
    }

    pub(super) fn found(self) -> Vec<bool> {
        self.found
    }
}

const SLACK: i64 = 3600 * SECOND;
