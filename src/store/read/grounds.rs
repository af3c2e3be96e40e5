//! What answers rested on when somebody last asked whether they still hold.

use crate::model::time::Instant;

/// What answers rest on.
#[derive(Debug, Default)]
pub(in crate::store) struct Grounds {
    pub(in crate::store) generation: u64,
    pub(in crate::store) known: Known,
    /// When the next date comes.
    pub(in crate::store) until: Option<Instant>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Known {
    /// How often repos were numbered, and ledgers read.
    pub(in crate::store) files: (u64, u64),
    /// Ledgers that cannot be read, and why.
    pub(in crate::store) troubles: Vec<(usize, String)>,
    /// Claims that somebody has: the issue, the number, the holder, and whether it is over.
    pub(in crate::store) claims: Vec<(String, i64, String, bool)>,
    /// Issues that other checkouts have closed, or work on.
    pub(in crate::store) elsewhere: Vec<String>,
}
