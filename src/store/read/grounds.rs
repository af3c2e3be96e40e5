//! The state that earlier answers depend on, as of the last check whether they are still valid.

use crate::model::time::Instant;

/// What answers depend on.
#[derive(Debug, Default)]
pub(in crate::store) struct Grounds {
    pub(in crate::store) generation: u64,
    pub(in crate::store) known: Known,
    /// The next date that changes an answer.
    pub(in crate::store) until: Option<Instant>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct Known {
    /// The numbering of repos and the number of ledger reads.
    pub(in crate::store) files: (u64, u64),
    /// Ledgers that cannot be read, and why.
    pub(in crate::store) troubles: Vec<(usize, String)>,
    /// Claims with holders: the issue, the epoch, the holder, and whether it has expired.
    pub(in crate::store) claims: Vec<(String, i64, String, bool)>,
    /// Issues that other checkouts have closed, or work on.
    pub(in crate::store) elsewhere: Vec<String>,
}
