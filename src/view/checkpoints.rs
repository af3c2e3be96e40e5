//! Checkpoints, and where to resume, as programs and people read them.

use std::path::{Path, PathBuf};

use super::answer::{Any, Line, answer, each};
use super::issue::summary;
use super::mail::message;
use crate::model::json::Object;
use crate::model::lease::{Holder, Standing};
use crate::model::row::Row;
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::ops::{CheckpointRow, PrunedCheckpoints, Resumption};
use crate::store::{LeaseRow, Worktree};

answer! {
    pub fn checkpoint(row: &CheckpointRow) {
        id: &row.checkpoint.id, issue: &row.checkpoint.issue, number: row.checkpoint.number,
        type: row.checkpoint.kind.as_str(), summary: &row.checkpoint.summary,
        detail: row.checkpoint.detail.as_ref().map(|raw| Any(raw.0.clone())),
        files: &row.checkpoint.files, key: &row.checkpoint.key,
        agent: &row.checkpoint.agent, actor: &row.checkpoint.actor,
        worktree_id: &row.checkpoint.worktree_id, worktree: &row.worktree, worktree_gone: row.is_gone,
        branch: &row.checkpoint.branch, created_at: &row.checkpoint.created_at,
        snapshot: row.checkpoint.snapshot.as_ref().map(|saved| Line(saved.line())),
    }

    pub fn added_checkpoint(row: &CheckpointRow, is_new: bool) {
        ..checkpoint(row), added: is_new,
    }

    pub fn restored_checkpoint(row: &CheckpointRow, to: &Path, staged: &Option<PathBuf>) {
        ..checkpoint(row), restored_to: to, staged_in: staged,
    }

    pub fn pruned_checkpoints(done: &PrunedCheckpoints) {
        applied: done.applied, pruned: each(&done.pruned, checkpoint), kept: done.kept,
    }

    fn claim(row: &LeaseRow, holder: &Holder) {
        holder: &holder.name, agent: &holder.agent, epoch: row.lease.epoch,
        expires: holder.expires, expired: row.standing != Standing::Live,
    }

    fn work(place: &Worktree) {
        worktree_id: &place.id, worktree: &place.name, path: &place.root, branch: &place.branch,
    }

    /// Where to resume an issue.
    pub fn resumption(one: &Resumption) {
        ..summary(&one.row), mine: one.is_mine,
        claim: one.lease.as_ref().map(|row| row.lease.holder.as_ref().map_or_else(Object::new, |holder| claim(row, holder))),
        lost: &one.lost, resume_from: one.from.as_ref().map(checkpoint),
        errors: each(&one.errors, checkpoint), checkpoints: one.checkpoints,
        questions: each(&one.questions, message), work: one.worktree.as_ref().map(work),
    }
}

/// One line about a checkpoint.
pub fn checkpoint_text(row: &CheckpointRow, calendar: &Calendar) -> String {
    let one = &row.checkpoint;
    let gone = if row.is_gone { " (gone)" } else { "" };
    let saved = if one.snapshot.is_some() { "  with snapshot" } else { "" };
    let (issue, number, kind, place) = (&one.issue, one.number, one.kind.as_str(), &row.worktree);
    let time = calendar.local_text(&one.created_at);
    format!("{issue}#{number}  {kind}  {time}  {place}{gone}  {}{saved}  {}", one.summary, one.id)
}

/// A description of the claim on an issue.
pub fn claim_text(row: &LeaseRow, time: impl Fn(Instant) -> String) -> Option<String> {
    let holder = row.lease.holder.as_ref()?;
    let until = match (row.standing, holder.expires) {
        (Standing::Live, Some(at)) => format!(" until {}", time(at)),
        (Standing::Live, None) => String::new(),
        _ => ", but its time is over".to_owned(),
    };
    let session = holder.session.as_ref().map(|name| format!(" (session {name})")).unwrap_or_default();
    Some(format!("claimed by {}{session}{until}", holder.name))
}
