//! JSON Schemas (draft 2020-12) of what commands print, from the shapes that they print.

use super::answer::{Field, Fields};
use super::{
    agents, batch, checkpoints, checks, context, fleet_view, history, issue, leaks, leases, mail, merge, prime, prune,
    recover, replan, reservations, restore, setup, shapes, templates, undo, watch, workflows, workspaces, worktrees,
};
use crate::model::json::Object;

/// The version of these shapes, which an envelope has as `schema_version`.
pub const VERSION: i64 = 1;

/// What a command prints with `--json`.
enum Shape {
    /// An array of arrays of issues.
    Groups,
    Strings,
    One(fn(&mut Fields)),
    Each(fn(&mut Fields)),
}

use Shape::{Each, Groups, One, Strings};

/// What each command prints.
const SHAPES: &[(&str, Shape)] = &[
    ("add", One(issue::reply::fields)),
    ("agent heartbeat", One(agents::pulse::fields)),
    ("agent list", Each(agents::agent::fields)),
    ("agent register", One(agents::registered::fields)),
    ("agent show", One(agents::agent::fields)),
    ("agent sweep", One(agents::swept::fields)),
    ("agent unregister", One(agents::unregistered::fields)),
    // One per line.
    ("batch", One(batch::batched::fields)),
    ("blame", One(history::blame::fields)),
    ("blocked", Each(shapes::blocked::fields)),
    ("check-leaks", One(leaks::leak_report::fields)),
    ("changelog", Each(history::changelog::fields)),
    ("assign", One(leases::assigned::fields)),
    ("checkpoint add", One(checkpoints::added_checkpoint::fields)),
    ("checkpoint list", Each(checkpoints::checkpoint::fields)),
    ("checkpoint prune", One(checkpoints::pruned_checkpoints::fields)),
    ("checkpoint restore", One(checkpoints::restored_checkpoint::fields)),
    ("checkpoint show", One(checkpoints::checkpoint::fields)),
    ("children", Each(issue::summary::fields)),
    ("close", Each(issue::reply::fields)),
    ("close --suggest-next", One(checks::closed::fields)),
    ("commit", One(merge::committed::fields)),
    ("comment", One(issue::comment::fields)),
    ("comments", Each(issue::comment::fields)),
    ("comments add", One(issue::comment::fields)),
    ("config", One(setup::configured::fields)),
    ("config get", One(setup::setting_value::fields)),
    ("config list", Each(setup::setting::fields)),
    ("config trust", One(setup::trusted_paths::fields)),
    ("context", One(context::fitted_context::fields)),
    ("count", One(shapes::count::fields)),
    ("count --by", One(shapes::groups::fields)),
    ("defer", Each(issue::reply::fields)),
    ("delete", One(checks::deleted::fields)),
    ("dep add", One(checks::added_dependency::fields)),
    ("dep cycles", Groups),
    ("dep list", Each(shapes::neighbour::fields)),
    ("dep remove", One(checks::removed_dependency::fields)),
    ("dep tree", Each(shapes::tree_node::fields)),
    ("dep relate", One(checks::related::fields)),
    ("dep unrelate", One(checks::unrelated::fields)),
    ("detect-pollution", One(checks::pollution::fields)),
    ("diff", One(history::differences::fields)),
    ("doctor", One(shapes::doctor::fields)),
    ("duplicate", One(checks::duplicate::fields)),
    ("duplicates", One(checks::duplicates::fields)),
    ("edit", Each(issue::reply::fields)),
    ("epic close-eligible", Each(issue::reply::fields)),
    ("epic status", Each(shapes::epic::fields)),
    ("fleet", One(fleet_view::overview::fields)),
    ("fleet init", One(leases::fleet::fields)),
    ("fleet leave", One(leases::fleet::fields)),
    ("graph", One(checks::graph::fields)),
    ("hooks install", One(leaks::hooks::fields)),
    ("hooks status", One(leaks::hooks::fields)),
    ("hooks uninstall", One(leaks::hooks::fields)),
    ("human dismiss", Each(issue::reply::fields)),
    ("human list", Each(issue::summary::fields)),
    ("human respond", Each(issue::reply::fields)),
    ("import", One(shapes::imported::fields)),
    ("info", One(setup::info::fields)),
    ("init", One(setup::initialised::fields)),
    ("label add", Each(checks::labelled::fields)),
    ("label remove", Each(checks::labelled::fields)),
    ("label list", Strings),
    ("land", One(workspaces::landing::fields)),
    ("label list-all", Each(checks::label_count::fields)),
    ("export -o", One(setup::exported::fields)),
    ("lint", One(checks::lint::fields)),
    ("list", Each(issue::summary::fields)),
    ("log", Each(history::event::fields)),
    ("mail ack", Each(mail::message::fields)),
    ("mail archive", Each(mail::message::fields)),
    ("mail inbox", Each(mail::message::fields)),
    ("mail overdue", Each(mail::message::fields)),
    ("mail read", One(mail::message::fields)),
    ("mail reply", One(mail::sent::fields)),
    ("mail send", One(mail::sent::fields)),
    ("mail thread", Each(mail::copied::fields)),
    ("migrate", One(setup::migrated::fields)),
    ("migrate --inspect", One(setup::migrations::fields)),
    ("migrate --ledger", One(setup::renamed_ledger::fields)),
    ("note", Each(issue::reply::fields)),
    ("orphans", Each(checks::named_issue::fields)),
    ("query", Each(issue::summary::fields)),
    ("accept", Each(checks::decided::fields)),
    ("proposals", Each(checks::proposal::fields)),
    ("proposals reconcile", One(merge::reconciliation::fields)),
    ("propose", Each(checks::proposed::fields)),
    ("prime", One(prime::primed::fields)),
    ("prune", One(prune::pruned::fields)),
    ("reject", Each(checks::decided::fields)),
    ("withdraw", Each(checks::decided::fields)),
    ("ready", Each(issue::summary::fields)),
    ("recover", One(recover::recovery::fields)),
    ("reopen", Each(issue::reply::fields)),
    ("rename-prefix", One(setup::renamed_prefix::fields)),
    ("repair-deps", One(checks::dangling_edges::fields)),
    ("repo list", Each(setup::repo_status::fields)),
    ("reserve", Each(reservations::reserved::fields)),
    ("reserve check", One(reservations::reserve_check::fields)),
    ("reserve list", Each(reservations::reserved::fields)),
    ("reserve release", Each(reservations::reservation::fields)),
    ("resolve", One(merge::resolved::fields)),
    ("restore", Each(restore::restored::fields)),
    ("resume", Each(checkpoints::resumption::fields)),
    ("role", One(setup::role::fields)),
    ("search", Each(shapes::found::fields)),
    ("setup", One(setup::set_up::fields)),
    ("show", Each(issue::summary::fields)),
    ("repo clone", One(setup::cloned_repos::fields)),
    ("triage", Each(checks::triaged::fields)),
    ("workflow template apply", One(workflows::created_workflow::fields)),
    ("workflow template list", Each(templates::template_head::fields)),
    ("workflow template save", One(templates::saved_template::fields)),
    ("workflow template show", One(templates::template::fields)),
    ("workflow template validate", One(templates::template::fields)),
    ("stale", Each(issue::summary::fields)),
    ("stats", One(shapes::statistics::fields)),
    ("status", Each(issue::reply::fields)),
    ("status --all-worktrees", Each(worktrees::worktree::fields)),
    ("sync", One(merge::synced::fields)),
    ("template apply", One(workflows::created_workflow::fields)),
    ("template list", Each(templates::template_head::fields)),
    ("template save", One(templates::saved_template::fields)),
    ("template show", One(templates::template::fields)),
    ("template validate", One(templates::template::fields)),
    ("trust", One(merge::trusted::fields)),
    ("undefer", Each(issue::reply::fields)),
    ("supersede", One(checks::superseded::fields)),
    ("types", One(checks::types::fields)),
    ("undo", One(undo::undone::fields)),
    ("update", Each(issue::reply::fields)),
    ("claim", Each(leases::claimed::fields)),
    ("leases", Each(leases::lease::fields)),
    ("release", Each(leases::released::fields)),
    ("state", One(setup::state_home::fields)),
    ("state move", One(setup::moved_state::fields)),
    ("validate", One(checks::validated::fields)),
    ("version", One(setup::version::fields)),
    // One per line.
    ("watch", One(watch::watch_event::fields)),
    ("where", One(setup::whereabouts::fields)),
    ("work", Each(issue::reply::fields)),
    ("workflow abandon", One(workflows::moved_workflow::fields)),
    ("workflow add-task", One(replan::replanned::fields)),
    ("workflow complete", One(workflows::moved_workflow::fields)),
    ("workflow create", One(workflows::created_workflow::fields)),
    ("workflow fail", One(workflows::moved_workflow::fields)),
    ("workflow list", Each(workflows::workflow_head::fields)),
    ("workflow lock", One(replan::locked_workflow::fields)),
    ("workflow next", One(workflows::workflow_next::fields)),
    ("workflow pause", One(workflows::moved_workflow::fields)),
    ("workflow progress", One(workflows::workflow_progress::fields)),
    ("workflow remove-task", One(replan::replanned::fields)),
    ("workflow replan", One(replan::replanned::fields)),
    ("workflow resume", One(workflows::moved_workflow::fields)),
    ("workflow set", One(workflows::workflow::fields)),
    ("workflow show", One(workflows::versions::fields)),
    ("workflow start", One(workflows::moved_workflow::fields)),
    ("workflow unlock", One(replan::unlocked_workflow::fields)),
    ("workflow wait", One(replan::waited_workflow::fields)),
    ("workspace adopt", One(workspaces::workspace::fields)),
    ("workspace create", One(workspaces::made_workspace::fields)),
    ("workspace du", Each(workspaces::workspace_usage::fields)),
    ("workspace env", One(workspaces::workspace_env::fields)),
    ("workspace gc", One(workspaces::gc::fields)),
    ("workspace list", Each(workspaces::workspace::fields)),
    ("workspace list --orphans", Each(workspaces::orphan::fields)),
    ("workspace merge", One(workspaces::land_row::fields)),
    ("workspace open", One(workspaces::opened_workspace::fields)),
    ("workspace path", One(workspaces::at_path::fields)),
    ("workspace remove", One(workspaces::removed_workspace::fields)),
    ("workspace restore", One(workspaces::restored_workspace::fields)),
    ("workspace show", One(workspaces::workspace::fields)),
    ("workspace update", One(workspaces::workspace::fields)),
    ("worktree create", One(worktrees::worktree::fields)),
    ("worktree info", One(worktrees::worktree::fields)),
    ("worktree list", Each(worktrees::worktree::fields)),
    ("worktree prune", One(worktrees::pruned_worktrees::fields)),
    ("worktree remove", One(worktrees::removed_worktree::fields)),
    ("worktree repair", One(worktrees::repaired_worktrees::fields)),
    ("worktree restore", One(worktrees::restored_worktree::fields)),
    ("why", One(shapes::explanation::fields)),
];

fn kind(name: &str) -> Object {
    Object::new().text("type", name)
}

fn object(fields: fn(&mut Fields)) -> String {
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
        Groups => list(&list(&object(issue::reply::fields))),
        Strings => list(&kind("string").finish()),
        One(fields) => object(*fields),
        Each(fields) => list(&object(*fields)),
    }
}

/// The commands that have a schema.
pub fn commands() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(name, _)| *name)
}

/// The schema of one command, by any of its names.
pub fn of(command: &str) -> Option<String> {
    let command = match command {
        "create" | "new" => "add",
        "view" => "show",
        "done" => "close",
        other => other,
    };
    let (_, shape) = SHAPES.iter().find(|(name, _)| *name == command)?;
    Some(schema(shape))
}

/// All schemas, by command, and that of an error.
pub fn all() -> String {
    let commands = SHAPES.iter().fold(Object::new(), |object, (name, shape)| object.raw(name, &schema(shape)));
    let error = Object::new().raw("error", &object(shapes::described::fields)).finish();
    Object::new()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .number("schema_version", VERSION)
        .raw("commands", &commands.finish())
        .raw("error", &kind("object").raw("properties", &error).texts("required", ["error"]).finish())
        .texts("envelope_keys", ["schema_version", "data", "warnings"])
        .finish()
}
