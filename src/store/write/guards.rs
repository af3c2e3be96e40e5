//! Everything that may refuse a write, in one list.
//!
//! A guard of writes is asked once, when a write is staged under the locks. A guard of lines is asked once for each
//! line that a plan makes from what is on disk, whichever command made the plan. If several refuse, the first in the
//! list is reported.

use super::destinations::Placed;
use super::guard_input::{GuardedEdit, RestOfTransaction};
use super::intent::{Intent, WriteError};
use super::{claim_guard, status, workflow_lock_guard};
use crate::ledger::MAX_LINE;
use crate::model::change::ChangeError;
use crate::store::{Access, Result, Store, StoreError, Write};

pub(super) enum Guard {
    Write(fn(&mut Store, &Placed, &mut RestOfTransaction) -> Result<()>),
    Line(fn(&GuardedEdit<'_>) -> std::result::Result<(), WriteError>),
}

pub(super) const GUARDS: &[Guard] = &[
    // This user may not write the ledger, and has no planning repo for the private part.
    Guard::Write(access),
    // A task cannot be claimed against the rules of its workflow; a workflow's status follows its state.
    Guard::Write(|store, placed, rest| match (&placed.write, placed.intent) {
        (Write::Change { .. }, Intent::Edit) => status::refuse_taking(store, &placed.write, rest),
        _ => Ok(()),
    }),
    // A line from elsewhere must not bring a private issue, or remarks on one, into the project.
    Guard::Write(private_lines),
    // A public line must not newly name a private issue.
    Guard::Write(|store, placed, _| {
        placed.parts.iter().try_for_each(|(source, write)| store.refuse_private_names(*source, write))
    }),
    // Nothing may start to wait for a deleted issue.
    Guard::Write(|store, placed, _| placed.parts.iter().try_for_each(|(_, write)| store.refuse_deleted_targets(write))),
    // Another actor has claimed the issue, or the actor's claim has ended. An operation on the claim has checked it
    // already.
    Guard::Line(|guarded| match guarded.intent {
        Intent::Claim => Ok(()),
        Intent::Edit | Intent::Carry => {
            Ok(claim_guard::refuse(guarded.store, guarded.source, guarded.id, guarded.before, guarded.after)?)
        }
    }),
    // Another actor has locked the workflow of the line, or of the task that it is.
    Guard::Line(|guarded| Ok(workflow_lock_guard::refuse(guarded)?)),
    // An edge must not move a task against a plan. A moved line keeps its edges.
    Guard::Line(|guarded| match guarded.intent {
        Intent::Carry => Ok(()),
        Intent::Edit | Intent::Claim => Ok(workflow_lock_guard::refuse_moves(guarded)?),
    }),
    // An issue that waits for open ones, or has open children, is not closed by mistake.
    Guard::Write(|store, placed, rest| status::refuse_closing(store, &placed.write, rest)),
    // A line must not be too long to be read again.
    Guard::Line(length),
    // Damage in the file forbids this particular edit.
    Guard::Line(|guarded| Ok(guarded.ledger.refuse(guarded.document, std::slice::from_ref(guarded.edit))?)),
];

/// Asks the guards of lines, in order.
pub(super) fn ask(guarded: &GuardedEdit<'_>) -> std::result::Result<(), WriteError> {
    GUARDS.iter().try_for_each(|guard| match guard {
        Guard::Line(refuse) => refuse(guarded),
        Guard::Write(_) => Ok(()),
    })
}

fn access(store: &mut Store, placed: &Placed, _: &mut RestOfTransaction) -> Result<()> {
    let (Access::Read(reason), None) = (&placed.access, placed.beside) else { return Ok(()) };
    let what = match &placed.write {
        Write::Change { id, .. } | Write::Put { id, .. } => id.clone(),
        Write::File { .. } => "a new issue".to_owned(),
    };
    Err(StoreError::ReadOnly { what, repo: store.name(placed.member).to_owned(), reason: reason.clone() })
}

fn private_lines(store: &mut Store, placed: &Placed, _: &mut RestOfTransaction) -> Result<()> {
    let Write::Put { id, line, .. } = &placed.write else { return Ok(()) };
    store.refuse_private(id, line, false, placed.member)?;
    store.refuse_companion(id, line, placed.member)
}

fn length(guarded: &GuardedEdit<'_>) -> std::result::Result<(), WriteError> {
    match guarded.after {
        Some(text) if text.len() > MAX_LINE => {
            Err(ChangeError::TooLong { id: guarded.id.to_owned(), bytes: text.len() }.into())
        }
        _ => Ok(()),
    }
}
