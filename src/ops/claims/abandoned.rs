//! Issues in progress without a holder, as far as this state home knows.
//!
//! It knows only claims made here. An issue whose assignee never claimed it here may be held in another clone, and a
//! person's claim does not expire, so neither counts. An issue counts if it has no assignee, or if its last claim was
//! made here and has ended, and the assignee lost it or is an agent of this state home.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::change::Change;
use crate::model::issue::Status;
use crate::model::lease::{Holder, Lease};
use crate::model::query::{Expr, Field};
use crate::model::workflow::Workflow;
use crate::ops::agents::roster;
use crate::ops::{OpError, Result};
use crate::store::{Access, Reclaimed, Row, Scope, Store, Write, WriteError};

/// The issues, each with its claim record.
pub(crate) fn abandoned(store: &Store) -> Result<Vec<(Row, Lease)>> {
    let rows = store.list(&Expr::text(Field::Status, "in_progress"), Default::default(), None)?.rows;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let records = store.lease_records()?.into_iter().map(|row| (row.id, row.lease));
    let records: BTreeMap<String, Lease> = records.collect();
    let agents: BTreeSet<String> = roster::all(store)?.into_iter().map(|seen| seen.agent.name).collect();
    let is_abandoned = |row: &Row, lease: Option<&Lease>| {
        let is_group = row.issue.issue_type.as_str() == "epic" || Workflow::of_line(&row.line).is_some();
        let assignee = row.issue.assignee.as_deref().filter(|name| !name.is_empty());
        match (assignee, lease) {
            _ if is_group => false,
            (_, Some(lease)) if lease.holder.is_some() => false,
            (None, _) => true,
            (Some(name), Some(lease)) => lease.lost_by(name).is_some() || agents.contains(name),
            (Some(_), None) => false,
        }
    };
    let mut found = Vec::new();
    for row in rows {
        let lease = records.get(&row.issue.id);
        if is_abandoned(&row, lease) {
            let lease = lease.cloned().unwrap_or_else(|| Lease::new(&row.issue.id));
            found.push((row, lease));
        }
    }
    Ok(found)
}

/// Opens such issues and removes their assignees, in one write.
pub fn free_abandoned(store: &mut Store, id: Option<&str>, dry_run: bool) -> Result<Vec<Reclaimed>> {
    let mut found = abandoned(store)?;
    found.retain(|(row, _)| id.is_none_or(|id| row.issue.id == id));
    let mut freed = Vec::new();
    for (row, lease) in found {
        if store.access_to(&row)? == Access::Write {
            let (id, epoch, attempts) = (row.issue.id, lease.epoch, lease.attempts);
            let holder = Holder { name: row.issue.assignee.unwrap_or_default(), ..Holder::default() };
            freed.push(Reclaimed { id, epoch, holder, attempts, needs_attention: false, written: None });
        }
    }
    if dry_run || freed.is_empty() {
        return Ok(freed);
    }
    let mut transaction = store.begin(Scope::Issues(freed.iter().map(|one| one.id.clone()).collect()))?;
    for one in &freed {
        let changes = vec![Change::Status(Status::open()), Change::Text(Field::Assignee, String::new())];
        transaction.stage(Write::Change { id: one.id.clone(), changes })?;
    }
    for (one, answer) in freed.iter_mut().zip(transaction.commit()?) {
        one.written = Some(answer.map_err(WriteError::into_store).map_err(OpError::from)?);
    }
    Ok(freed)
}
