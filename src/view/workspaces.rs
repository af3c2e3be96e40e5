//! Workspaces as JSON and as text.

use super::answer::{Field, Fields, answer, each, filled};
use super::escape::{inline, plural};
use crate::model::json::{Object, array};
use crate::model::time::Instant;
use crate::model::when::Calendar;
use crate::model::workspace::Workspace;
use crate::model::{duration, size};
use crate::ops::{
    Gc, GcRow, KeptFiles, LandOutcome, LandRow, Landing, LossReason, MadeWorkspace, Orphan, RemovedWorkspace,
    RestoredWorkspace, WorkspaceUsage,
};

answer! {
    pub fn workspace(one: &Workspace) {
        id: &one.id, kind: one.kind.word(), state: one.state.word(), repo: &one.repo, path: &one.path, parent: &one.parent,
        work_dir: &one.work_dir, context_dir: &one.context_dir, worktree_id: &one.worktree_id,
        branch: &one.branch, base: &one.base, base_commit: &one.base_commit,
        issue_id: &one.issue, workflow: &one.workflow, agent: &one.agent, actor: &one.actor, host: &one.host,
        port: one.ports.map(|ports| ports.first), ports: one.ports.map(|ports| ports.count),
        setup: &one.setup, copied: &one.copied, adopted: one.is_adopted, reused: one.reused, size: one.size,
        error: &one.error, merge_commit: &one.merge_commit, pr_url: &one.pr_url, rescue: &one.rescue,
        created_at: &one.created_at, ready_at: &one.ready_at, used_at: &one.used_at,
        updated_at: &one.updated_at, removed_at: &one.removed_at,
    }

    pub fn made_workspace(made: &MadeWorkspace) {
        ..workspace(&made.workspace), was_there: made.is_reused, notes: &made.notes,
    }

    /// What was saved of a removed checkout.
    pub(super) fn kept(kept: &KeptFiles) {
        id: &kept.key, name: &kept.name, files: kept.files,
    }

    pub fn removed_workspace(removed: &RemovedWorkspace) {
        ..workspace(&removed.workspace), kept: removed.kept.as_ref().map(kept), branch_deleted: &removed.branch,
        brought: filled(&removed.brought), forgotten: removed.is_forgotten, dry_run: removed.dry_run,
        forced: texts(&removed.forced), kinds: kinds(&removed.forced),
    }

    /// A directory without a record.
    pub fn orphan(one: &Orphan) {
        path: &one.path, moved_to: &one.moved_to, stays: &one.stays,
    }

    fn gc_row(row: &GcRow) {
        ..workspace(&row.workspace), class: row.class.word(), goes: row.goes, done: row.done, why: &row.why,
        bytes: row.bytes, reasons: texts(&row.reasons), kinds: kinds(&row.reasons), problem: &row.error,
    }

    pub fn gc(gc: &Gc) {
        applied: gc.applied, freed: gc.freed, workspaces: each(&gc.rows, gc_row), orphans: each(&gc.orphans, orphan),
    }

    /// What became of a workspace's work.
    pub fn land_row(row: &LandRow) {
        workspace: &row.id, branch: &row.branch, path: &row.path, issue_id: &row.issue, title: &row.title,
        outcome: row.outcome.word(), why: &row.why, files: &row.files, output: &row.output, attempts: row.attempts,
        before: &row.before, commit: &row.commit,
    }

    pub fn landing(landing: &Landing) {
        landed: each(&landing.rows, land_row), left: landing.left, before: &landing.before, notes: &landing.notes,
        dry_run: landing.dry_run,
    }

    /// The disk usage of a workspace: in total, and what removing it frees.
    pub fn workspace_usage(row: &WorkspaceUsage) {
        id: &row.workspace.id, path: &row.workspace.path, state: row.workspace.state.word(),
        size: row.own(), shared: row.usage.shared, total: row.usage.bytes, files: row.usage.files,
    }

    pub fn opened_workspace(id: &str, exit: u8) {
        id: id, exit: exit,
    }

    pub fn at_path(id: &str, path: &str) {
        id: id, path: path,
    }

    pub fn restored_workspace(one: &RestoredWorkspace) {
        id: &one.key, path: &one.path, with_commits: one.with_commits, staged_in: &one.staged,
    }
}

/// The environment of a job.
pub fn workspace_env(vars: &[(String, String)]) -> Object {
    vars.iter().fold(Object::new(), |object, (name, value)| object.text(name, value))
}

/// The variables that are always set.
#[expect(non_camel_case_types, reason = "it goes by the name of its function")]
pub enum workspace_env {}

impl workspace_env {
    pub fn fields(into: &mut Fields) {
        for key in ["BD_WORKSPACE", "BD_STATE_DIR"] {
            into.push(Field { key, kind: "string", required: true });
        }
    }
}

/// The reasons why a workspace stays, as text.
fn texts(all: &[LossReason]) -> Vec<&str> {
    all.iter().map(|reason| reason.text.as_str()).collect()
}

fn kinds(all: &[LossReason]) -> Vec<&'static str> {
    all.iter().map(|reason| reason.loss.word()).collect()
}

/// Directories without a record: current ones, and those that were set aside. All have a path.
pub fn orphans(found: &[Orphan], aside: &[Workspace]) -> String {
    array(found.iter().map(orphan).chain(aside.iter().map(workspace)).map(Object::finish))
}

/// A row of a list: id, state, kind, branch, issue, last use, and the path as people read it.
pub fn workspace_cells(one: &Workspace, path: String, now: Instant) -> [String; 7] {
    let dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let used = one.used_at.as_deref().unwrap_or(&one.created_at);
    [
        one.id.clone(),
        one.state.word().to_owned(),
        one.kind.word().to_owned(),
        dash(&one.branch),
        dash(&one.issue),
        ago(used, now),
        path,
    ]
    .map(|cell| inline(&cell).into_owned())
}

fn ago(at: &str, now: Instant) -> String {
    match Instant::parse(at) {
        Some(at) => duration::ago(now.nanos().saturating_sub(at.nanos())),
        None => "-".to_owned(),
    }
}

/// Everything known about one, one fact per line.
pub fn workspace_facts(one: &Workspace, now: Instant, calendar: &Calendar) -> Vec<(&'static str, String)> {
    let ports =
        one.ports.map(|ports| format!("{}-{}", ports.first, u32::from(ports.first) + u32::from(ports.count) - 1));
    let copied = match one.copied.len() {
        0 => None,
        1..=5 => Some(one.copied.join(", ")),
        count => Some(format!("{}, and {} more", one.copied[..5].join(", "), count - 5)),
    };
    let when = |at: &Option<String>| at.as_ref().map(|at| format!("{} ({})", calendar.local_text(at), ago(at, now)));
    let base = match (&one.base, &one.base_commit) {
        (Some(name), Some(commit)) => Some(format!("{name} ({})", short(commit))),
        (name, commit) => name.clone().or_else(|| commit.as_deref().map(short)),
    };
    let facts = [
        ("State", Some(one.state.word().to_owned())),
        ("Kind", Some(one.kind.word().to_owned())),
        ("Path", Some(one.path.clone())),
        ("Job begins", one.work_dir.clone()),
        ("Made from", Some(one.parent.clone()).filter(|path| !path.is_empty())),
        ("Branch", one.branch.clone()),
        ("Base", base),
        ("Issue", one.issue.clone()),
        ("Workflow", one.workflow.clone()),
        ("Made by", Some(one.actor.clone()).filter(|name| !name.is_empty())),
        ("Agent", one.agent.clone()),
        ("Checkout", one.worktree_id.clone()),
        ("About the job", one.context_dir.clone()),
        ("Ports", ports),
        ("Set up by", one.setup.clone()),
        ("Copied", copied),
        ("Size", one.size.map(|bytes| size::text(bytes.unsigned_abs()))),
        ("Adopted", one.is_adopted.then(|| "yes".to_owned())),
        ("Used before", (one.reused > 0).then(|| plural(usize::try_from(one.reused).unwrap_or_default(), "time"))),
        ("Error", one.error.clone()),
        ("Merged as", one.merge_commit.clone()),
        ("Pull request", one.pr_url.clone()),
        ("Rescue", one.rescue.clone()),
        ("Made", when(&Some(one.created_at.clone()))),
        ("Ready", when(&one.ready_at)),
        ("Used", when(&one.used_at)),
        ("Removed", when(&one.removed_at)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, inline(&value?).into_owned()))).collect()
}

fn short(commit: &str) -> String {
    commit.get(..12).unwrap_or(commit).to_owned()
}

pub fn usage_cells(row: &WorkspaceUsage, path: String) -> [String; 5] {
    let shared = match row.usage.shared {
        0 => "-".to_owned(),
        bytes => format!("and {} shared", size::text(bytes)),
    };
    let one = &row.workspace;
    [one.id.clone(), size::text(row.own()), shared, one.state.word().to_owned(), path]
        .map(|cell| inline(&cell).into_owned())
}

/// What became of a workspace's work, as a line.
pub fn landed_text(row: &LandRow) -> String {
    let what = match (&row.issue, &row.title) {
        (Some(id), Some(title)) => format!("{id}  {title}"),
        (Some(id), None) => id.clone(),
        (None, _) => row.branch.clone().unwrap_or_else(|| row.id.clone()),
    };
    let why = row.why.as_deref().unwrap_or_default();
    let text = match row.outcome {
        LandOutcome::Landed => format!("Landed: {what}"),
        LandOutcome::WouldLand => format!("Would land: {what}"),
        LandOutcome::NotReady => format!("Not ready: {what}: {why}"),
        LandOutcome::Conflict | LandOutcome::CheckFailed => {
            let back = if row.issue.is_some() { "; it is ready again" } else { "" };
            format!("Not landed: {what}: {why}{back}")
        }
    };
    inline(&text).into_owned()
}
