//! JSON Schemas (draft 2020-12) of the shapes in this module's neighbours, made from one table.

use super::{Object, array};

/// What a command prints with `--json`.
enum Shape {
    /// An array of issues with these further required keys.
    Issues(&'static [&'static str]),
    /// One issue.
    Issue,
    /// An object with these required keys.
    Object(&'static [(&'static str, &'static str)]),
    /// An array of such objects.
    Objects(&'static [(&'static str, &'static str)]),
    Strings,
    /// An array of arrays of issues.
    Groups,
}

const COUNTS: &[&str] = &["dependency_count", "dependent_count", "comment_count"];
const EDGE: &[(&str, &str)] = &[("status", "string"), ("issue_id", "string"), ("depends_on_id", "string")];
const COMMENT: &[(&str, &str)] =
    &[("id", "string"), ("issue_id", "string"), ("author", "string"), ("text", "string"), ("created_at", "string")];

const REPO: &[(&str, &str)] = &[
    ("source_repo", "string"),
    ("path", "string"),
    ("kind", "string"),
    ("issues", "integer"),
    ("writable", "boolean"),
];

const HOOKS: &[(&str, &str)] = &[
    ("installed", "boolean"),
    ("changed", "boolean"),
    ("directory", "string"),
    ("hooks", "array"),
    ("remarks", "array"),
    ("merge_driver", "object"),
];
const DECISION: &[(&str, &str)] = &[("id", "string"), ("state", "string"), ("changed", "boolean")];
const PROPOSAL: &[(&str, &str)] = &[
    ("id", "string"),
    ("title", "string"),
    ("state", "string"),
    ("author", "string"),
    ("target", "string"),
    ("at", "string"),
    ("branches", "array"),
];

const AGENT: &[(&str, &str)] = &[
    ("id", "string"),
    ("name", "string"),
    ("role", "string"),
    ("status", "string"),
    ("capabilities", "array"),
    ("sessions", "integer"),
    ("registered_at", "string"),
    ("last_heartbeat", "string"),
];
const REGISTERED: &[(&str, &str)] = &[
    ("id", "string"),
    ("name", "string"),
    ("role", "string"),
    ("status", "string"),
    ("capabilities", "array"),
    ("heartbeat_ms", "integer"),
];
const PULSE: &[(&str, &str)] = &[
    ("id", "string"),
    ("name", "string"),
    ("status", "string"),
    ("unread", "integer"),
    ("urgent", "integer"),
    ("next_ms", "integer"),
];
const SAID: &[(&str, &str)] = &[
    ("id", "string"),
    ("type", "string"),
    ("priority", "string"),
    ("body", "string"),
    ("thread", "string"),
    ("created_at", "string"),
    ("wants_ack", "boolean"),
    ("copies", "array"),
];
const SENT: &[(&str, &str)] =
    &[("id", "string"), ("type", "string"), ("thread", "string"), ("created_at", "string"), ("recipients", "array")];
const MESSAGE: &[(&str, &str)] = &[
    ("id", "string"),
    ("to", "string"),
    ("recipient", "string"),
    ("type", "string"),
    ("priority", "string"),
    ("body", "string"),
    ("thread", "string"),
    ("created_at", "string"),
    ("wants_ack", "boolean"),
    ("status", "string"),
];

/// A workflow without its tasks, with them, and after a move.
const FLOW_HEAD: &[(&str, &str)] = &[
    ("id", "string"),
    ("workflow_id", "string"),
    ("title", "string"),
    ("state", "string"),
    ("status", "string"),
    ("max_parallel", "integer"),
    ("auto_workspace", "boolean"),
    ("repos", "array"),
    ("config", "object"),
    ("total", "integer"),
    ("finished", "integer"),
    ("percent", "integer"),
    ("done", "boolean"),
    ("free", "integer"),
    ("counts", "object"),
];
const FLOW: &[(&str, &str)] =
    &[("id", "string"), ("workflow_id", "string"), ("state", "string"), ("counts", "object"), ("tasks", "array")];
const MOVED: &[(&str, &str)] = &[
    ("id", "string"),
    ("workflow_id", "string"),
    ("state", "string"),
    ("from", "string"),
    ("changed", "boolean"),
    ("skipped", "array"),
    ("running", "array"),
];

/// A change of plan.
const REPLANNED: &[(&str, &str)] = &[
    ("id", "string"),
    ("workflow_id", "string"),
    ("dry_run", "boolean"),
    ("kept", "array"),
    ("updated", "array"),
    ("unchanged", "array"),
    ("added", "array"),
    ("removed", "array"),
    ("rewired", "array"),
    ("outside", "array"),
    ("set", "array"),
    ("workflow", "object"),
];
const TEMPLATE: &[(&str, &str)] = &[
    ("name", "string"),
    ("origin", "string"),
    ("hidden", "boolean"),
    ("usable", "boolean"),
    ("tasks", "integer"),
    ("variables", "array"),
    ("problems", "array"),
];

const RESERVATION: &[(&str, &str)] =
    &[("id", "string"), ("glob", "string"), ("holder", "string"), ("shared", "boolean"), ("acquired", "string")];
const CHECKPOINT: &[(&str, &str)] = &[
    ("id", "string"),
    ("issue", "string"),
    ("number", "integer"),
    ("type", "string"),
    ("summary", "string"),
    ("files", "array"),
    ("actor", "string"),
    ("worktree", "string"),
    ("worktree_gone", "boolean"),
    ("created_at", "string"),
];
const WORKSPACE: &[(&str, &str)] = &[
    ("id", "string"),
    ("kind", "string"),
    ("state", "string"),
    ("path", "string"),
    ("parent", "string"),
    ("actor", "string"),
    ("copied", "array"),
    ("adopted", "boolean"),
    ("reused", "integer"),
    ("created_at", "string"),
];
const WORKTREE: &[(&str, &str)] = &[
    ("worktree", "string"),
    ("path", "string"),
    ("main", "boolean"),
    ("here", "boolean"),
    ("exists", "boolean"),
    ("agents", "array"),
    ("leases", "array"),
    ("unmerged", "array"),
];

const SHAPES: &[(&str, Shape)] = &[
    ("add", Shape::Issue),
    ("agent heartbeat", Shape::Object(PULSE)),
    ("agent list", Shape::Objects(AGENT)),
    ("agent register", Shape::Object(REGISTERED)),
    ("agent show", Shape::Object(AGENT)),
    ("agent sweep", Shape::Object(&[("dry_run", "boolean"), ("offline", "array")])),
    (
        "agent unregister",
        Shape::Object(&[("id", "string"), ("name", "string"), ("status", "string"), ("released", "array")]),
    ),
    ("blame", Shape::Object(&[("id", "string"), ("source_repo", "string"), ("fields", "array")])),
    ("blocked", Shape::Issues(&["blocked_by", "blocked_by_count"])),
    ("check-leaks", Shape::Object(&[("ok", "boolean"), ("checked", "integer"), ("leaks", "array")])),
    (
        "changelog",
        Shape::Objects(&[
            ("id", "string"),
            ("title", "string"),
            ("issue_type", "string"),
            ("priority", "integer"),
            ("source_repo", "string"),
        ]),
    ),
    ("assign", Shape::Object(&[("id", "string"), ("assignee", "string"), ("message", "string"), ("issue", "object")])),
    ("checkpoint add", Shape::Object(CHECKPOINT)),
    ("checkpoint list", Shape::Objects(CHECKPOINT)),
    ("checkpoint prune", Shape::Object(&[("applied", "boolean"), ("pruned", "array"), ("kept", "integer")])),
    ("checkpoint restore", Shape::Object(CHECKPOINT)),
    ("checkpoint show", Shape::Object(CHECKPOINT)),
    ("children", Shape::Issues(COUNTS)),
    ("close", Shape::Issues(&[])),
    ("close --suggest-next", Shape::Object(&[("closed", "array"), ("unblocked", "array")])),
    ("commit", Shape::Object(&[("dry_run", "boolean"), ("repos", "array")])),
    ("comment", Shape::Object(COMMENT)),
    ("comments", Shape::Objects(COMMENT)),
    ("comments add", Shape::Object(COMMENT)),
    ("config", Shape::Object(&[("files", "array"), ("remarks", "array")])),
    ("config get", Shape::Object(&[("key", "string")])),
    ("config list", Shape::Objects(&[("key", "string"), ("origin", "string")])),
    ("config trust", Shape::Object(&[("trusted", "array")])),
    (
        "context",
        Shape::Object(&[
            ("id", "string"),
            ("max_tokens", "integer"),
            ("estimated_tokens", "integer"),
            ("estimate", "string"),
            ("complete", "boolean"),
            ("parts", "array"),
            ("text", "string"),
        ]),
    ),
    ("count", Shape::Object(&[("count", "integer")])),
    ("count --by", Shape::Object(&[("total", "integer"), ("groups", "array")])),
    ("defer", Shape::Issues(&[])),
    ("delete", Shape::Object(&[("dependencies_removed", "integer"), ("references_updated", "integer")])),
    ("dep add", Shape::Object(EDGE)),
    ("dep cycles", Shape::Groups),
    ("dep list", Shape::Issues(&["dependency_type"])),
    ("dep remove", Shape::Object(EDGE)),
    ("dep tree", Shape::Issues(&["depth", "parent_id", "truncated"])),
    ("dep relate", Shape::Object(&[("id1", "string"), ("id2", "string"), ("related", "boolean")])),
    ("dep unrelate", Shape::Object(&[("id1", "string"), ("id2", "string"), ("unrelated", "boolean")])),
    ("detect-pollution", Shape::Object(&[("polluted_count", "integer"), ("issues", "array")])),
    ("diff", Shape::Object(&[("added", "array"), ("changed", "array"), ("moved", "array"), ("removed", "array")])),
    ("doctor", Shape::Object(&[("ok", "boolean"), ("findings", "array"), ("fixed", "array")])),
    ("duplicate", Shape::Object(&[("duplicate", "string"), ("canonical", "string"), ("status", "string")])),
    ("duplicates", Shape::Object(&[("duplicate_groups", "integer"), ("groups", "array")])),
    ("edit", Shape::Issues(&[])),
    ("epic close-eligible", Shape::Issues(&[])),
    (
        "epic status",
        Shape::Objects(&[
            ("epic", "object"),
            ("total_children", "integer"),
            ("closed_children", "integer"),
            ("eligible_for_close", "boolean"),
        ]),
    ),
    ("graph", Shape::Object(&[("root", "object"), ("issues", "array"), ("layout", "object"), ("circular", "array")])),
    ("hooks install", Shape::Object(HOOKS)),
    ("hooks status", Shape::Object(HOOKS)),
    ("hooks uninstall", Shape::Object(HOOKS)),
    ("human dismiss", Shape::Issues(&[])),
    ("human list", Shape::Issues(COUNTS)),
    ("human respond", Shape::Issues(&[])),
    (
        "import",
        Shape::Object(&[
            ("created", "integer"),
            ("updated", "integer"),
            ("unchanged", "integer"),
            ("deleted", "integer"),
            ("skipped", "array"),
            ("refused", "array"),
        ]),
    ),
    ("info", Shape::Object(&[("database_path", "string"), ("issue_count", "integer"), ("mode", "string")])),
    ("init", Shape::Object(&[("status", "string"), ("path", "string"), ("prefix", "string")])),
    ("label add", Shape::Objects(&[("status", "string"), ("issue_id", "string"), ("label", "string")])),
    ("label remove", Shape::Objects(&[("status", "string"), ("issue_id", "string"), ("label", "string")])),
    ("label list", Shape::Strings),
    ("label list-all", Shape::Objects(&[("label", "string"), ("count", "integer")])),
    ("export -o", Shape::Object(&[("exported", "integer"), ("path", "string")])),
    ("lint", Shape::Object(&[("total", "integer"), ("issues", "integer"), ("results", "array")])),
    ("list", Shape::Issues(COUNTS)),
    (
        "log",
        Shape::Objects(&[
            ("id", "string"),
            ("title", "string"),
            ("source_repo", "string"),
            ("change", "string"),
            ("fields", "array"),
        ]),
    ),
    ("mail ack", Shape::Objects(MESSAGE)),
    ("mail archive", Shape::Objects(MESSAGE)),
    ("mail inbox", Shape::Objects(MESSAGE)),
    ("mail overdue", Shape::Objects(MESSAGE)),
    ("mail read", Shape::Object(MESSAGE)),
    ("mail reply", Shape::Object(SENT)),
    ("mail send", Shape::Object(SENT)),
    ("mail thread", Shape::Objects(SAID)),
    (
        "migrate",
        Shape::Object(&[("target", "string"), ("moved", "array"), ("would_move", "array"), ("dry_run", "boolean")]),
    ),
    (
        "migrate --inspect",
        Shape::Object(&[("registered_migrations", "array"), ("current_state", "object"), ("warnings", "array")]),
    ),
    (
        "migrate --ledger",
        Shape::Object(&[("from", "string"), ("ledger", "string"), ("changed", "boolean"), ("dry_run", "boolean")]),
    ),
    ("note", Shape::Issues(&[])),
    (
        "orphans",
        Shape::Objects(&[
            ("issue_id", "string"),
            ("title", "string"),
            ("status", "string"),
            ("latest_commit", "string"),
        ]),
    ),
    ("query", Shape::Issues(COUNTS)),
    ("accept", Shape::Objects(DECISION)),
    ("proposals", Shape::Objects(PROPOSAL)),
    ("proposals reconcile", Shape::Object(&[("dry_run", "boolean"), ("reconciled", "array")])),
    ("propose", Shape::Objects(&[("id", "string"), ("target", "string"), ("line", "object"), ("held_back", "array")])),
    (
        "prune",
        Shape::Object(&[
            ("dry_run", "boolean"),
            ("source_repo", "string"),
            ("file", "string"),
            ("pruned", "array"),
            ("kept", "array"),
            ("bytes_before", "integer"),
            ("bytes_after", "integer"),
        ]),
    ),
    ("reject", Shape::Objects(DECISION)),
    ("withdraw", Shape::Objects(DECISION)),
    ("ready", Shape::Issues(COUNTS)),
    (
        "recover",
        Shape::Object(&[("dry_run", "boolean"), ("recovered", "array"), ("discarded", "array"), ("gone", "array")]),
    ),
    ("reopen", Shape::Issues(&[])),
    (
        "rename-prefix",
        Shape::Object(&[("old_prefix", "string"), ("new_prefix", "string"), ("issues_count", "integer")]),
    ),
    ("repair-deps", Shape::Object(&[("orphans_found", "integer"), ("orphans", "array")])),
    ("repo list", Shape::Objects(REPO)),
    ("reserve", Shape::Objects(RESERVATION)),
    (
        "reserve check",
        Shape::Object(&[("ok", "boolean"), ("checked", "integer"), ("bypassed", "boolean"), ("conflicts", "array")]),
    ),
    ("reserve list", Shape::Objects(RESERVATION)),
    ("reserve release", Shape::Objects(RESERVATION)),
    ("resolve", Shape::Object(&[("dry_run", "boolean"), ("resolved", "array")])),
    (
        "restore",
        Shape::Objects(&[
            ("id", "string"),
            ("dry_run", "boolean"),
            ("action", "string"),
            ("source_repo", "string"),
            ("fields", "array"),
            ("commit", "object"),
            ("line", "object"),
        ]),
    ),
    (
        "resume",
        Shape::Objects(&[
            ("id", "string"),
            ("title", "string"),
            ("status", "string"),
            ("mine", "boolean"),
            ("errors", "array"),
            ("checkpoints", "integer"),
            ("questions", "array"),
        ]),
    ),
    ("role", Shape::Object(&[("role", "string"), ("rule", "string"), ("because", "string")])),
    ("search", Shape::Issues(&["matched_fields"])),
    ("show", Shape::Issues(COUNTS)),
    ("stale", Shape::Issues(COUNTS)),
    (
        "stats",
        Shape::Object(&[
            ("summary", "object"),
            ("total_issues", "integer"),
            ("open_issues", "integer"),
            ("ready_issues", "integer"),
            ("average_lead_time_hours", "number"),
        ]),
    ),
    ("status", Shape::Issues(&[])),
    ("status --all-worktrees", Shape::Objects(WORKTREE)),
    ("sync", Shape::Object(&[("dry_run", "boolean"), ("repos", "array"), ("reconciled", "array")])),
    ("template apply", Shape::Object(FLOW)),
    ("template list", Shape::Objects(TEMPLATE)),
    (
        "template save",
        Shape::Object(&[("name", "string"), ("origin", "string"), ("path", "string"), ("replaced", "boolean")]),
    ),
    ("template show", Shape::Object(TEMPLATE)),
    ("template validate", Shape::Object(TEMPLATE)),
    ("trust", Shape::Object(&[("dry_run", "boolean"), ("working_copies", "array"), ("state_homes", "array")])),
    ("undefer", Shape::Issues(&[])),
    ("supersede", Shape::Object(&[("superseded", "string"), ("replacement", "string"), ("status", "string")])),
    ("types", Shape::Object(&[("core_types", "array"), ("custom_types", "array")])),
    ("undo", Shape::Object(&[("preview", "boolean"), ("writes", "array"), ("issues", "array"), ("repairs", "array")])),
    ("update", Shape::Issues(&[])),
    (
        "claim",
        Shape::Objects(&[
            ("id", "string"),
            ("epoch", "integer"),
            ("lease", "string"),
            ("holder", "string"),
            ("acquired", "string"),
            ("again", "boolean"),
            ("issue", "object"),
        ]),
    ),
    ("leases", Shape::Objects(&[("id", "string"), ("epoch", "integer"), ("holder", "string"), ("status", "string")])),
    (
        "release",
        Shape::Objects(&[
            ("id", "string"),
            ("epoch", "integer"),
            ("attempts", "integer"),
            ("needs_attention", "boolean"),
        ]),
    ),
    ("state", Shape::Object(&[("state_home", "string"), ("mode", "string"), ("reason", "string")])),
    ("state move", Shape::Object(&[("from", "string"), ("to", "string"), ("mode", "string"), ("records", "integer")])),
    (
        "validate",
        Shape::Object(&[("path", "string"), ("overall_ok", "boolean"), ("healthy", "boolean"), ("checks", "array")]),
    ),
    ("version", Shape::Object(&[("version", "string")])),
    // One on each line.
    ("watch", Shape::Object(&[("event", "string"), ("at", "string")])),
    ("where", Shape::Object(&[("path", "string"), ("prefix", "string"), ("database_path", "string")])),
    ("work", Shape::Issues(&[])),
    ("workflow abandon", Shape::Object(MOVED)),
    ("workflow add-task", Shape::Object(REPLANNED)),
    ("workflow complete", Shape::Object(MOVED)),
    ("workflow create", Shape::Object(FLOW)),
    ("workflow fail", Shape::Object(MOVED)),
    ("workflow list", Shape::Objects(FLOW_HEAD)),
    (
        "workflow lock",
        Shape::Object(&[("id", "string"), ("locked", "boolean"), ("holder", "string"), ("epoch", "integer")]),
    ),
    (
        "workflow next",
        Shape::Object(&[
            ("id", "string"),
            ("state", "string"),
            ("running", "integer"),
            ("free", "integer"),
            ("done", "boolean"),
            ("tasks", "array"),
        ]),
    ),
    ("workflow pause", Shape::Object(MOVED)),
    (
        "workflow progress",
        Shape::Object(&[
            ("id", "string"),
            ("state", "string"),
            ("total", "integer"),
            ("finished", "integer"),
            ("percent", "integer"),
            ("counts", "object"),
            ("running", "array"),
            ("blocked", "array"),
            ("failed", "array"),
        ]),
    ),
    ("workflow remove-task", Shape::Object(REPLANNED)),
    ("workflow replan", Shape::Object(REPLANNED)),
    ("workflow resume", Shape::Object(MOVED)),
    ("workflow set", Shape::Object(FLOW)),
    ("workflow show", Shape::Object(FLOW)),
    ("workflow start", Shape::Object(MOVED)),
    ("workflow unlock", Shape::Object(&[("id", "string"), ("locked", "boolean"), ("changed", "boolean")])),
    ("workflow wait", Shape::Object(&[("id", "string"), ("reached", "boolean"), ("workflow", "object")])),
    ("workspace adopt", Shape::Object(WORKSPACE)),
    ("workspace create", Shape::Object(WORKSPACE)),
    (
        "workspace du",
        Shape::Objects(&[
            ("id", "string"),
            ("path", "string"),
            ("state", "string"),
            ("size", "integer"),
            ("shared", "integer"),
            ("total", "integer"),
            ("files", "integer"),
        ]),
    ),
    ("workspace env", Shape::Object(&[("BD_WORKSPACE", "string"), ("BD_STATE_DIR", "string")])),
    (
        "workspace gc",
        Shape::Object(&[("applied", "boolean"), ("freed", "integer"), ("workspaces", "array"), ("orphans", "array")]),
    ),
    ("workspace list", Shape::Objects(WORKSPACE)),
    ("workspace list --orphans", Shape::Objects(&[("path", "string")])),
    ("workspace open", Shape::Object(&[("id", "string"), ("exit", "integer")])),
    ("workspace path", Shape::Object(&[("id", "string"), ("path", "string")])),
    (
        "workspace remove",
        Shape::Object(&[
            ("id", "string"),
            ("path", "string"),
            ("state", "string"),
            ("forgotten", "boolean"),
            ("dry_run", "boolean"),
            ("forced", "array"),
            ("kinds", "array"),
        ]),
    ),
    ("workspace restore", Shape::Object(&[("id", "string"), ("path", "string"), ("with_commits", "boolean")])),
    ("workspace show", Shape::Object(WORKSPACE)),
    ("workspace update", Shape::Object(WORKSPACE)),
    ("worktree create", Shape::Object(WORKTREE)),
    ("worktree info", Shape::Object(WORKTREE)),
    ("worktree list", Shape::Objects(WORKTREE)),
    (
        "worktree prune",
        Shape::Object(&[("applied", "boolean"), ("records", "array"), ("moved", "array"), ("gone", "array")]),
    ),
    (
        "worktree remove",
        Shape::Object(&[("worktree", "string"), ("path", "string"), ("exists", "boolean"), ("forced", "array")]),
    ),
    ("worktree repair", Shape::Object(&[("repaired", "array")])),
    ("worktree restore", Shape::Object(&[("id", "string"), ("path", "string")])),
    ("why", Shape::Object(&[("id", "string"), ("ready", "boolean"), ("reasons", "array")])),
];

/// Fields that every issue has, and those it may have, with their JSON types.
const ISSUE: &[(&str, &str, bool)] = &[
    ("id", "string", true),
    ("title", "string", true),
    ("status", "string", true),
    ("priority", "integer", true),
    ("issue_type", "string", true),
    ("created_at", "string", true),
    ("updated_at", "string", true),
    ("source_repo", "string", true),
    ("visibility", "string", true),
    ("writable", "boolean", false),
    ("shadowed", "boolean", false),
    ("worktree_id", "string", false),
    ("worktree", "string", false),
    ("elsewhere", "array", false),
    ("copies", "array", false),
    ("private", "object", false),
    ("pruned", "boolean", false),
    ("past", "object", false),
    ("description", "string", false),
    ("design", "string", false),
    ("acceptance_criteria", "string", false),
    ("notes", "string", false),
    ("assignee", "string", false),
    ("owner", "string", false),
    ("estimated_minutes", "integer", false),
    ("created_by", "string", false),
    ("started_at", "string", false),
    ("closed_at", "string", false),
    ("close_reason", "string", false),
    ("due_at", "string", false),
    ("defer_until", "string", false),
    ("external_ref", "string", false),
    ("parent", "string", false),
    ("project", "object", false),
    ("former_id", "string", false),
    ("labels", "array", false),
    ("dependencies", "array", false),
    ("dependents", "array", false),
    ("comments", "array", false),
    ("dependency_count", "integer", false),
    ("dependent_count", "integer", false),
    ("comment_count", "integer", false),
    ("blocked_by", "array", false),
    ("blocked_by_count", "integer", false),
    ("matched_fields", "array", false),
    ("dependency_type", "string", false),
    ("depth", "integer", false),
    ("parent_id", "string", false),
    ("truncated", "boolean", false),
];

fn kind(name: &str) -> Object {
    Object::new().text("type", name)
}

fn issue(also_required: &[&str]) -> String {
    let required =
        ISSUE.iter().filter(|(key, _, always)| *always || also_required.contains(key)).map(|(key, _, _)| *key);
    let properties = ISSUE.iter().fold(Object::new(), |object, (key, name, _)| object.raw(key, &kind(name).finish()));
    kind("object").raw("properties", &properties.finish()).texts("required", required).finish()
}

fn object(fields: &[(&str, &str)]) -> String {
    let properties = fields.iter().fold(Object::new(), |object, (key, name)| object.raw(key, &kind(name).finish()));
    kind("object")
        .raw("properties", &properties.finish())
        .texts("required", fields.iter().map(|(key, _)| *key))
        .finish()
}

fn list(items: &str) -> String {
    kind("array").raw("items", items).finish()
}

fn schema(shape: &Shape) -> String {
    match shape {
        Shape::Issue => issue(&[]),
        Shape::Issues(required) => list(&issue(required)),
        Shape::Object(fields) => object(fields),
        Shape::Objects(fields) => list(&object(fields)),
        Shape::Groups => list(&list(&issue(&[]))),
        Shape::Strings => list(&kind("string").finish()),
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
    let error = object(&[("code", "string"), ("message", "string"), ("recoverable", "boolean")]);
    let error =
        kind("object").raw("properties", &Object::new().raw("error", &error).finish()).texts("required", ["error"]);
    Object::new()
        .text("$schema", "https://json-schema.org/draft/2020-12/schema")
        .number("schema_version", 1)
        .raw("commands", &commands.finish())
        .raw("error", &error.finish())
        .raw("envelope_keys", &array(["schema_version", "data", "warnings"].map(|key| format!("\"{key}\""))))
        .finish()
}
