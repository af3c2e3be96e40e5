//! What keeps a write from being undone.

/// A value that was changed again after the write that is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoClash {
    pub id: String,
    pub field: String,
    /// The author of the change, if it was made from here.
    pub by: Option<String>,
    pub at: Option<String>,
}

/// The field of a clash over an issue whose line is gone.
pub(in crate::store) const LINE: &str = "line";

impl UndoClash {
    /// The issue is not in that ledger any more.
    pub fn is_gone(&self) -> bool {
        self.field == LINE
    }
}
