//! Which lines of a file version control has seen.

use std::collections::HashMap;

use crate::model::time::{Instant, SECOND};

/// A line, and when it was written: no earlier commit can hold it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sought<'a> {
    pub text: &'a str,
    pub since: Instant,
}

/// Which commits are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Those that a remote has, as far as the last fetch or push knows: no command here can take them away.
    Remote,
    /// Those that are easily found again: with git what a branch or a tag leads to, here or at a remote, with jj and hg all that
    /// are not hidden. A commit that only a detached `HEAD` or a reflog knows is none of them.
    Any,
}

/// Lines that are still looked for, by their text.
pub(super) struct Wanted<'a> {
    lines: &'a [Sought<'a>],
    left: HashMap<&'a [u8], Vec<usize>>,
    found: Vec<bool>,
}

impl<'a> Wanted<'a> {
    pub fn new(lines: &'a [Sought<'a>]) -> Self {
        let mut left: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for (n, line) in lines.iter().enumerate() {
            left.entry(line.text.as_bytes()).or_default().push(n);
        }
        Wanted { lines, left, found: vec![false; lines.len()] }
    }

    /// No commit before this time, in nanoseconds, can hold what is left; `None` if nothing is. A clock may be set back.
    pub fn oldest(&self) -> Option<i64> {
        self.left.values().flatten().map(|n| self.lines[*n].since.nanos().saturating_sub(SLACK)).min()
    }

    /// Looks at a version of the file.
    pub fn see(&mut self, version: &[u8]) {
        for line in version.split(|byte| *byte == b'\n') {
            for n in self.left.remove(line.strip_suffix(b"\r").unwrap_or(line)).unwrap_or_default() {
                self.found[n] = true;
            }
        }
    }

    pub fn found(self) -> Vec<bool> {
        self.found
    }
}

const SLACK: i64 = 3600 * SECOND;
