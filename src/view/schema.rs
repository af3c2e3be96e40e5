//! JSON Schemas (draft 2020-12) of what the commands print, from the shapes that they print.

use super::answer::{Field, Fields};
use super::issue::{self, issue_fields};
use super::{
    agents, checkpoints, checks, context, history, leaks, leases, mail, merge, prune, recover, replan, reservations,
    restore, setup, shapes, templates, undo, watch, workflows, workspaces, worktrees,
};
use crate::model::json::Object;

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
    (Each(checks::decided::fields), &["accept", "reject", "withdraw"]),
    (One(agents::pulse::fields), &["agent heartbeat"]),
    (Each(agents::agent::fields), &["agent list"]),
    (One(agents::registered::fields), &["agent register"]),
    (One(agents::agent::fields), &["agent show"]),
    (One(agents::swept::fields), &["agent sweep"]),
    (One(agents::unregistered::fields), &["agent unregister"]),
    (One(leases::assigned::fields), &["assign"]),
    (One(history::blame::fields), &["blame"]),
    (Each(history::changelog::fields), &["changelog"]),
    (One(leaks::leak_report::fields), &["check-leaks"]),
    (One(checkpoints::added_checkpoint::fields), &["checkpoint add"]),
    (Each(checkpoints::checkpoint::fields), &["checkpoint list"]),
    (One(checkpoints::pruned_checkpoints::fields), &["checkpoint prune"]),
    (One(checkpoints::restored_checkpoint::fields), &["checkpoint restore"]),
    (One(checkpoints::checkpoint::fields), &["checkpoint show"]),
    (Each(leases::claimed::fields), &["claim"]),
    (One(checks::closed::fields), &["close --suggest-next"]),
    (One(issue::comment::fields), &["comment", "comments add"]),
    (Each(issue::comment::fields), &["comments"]),
    (One(merge::committed::fields), &["commit"]),
    (One(setup::configured::fields), &["config"]),
    (One(setup::setting_value::fields), &["config get"]),
    (Each(setup::setting::fields), &["config list"]),
    (One(setup::trusted_paths::fields), &["config trust"]),
    (One(context::fitted_context::fields), &["context"]),
    (One(shapes::count::fields), &["count"]),
    (One(shapes::groups::fields), &["count --by"]),
    (One(checks::deleted::fields), &["delete"]),
    (One(checks::added_dependency::fields), &["dep add"]),
    (One(checks::related::fields), &["dep relate"]),
    (One(checks::removed_dependency::fields), &["dep remove"]),
    (One(checks::unrelated::fields), &["dep unrelate"]),
    (One(checks::pollution::fields), &["detect-pollution"]),
    (One(history::differences::fields), &["diff"]),
    (One(shapes::doctor::fields), &["doctor"]),
    (One(checks::duplicate::fields), &["duplicate"]),
    (One(checks::duplicates::fields), &["duplicates"]),
    (Each(shapes::epic::fields), &["epic status"]),
    (One(setup::exported::fields), &["export -o"]),
    (One(checks::graph::fields), &["graph"]),
    (One(leaks::hooks::fields), &["hooks install", "hooks status", "hooks uninstall"]),
    (One(shapes::imported::fields), &["import"]),
    (One(setup::info::fields), &["info"]),
    (One(setup::initialised::fields), &["init"]),
    (Each(checks::labelled::fields), &["label add", "label remove"]),
    (Each(checks::label_count::fields), &["label list-all"]),
    (Each(leases::lease::fields), &["leases"]),
    (One(checks::lint::fields), &["lint"]),
    (Each(history::event::fields), &["log"]),
    (Each(mail::message::fields), &["mail ack", "mail archive", "mail inbox", "mail overdue"]),
    (One(mail::message::fields), &["mail read"]),
    (One(mail::sent::fields), &["mail reply", "mail send"]),
    (Each(mail::copied::fields), &["mail thread"]),
    (One(setup::migrated::fields), &["migrate"]),
    (One(setup::migrations::fields), &["migrate --inspect"]),
    (One(setup::renamed_ledger::fields), &["migrate --ledger"]),
    (Each(checks::named_issue::fields), &["orphans"]),
    (Each(checks::proposal::fields), &["proposals"]),
    (One(merge::reconciliation::fields), &["proposals reconcile"]),
    (Each(checks::proposed::fields), &["propose"]),
    (One(prune::pruned::fields), &["prune"]),
    (One(recover::recovery::fields), &["recover"]),
    (Each(leases::released::fields), &["release"]),
    (One(setup::renamed_prefix::fields), &["rename-prefix"]),
    (One(checks::dangling_edges::fields), &["repair-deps"]),
    (Each(setup::repo_status::fields), &["repo list"]),
    (Each(reservations::reserved::fields), &["reserve", "reserve list"]),
    (One(reservations::reserve_check::fields), &["reserve check"]),
    (Each(reservations::reservation::fields), &["reserve release"]),
    (One(merge::resolved::fields), &["resolve"]),
    (Each(restore::restored::fields), &["restore"]),
    (Each(checkpoints::resumption::fields), &["resume"]),
    (One(setup::role::fields), &["role"]),
    (One(setup::state_home::fields), &["state"]),
    (One(setup::moved_state::fields), &["state move"]),
    (One(shapes::statistics::fields), &["stats"]),
    (Each(worktrees::worktree::fields), &["status --all-worktrees", "worktree list"]),
    (One(checks::superseded::fields), &["supersede"]),
    (One(merge::synced::fields), &["sync"]),
    (One(workflows::created_workflow::fields), &["template apply", "workflow create"]),
    (Each(templates::template_head::fields), &["template list"]),
    (One(templates::saved_template::fields), &["template save"]),
    (One(templates::template::fields), &["template show", "template validate"]),
    (One(merge::trusted::fields), &["trust"]),
    (One(checks::types::fields), &["types"]),
    (One(undo::undone::fields), &["undo"]),
    (One(checks::validated::fields), &["validate"]),
    (One(setup::version::fields), &["version"]),
    // One on each line.
    (One(watch::watch_event::fields), &["watch"]),
    (One(setup::whereabouts::fields), &["where"]),
    (One(shapes::explanation::fields), &["why"]),
    (
        One(workflows::moved_workflow::fields),
        &["workflow abandon", "workflow complete", "workflow fail", "workflow pause"],
    ),
    (One(workflows::moved_workflow::fields), &["workflow resume", "workflow start"]),
    (One(replan::replanned::fields), &["workflow add-task", "workflow remove-task", "workflow replan"]),
    (Each(workflows::workflow_head::fields), &["workflow list"]),
    (One(replan::locked_workflow::fields), &["workflow lock"]),
    (One(workflows::workflow_next::fields), &["workflow next"]),
    (One(workflows::workflow_progress::fields), &["workflow progress"]),
    (One(workflows::workflow::fields), &["workflow set"]),
    (One(workflows::versions::fields), &["workflow show"]),
    (One(replan::unlocked_workflow::fields), &["workflow unlock"]),
    (One(replan::waited_workflow::fields), &["workflow wait"]),
    (One(workspaces::workspace::fields), &["workspace adopt", "workspace show", "workspace update"]),
    (One(workspaces::made_workspace::fields), &["workspace create"]),
    (Each(workspaces::workspace_usage::fields), &["workspace du"]),
    (One(workspaces::workspace_env::fields), &["workspace env"]),
    (One(workspaces::gc::fields), &["workspace gc"]),
    (Each(workspaces::workspace::fields), &["workspace list"]),
    (Each(workspaces::orphan::fields), &["workspace list --orphans"]),
    (One(workspaces::opened_workspace::fields), &["workspace open"]),
    (One(workspaces::at_path::fields), &["workspace path"]),
    (One(workspaces::removed_workspace::fields), &["workspace remove"]),
    (One(workspaces::restored_workspace::fields), &["workspace restore"]),
    (One(worktrees::worktree::fields), &["worktree create", "worktree info"]),
    (One(worktrees::pruned_worktrees::fields), &["worktree prune"]),
    (One(worktrees::removed_worktree::fields), &["worktree remove"]),
    (One(worktrees::repaired_worktrees::fields), &["worktree repair"]),
    (One(worktrees::restored_worktree::fields), &["worktree restore"]),
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
    let error = Object::new().raw("error", &object(shapes::described::fields)).finish();
    Object::new()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .number("schema_version", 1)
        .raw("commands", &commands.finish())
        .raw("error", &kind("object").raw("properties", &error).texts("required", ["error"]).finish())
        .texts("envelope_keys", ["schema_version", "data", "warnings"])
        .finish()
}
