//! Contents of a state home count only if this user put them there: an archive may bring personal settings, pointers
//! and logs, but never a mark listed in the user's own state. Reads work and warn, writes exit 10 and name `bd trust`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::cli::state::ledger_surroundings::is_root;
use crate::support::checkouts::{Family, bd};
use crate::support::harness::{Env, Run};
use crate::support::programs::{have, skip};
use crate::support::project::Project;
use crate::support::repos::{bd_in, ledger, put_issues, repo, sh};

/// The marks that this user has listed.
fn listed(env: &Env) -> usize {
    let text = fs::read_to_string(env.root().join("home/state/beads/trust.jsonl")).unwrap_or_default();
    text.lines().filter(|line| line.contains("\"key\":\"mark\"")).count()
}

/// As left by a version without marks: no state home has one, and the user lists none.
fn without_marks(env: &Env, homes: &[&Path]) {
    for home in homes {
        let _ = fs::remove_file(home.join("mark"));
    }
    let file = env.root().join("home/state/beads/trust.jsonl");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let kept = text.lines().filter(|line| !line.contains("\"key\":\"mark\"")).map(|line| format!("{line}\n"));
    let kept: String = kept.collect();
    if text != kept {
        fs::write(file, kept).unwrap();
    }
}

/// The read works, and says once that something is not known to be the user's.
#[track_caller]
fn warns(run: Run) -> Run {
    let run = run.ok();
    assert_eq!(run.stderr.matches("is not known to be yours").count(), 1, "{}", run.snapshot());
    assert!(run.stderr.contains("bd trust"), "{}", run.snapshot());
    run
}

/// The write is refused for want of a mark, and names the way on.
#[track_caller]
fn asks(run: Run) -> Run {
    run.fails(10, &["is not known to be yours", "bd trust"])
}

/// A project from elsewhere whose archive brought this as personal settings.
fn archive(settings: &str, versioned: bool) -> (Env, String) {
    let env = Env::new();
    put_issues(&env, "web", &["bd-own"]);
    repo(&env, "home/x", "x");
    put_issues(&env, "home/x", &["x-far"]);
    let home = if versioned { ".git/beads" } else { ".beads/run" };
    if versioned {
        sh(&env, "cd web && git init -q && git add -A && git commit -qm base");
    }
    env.write(&format!("{home}/config.toml"), settings);
    // Whatever its name, it is not listed.
    env.write(&format!("{home}/mark"), "mk_0123456789ab\n");
    (env, home.to_owned())
}

#[test]
fn a_command_that_an_archive_brings_is_not_run() {
    for versioned in [false, true] {
        if versioned && !have(&["git"]) {
            continue;
        }
        let (env, home) = archive("[workspace]\nsetup = \"touch $HOME/canary\"\n", versioned);
        let canary = env.root().join("home/canary");
        warns(env.bd(["list"]));
        for line in ["workspace create", "run bd-own --workspace -- true", "add One", "claim bd-own", "sync"] {
            asks(env.bd(line.split(' ')));
            assert!(!canary.exists(), "{line}");
        }
        let shown = env.bd(["trust", "--dry-run"]).ok();
        assert!(shown.stdout.contains("config.toml: workspace.setup = touch $HOME/canary"), "{}", shown.snapshot());
        assert!(shown.stdout.contains(&format!("{home}: not known to be yours")), "{}", shown.snapshot());
        let json = env.bd(["trust", "--dry-run", "--json"]).ok().json();
        assert_eq!(json["state_homes"][0]["known"], false, "{json}");
        assert_eq!(json["state_homes"][0]["says"][0], "config.toml: workspace.setup = touch $HOME/canary", "{json}");
        asks(env.bd(["workspace", "create"]));
        env.bd(["trust"]).ok();
        env.bd(["workspace", "create"]).ok();
        assert!(canary.exists(), "who agrees gets it");
    }
}

#[test]
fn what_an_archive_says_about_repos_and_roles_is_not_believed() {
    if !have(&["git"]) {
        return;
    }
    for settings in [
        "[repos]\nadditional = [\"~/x\"]\n",
        "[routing]\nmode = \"explicit\"\ndefault = \"~/x\"\n",
        "[routing]\nrole = \"maintainer\"\n",
        "[repos]\nprimary = \"~/x\"\n",
        "[workspace]\npath = \"~/x\"\n",
        "[state]\nmode = \"global\"\n",
        "mode = \"single\"\n",
    ] {
        let (env, _) = archive(settings, true);
        let far = ledger(&env, "home/x");
        let seen = warns(env.bd(["list"]));
        assert!(seen.stdout.contains("bd-own") && !seen.stdout.contains("x-far"), "{}", seen.snapshot());
        for line in [
            "add One",
            "update bd-own -p 0",
            "close bd-own",
            "config set lease.ttl 1h",
            "undo --yes",
            "commit",
            "check-leaks",
        ] {
            asks(env.bd(line.split(' ')));
        }
        assert!(!ledger(&env, "web").contains("One"), "{settings}");
        assert_eq!(ledger(&env, "home/x"), far, "{settings}");
        assert_eq!(listed(&env), 0);
        let origins = warns(env.bd(["config", "list", "--origin"]));
        assert!(origins.stdout.contains("not in effect: the file is not known to be yours"), "{}", origins.snapshot());
        env.bd(["trust"]).ok();
        env.bd(["list"]).ok();
        assert_eq!(listed(&env), 1);
    }
    // Settings that decide nothing count as in the committed file.
    let (env, _) = archive("[lease]\nttl = \"1h\"\n", true);
    assert_eq!(env.bd(["list"]).ok().stderr, "");
    env.bd(["add", "One"]).ok();
}

#[test]
fn an_archive_of_hg_is_no_better() {
    if !have(&["hg"]) {
        return;
    }
    let (env, _) = archive("", false);
    sh(&env, "cd web && rm -rf .beads/run && hg init");
    env.write(".hg/beads/config.toml", "[workspace]\nsetup = \"touch $HOME/canary\"\n");
    warns(env.bd(["list"]));
    asks(env.bd(["workspace", "create"]));
    let shown = env.bd(["trust", "--dry-run"]).ok();
    assert!(shown.stdout.contains("workspace.setup"), "{}", shown.snapshot());
    assert!(!env.root().join("home/canary").exists());
}

#[test]
fn a_mark_is_never_taken_over() {
    if !have(&["git"]) {
        return;
    }
    let (env, home) = archive("[routing]\nrole = \"maintainer\"\n", true);
    env.bd(["trust"]).ok();
    // The second archive contains what the first one brought.
    fs::create_dir(env.root().join("again")).unwrap();
    sh(&env, "cd again && git init -q && mkdir .beads && cp ../web/.beads/beads.jsonl .beads/");
    let again = env.root().join("again").join(&home);
    fs::create_dir(&again).unwrap();
    fs::write(again.join("config.toml"), "[routing]\nrole = \"maintainer\"\n").unwrap();
    fs::write(again.join("mark"), "mk_0123456789ab\n").unwrap();
    asks(bd_in(&env, "again", ["add", "One"]));
    // A link to a state home that is the user's makes nothing of this one the user's.
    fs::remove_dir_all(&again).unwrap();
    symlink(env.path(&home), &again).unwrap();
    bd_in(&env, "again", ["add", "One"]).fails(1, &["it is a link"]);
    assert!(!ledger(&env, "again").contains("One"));
}

#[test]
fn a_mark_survives_moves_copies_and_edits_by_hand() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    assert_eq!(listed(env), 1);
    env.bd(["add", "Private"]).ok();
    let file = env.path(".git/beads/config.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("# by hand\n{text}\n[lease]\nttl = \"1h\"\n")).unwrap();
    env.bd(["add", "After an edit"]).ok();
    sh(env, "cp -r web copy && mv web moved");
    for place in ["moved", "copy"] {
        let filed = bd_in(env, place, ["add", "After a move", "--json"]).ok().json();
        assert_eq!(filed["source_repo"], "~/.beads-planning", "{filed}");
    }
    assert_eq!(listed(env), 1);
}

/// A user's project with a private issue, and an archive beside it whose pointer leads to the state home of that.
fn led_astray(lines: impl Fn(&Env) -> String) -> Option<Project> {
    let project = Project::new()?;
    let env = &project.env;
    env.bd(["add", "Private", "--id", "pl-secret"]).ok();
    fs::create_dir(env.root().join("archive")).unwrap();
    sh(env, "cd archive && git init -q && mkdir -p .beads .git/beads && cp ../web/.beads/beads.jsonl .beads/");
    fs::write(env.root().join("archive/.git/beads/home"), lines(env)).unwrap();
    Some(project)
}

#[test]
fn a_pointer_leads_only_where_the_checkout_is_known() {
    let root = |env: &Env| env.root().display().to_string();
    type Way = (&'static str, fn(&str) -> String);
    let ways: [Way; 3] = [
        ("the state home of another project", |root| format!("{root}/web/.git/beads\n{root}/web\n")),
        ("that alone", |root| format!("{root}/web/.git/beads\n")),
        ("one that the archive brings", |root| format!("{root}/archive/fake\n{root}/web\n")),
    ];
    for (way, lines) in ways {
        let Some(project) = led_astray(|env| lines(&root(env))) else { return };
        let env = &project.env;
        let fake = env.root().join("archive/fake");
        fs::create_dir(&fake).unwrap();
        let record = format!("{{\"id\":\"ws_0123456789ab\",\"path\":\"{}/archive\"}}\n", root(env));
        fs::write(fake.join("workspaces.jsonl"), record).unwrap();
        let place = bd_in(env, "archive", ["where", "--json"]).ok().json();
        let own = env.root().join("archive/.git/beads").display().to_string();
        assert_eq!(place["state_home"], own, "{way}: {place}");
        let seen = bd_in(env, "archive", ["list"]).ok();
        assert!(!seen.stdout.contains("pl-secret"), "{way}: {}", seen.snapshot());
        assert_eq!(seen.stderr.matches("which does not know it").count(), 1, "{way}: {}", seen.snapshot());
        let before = fs::read_dir(env.path(".git/beads")).unwrap().count();
        for line in ["add One", "claim bd-base", "workspace create"] {
            bd_in(env, "archive", line.split(' ')).fails(10, &["which does not know it", "bd trust --dry-run"]);
        }
        assert_eq!(fs::read_dir(env.path(".git/beads")).unwrap().count(), before, "{way}");
        // Nor is it of the family: a redirect does not lead there either.
        fs::remove_dir_all(env.root().join("archive/.beads")).unwrap();
        fs::create_dir(env.root().join("archive/.beads")).unwrap();
        fs::write(env.root().join("archive/.beads/redirect"), format!("{}/web/.beads\n", root(env))).unwrap();
        let refused = bd_in(env, "archive", ["list"]);
        assert_ne!(refused.code, 0, "{way}: {}", refused.snapshot());
    }
}

#[test]
fn a_workspace_that_was_moved_by_hand_is_still_known() {
    let Some(family) = Family::new() else { return };
    let made = family.bd(&family.web(), "workspace create --json").ok().json();
    let to = family.path("moved");
    fs::rename(made["path"].as_str().unwrap(), &to).unwrap();
    let place = family.bd(&to, "where --json").ok().json();
    assert_eq!(place["state_home"], family.web().join(".git/beads").display().to_string(), "{place}");
    family.bd(&to, "add One").ok();
}

#[test]
fn an_undo_log_speaks_for_what_lies_beside_it() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    repo(env, "home/x", "x");
    put_issues(env, "home/x", &["x-far"]);
    let far = ledger(env, "home/x");
    let line = far.trim_end().replace('\\', "\\\\").replace('"', "\\\"");
    let (root, at) = (env.root(), "2030-01-01T00:00:00Z");
    let part = |ledger: &str, more: &str| {
        format!(
            "{{\"write\":\"w\",\"from\":\"{0}/web/.beads\",\"ledger\":\"{0}/{ledger}\",\"at\":\"{at}\",\"actor\":\"ann\"{more},\"changes\":[{{\"id\":\"x-far\",\"after\":\"{line}\"}}]}}\n",
            root.display()
        )
    };
    let log = env.path(".git/beads/writes.jsonl");
    fs::write(&log, part("home/x/.beads/beads.jsonl", "")).unwrap();
    let refused = env.bd(["undo", "--yes"]);
    assert!(refused.code == 9, "{}", refused.snapshot());
    assert_eq!(ledger(env, "home/x"), far);
    // It may not bring a repo into view either.
    let guests = format!(",\"guests\":[\"{}/home/x/.beads/beads.jsonl\"]", root.display());
    fs::write(&log, part("web/.beads/beads.jsonl", &guests)).unwrap();
    asks(env.bd(["undo", "--yes"]));
    // Nor after the user has joined that repo for good.
    env.given("config --add-repo ~/x --user");
    fs::write(&log, part("home/x/.beads/beads.jsonl", "")).unwrap();
    env.bd(["undo", "--yes"]).fails(9, &[]);
    assert_eq!(ledger(env, "home/x"), far);
}

#[test]
fn hooks_are_not_taken_out_where_an_archive_says() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    sh(env, "mkdir other && cd other && git init -q && mkdir .beads && cp ../web/.beads/beads.jsonl .beads/");
    bd_in(env, "other", ["hooks", "install"]).ok();
    let hook = env.root().join("other/.git/hooks/pre-commit");
    let before = fs::read(&hook).unwrap();
    let manifest = fs::read_to_string(env.root().join("other/.git/beads/hooks.json")).unwrap();
    fs::create_dir_all(env.path(".git/beads")).unwrap();
    fs::write(env.path(".git/beads/hooks.json"), manifest).unwrap();
    for line in ["hooks uninstall", "hooks install"] {
        asks(env.bd(line.split(' ')));
        assert_eq!(fs::read(&hook).unwrap(), before, "{line}");
    }
    bd_in(env, "other", ["hooks", "uninstall"]).ok();
    assert!(!hook.exists());
}

/// A contributor by user-level settings, whose project was never set up.
fn user_level() -> Option<Project> {
    let project = Project::single()?;
    let env = &project.env;
    repo(env, "home/plan", "pl");
    project.git("remote add origin https://example.org/web.git").ok();
    env.given("config set routing.mode auto --user\nconfig set routing.auto.contributor ~/plan --user");
    let filed = env.bd(["add", "Private", "--id", "pl-one", "--json"]).ok().json();
    assert_eq!(filed["source_repo"], "~/plan", "{filed}");
    Some(project)
}

#[test]
fn a_pulled_file_makes_no_maintainer_of_a_contributor() {
    for (pulled, told) in [
        ("[routing]\nrole = \"maintainer\"\n", true),
        ("mode = \"single\"\n", true),
        ("[routing]\nmode = \"single\"\n", true),
        ("[routing]\nmode = \"explicit\"\ndefault = \".\"\n", true),
        ("[routing.auto]\ncontributor = \".\"\n", true),
        ("[routing]\nmaintainers = [\"t@example.org\"]\n", false),
        ("[routing.auto]\nmaintainer = \".\"\n", false),
        ("[repos]\nexclude = [\"~/plan\"]\n", true),
    ] {
        let Some(project) = user_level() else { return };
        let env = &project.env;
        project.stage(".beads/config.toml", &format!("issue_prefix = \"bd\"\n{pulled}"));
        project.git("commit -qm pulled").ok();
        let before = env.ledger();
        let filed = env.bd(["add", "Secret", "--json"]).ok();
        assert_eq!(filed.json()["source_repo"], "~/plan", "{pulled}: {}", filed.snapshot());
        assert_eq!(env.ledger(), before, "{pulled}");
        env.bd(["update", "bd-base", "-p", "0"]).fails(5, &["you are a contributor"]);
        let seen = env.bd(["list"]).ok();
        assert!(seen.stdout.contains("pl-one"), "{pulled}: {}", seen.snapshot());
        assert_eq!(!seen.stderr.is_empty(), told, "{pulled}: {}", seen.snapshot());
        // The guard still knows what is private.
        project.stage("notes.jsonl", &ledger(env, "home/plan"));
        env.bd(["check-leaks"]).fails(8, &[]);
        let role = env.bd(["role"]).ok();
        assert!(role.stdout.starts_with("contributor"), "{pulled}: {}", role.snapshot());
        if pulled.contains("maintainers") {
            assert!(role.stderr.contains("does not count once you have joined"), "{}", role.snapshot());
        }
        if !pulled.contains("exclude") {
            let origins = env.bd(["config", "list", "--origin"]).ok();
            assert!(origins.stdout.contains("not in effect: the committed file"), "{pulled}: {}", origins.snapshot());
        }
    }
}

/// Without a named target the only repo that the user joined is the planning repo; a pulled file cannot make it one of two.
#[test]
fn a_pulled_file_adds_nothing_to_choose_from() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    repo(env, "home/plan", "pl");
    repo(env, "web/inner", "in");
    project.git("remote add origin https://example.org/web.git").ok();
    env.given("config set routing.mode auto --user\nconfig set repos.additional ~/plan --user");
    env.bd(["add", "Private", "--id", "pl-one"]).ok();
    project.stage(".beads/config.toml", "issue_prefix = \"bd\"\n[repos]\nadditional = [\"inner\"]\n");
    project.git("commit -qm pulled").ok();
    let filed = env.bd(["add", "Secret", "--json"]).ok();
    assert_eq!(filed.json()["source_repo"], "~/plan", "{}", filed.snapshot());
    project.stage("notes.jsonl", &ledger(env, "home/plan"));
    env.bd(["check-leaks"]).fails(8, &[]);
}

#[test]
fn a_shared_file_still_decides_for_those_who_joined_nothing() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("remote add origin https://example.org/web.git").ok();
    repo(env, "web/inner", "in");
    project.stage(
        ".beads/config.toml",
        "issue_prefix = \"bd\"\n[repos]\nadditional = [\"inner\"]\n[routing]\nmode = \"auto\"\nmaintainers = [\"t@example.org\"]\n",
    );
    let run = env.bd(["add", "Public", "--json"]).ok();
    assert_eq!((run.json()["source_repo"].as_str(), run.stderr.as_str()), (Some("."), ""), "{}", run.snapshot());
    // It may leave out a repo that it joined itself.
    put_issues(env, "web/inner", &["in-one"]);
    assert!(env.bd(["list"]).ok().stdout.contains("in-one"));
    env.write(".beads/config.toml", "[repos]\nadditional = [\"inner\"]\nexclude = [\"inner\"]\n");
    assert!(!env.bd(["list"]).ok().stdout.contains("in-one"));
}

/// Runs `bd` with another idea of where the user's state is.
fn elsewhere(env: &Env, line: &str, state: Option<&Path>) -> Run {
    let mut command = env.bd_command(crate::support::harness::BD);
    command.args(crate::support::harness::words(line)).env_remove("XDG_STATE_HOME");
    match state {
        Some(path) => command.env("XDG_STATE_HOME", path),
        None => command.env_remove("HOME"),
    };
    env.run(command, format!("bd {line}"), None)
}

#[test]
fn a_plain_repo_needs_no_mark_and_no_place_for_one() {
    let file = |env: &Env| env.write("../file", "x");
    let sealed = |env: &Env| {
        let path = env.root().join("sealed");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
        path
    };
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    for state in [None, Some(file(env)), Some(sealed(env))] {
        for line in [
            "list",
            "add One --id bd-one",
            "update bd-one -p 0",
            "claim bd-one --agent bob",
            "close bd-one --agent bob",
            "undo --yes --agent bob",
            "delete bd-one --force",
            "ready",
        ] {
            let run = elsewhere(env, line, state.as_deref());
            assert!(run.code == 0 || line.starts_with("delete"), "{state:?}: {}", run.snapshot());
            assert!(!run.stderr.contains("yours"), "{state:?}: {}", run.snapshot());
        }
        fs::remove_dir_all(env.path(".git/beads")).unwrap();
        project.git("checkout -q .").ok();
    }
    assert_eq!(listed(env), 0, "a plain repo leaves nothing with the user");
}

#[test]
fn a_new_home_no_home_and_one_that_cannot_be_written_are_told_what_to_do() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.bd(["add", "Private", "--id", "pl-one"]).ok();
    let file = env.write("../file", "x");
    let fresh = env.root().join("fresh");
    let before = (env.ledger(), ledger(env, "home/.beads-planning"));
    for state in [Some(fresh.as_path()), Some(file.as_path()), None] {
        let seen = warns(elsewhere(env, "list", state));
        assert!(seen.stdout.contains("bd-base"), "{}", seen.snapshot());
        asks(elsewhere(env, "add Secret", state));
        asks(elsewhere(env, "update bd-base -p 0", state));
        let confirmed = elsewhere(env, "trust", state);
        if state == Some(fresh.as_path()) {
            confirmed.ok();
            continue;
        }
        confirmed.fails(1, &["cannot record that something is yours", "set HOME or XDG_STATE_HOME"]);
        // For one command the environment does without.
        let plain = elsewhere(env, "config set routing.role contributor --personal", state);
        assert_eq!(plain.code, 10, "{}", plain.snapshot());
    }
    assert_eq!((env.ledger(), ledger(env, "home/.beads-planning")), before);
    let filed = elsewhere(env, "add Secret --json", Some(&fresh)).ok().json();
    assert_eq!(filed["source_repo"], "~/.beads-planning", "{filed}");
    // The first home has kept its own mark.
    env.bd(["add", "Another"]).ok();
    // Settings that could not be noted as the user's are not written at all.
    let Some(other) = Project::single() else { return };
    let env = &other.env;
    let file = env.write("../file", "x");
    for state in [Some(file.as_path()), None] {
        let refused = elsewhere(env, "config set routing.role maintainer --personal", state);
        refused.fails(1, &["cannot record that something is yours", "set HOME or XDG_STATE_HOME"]);
        assert!(!env.path(".git/beads/config.toml").exists());
    }
}

#[test]
fn a_contributor_s_set_up_of_before_is_confirmed_once() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    project.git("remote add origin https://example.org/web.git").ok();
    env.bd(["hooks", "install"]).ok();
    env.bd(["add", "Private", "--id", "pl-one"]).ok();
    without_marks(env, &[&env.path(".git/beads")]);
    let before = (env.ledger(), ledger(env, "home/.beads-planning"));
    // Nothing leaks: what is private is not known, so nothing is committed.
    project.stage("notes.jsonl", &before.1);
    let mut commit = env.command("git");
    commit.args(["commit", "-qm", "leak"]).env("PATH", path_with_bd());
    let refused = project.run(commit, "commit -qm leak");
    assert!(refused.code != 0 && refused.stderr.contains("bd trust"), "{}", refused.snapshot());
    project.git("rm -q --cached -f notes.jsonl").ok();
    warns(env.bd(["list"]));
    for line in ["add Secret", "update pl-one -p 0", "propose pl-one", "sync", "undo --yes", "config --routing auto"] {
        let run = env.bd(line.split(' '));
        assert!(matches!(run.code, 3 | 10), "{}", run.snapshot());
    }
    assert_eq!((env.ledger(), ledger(env, "home/.beads-planning")), before, "nothing is lost");
    env.bd(["trust"]).ok();
    let run = env.bd(["add", "Secret", "--json"]).ok();
    assert_eq!((run.json()["source_repo"].as_str(), run.stderr.as_str()), (Some("~/.beads-planning"), ""));
    assert_eq!(env.bd(["list"]).ok().stderr, "");
    env.bd(["check-leaks"]).ok();
    env.bd(["hooks", "uninstall"]).ok();
}

/// A `PATH` on which `bd` is this one.
fn path_with_bd() -> std::ffi::OsString {
    let own = Path::new(crate::support::harness::BD).parent().unwrap().to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&rest))).unwrap()
}

#[test]
fn a_maintainer_s_set_up_of_before_is_confirmed_once() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("remote add origin https://example.org/web.git").ok();
    env.given("init --maintainer --quiet\nconfig set routing.mode auto --shared");
    env.bd(["add", "Public", "--id", "bd-two"]).ok();
    without_marks(env, &[&env.path(".git/beads")]);
    let before = env.ledger();
    let seen = warns(env.bd(["list"]));
    assert!(seen.stdout.contains("bd-two"), "{}", seen.snapshot());
    asks(env.bd(["update", "bd-two", "-p", "0"]));
    assert_eq!(env.ledger(), before);
    env.bd(["trust"]).ok();
    let run = env.bd(["update", "bd-two", "-p", "0"]).ok();
    assert_eq!(run.stderr, "");
    env.bd(["undo", "--yes"]).ok();
    assert!(env.bd(["show", "bd-two", "--json"]).ok().json()[0]["priority"] == 2);
}

#[test]
fn an_agent_s_set_up_of_before_is_confirmed_once() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    env.bd(["add", "Task", "--id", "pl-one"]).ok();
    env.bd(["agent", "register", "bob"]).ok();
    let made = env.bd(["workspace", "create", "--json"]).ok().json();
    let at = Path::new(made["path"].as_str().unwrap()).to_owned();
    let home = env.path(".git/beads");
    let job = [("BD_AGENT", "bob")];
    bd(env, &at, "claim pl-one", &job).ok();
    without_marks(env, &[&home]);
    // The pointer needs no agreement: the parent knows the workspace. Private settings are still not trusted.
    let place = bd(env, &at, "where --json", &job).ok().json();
    assert_eq!(place["state_home"], home.display().to_string(), "{place}");
    warns(bd(env, &at, "list", &job));
    let before = ledger(env, "home/.beads-planning");
    asks(bd(env, &at, "add Found", &job));
    asks(bd(env, &at, "workspace create", &job));
    assert_eq!(ledger(env, "home/.beads-planning"), before);
    // Said in one of the checkouts it holds for all.
    bd(env, &at, "trust", &job).ok();
    let run = bd(env, &at, "add Found --json", &job).ok();
    assert_eq!((run.json()["source_repo"].as_str(), run.stderr.as_str()), (Some("~/.beads-planning"), ""));
    assert_eq!(env.bd(["list"]).ok().stderr, "");
    bd(env, &at, "note pl-one words", &job).ok();
    assert_eq!(env.bd(["leases", "--json"]).ok().json()[0]["id"], "pl-one");
    // A job that was given the state home may rely on it.
    without_marks(env, &[&home]);
    let told = [("BD_AGENT", "bob"), ("BD_STATE_DIR", home.to_str().unwrap()), ("BD_WORKSPACE", "ws_0123456789ab")];
    bd(env, &at, "note pl-one more", &told).ok();
}

const QUESTION: &str = "Did you put this there with bd?";

fn on_a_terminal(env: &Env, answer: &str, line: &str) -> Run {
    let mut command = env.bd_command("script");
    let log = env.root().join("typescript");
    command.args(["-qec", &format!("{} {line}", crate::support::harness::BD)]).arg(&log).env("TERM", "dumb");
    env.run(command, format!("bd {line}"), Some(answer))
}

#[test]
fn a_state_directory_of_another_user_is_nobody_s_word() {
    if !have(&["script"]) || !is_root() && !skip("only root can give a directory to another user") {
        return;
    }
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let home = env.path(".git/beads");
    without_marks(env, &[&home]);
    for path in [home.clone(), home.join("config.toml")] {
        std::os::unix::fs::chown(path, Some(65534), None).unwrap();
    }
    let run = on_a_terminal(env, "yes\n", "add Secret");
    assert!(run.code == 10 && !run.stdout.contains(QUESTION), "{}", run.snapshot());
    warns(env.bd(["list"]));
    asks(env.bd(["add", "Secret"]));
    // A user who knows better says so, and the list of their marks may be in someone else's directory.
    let own = env.root().join("home/state/beads");
    fs::create_dir_all(&own).unwrap();
    std::os::unix::fs::chown(&own, Some(65534), None).unwrap();
    env.bd(["trust"]).ok();
    env.bd(["add", "Secret"]).ok();
    assert!(ledger(env, "home/.beads-planning").contains("Secret") && !env.ledger_text().contains("Secret"));
}

#[test]
fn a_person_is_asked_once() {
    if !have(&["script"]) {
        return;
    }
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    without_marks(env, &[&env.path(".git/beads")]);
    let typed = |answer: &str, line: &str| on_a_terminal(env, answer, line);
    let run = typed("\n", "add Secret");
    assert!(run.stdout.contains(QUESTION) && run.stdout.contains("routing.role = contributor"), "{}", run.snapshot());
    assert_eq!(run.code, 10, "{}", run.snapshot());
    let run = typed("yes\n", "add Secret");
    assert!(run.stdout.contains(QUESTION), "{}", run.snapshot());
    assert_eq!(run.code, 0, "{}", run.snapshot());
    assert!(ledger(env, "home/.beads-planning").contains("Secret"));
    let run = typed("", "add Another");
    assert!(run.code == 0 && !run.stdout.contains(QUESTION), "{}", run.snapshot());
}

#[test]
fn paths_of_this_machine_stay_out_of_the_committed_file() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    // Everything is below the home directory, as projects usually are.
    env.set("HOME", env.root());
    repo(env, "lib", "lib");
    repo(env, "plan", "pl");
    env.bd(["repo", "add", "../lib"]).ok();
    let shared = || fs::read_to_string(env.path(".beads/config.toml")).unwrap();
    assert!(shared().contains("additional = [\"../lib\"]"), "{}", shared());
    // From a directory below, it is written as the root sees it.
    fs::create_dir(env.path("src")).unwrap();
    repo(env, "lib2", "lib2");
    bd_in(env, "web/src", ["repo", "add", "../../lib2"]).ok();
    assert!(shared().contains("\"../lib2\""), "{}", shared());
    // A planning repo is only for its user.
    let before = shared();
    let run = env.bd(["config", "--add-repo", "~/plan", "--routing", "auto"]).ok();
    assert!(run.stdout.contains("(personal)") && !run.stdout.contains("(shared)"), "{}", run.snapshot());
    assert_eq!(shared(), before);
    project.git("add -A").ok();
    env.bd(["check-leaks"]).ok();
    env.bd(["config", "set", "workspace.path", &env.root().join("spaces").display().to_string()]).ok();
    assert_eq!(shared(), before);
    // With an explicit flag, the path is stored as others can use it.
    env.bd(["repo", "add", "~/plan", "--shared"]).ok();
    assert!(!shared().contains('~'), "{}", shared());
}

#[test]
fn trusting_what_is_missing_says_so() {
    let env = Env::new();
    env.write(".beads/config.toml", "[repos]\nadditional = [\"../gone\"]\n");
    let run = env.bd(["config", "trust", "--dry-run"]).ok();
    assert!(run.stdout.contains("the directory does not exist yet"), "{}", run.snapshot());
    let json = env.bd(["config", "trust", "--json"]).ok().json();
    assert_eq!(json["trusted"][0]["missing"], true, "{json}");
}
