//! Results of the lines of a batch.

use super::answer::answer;
use super::failure::Failure;
use super::shapes::failure_object;
use crate::ops::BatchLine;
use crate::store::Written;

answer! {
    /// One line of the answer. In a dry run a new issue has no id yet.
    pub fn batched(line: &BatchLine, dry_run: bool, failure: Option<&Failure>) {
        line: line.number, op: Some(line.op).filter(|op| !op.is_empty()), id: written(line).filter(|_| !dry_run || !line.is_minted).map(|one| &one.id),
        changed: written(line).map(|one| one.changed), updated_at: written(line).and_then(|one| one.issue().updated_at.map(|at| at.text)),
        dry_run: dry_run.then_some(true), error: failure.map(failure_object),
    }
}

fn written(line: &BatchLine) -> Option<&Written> {
    line.result.as_ref().ok()
}
