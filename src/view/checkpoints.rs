//! Checkpoints and where to go on from, as programs and people read them.

use super::{Object, array, summary};
use crate::coordination::{CheckpointRow, PrunedCheckpoints, Resumption};
use crate::model::lease::Standing;
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::store::LeaseRow;

pub fn checkpoint(row: &CheckpointRow) -> Object {
    let one = &row.checkpoint;
    let mut object = Object::new()
        .text("id", &one.id)
        .text("issue", &one.issue)
        .number("number", one.number)
        .text("type", one.kind.as_str())
        .text("summary", &one.summary);
    if let Some(detail) = &one.detail {
        object = object.raw("detail", detail);
    }
    object = object
        .texts("files", &one.files)
        .optional("key", one.key.as_deref())
        .optional("agent", one.agent.as_deref())
        .text("actor", &one.actor)
        .optional("worktree_id", one.worktree_id.as_deref())
        .text("worktree", &row.worktree)
        .flag("worktree_gone", row.is_gone)
        .optional("branch", one.branch.as_deref())
        .text("created_at", &one.created_at);
    match &one.snapshot {
        Some(saved) => object.raw("snapshot", &saved.render()),
        None => object,
    }
}

pub fn checkpoints(rows: &[CheckpointRow]) -> String {
    array(rows.iter().map(|row| checkpoint(row).finish()))
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

pub fn pruned_checkpoints(done: &PrunedCheckpoints) -> String {
    Object::new()
        .flag("applied", done.applied)
        .raw("pruned", &checkpoints(&done.pruned))
        .number("kept", done.kept as i64)
        .finish()
}

pub fn resumptions(all: &[Resumption]) -> String {
    array(all.iter().map(|one| {
        let mut object = summary(&one.row).flag("mine", one.is_mine);
        if let Some(lease) = &one.lease {
            object = object.raw("claim", &claim(lease));
        }
        object = object.optional("lost", one.lost.as_deref());
        if let Some(from) = &one.from {
            object = object.raw("resume_from", &checkpoint(from).finish());
        }
        object = object
            .raw("errors", &checkpoints(&one.errors))
            .number("checkpoints", one.checkpoints as i64)
            .raw("questions", &super::messages(&one.questions));
        match &one.worktree {
            Some(place) => {
                let inner = Object::new()
                    .optional("worktree_id", place.id.as_deref())
                    .text("worktree", &place.name)
                    .text("path", &place.root.display().to_string())
                    .optional("branch", place.branch.as_deref());
                object.raw("work", &inner.finish()).finish()
            }
            None => object.finish(),
        }
    }))
}

fn claim(row: &LeaseRow) -> String {
    let Some(holder) = &row.lease.holder else { return "{}".to_owned() };
    Object::new()
        .text("holder", &holder.name)
        .optional("agent", holder.agent.as_deref())
        .number("epoch", row.lease.epoch)
        .optional("expires", holder.expires.map(|at| at.to_string()).as_deref())
        .flag("expired", row.standing != Standing::Live)
        .finish()
}

/// The claim on an issue in words.
pub fn claim_text(row: &LeaseRow, time: impl Fn(Instant) -> String) -> Option<String> {
    let holder = row.lease.holder.as_ref()?;
    let until = match (row.standing, holder.expires) {
        (Standing::Live, Some(at)) => format!(" until {}", time(at)),
        (Standing::Live, None) => String::new(),
        _ => ", but its time is over".to_owned(),
    };
    Some(format!("claimed by {}{until}", holder.name))
}
