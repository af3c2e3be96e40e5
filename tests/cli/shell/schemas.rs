//! Every `--json` reply is what `bd schema` publishes for it; the envelope; warnings in JSON.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::harness::Env;
use crate::support::schema::{check, directory, file_name};

/// Keys whose values are not always of one type, or may be null: a schema leaves them out.
const VARIED: &[&str] = &["commit", "deleted", "detail", "lease_expires", "message", "value", "warnings"];

/// Checks that the schema knows every key of a reply. An issue may have any: what its line holds is printed.
fn check_complete(schema: &Value, value: &Value, place: &str) {
    if let (Some(items), Some(parts)) = (schema.get("items"), value.as_array()) {
        return parts.iter().for_each(|part| check_complete(items, part, place));
    }
    let Some(known) = schema["properties"].as_object().filter(|known| !known.contains_key("visibility")) else {
        return;
    };
    for key in value.as_object().into_iter().flatten().map(|(key, _)| key) {
        assert!(known.contains_key(key) || VARIED.contains(&key.as_str()), "{place}: no {key} in its schema");
    }
}

/// The name of a schema, and a call whose reply must meet it and not be empty.
const CALLS: &[(&str, &str)] = &[
    ("init", "init"),
    ("add", "add One --id bd-one -l x -d D -a ann -e 5 --due 2w --external-ref gh-1"),
    ("add", "add Two --id bd-two --deps one"),
    ("add", "add Whole --id bd-epic -t epic"),
    ("add", "add Part --id bd-part --parent epic"),
    ("add", "add one --id bd-same"),
    ("blocked", "blocked"),
    ("children", "children epic"),
    ("comment", "comment one hello"),
    ("comments add", "comments add one again"),
    ("comments", "comments one"),
    ("count", "count"),
    ("count --by", "count --by status"),
    ("dep add", "dep add same one -t related"),
    ("dep list", "dep list two"),
    ("dep tree", "dep tree two"),
    ("dep remove", "dep remove same one"),
    ("duplicates", "duplicates"),
    ("triage", "triage"),
    ("repo clone", "repo clone --dry-run"),
    ("dep relate", "dep relate same one"),
    ("dep unrelate", "dep unrelate same one"),
    ("types", "types"),
    ("graph", "graph two"),
    ("add", "add Ask --id bd-ask -t chore -l human"),
    ("add", "add Ask --id bd-ask2 -t chore -l human"),
    ("add", "add Ask --id bd-ask3 -t chore -l human"),
    ("add", "add Ask --id bd-ask4 -t chore -l human"),
    ("lint", "lint bd-ask"),
    ("human list", "human list"),
    ("human respond", "human respond bd-ask -r yes"),
    ("human dismiss", "human dismiss bd-ask2"),
    ("duplicate", "duplicate bd-ask3 --of bd-ask"),
    ("supersede", "supersede bd-ask4 --with bd-ask"),
    ("validate", "validate"),
    ("repair-deps", "repair-deps"),
    ("detect-pollution", "detect-pollution"),
    ("migrate --inspect", "migrate --inspect"),
    ("migrate --ledger", "migrate --ledger beads.jsonl"),
    ("info", "info"),
    ("label add", "label add one y"),
    ("label list", "label list one"),
    ("label list-all", "label list-all"),
    ("label remove", "label remove one y"),
    ("claim", "claim bd-one"),
    ("leases", "leases"),
    ("release", "release bd-one"),
    ("assign", "assign bd-same person:bob"),
    ("list", "list"),
    ("note", "note one more"),
    ("undo", "undo"),
    ("query", "query type=task"),
    ("ready", "ready"),
    ("search", "search one"),
    ("show", "show one two epic"),
    ("stats", "stats"),
    ("status", "status one in_progress"),
    ("update", "update one -p 0"),
    ("version", "version"),
    ("where", "where"),
    ("role", "role"),
    ("config", "config set routing.mode single"),
    ("config get", "config get routing.mode"),
    ("config list", "config list"),
    ("config trust", "config trust"),
    ("repo list", "repo list"),
    ("check-leaks", "check-leaks --ledger .beads/beads.jsonl"),
    ("hooks status", "hooks status"),
    ("hooks install", "hooks install"),
    ("hooks uninstall", "hooks uninstall"),
    ("migrate", "migrate --move-to . --filter status=open"),
    ("why", "why two"),
    ("work", "work one"),
    ("defer", "defer same"),
    ("undefer", "undefer same"),
    ("close", "close one"),
    ("reopen", "reopen one"),
    ("close --suggest-next", "close one --suggest-next"),
    ("delete", "delete same --yes"),
    ("edit", "edit two"),
    ("epic status", "epic status"),
    ("close", "close part"),
    ("epic close-eligible", "epic close-eligible"),
    ("export -o", "export -o out.txt"),
    ("import", "import out.txt"),
    ("doctor", "doctor"),
    ("resolve", "resolve"),
    ("commit", "commit -m (bd-two)"),
    ("orphans", "orphans"),
    ("sync", "sync"),
    ("trust", "trust"),
    ("recover", "recover"),
    ("prune", "prune --closed-before now --to-budget 1k"),
    ("restore", "restore bd-one --at HEAD"),
    ("log", "log --since 2020-01-01"),
    ("blame", "blame one"),
    ("diff", "diff 2020-01-01.."),
    ("changelog", "changelog --since 2020-01-01"),
    ("stale", "stale --days 0"),
    ("dep cycles", "dep cycles"),
    ("init", "init --contributor"),
    ("add", "add Plan --id plan-1"),
    ("add", "add Plan --id plan-2"),
    ("add", "add Plan --id plan-3"),
    ("propose", "propose plan-1 plan-2 plan-3"),
    ("proposals", "proposals"),
    ("withdraw", "withdraw plan-1"),
    ("accept", "accept plan-2 --config routing.role=maintainer"),
    ("reject", "reject plan-3 --reason no --config routing.role=maintainer"),
    ("proposals reconcile", "proposals reconcile"),
    ("agent register", "agent register w1 --role reviewer --cap rust --meta k=v --runtime r"),
    ("agent heartbeat", "agent heartbeat --agent w1 --note busy"),
    ("agent list", "agent list"),
    ("agent show", "agent show w1"),
    ("agent sweep", "agent sweep"),
    (
        "mail send",
        "mail send w1 human -m words -s About --issue bd-one --ack --expires 1d --type query --priority high",
    ),
    ("mail inbox", "mail inbox"),
    ("mail overdue", "mail overdue"),
    ("mail reply", "mail reply $MESSAGE -m again"),
    ("mail read", "mail read $MESSAGE"),
    ("mail ack", "mail ack $MESSAGE"),
    ("mail thread", "mail thread bd-one"),
    ("mail archive", "mail archive $MESSAGE"),
    ("watch", "watch --since-now --for 0s"),
    ("agent unregister", "agent unregister w1"),
    ("state", "state"),
    ("state move", "state move --to worktree"),
    ("reserve", "reserve src/**.rs --issue bd-one --reason why"),
    ("reserve list", "reserve list"),
    ("reserve check", "reserve check src/a.rs"),
    ("reserve release", "reserve release --all"),
    ("checkpoint add", "checkpoint add bd-one -m words --files a --detail {\"a\":1} --key k --snapshot"),
    ("checkpoint list", "checkpoint list"),
    ("checkpoint show", "checkpoint show bd-one#1"),
    ("checkpoint restore", "checkpoint restore bd-one#1 --to then"),
    ("checkpoint prune", "checkpoint prune"),
    ("resume", "resume bd-one"),
    ("context", "context bd-one"),
    ("prime", "prime"),
    ("setup", "setup claude"),
    ("workflow create", "workflow create Flow --id bd-flow --plan flow.toml --source-type prompt --plan-summary Two"),
    ("workflow list", "workflow list"),
    ("workflow show", "workflow show bd-flow"),
    ("workflow set", "workflow set bd-flow --set model=big --max-parallel 2"),
    ("workflow start", "workflow start bd-flow"),
    ("workflow next", "workflow next bd-flow --claim"),
    ("workflow next", "workflow next bd-flow"),
    ("workflow progress", "workflow progress bd-flow"),
    ("workflow pause", "workflow pause bd-flow --reason lunch"),
    ("workflow resume", "workflow resume bd-flow"),
    ("workflow fail", "workflow fail bd-flow"),
    ("workflow resume", "workflow resume bd-flow"),
    ("workflow lock", "workflow lock bd-flow --ttl 1h"),
    ("workflow add-task", "workflow add-task bd-flow c --depends-on b"),
    ("workflow remove-task", "workflow remove-task bd-flow c --reason no"),
    ("workflow replan", "workflow replan bd-flow flow.toml"),
    ("workflow unlock", "workflow unlock bd-flow"),
    ("workflow template save", "workflow template save own --from bd-flow --user"),
    ("workflow template list", "workflow template list --all"),
    ("workflow template show", "workflow template show feature"),
    ("workflow template validate", "workflow template validate flow.toml"),
    ("workflow template apply", "workflow template apply bugfix Bug --var bug=x"),
    ("template save", "template save again --from bd-flow --user"),
    ("template list", "template list --all"),
    ("template show", "template show feature"),
    ("template validate", "template validate flow.toml"),
    ("template apply", "template apply bugfix Bug --var bug=x"),
    ("workflow abandon", "workflow abandon bd-flow --reason enough"),
    ("workflow create", "workflow create Other --id bd-other --plan flow.toml"),
    ("workflow start", "workflow start bd-other"),
    ("workflow complete", "workflow complete bd-other --skip-open"),
    ("workflow wait", "workflow wait bd-other --timeout 0s"),
    ("workspace create", "workspace create --branch job"),
    ("workspace list", "workspace list --all"),
    ("workspace show", "workspace show job"),
    ("workspace path", "workspace path job"),
    ("workspace env", "workspace env job"),
    ("workspace du", "workspace du"),
    ("workspace update", "workspace update job --status idle"),
    ("workspace open", "workspace open job"),
    ("workspace merge", "workspace merge job --dry-run"),
    ("land", "land --dry-run"),
    ("workspace gc", "workspace gc"),
    ("workspace remove", "workspace remove job --force"),
    ("workspace restore", "workspace restore $KEPT --to ../job"),
    ("workspace list --orphans", "workspace list --orphans"),
    ("worktree create", "worktree create w --path ../w"),
    ("worktree list", "worktree list --all"),
    ("worktree info", "worktree info w"),
    ("workspace adopt", "workspace adopt ../w"),
    ("status --all-worktrees", "status --all-worktrees"),
    ("list", "list --all-worktrees"),
    ("worktree repair", "worktree repair"),
    ("worktree prune", "worktree prune"),
    ("worktree remove", "worktree remove w --force"),
    ("worktree restore", "worktree restore $KEPT ../kept"),
    ("worktree list", "worktree list --all"),
    ("rename-prefix", "rename-prefix other --dry-run --config routing.role=maintainer"),
    ("fleet", "fleet"),
    ("fleet init", "fleet init --yes"),
    ("fleet leave", "fleet leave"),
];

#[test]
fn every_reply_meets_its_schema() {
    let env = Env::new();
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    assert!(env.command("git").args(["init", "-q"]).status().unwrap().success());
    env.set("EDITOR", "true");
    env.write("flow.toml", "[[tasks]]\nname = \"a\"\n[[tasks]]\nname = \"b\"\ndepends_on = [\"a\"]\n");
    let all = env.bd(["schema", "--all"]).ok().json();
    let schemas = all["commands"].as_object().unwrap();
    let mut kept = String::new();
    for (name, line) in CALLS {
        if *name == "workspace list --orphans" {
            let base = env.root().join("home/data/beads/workspaces");
            let repo = std::fs::read_dir(base).unwrap().next().unwrap().unwrap().path();
            std::fs::create_dir(repo.join("ws_aaaaaaaaaaaa")).unwrap();
        }
        if *name == "fleet init" {
            crate::support::repos::sh(&env, "git init -q --bare far; git -C web remote add origin ../far");
        }
        let line = &line.replace("$KEPT", &kept);
        let first = || env.bd(["mail", "inbox", "--json"]).ok().ids().remove(0);
        let line = if line.contains("$MESSAGE") { &line.replace("$MESSAGE", &first()) } else { line };
        let run = env.bd(line.split(' ').chain(["--json"])).ok();
        let schema = schemas.get(*name).unwrap_or_else(|| panic!("no schema of {name}"));
        let empty = run.stdout == "[]\n" && *name != "dep cycles";
        assert!(!empty, "{line}: nothing to check");
        check(schema, &run.json(), line);
        if *name != "workspace env" && *name != "workspace list --orphans" {
            check_complete(schema, &run.json(), line);
        }
        if *name == "worktree remove" || *name == "workspace remove" {
            kept = run.json()["kept"]["id"].as_str().unwrap().to_owned();
        }
        assert_eq!(&env.bd(["schema", name]).ok().json(), schema, "bd schema {name}");
    }
    let lines = "{\"op\":\"add\",\"title\":\"T\"}\n{\"op\":\"nosuch\"}\n";
    for line in env.bd_with(["batch"], Some(lines), &[]).stdout.lines() {
        check(&schemas["batch"], &serde_json::from_str(line).unwrap(), "batch");
        check_complete(&schemas["batch"], &serde_json::from_str(line).unwrap(), "batch");
    }
    let calls = || CALLS.iter().chain(&[("batch", "")]);
    let unchecked: Vec<&String> = schemas.keys().filter(|name| calls().all(|(known, _)| known != name)).collect();
    assert_eq!(unchecked, [""; 0], "a schema without a call here");
    let error = env.bd(["show", "nosuch", "--json"]);
    // That the committed routing.mode of above is not in effect is said after it.
    let first = error.stderr.lines().next().unwrap();
    check(&all["error"], &serde_json::from_str(first).unwrap(), "error");
}

#[test]
fn the_envelope_carries_data_and_warnings() {
    let env = Env::with_ledger("{\"id\":\"bd-1\",\"title\":\"One\"}\nnot JSON\n");
    let bare = env.bd(["list", "--json"]).ok().json();
    let wrapped = env.bd_with(["list", "--json"], None, &[("BD_JSON_ENVELOPE", "1")]).ok().json();
    assert_eq!((&wrapped["schema_version"], &wrapped["data"]), (&1.into(), &bare));
    let warning = wrapped["warnings"][0].as_str().unwrap();
    assert!(warning.contains("beads.jsonl:2: not a JSON object"), "{warning}");
    let object = env.bd(["stats", "--json"]).ok().json();
    assert!(object["warnings"][0].as_str().unwrap().contains("beads.jsonl:2"), "{object}");
}

#[test]
fn every_line_of_talk_is_json_too() {
    let env = Env::with_ledger("{\"id\":\"bd-1\",\"title\":\"One\"}\nnot JSON\n");
    let run = env.bd(["show", "nosuch", "bd-1", "gone", "--json"]);
    assert_eq!((run.code, run.ids()), (3, vec!["bd-1".to_owned()]));
    let lines: Vec<Value> = run.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |key: &str| lines.iter().filter(|line| line[key]["message"].is_string()).count();
    assert_eq!((count("error"), count("warning"), lines.len()), (2, 1, 3), "{}", run.snapshot());
}

#[test]
fn help_and_quickstart_are_json_if_asked() {
    let env = Env::bare();
    for args in [&["help"][..], &["help", "--all"], &["help", "dep", "add"], &["quickstart"]] {
        let run = env.bd(args.iter().chain(&["--json"])).ok();
        assert!(run.json()["text"].as_str().unwrap().contains("bd "), "{}", run.snapshot());
    }
}

/// `BD_WRITE_SCHEMAS=1 cargo test published` writes them anew.
#[test]
fn the_published_schemas_are_what_bd_prints() {
    let env = Env::bare();
    let names = env.bd(["schema"]).ok().stdout;
    let mut wanted: BTreeMap<String, String> = BTreeMap::new();
    for name in names.lines() {
        wanted.insert(file_name(name), env.bd(["schema", name]).ok().stdout);
    }
    if std::env::var_os("BD_WRITE_SCHEMAS").is_some() {
        let _ = std::fs::remove_dir_all(directory());
        std::fs::create_dir(directory()).unwrap();
        wanted.iter().for_each(|(name, text)| std::fs::write(directory().join(name), text).unwrap());
    }
    let found = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let found: BTreeMap<String, String> =
        found.map(|path| (name(&path), std::fs::read_to_string(&path).unwrap())).collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
    for (name, text) in &wanted {
        assert!(found[name] == *text, "docs/schema/{name} is not what bd prints; BD_WRITE_SCHEMAS=1 writes it anew");
    }
    assert_eq!(names.lines().count(), wanted.len(), "two schemas in one file");
}
