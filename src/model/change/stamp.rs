//! The context of an edit: time, author and other values from outside the line.

use crate::model::json::Dialect;
use crate::model::time::Instant;

/// A comment to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// Random, below 2^53.
    pub id: i64,
    pub author: String,
    pub text: String,
}

/// What an edit needs besides the line.
#[derive(Debug, Clone, Copy)]
pub struct Stamp<'a> {
    pub now: Instant,
    pub actor: &'a str,
    pub dialect: Dialect,
}
