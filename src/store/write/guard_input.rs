//! The input of guards.

use super::intent::Intent;
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Store;

/// A change of one line in one ledger, with the text before and after.
#[derive(Debug, Clone, Copy)]
pub(super) struct GuardedEdit<'a> {
    pub store: &'a Store,
    pub intent: Intent,
    pub source: usize,
    pub ledger: &'a Ledger,
    /// The ledger as it was just read.
    pub document: &'a Document,
    pub edit: &'a Edit,
    pub id: &'a str,
    pub before: Option<&'a str>,
    pub after: Option<&'a str>,
}

/// The other writes of the same transaction.
#[derive(Debug, Default)]
pub(super) struct RestOfTransaction {
    /// Workflows of the tasks that it claims.
    pub taken: Vec<String>,
    /// Issues that it closes.
    pub closed: Vec<String>,
}
