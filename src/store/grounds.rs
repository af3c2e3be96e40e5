//! What answers rested on when somebody last asked whether they still hold.

use crate::model::time::Instant;

/// What answers rest on.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    pub(super) generation: u64,
    pub(super) known: Known,
    /// When the next date comes.
    pub(super) until: Option<Instant>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// How often repos were numbered, and ledgers read.
    pub(super) files: (u64, u64),
    /// Ledgers that cannot be read, and why.
    pub(super) troubles: Vec<(usize, String)>,
    /// Claims that somebody has: the issue, the number, the holder, and whether it is over.
    pub(super) claims: Vec<(String, i64, String, bool)>,
    /// Issues that other checkouts have closed, or work on.
    pub(super) elsewhere: Vec<String>,
}
