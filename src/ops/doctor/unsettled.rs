//! Issues with a misleading state: in progress without a holder, or open although they were closed.

use super::health::Report;
use crate::cache::Sort;
use crate::model::merge::lost_close;
use crate::ops::{Result, not_done};
use crate::store::{MERGES_STATES, Row, Store};

/// Issues in progress without a holder, as far as this state home knows.
pub fn abandoned(store: &Store) -> Result<Vec<Row>> {
    Ok(crate::ops::claims::abandoned::abandoned(store)?.into_iter().map(|(row, _)| row).collect())
}

pub(in crate::ops) fn check_states(store: &Store, report: &mut Report) -> Result<()> {
    for row in abandoned(store)? {
        let whose = row.issue.assignee.as_deref().filter(|name| !name.is_empty());
        let whose = whose.map_or("assigned to nobody".to_owned(), |name| format!("assigned to {name}"));
        let message = format!("no claim is known here for work in progress, {whose}: {}", row.issue.id);
        let remedy = "if nobody works on it, run `bd reclaim --orphans`";
        report.warn(message).in_line(row.file, row.line_number).with(remedy);
    }
    for row in store.list(&not_done(), Sort::default(), None)?.rows {
        let Some(at) = lost_close(&row.line) else { continue };
        let status = &row.issue.status;
        let message = format!("closed on {at}, but a merge by an older bd made it {status} again: {}", row.issue.id);
        let id = &row.issue.id;
        let remedy = format!("run `bd close {id}` if it is done; use bd {MERGES_STATES} or later in every clone");
        report.warn(message).in_line(row.file, row.line_number).with(remedy);
    }
    Ok(())
}
