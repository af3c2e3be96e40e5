//! Changes of records.

/// A change of one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Put {
    /// Replaces the line with an id, or adds one.
    Line { id: String, text: String },
    /// Removes the lines with an id.
    Gone { id: String },
    /// Removes a line that was stored elsewhere.
    Out { line: usize },
}
