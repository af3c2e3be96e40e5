//! Workspaces as JSON and as text.

use super::{Object, array, inline, plural};
use crate::coordination::{Gc, GcRow, Orphan, Reason, RemovedWorkspace};
use crate::coordination::{MadeWorkspace, WorkspaceUsage};
use crate::model::duration;
use crate::model::size;
use crate::model::time::Instant;
use crate::model::workspace::Workspace;

fn object(one: &Workspace) -> Object {
    let object = Object::new()
        .text("id", &one.id)
        .text("kind", one.kind.word())
        .text("state", one.state.word())
        .optional("repo", one.repo.as_deref())
        .text("path", &one.path)
        .text("parent", &one.parent)
        .optional("work_dir", one.work_dir.as_deref())
        .optional("context_dir", one.context_dir.as_deref())
        .optional("worktree_id", one.worktree_id.as_deref())
        .optional("branch", one.branch.as_deref())
        .optional("base", one.base.as_deref())
        .optional("base_commit", one.base_commit.as_deref())
        .optional("issue_id", one.issue.as_deref())
        .optional("workflow", one.workflow.as_deref())
        .optional("agent", one.agent.as_deref())
        .text("actor", &one.actor)
        .optional("host", one.host.as_deref());
    let object = match one.ports {
        Some(ports) => object.number("port", ports.first.into()).number("ports", ports.count.into()),
        None => object,
    };
    let object = object.optional("setup", one.setup.as_deref()).texts("copied", &one.copied);
    let object = object.flag("adopted", one.is_adopted).number("reused", one.reused);
    let object = match one.size {
        Some(size) => object.number("size", size),
        None => object,
    };
    object
        .optional("error", one.error.as_deref())
        .optional("merge_commit", one.merge_commit.as_deref())
        .optional("pr_url", one.pr_url.as_deref())
        .optional("rescue", one.rescue.as_deref())
        .text("created_at", &one.created_at)
        .optional("ready_at", one.ready_at.as_deref())
        .optional("used_at", one.used_at.as_deref())
        .optional("updated_at", one.updated_at.as_deref())
        .optional("removed_at", one.removed_at.as_deref())
}

pub fn workspace(one: &Workspace) -> String {
    object(one).finish()
}

pub fn workspaces(all: &[Workspace]) -> String {
    array(all.iter().map(workspace))
}

pub fn made_workspace(made: &MadeWorkspace) -> String {
    object(&made.workspace).flag("was_there", made.is_reused).texts("notes", &made.notes).finish()
}

/// Why a workspace stays, in words and as kinds.
pub(super) fn reasons(object: Object, key: &str, all: &[Reason]) -> Object {
    let texts: Vec<String> = all.iter().map(|reason| reason.text.clone()).collect();
    let kinds: Vec<String> = all.iter().map(|reason| reason.loss.word().to_owned()).collect();
    object.texts(key, &texts).texts("kinds", &kinds)
}

pub fn removed_workspace(removed: &RemovedWorkspace) -> String {
    let object = object(&removed.workspace);
    let object = match &removed.kept {
        Some(kept) => {
            let kept = Object::new().text("id", &kept.key).text("name", &kept.name).number("files", kept.files as i64);
            object.raw("kept", &kept.finish())
        }
        None => object,
    };
    let object = object.optional("branch_deleted", removed.branch.as_deref());
    let object = match removed.brought.as_slice() {
        [] => object,
        brought => object.texts("brought", brought),
    };
    let object = object.flag("forgotten", removed.is_forgotten).flag("dry_run", removed.dry_run);
    reasons(object, "forced", &removed.forced).finish()
}

fn orphan(one: &Orphan) -> String {
    let moved = one.moved_to.as_ref().map(|path| path.display().to_string());
    let object = Object::new().text("path", &one.path.display().to_string()).optional("moved_to", moved.as_deref());
    object.optional("stays", one.stays.as_deref()).finish()
}

/// Directories without a record: those that are found now, and those that were put aside. All have a path.
pub fn orphans(found: &[Orphan], aside: &[Workspace]) -> String {
    array(found.iter().map(orphan).chain(aside.iter().map(workspace)))
}

fn gc_row(row: &GcRow) -> String {
    let object = object(&row.workspace).text("class", row.class.word()).flag("goes", row.goes).flag("done", row.done);
    let object = object.text("why", &row.why).number("bytes", i64::try_from(row.bytes).unwrap_or(i64::MAX));
    reasons(object, "reasons", &row.reasons).optional("problem", row.error.as_deref()).finish()
}

pub fn gc(gc: &Gc) -> String {
    Object::new()
        .flag("applied", gc.applied)
        .number("freed", i64::try_from(gc.freed).unwrap_or(i64::MAX))
        .raw("workspaces", &array(gc.rows.iter().map(gc_row)))
        .raw("orphans", &array(gc.orphans.iter().map(orphan)))
        .finish()
}

/// One row of a list: id, state, kind, branch, issue, when it was used last, path.
pub fn workspace_cells(one: &Workspace, now: Instant) -> [String; 7] {
    let dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let used = one.used_at.as_deref().unwrap_or(&one.created_at);
    [
        one.id.clone(),
        one.state.word().to_owned(),
        one.kind.word().to_owned(),
        dash(&one.branch),
        dash(&one.issue),
        ago(used, now),
        one.path.clone(),
    ]
    .map(|cell| inline(&cell).into_owned())
}

fn ago(at: &str, now: Instant) -> String {
    match Instant::parse(at) {
        Some(at) => format!("{} ago", duration::text(now.nanos().saturating_sub(at.nanos()).max(0))),
        None => "-".to_owned(),
    }
}

/// All that is known of one, a line each.
pub fn workspace_facts(one: &Workspace, now: Instant) -> Vec<(&'static str, String)> {
    let ports =
        one.ports.map(|ports| format!("{}-{}", ports.first, u32::from(ports.first) + u32::from(ports.count) - 1));
    let copied = match one.copied.len() {
        0 => None,
        1..=5 => Some(one.copied.join(", ")),
        count => Some(format!("{}, and {} more", one.copied[..5].join(", "), count - 5)),
    };
    let when = |at: &Option<String>| at.as_ref().map(|at| format!("{at} ({})", ago(at, now)));
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

/// What workspaces take: all of it, and what removing gives back.
pub fn workspace_usages(all: &[WorkspaceUsage]) -> String {
    let number = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    array(all.iter().map(|row| {
        Object::new()
            .text("id", &row.workspace.id)
            .text("path", &row.workspace.path)
            .text("state", row.workspace.state.word())
            .number("size", number(row.own()))
            .number("shared", number(row.usage.shared))
            .number("total", number(row.usage.bytes))
            .number("files", number(row.usage.files))
            .finish()
    }))
}

pub fn usage_cells(row: &WorkspaceUsage) -> [String; 5] {
    let shared = match row.usage.shared {
        0 => "-".to_owned(),
        bytes => format!("and {} shared", size::text(bytes)),
    };
    let one = &row.workspace;
    [one.id.clone(), size::text(row.own()), shared, one.state.word().to_owned(), one.path.clone()]
        .map(|cell| inline(&cell).into_owned())
}
