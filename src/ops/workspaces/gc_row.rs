//! One workspace in the eyes of `gc`.

use super::survey::Class;
use crate::model::workspace::Workspace;
use crate::ops::losses::Reason;

/// One workspace, what is to become of it and what did.
#[derive(Debug, Clone)]
pub struct GcRow {
    pub workspace: Workspace,
    pub class: Class,
    /// It should go: with `artifacts_only`, some of its files.
    pub goes: bool,
    /// Why, in words.
    pub why: String,
    /// What stands against it.
    pub reasons: Vec<Reason>,
    /// What it takes on disk; what would be given back with `artifacts_only`.
    pub bytes: u64,
    pub done: bool,
    pub error: Option<String>,
}
