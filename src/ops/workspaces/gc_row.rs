//! A result line of `gc`.

use super::survey::Class;
use crate::model::workspace::Workspace;
use crate::ops::removal_reasons::Reason;

/// A workspace, what should happen to it, and what did.
#[derive(Debug, Clone)]
pub struct GcRow {
    pub workspace: Workspace,
    pub class: Class,
    /// It should be removed; with `artifacts_only`, some of its files.
    pub goes: bool,
    /// A description of why.
    pub why: String,
    /// The reasons against it.
    pub reasons: Vec<Reason>,
    /// Its size on disk; with `artifacts_only`, what would be freed.
    pub bytes: u64,
    pub done: bool,
    pub error: Option<String>,
}
