//! JSON Schemas (draft 2020-12) of what the commands print, from the shapes that they print.

use super::answer::{Field, Fields};
use super::issue::issue_fields;
use super::*;

/// What a command prints with `--json`.
enum Shape {
    /// One issue.
    Issue,
    /// An array of issues with these further required keys.
    Issues(&'static [&'static str]),
    /// An array of arrays of issues.
    Groups,
    Strings,
    One(fn(&mut Fields)),
    Each(fn(&mut Fields)),
}

use Shape::{Each, Groups, Issue, Issues, One, Strings};

const COUNTS: &[&str] = &["dependency_count", "dependent_count", "comment_count"];

/// The commands of each shape.
const SHAPES: &[(Shape, &[&str])] = &[
    (Issue, &["add"]),
    (Issues(COUNTS), &["children", "human list", "list", "query", "ready", "show", "stale"]),
    (
        Issues(&[]),
        &["close", "defer", "edit", "epic close-eligible", "human dismiss", "human respond", "note", "reopen"],
    ),
    (Issues(&[]), &["status", "undefer", "update", "work"]),
    (Issues(&["blocked_by", "blocked_by_count"]), &["blocked"]),
    (Issues(&["dependency_type"]), &["dep list"]),
    (Issues(&["depth", "parent_id", "truncated"]), &["dep tree"]),
    (Issues(&["matched_fields"]), &["search"]),
    (Groups, &["dep cycles"]),
    (Strings, &["label list"]),
    (Each(decided::fields), &["accept", "reject", "withdraw"]),
    (One(pulse::fields), &["agent heartbeat"]),
    (Each(agent::fields), &["agent list"]),
    (One(registered::fields), &["agent register"]),
    (One(agent::fields), &["agent show"]),
    (One(swept::fields), &["agent sweep"]),
    (One(unregistered::fields), &["agent unregister"]),
    (One(assigned::fields), &["assign"]),
    (One(blame::fields), &["blame"]),
    (Each(changelog::fields), &["changelog"]),
    (One(leak_report::fields), &["check-leaks"]),
    (One(added_checkpoint::fields), &["checkpoint add"]),
    (Each(checkpoint::fields), &["checkpoint list"]),
    (One(pruned_checkpoints::fields), &["checkpoint prune"]),
    (One(restored_checkpoint::fields), &["checkpoint restore"]),
    (One(checkpoint::fields), &["checkpoint show"]),
    (Each(claimed::fields), &["claim"]),
    (One(closed::fields), &["close --suggest-next"]),
    (One(comment::fields), &["comment", "comments add"]),
    (Each(comment::fields), &["comments"]),
    (One(committed::fields), &["commit"]),
    (One(configured::fields), &["config"]),
    (One(setting_value::fields), &["config get"]),
    (Each(setting::fields), &["config list"]),
    (One(trusted_paths::fields), &["config trust"]),
    (One(fitted_context::fields), &["context"]),
    (One(count::fields), &["count"]),
    (One(groups::fields), &["count --by"]),
    (One(deleted::fields), &["delete"]),
    (One(added_dependency::fields), &["dep add"]),
    (One(related::fields), &["dep relate"]),
    (One(removed_dependency::fields), &["dep remove"]),
    (One(unrelated::fields), &["dep unrelate"]),
    (One(pollution::fields), &["detect-pollution"]),
    (One(differences::fields), &["diff"]),
    (One(doctor::fields), &["doctor"]),
    (One(duplicate::fields), &["duplicate"]),
    (One(duplicates::fields), &["duplicates"]),
    (Each(epic::fields), &["epic status"]),
    (One(exported::fields), &["export -o"]),
    (One(graph::fields), &["graph"]),
    (One(hooks::fields), &["hooks install", "hooks status", "hooks uninstall"]),
    (One(imported::fields), &["import"]),
    (One(info::fields), &["info"]),
    (One(initialised::fields), &["init"]),
    (Each(labelled::fields), &["label add", "label remove"]),
    (Each(label_count::fields), &["label list-all"]),
    (Each(lease::fields), &["leases"]),
    (One(lint::fields), &["lint"]),
    (Each(event::fields), &["log"]),
    (Each(message::fields), &["mail ack", "mail archive", "mail inbox", "mail overdue"]),
    (One(message::fields), &["mail read"]),
    (One(sent::fields), &["mail reply", "mail send"]),
    (Each(copied::fields), &["mail thread"]),
    (One(migrated::fields), &["migrate"]),
    (One(migrations::fields), &["migrate --inspect"]),
    (One(renamed_ledger::fields), &["migrate --ledger"]),
    (Each(named_issue::fields), &["orphans"]),
    (Each(proposal::fields), &["proposals"]),
    (One(reconciliation::fields), &["proposals reconcile"]),
    (Each(proposed::fields), &["propose"]),
    (One(pruned::fields), &["prune"]),
    (One(recovery::fields), &["recover"]),
    (Each(released::fields), &["release"]),
    (One(renamed_prefix::fields), &["rename-prefix"]),
    (One(dangling_edges::fields), &["repair-deps"]),
    (Each(repo_status::fields), &["repo list"]),
    (Each(reserved::fields), &["reserve", "reserve list"]),
    (One(reserve_check::fields), &["reserve check"]),
    (Each(reservation::fields), &["reserve release"]),
    (One(resolved::fields), &["resolve"]),
    (Each(restored::fields), &["restore"]),
    (Each(resumption::fields), &["resume"]),
    (One(role::fields), &["role"]),
    (One(state_home::fields), &["state"]),
    (One(moved_state::fields), &["state move"]),
    (One(statistics::fields), &["stats"]),
    (Each(worktree::fields), &["status --all-worktrees", "worktree list"]),
    (One(superseded::fields), &["supersede"]),
    (One(synced::fields), &["sync"]),
    (One(created_workflow::fields), &["template apply", "workflow create"]),
    (Each(template_head::fields), &["template list"]),
    (One(saved_template::fields), &["template save"]),
    (One(template::fields), &["template show", "template validate"]),
    (One(trusted::fields), &["trust"]),
    (One(types::fields), &["types"]),
    (One(undone::fields), &["undo"]),
    (One(validated::fields), &["validate"]),
    (One(version::fields), &["version"]),
    // One on each line.
    (One(watch_event::fields), &["watch"]),
    (One(whereabouts::fields), &["where"]),
    (One(explanation::fields), &["why"]),
    (One(moved_workflow::fields), &["workflow abandon", "workflow complete", "workflow fail", "workflow pause"]),
    (One(moved_workflow::fields), &["workflow resume", "workflow start"]),
    (One(replanned::fields), &["workflow add-task", "workflow remove-task", "workflow replan"]),
    (Each(workflow_head::fields), &["workflow list"]),
    (One(locked_workflow::fields), &["workflow lock"]),
    (One(workflow_next::fields), &["workflow next"]),
    (One(workflow_progress::fields), &["workflow progress"]),
    (One(workflow::fields), &["workflow set"]),
    (One(versions::fields), &["workflow show"]),
    (One(unlocked_workflow::fields), &["workflow unlock"]),
    (One(waited_workflow::fields), &["workflow wait"]),
    (One(workspace::fields), &["workspace adopt", "workspace show", "workspace update"]),
    (One(made_workspace::fields), &["workspace create"]),
    (Each(workspace_usage::fields), &["workspace du"]),
    (One(workspace_env::fields), &["workspace env"]),
    (One(gc::fields), &["workspace gc"]),
    (Each(workspace::fields), &["workspace list"]),
    (Each(found_orphan::fields), &["workspace list --orphans"]),
    (One(opened_workspace::fields), &["workspace open"]),
    (One(at_path::fields), &["workspace path"]),
    (One(removed_workspace::fields), &["workspace remove"]),
    (One(restored_workspace::fields), &["workspace restore"]),
    (One(worktree::fields), &["worktree create", "worktree info"]),
    (One(pruned_worktrees::fields), &["worktree prune"]),
    (One(removed_worktree::fields), &["worktree remove"]),
    (One(repaired_worktrees::fields), &["worktree repair"]),
    (One(restored_worktree::fields), &["worktree restore"]),
];

fn kind(name: &str) -> Object {
    Object::new().text("type", name)
}

fn object(fields: impl FnOnce(&mut Fields)) -> String {
    let mut all = Fields::default();
    fields(&mut all);
    all.0.retain(|field| !field.kind.is_empty());
    let add = |object: Object, field: &Field| object.raw(field.key, &kind(field.kind).finish());
    let properties = all.0.iter().fold(Object::new(), add);
    let required = all.0.iter().filter(|field| field.required).map(|field| field.key);
    kind("object").raw("properties", &properties.finish()).texts("required", required).finish()
}

fn list(items: &str) -> String {
    kind("array").raw("items", items).finish()
}

fn schema(shape: &Shape) -> String {
    match shape {
        Issue => object(|into| issue_fields(into, &[])),
        Issues(required) => list(&object(|into| issue_fields(into, required))),
        Groups => list(&list(&schema(&Issue))),
        Strings => list(&kind("string").finish()),
        One(fields) => object(fields),
        Each(fields) => list(&object(fields)),
    }
}

/// The commands that have a schema, in the order of their names.
pub fn commands() -> impl Iterator<Item = &'static str> {
    all_shapes().into_iter().map(|(name, _)| name)
}

fn all_shapes() -> Vec<(&'static str, &'static Shape)> {
    let mut all: Vec<_> =
        SHAPES.iter().flat_map(|(shape, names)| names.iter().map(move |name| (*name, shape))).collect();
    all.sort_unstable_by_key(|(name, _)| *name);
    all
}

/// The schema of one command, by any of its names.
pub fn of(command: &str) -> Option<String> {
    let command = match command {
        "create" | "new" => "add",
        "view" => "show",
        "done" => "close",
        other => other,
    };
    let (shape, _) = SHAPES.iter().find(|(_, names)| names.contains(&command))?;
    Some(schema(shape))
}

/// All schemas, by command, and that of an error.
pub fn all() -> String {
    let commands = all_shapes().iter().fold(Object::new(), |object, (name, shape)| object.raw(name, &schema(shape)));
    let error = Object::new().raw("error", &object(described::fields)).finish();
    Object::new()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .number("schema_version", 1)
        .raw("commands", &commands.finish())
        .raw("error", &kind("object").raw("properties", &error).texts("required", ["error"]).finish())
        .texts("envelope_keys", ["schema_version", "data", "warnings"])
        .finish()
}
