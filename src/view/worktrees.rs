//! Checkouts as JSON and as text.

use std::path::{Path, PathBuf};

use super::answer::{answer, each};
use super::checkpoints::checkpoint;
use super::escape::{inline, plural};
use super::leases::{ends_text, lease};
use super::workspaces::kept;
use crate::model::duration;
use crate::model::lease::Standing;
use crate::model::time::Instant;
use crate::ops::{CheckpointRow, PrunedWorktrees, RemovedWorktree, Seen, Work, WorktreeStatus};
use crate::store::{Elsewhere, Worktree};

answer! {
    fn place(one: &Worktree) {
        worktree_id: &one.id, worktree: &one.name, path: &one.root, branch: &one.branch,
        main: one.is_main, here: one.is_here, exists: one.exists, gone_at: &one.gone_at,
    }

    fn heard(seen: &Seen) {
        id: &seen.agent.id, name: &seen.agent.name, status: seen.status.word(),
        last_heartbeat: seen.agent.heartbeat, note: &seen.agent.note,
    }

    /// An issue in another checkout; the checkout is named if that is not clear from the context.
    fn unmerged(one: &Elsewhere) {
        id: &one.id, title: &one.title, status: &one.status, assignee: &one.assignee,
    }

    fn work(work: &Work) {
        changed: work.changed.len(), untracked: work.untracked.len(), unsaved_commits: work.unsaved_commits,
        loose_commits: work.loose.len(), stashes: work.stashes, unfinished: &work.unfinished,
    }

    /// A checkout with everything about it.
    pub fn worktree(status: &WorktreeStatus) {
        ..place(&status.worktree), dirty: status.is_dirty(), ..work?(status.work.as_ref().ok()),
        unknown: status.work.as_ref().err(), last_checkpoint: status.checkpoint.as_ref().map(checkpoint),
        agents: each(&status.agents, heard), leases: each(&status.leases, lease), unmerged: each(&status.unmerged, unmerged),
    }

    pub fn removed_worktree(removed: &RemovedWorktree) {
        ..place(&Worktree { exists: false, ..removed.worktree.clone() }), kept: removed.kept.as_ref().map(kept),
        forced: &removed.forced,
    }

    pub fn pruned_worktrees(pruned: &PrunedWorktrees) {
        applied: pruned.applied, records: &pruned.records, moved: each(&pruned.moved, place),
        gone: each(&pruned.gone, place),
    }

    pub fn restored_worktree(kept: &str, to: &Path, staged: &Option<PathBuf>) {
        id: kept, path: to, staged_in: staged,
    }

    /// Checkouts whose links were repaired.
    pub fn repaired_worktrees(paths: &[String]) {
        repaired: paths,
    }
}

/// The state of a checkout in a few words.
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

/// Activity in a checkout, one fact per line, escaped.
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
        let ends = ends_text(holder.expires, row.standing == Standing::Expired, now);
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

/// Counts for a table: agents, claims, unmerged issues.
pub fn worktree_counts(status: &WorktreeStatus) -> String {
    let counts = [(status.agents.len(), "agent"), (status.leases.len(), "claim")];
    let mut parts: Vec<String> = counts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| plural(n, what)).collect();
    parts.extend((!status.unmerged.is_empty()).then(|| format!("{} unmerged", status.unmerged.len())));
    parts.join(", ")
}
