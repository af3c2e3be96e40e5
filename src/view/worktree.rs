//! Checkouts as JSON and as text.

use super::checkpoints::checkpoint;
use super::lease::{ends_text, lease};
use super::{Object, array, inline, plural};
use crate::coordination::{CheckpointRow, PrunedWorktrees, RemovedWorktree, Seen, WorktreeStatus};
use crate::model::duration;
use crate::model::time::Instant;
use crate::store::{Elsewhere, Worktree};

fn place(one: &Worktree) -> Object {
    Object::new()
        .optional("worktree_id", one.id.as_deref())
        .text("worktree", &one.name)
        .text("path", &one.root.display().to_string())
        .optional("branch", one.branch.as_deref())
        .flag("main", one.is_main)
        .flag("here", one.is_here)
        .flag("exists", one.exists)
        .optional("gone_at", one.gone_at.as_deref())
}

fn heard(seen: &Seen) -> String {
    let agent = &seen.agent;
    Object::new()
        .text("id", &agent.id)
        .text("name", &agent.name)
        .text("status", seen.status.word())
        .text("last_heartbeat", &agent.heartbeat.to_string())
        .optional("note", agent.note.as_deref())
        .finish()
}

/// An issue as another checkout has it; the checkout is named where it is not plain from the place.
fn unmerged(one: &Elsewhere) -> String {
    let object = Object::new().text("id", &one.id).text("title", &one.title).text("status", &one.status);
    object.optional("assignee", one.assignee.as_deref()).finish()
}

/// A checkout with all that concerns it.
pub fn worktree(status: &WorktreeStatus) -> String {
    let object = place(&status.worktree);
    let object = match status.is_dirty() {
        Some(dirty) => object.flag("dirty", dirty),
        None => object,
    };
    let object = match &status.work {
        Ok(work) => object
            .number("changed", work.changed.len() as i64)
            .number("untracked", work.untracked.len() as i64)
            .number("unsaved_commits", work.unsaved_commits as i64)
            .number("loose_commits", work.loose.len() as i64)
            .number("stashes", work.stashes as i64)
            .optional("unfinished", work.unfinished.as_deref()),
        Err(why) => object.text("unknown", why),
    };
    let object = match &status.checkpoint {
        Some(row) => object.raw("last_checkpoint", &checkpoint(row).finish()),
        None => object,
    };
    object
        .raw("agents", &array(status.agents.iter().map(heard)))
        .raw("leases", &array(status.leases.iter().map(lease)))
        .raw("unmerged", &array(status.unmerged.iter().map(unmerged)))
        .finish()
}

pub fn worktrees(all: &[WorktreeStatus]) -> String {
    array(all.iter().map(worktree))
}

/// How a checkout stands, in a few words.
pub fn worktree_state(status: &WorktreeStatus) -> String {
    let work = match &status.work {
        _ if !status.worktree.exists => return "gone".to_owned(),
        Err(_) => return "unknown".to_owned(),
        Ok(work) => work,
    };
    let count = |n: usize, what: &str| (n > 0).then(|| format!("{n} {what}"));
    let parts = [
        work.unfinished.clone(),
        count(work.changed.len(), "changed"),
        count(work.untracked.len(), "untracked"),
        count(work.unsaved_commits, "unsaved"),
        count(work.loose.len(), "loose"),
        count(work.stashes, "shelved"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "clean".to_owned() } else { parts.join(", ") }
}

/// What goes on in a checkout, a line each, escaped.
pub fn worktree_facts(status: &WorktreeStatus, now: Instant) -> Vec<String> {
    let mut lines = Vec::new();
    for seen in &status.agents {
        let note = seen.agent.note.as_ref().map(|note| format!(": {note}")).unwrap_or_default();
        lines.push(format!("agent {} is {}{note}", seen.agent.name, seen.status.word()));
    }
    for row in &status.leases {
        let Some(holder) = &row.lease.holder else { continue };
        let acquired = Instant::parse(&holder.acquired);
        let age = acquired.map(|at| format!(" for {}", duration::text(now.nanos().saturating_sub(at.nanos()).max(0))));
        let ends = ends_text(holder, row.standing, now);
        let title = row.title.as_deref().unwrap_or_default();
        lines.push(format!("{} holds {}{}, {ends}  {title}", holder.name, row.id, age.unwrap_or_default()));
    }
    for one in &status.unmerged {
        let who = one.assignee.as_ref().map(|name| format!(" by {name}")).unwrap_or_default();
        lines.push(format!("{} {}{who}, unmerged  {}", one.id, one.status.replace('_', " "), one.title));
    }
    if let Some(CheckpointRow { checkpoint, .. }) = &status.checkpoint {
        let (id, number, kind) = (&checkpoint.issue, checkpoint.number, checkpoint.kind.as_str());
        lines.push(format!("last checkpoint {id}#{number} {kind}  {}", checkpoint.summary));
    }
    if let (Err(why), true) = (&status.work, status.worktree.exists) {
        lines.push(format!("what is unsaved is not known: {why}"));
    }
    lines.iter().map(|line| inline(line).into_owned()).collect()
}

pub fn removed_worktree(removed: &RemovedWorktree) -> String {
    let object = place(&Worktree { exists: false, ..removed.worktree.clone() });
    let object = match &removed.kept {
        Some(kept) => {
            let kept = Object::new().text("id", &kept.key).text("name", &kept.name).number("files", kept.files as i64);
            object.raw("kept", &kept.finish())
        }
        None => object,
    };
    object.texts("forced", &removed.forced).finish()
}

pub fn pruned_worktrees(pruned: &PrunedWorktrees) -> String {
    let records: Vec<String> = pruned.records.iter().map(|path| path.display().to_string()).collect();
    Object::new()
        .flag("applied", pruned.applied)
        .texts("records", &records)
        .raw("moved", &array(pruned.moved.iter().map(|one| place(one).finish())))
        .raw("gone", &array(pruned.gone.iter().map(|one| place(one).finish())))
        .finish()
}

/// Counts for a table: agents, claims, issues that are not merged.
pub fn worktree_counts(status: &WorktreeStatus) -> String {
    let counts = [(status.agents.len(), "agent"), (status.leases.len(), "claim")];
    let mut parts: Vec<String> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| plural(n, what)).collect();
    parts.extend((!status.unmerged.is_empty()).then(|| format!("{} unmerged", status.unmerged.len())));
    parts.join(", ")
}
