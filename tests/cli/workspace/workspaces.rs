//! Workspaces: made before a job can start, apart from everything else, and sharing what agents share.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::checkouts::Family;
use crate::support::harness::{BD, Run};
use crate::support::wait::until;

pub fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no {key}: {value}")).to_owned()
}

/// Makes a workspace and gives its record and its directory.
pub fn make(family: &Family, line: &str) -> (Value, PathBuf) {
    let made = family.bd(&family.web(), format!("workspace create --json {line}").trim_end()).ok().json();
    let path = PathBuf::from(text(&made, "path"));
    (made, path)
}

/// Everything that a clone must not change in its parent.
fn untouched(family: &Family) -> String {
    let web = family.web();
    let said = |line: &str| family.git(&web, line).ok().stdout;
    let refs = said("for-each-ref");
    let head = fs::read_to_string(web.join(".git/HEAD")).unwrap();
    let config = fs::read_to_string(web.join(".git/config")).unwrap();
    format!("{refs}{head}{config}{}{}", said("status --porcelain"), said("worktree list"))
}

pub fn states(family: &Family, line: &str) -> Vec<String> {
    let all = family.bd(&family.web(), line).ok().json();
    all.as_array().unwrap().iter().map(|one| text(one, "state")).collect()
}

/// The existing directories of workspaces.
pub fn directories(family: &Family) -> Vec<PathBuf> {
    let base = family.path("home/data/beads/workspaces");
    let repos = fs::read_dir(base).into_iter().flatten().map(|entry| entry.unwrap().path());
    let all = repos.flat_map(|repo| fs::read_dir(repo).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>());
    all.filter(|path| path.is_dir()).collect()
}

#[test]
fn a_clone_is_apart_and_shares_claims_and_mail() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.git(&web, "clone -q --bare . ../up.git").ok();
    family.git(&web, "remote add origin ../up.git").ok();
    family.git(&web, "fetch -q origin").ok();
    let before = untouched(&family);
    let (made, path) = make(&family, "--issue bd-base");
    assert_eq!(
        (text(&made, "state"), text(&made, "kind"), text(&made, "branch")),
        ("active".into(), "clone".into(), "bd/bd-base".into())
    );
    assert_eq!((text(&made, "issue_id"), text(&made, "parent")), ("bd-base".into(), web.display().to_string()));
    assert_eq!(untouched(&family), before, "no ref, setting or file of the parent");
    assert_eq!(family.git(&path, "status --porcelain").ok().stdout, "");
    assert_eq!(family.git(&path, "symbolic-ref --short HEAD").ok().stdout, "bd/bd-base\n");
    assert!(path.starts_with(family.path("home/data/beads/workspaces")), "{}", path.display());
    // A claim made inside is seen outside, and mail gets through.
    family.bd_with(&path, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    let name = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(family.held(&web), [format!("bd-base in {name}")]);
    family.bd_with(&web, "claim bd-base", &[("BD_AGENT", "eve")]).fails(4, &["claimed by bob in ws_"]);
    family.bd_with(&web, "mail send bob -m words", &[("BD_AGENT", "eve")]).ok();
    let inbox = family.bd_with(&path, "mail inbox --json", &[("BD_AGENT", "bob")]).ok().json();
    assert_eq!(inbox[0]["body"], "words", "{inbox}");
    // Its ledger is in the union.
    family.bd(&path, "add Inside --id bd-inside").ok();
    let all = family.bd(&web, "list --all-worktrees --json").ok();
    assert!(all.ids().contains(&"bd-inside".to_owned()), "{}", all.stdout);
    assert!(!family.bd(&web, "list --json").ok().ids().contains(&"bd-inside".to_owned()));
    // Two jobs do not see each other.
    let (_, other) = make(&family, "--issue bd-base");
    assert_ne!(path, other);
    fs::write(path.join("same"), "one").unwrap();
    fs::write(other.join("same"), "two").unwrap();
    assert!(!web.join("same").exists());
    assert_eq!(fs::read_to_string(path.join("same")).unwrap(), "one");
    assert_eq!(
        family.git(&other, "symbolic-ref --short HEAD").ok().stdout,
        "bd/bd-base-2\n",
        "each has its own branch"
    );
    assert_eq!(untouched(&family), before);
    assert_eq!(states(&family, "workspace list --json"), ["active", "active"]);
}

/// What cannot be made leaves nothing but its record.
#[test]
fn what_cannot_be_made_is_taken_away() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let before = untouched(&family);
    let cases: &[(&str, i32, &[&str])] = &[
        ("--base no-such-base", 1, &["there is no commit no-such-base"]),
        ("--branch -x", 2, &[]),
        ("--branch=-x", 1, &["cannot be the name of a branch"]),
        ("--branch=a..b", 1, &["cannot be the name of a branch"]),
        ("--setup false", 1, &["the setup failed: it ended with 1"]),
        ("--kind worktree --setup false", 1, &["the setup failed: it ended with 1"]),
        ("--kind copy --setup false", 1, &["the setup failed: it ended with 1"]),
        ("--kind copy --base main", 2, &["cannot have a base"]),
    ];
    for (line, code, words) in cases {
        family.bd(&web, &format!("workspace create {line}")).fails(*code, words);
        assert!(directories(&family).is_empty(), "{line}");
        assert_eq!(untouched(&family), before, "{line}");
    }
    let run = family.bd(&web, "--config workspace.min_free=100T workspace create --json").fails(1, &[]);
    let error = run.error();
    assert_eq!(error["code"], "no_room", "{error}");
    assert!(text(&error, "message").contains("workspace.min_free keeps"), "{error}");
    assert!(text(&error, "workspace").starts_with("ws_"), "{error}");
    let all = family.bd(&web, "workspace list --json").ok().json();
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 7, "what was refused before there was an id has no record");
    for one in all {
        assert_eq!(text(one, "state"), "failed");
        assert!(!text(one, "error").is_empty() && one["port"].is_null(), "{one}");
    }
    assert!(directories(&family).is_empty());
    // Someone's directory is never removed.
    fs::create_dir(family.path("mine")).unwrap();
    fs::write(family.path("mine/file"), "mine").unwrap();
    for kind in ["clone", "worktree", "copy"] {
        family.bd(&web, &format!("workspace create --kind {kind} --path ../mine")).fails(1, &["mine"]);
        assert_eq!(fs::read_to_string(family.path("mine/file")).unwrap(), "mine", "{kind}");
    }
    assert_eq!(untouched(&family), before);
}

#[test]
fn limits_are_checked_before_anything_is_made() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (made, _) = make(&family, "");
    family.bd(&web, "workspace du").ok();
    family.bd(&web, "--config workspace.max_count=1 workspace create").fails(1, &["workspace.max_count is 1"]);
    family.bd(&web, &format!("workspace update {} --status abandoned", text(&made, "id"))).ok();
    let run = family.bd(&web, "--config workspace.max_size=1k workspace create --json").fails(1, &[]);
    let error = run.error();
    assert!(error["reclaimable"].as_i64().unwrap() > 0, "{error}");
    assert!(text(&error, "hint").contains("1 workspace with"), "{error}");
    family.bd(&web, "--config workspace.max_count=2 workspace create").ok();
    let cache = family.path("home/cache/x");
    let line = format!("--config workspace.path='{}' workspace create", cache.display());
    family.bd(&web, &line).fails(1, &["may be thrown away at any time"]);
    assert!(!cache.exists());
}

#[test]
fn all_kinds_and_what_is_known_of_each() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    fs::write(web.join(".gitignore"), "ignored\n").unwrap();
    family.commit(&web);
    fs::write(web.join("ignored"), "x").unwrap();
    fs::write(web.join("untracked"), "x").unwrap();
    let (tree, tree_path) = make(&family, "--kind worktree --branch side");
    let (copy, copy_path) = make(&family, "--kind copy");
    assert!(!tree_path.join("untracked").exists() && tree_path.join(".git").is_file());
    assert!(copy_path.join("untracked").exists() && copy_path.join("ignored").exists());
    assert!(copy_path.join(".git").is_dir() && !copy_path.join(".git/beads/leases.jsonl").exists());
    let ids = [family.id(&web), text(&tree, "worktree_id"), text(&copy, "worktree_id")];
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
    assert_eq!(family.id(&copy_path), ids[2]);
    assert_eq!(family.id(&web), ids[0], "the parent keeps its own");
    family.bd_with(&copy_path, "claim bd-base", &[("BD_AGENT", "bob")]).ok();
    for place in [&web, &tree_path, &copy_path] {
        assert_eq!(family.held(place).len(), 1);
    }
    // A linked checkout has its repository elsewhere.
    family.bd(&tree_path, "workspace create --kind copy").fails(1, &["is elsewhere; use --kind clone or worktree"]);
    let from_tree = family.bd(&tree_path, "workspace create --json --branch deep").ok().json();
    assert_eq!(text(&from_tree, "parent"), tree_path.display().to_string());
    // A workspace of a workspace is one of the checkout that it came from.
    let clone = PathBuf::from(text(&from_tree, "path"));
    let nested = family.bd(&clone, "workspace create --json --branch deeper").ok().json();
    assert_eq!(text(&nested, "parent"), tree_path.display().to_string());
    assert_eq!(family.held(Path::new(&text(&nested, "path"))).len(), 1);
    let states = states(&family, "workspace list --json");
    assert_eq!(states, ["active", "active", "failed", "active", "active"]);
}

#[test]
fn a_plain_directory_is_copied_and_shares_its_claims() {
    let env = crate::support::harness::Env::new();
    env.bd(["add", "Base", "--id", "bd-base"]).ok();
    env.write("file", "x");
    let run = env.bd(["workspace", "create", "--json"]).ok();
    let made = run.json();
    assert_eq!(text(&made, "kind"), "copy");
    assert!(made["notes"][0].as_str().unwrap().contains("not under version control"), "{made}");
    let path = PathBuf::from(text(&made, "path"));
    assert!(path.join("file").exists() && !path.join(".beads/run/leases.jsonl").exists());
    let inside = |line: &str| crate::support::checkouts::bd(&env, &path, line, &[("BD_AGENT", "bob")]);
    inside("claim bd-base").ok();
    let outside = env.bd(["leases", "--json"]).ok().json();
    assert_eq!(outside[0]["id"], "bd-base", "{outside}");
    // A file that anybody could have put there leads nowhere.
    let stranger = env.root().join("stranger");
    fs::create_dir_all(stranger.join(".beads/run")).unwrap();
    fs::write(stranger.join(".beads/beads.jsonl"), "").unwrap();
    fs::copy(path.join(".beads/run/home"), stranger.join(".beads/run/home")).unwrap();
    let place = crate::support::checkouts::bd(&env, &stranger, "where --json", &[]).ok().json();
    assert_eq!(text(&place, "state_home"), stranger.join(".beads/run").display().to_string());
}

#[test]
fn an_issue_that_is_in_no_commit_is_told_of() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "add New --id bd-new").ok();
    let (made, _) = make(&family, "--issue bd-new");
    assert!(made["notes"][0].as_str().unwrap().contains("bd-new is not in the ledger of the workspace"), "{made}");
    family.commit(&web);
    let (made, path) = make(&family, "--issue bd-new");
    assert_eq!(made["notes"].as_array().unwrap().len(), 0, "{made}");
    family.bd(&path, "show bd-new").ok();
}

/// An uncommitted ledger is not in a clone; the clone uses that of its parent.
#[test]
fn a_ledger_that_is_not_committed_is_shared() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.git(&web, "rm -rq --cached .beads").ok();
    fs::write(web.join(".git/info/exclude"), "/.beads/\n").unwrap();
    family.git(&web, "commit -qm private").ok();
    let (made, path) = make(&family, "--issue bd-base");
    assert!(made["notes"][0].as_str().unwrap().contains("not committed"), "{made}");
    assert_eq!(family.git(&path, "status --porcelain").ok().stdout, "");
    family.bd(&path, "add Inside --id bd-inside").ok();
    assert!(family.bd(&web, "list --json").ok().ids().contains(&"bd-inside".to_owned()));
}

#[test]
fn a_workspace_is_named_in_every_way() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let (made, path) = make(&family, "--issue bd-base --branch topic");
    let id = text(&made, "id");
    for name in [id.as_str(), &id[..7], &id[3..8], "bd-base", "topic", path.to_str().unwrap()] {
        let found = family.bd(&web, &format!("workspace path '{name}'")).ok().stdout;
        assert_eq!(found.trim_end(), path.display().to_string(), "{name}");
    }
    family.bd(&web, "workspace show nothing").fails(3, &["no workspace"]);
    make(&family, "--issue bd-base");
    family.bd(&web, "workspace path bd-base").fails(3, &["may be any of"]);
}

#[test]
fn what_a_job_is_told() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let odd = family.path("it's odd");
    let made = {
        let mut command = family.env().bd_command(BD);
        command.args(["workspace", "create", "--json", "--issue", "bd-base", "--path"]).arg(&odd);
        family.env().run(command, "create".to_owned(), None).ok().json()
    };
    let env = family.bd(&web, "workspace env bd-base").ok().stdout;
    let mut shell = family.env().command("/bin/sh");
    let script = format!(
        "{env}\nprintf '%s|' \"$BD_WORKSPACE\" \"$BD_WORKSPACE_DIR\" \"$BD_ISSUE\" \"$BD_STATE_DIR\" \"$BD_BRANCH\" \"$BD_PORT\" \"$BD_PORT_0\""
    );
    let said = shell.args(["-c", &script]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let port = made["port"].as_i64().unwrap();
    let home = web.join(".git/beads");
    assert_eq!(
        said,
        format!("{}|{}|bd-base|{}|bd/bd-base|{port}|{port}|", text(&made, "id"), odd.display(), home.display())
    );
    let json = family.bd(&web, "workspace env bd-base --json").ok().json();
    assert_eq!(text(&json, "BD_PORTS"), "10");
    assert_eq!(text(&json, "BD_BASE"), text(&made, "base_commit"));
}

/// The actor in a workspace: the agent that it was made for, unless named otherwise.
#[test]
fn a_workspace_says_who_acts() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    family.bd(&web, "agent register bob").ok();
    let made = family.bd_with(&web, "workspace create --json", &[("BD_AGENT", "bob")]).ok().json();
    let path = PathBuf::from(text(&made, "path"));
    let nameless = |directory: &Path, line: &str, vars: &[(&str, &str)]| -> Run {
        let mut command = family.env().bd_command(BD);
        command.env_remove("BD_ACTOR").env("USER", "someone").current_dir(directory).args(line.split(' '));
        command.envs(vars.iter().copied());
        family.env().run(command, line.to_owned(), None)
    };
    assert_eq!(text(&nameless(&path, "where --json", &[]).ok().json(), "agent"), "bob");
    assert!(nameless(&path, "where", &[]).ok().stdout.contains("You are     bob, the agent of this workspace"));
    nameless(&path, "claim bd-base", &[]).ok();
    let held = family.bd(&web, "leases --json").ok().json();
    assert_eq!(held[0]["holder"], "bob", "{held}");
    // Elsewhere, under another name, or when it is over: a person.
    assert!(nameless(&web, "where --json", &[]).ok().json()["agent"].is_null());
    assert!(nameless(&path, "where --json", &[("BD_ACTOR", "ann")]).ok().json()["agent"].is_null());
    assert_eq!(text(&nameless(&path, "where --json", &[("BD_AGENT", "eve")]).ok().json(), "agent"), "eve");
    family.bd(&web, &format!("workspace update {} --status idle", text(&made, "id"))).ok();
    assert!(nameless(&path, "where --json", &[]).ok().json()["agent"].is_null());
    family.bd(&web, &format!("workspace update {} --status active", text(&made, "id"))).ok();
    family.bd(&web, "agent unregister bob").ok();
    assert!(nameless(&path, "where --json", &[]).ok().json()["agent"].is_null());
}

/// A crash between the two records leaves something that has a name.
#[test]
fn a_killed_creation_leaves_its_record() {
    let Some(family) = Family::new() else { return };
    let web = family.web();
    let mut command = family.env().bd_command(BD);
    let mut child = command.args(["workspace", "create", "--setup", "sleep 600"]).spawn().unwrap();
    until("it begins", || directories(&family).len() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let all = family.bd(&web, "workspace list --json").ok().json();
    assert_eq!(text(&all[0], "state"), "creating", "{all}");
    assert!(Path::new(&text(&all[0], "path")).is_dir());
    let records = fs::read_to_string(web.join(".git/beads/workspaces.jsonl")).unwrap();
    assert!(records.contains(&format!("\"pid\":{}", child.id())), "{records}");
    // The program that it ran is not a child of the test.
    family
        .env()
        .command("/bin/sh")
        .args([
            "-c",
            "for p in /proc/[0-9]*; do [ \"$(readlink $p/cwd)\" = \"$1\" ] && kill ${p#/proc/}; done; true",
            "sh",
            &text(&all[0], "path"),
        ])
        .status()
        .unwrap();
}

/// Many at once: no two share a branch or a port, and no record is lost.
#[test]
fn many_are_made_at_once() {
    let Some(family) = Family::new() else { return };
    let run = || {
        let mut command = family.env().bd_command(BD);
        command.args(["workspace", "create", "--issue", "bd-base", "--json", "--new"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| run()).collect();
    let made: Vec<Value> = children
        .into_iter()
        .map(|child| {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            serde_json::from_slice(&output.stdout).unwrap()
        })
        .collect();
    let mut branches: Vec<String> = made.iter().map(|one| text(one, "branch")).collect();
    let mut ports: Vec<i64> = made.iter().map(|one| one["port"].as_i64().unwrap()).collect();
    branches.sort();
    branches.dedup();
    ports.sort_unstable();
    assert_eq!(branches.len(), 8, "{branches:?}");
    assert!(ports.windows(2).all(|pair| pair[0] + 10 <= pair[1]), "{ports:?}");
    assert_eq!(states(&family, "workspace list --json"), ["active"; 8]);
}
