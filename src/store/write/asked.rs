//! What guards are told.

use super::intent::Intent;
use crate::ledger::{Document, Edit, Ledger};
use crate::store::Store;

/// One line of one ledger, as it is and as it is to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
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

/// What other writes of the same transaction do.
#[derive(Debug, Default)]
pub(super) struct Along {
    /// The workflows of tasks that are taken.
    pub taken: Vec<String>,
    /// The issues that are closed.
    pub closed: Vec<String>,
}
