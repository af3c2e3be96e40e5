//! Repos and settings that something is wrong with: named, left out or refused, while the rest keeps working and no byte is
//! lost.

use std::os::unix::fs::symlink;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, put_file};
use crate::support::programs::have;
use crate::support::repos::{bd_in, contributing, issues, joined, ledger, ledger_path, put_issues, repo, sh};

/// Joins further repos beside `~/plan` by the personal settings, which need no trust.
fn join(env: &Env, paths: &[&str]) {
    let paths = [&["~/plan"], paths].concat();
    env.write(".beads/run/config.toml", format!("[repos]\nadditional = {paths:?}\n"));
}

/// Only the project's issue and the one of `~/plan` are shown, this is said once, and both repos can be written.
#[track_caller]
fn the_rest_works(env: &Env, said: &str) {
    let said = said.replace("$ROOT", env.root().to_str().unwrap());
    for line in ["list --json", "ready --json"] {
        let run = env.bd(line.split(' ')).ok();
        let mut ids = run.ids();
        ids.sort();
        assert_eq!(ids, ["bd-own", "plan-far"], "{}", run.snapshot());
        assert_eq!(run.talk(), format!("{said}\n"), "{}", run.snapshot());
    }
    env.bd(["update", "bd-own", "plan-far", "-p", "0"]).ok();
    assert!(env.ledger_text().contains("\"priority\":0"));
    assert!(ledger(env, "home/plan").contains("\"priority\":0"));
    env.bd(["add", "New", "--id", "bd-new"]).ok();
}

#[test]
fn a_repo_that_is_not_there() {
    let env = joined();
    join(&env, &["~/gone"]);
    the_rest_works(
        &env,
        "1 joined repo is not in use: ~/gone (missing); create it or run `bd repo clone`; `bd repo remove` leaves one out",
    );
    assert!(!env.root().join("home/gone").exists(), "nothing is made");
}

#[test]
fn a_repo_comes_back() {
    let env = joined();
    std::fs::rename(env.root().join("home/plan"), env.root().join("home/away")).unwrap();
    let run = env.bd(["list", "--json"]).ok();
    assert_eq!(run.ids(), ["bd-own"]);
    assert!(run.talk().contains("~/plan (missing)"), "{}", run.snapshot());
    std::fs::rename(env.root().join("home/away"), env.root().join("home/plan")).unwrap();
    let run = env.bd(["list", "--json"]).ok();
    assert_eq!((run.ids().len(), run.stderr.as_str()), (2, ""));
}

#[test]
fn a_directory_that_is_no_repo() {
    let env = joined();
    std::fs::create_dir(env.root().join("home/empty")).unwrap();
    join(&env, &["~/empty"]);
    the_rest_works(
        &env,
        "1 joined repo is not in use: ~/empty (without a ledger); run `bd init` there; `bd repo remove` leaves one out",
    );
    assert_eq!(std::fs::read_dir(env.root().join("home/empty")).unwrap().count(), 0, "nothing is made");
}

#[test]
fn a_file_instead_of_a_repo() {
    let env = joined();
    env.write("../home/notes.txt", "mine");
    join(&env, &["~/notes.txt"]);
    the_rest_works(
        &env,
        "repos.additional names ~/notes.txt: that is a file, not a directory; its issues are left out",
    );
    assert_eq!(std::fs::read_to_string(env.root().join("home/notes.txt")).unwrap(), "mine");
}

#[test]
fn a_link_that_leads_nowhere() {
    let env = joined();
    symlink("nowhere", env.root().join("home/link")).unwrap();
    join(&env, &["~/link"]);
    the_rest_works(
        &env,
        "1 joined repo is not in use: ~/link (missing); create it or run `bd repo clone`; `bd repo remove` leaves one out",
    );
}

#[test]
fn a_beads_directory_without_a_ledger() {
    let env = joined();
    std::fs::create_dir_all(env.root().join("home/bare/.beads")).unwrap();
    join(&env, &["~/bare"]);
    let run = env.bd(["list", "--json"]).ok();
    assert_eq!(run.ids().len(), 2);
    assert!(run.talk().contains("~/bare"), "{}", run.snapshot());
    env.bd(["add", "New", "--repo", "~/bare"]).fails(9, &["~/bare/.beads"]);
    assert_eq!(std::fs::read_dir(env.root().join("home/bare/.beads")).unwrap().count(), 0);
    env.bd(["update", "bd-own", "plan-far", "-p", "0"]).ok();
}

#[test]
fn a_ledger_that_cannot_be_read() {
    const ODD: [(&str, &str); 3] = [
        ("a directory", "mkdir beads.jsonl"),
        ("a FIFO", "mkfifo beads.jsonl"),
        ("a link that leads nowhere", "ln -s nowhere.jsonl beads.jsonl"),
    ];
    for (what, make) in ODD {
        let env = joined();
        repo(&env, "home/odd", "odd");
        sh(&env, &format!("cd home/odd/.beads; rm beads.jsonl; {make}"));
        join(&env, &["~/odd"]);
        let run = env.bd(["list", "--json", "--sort", "id"]).ok();
        assert_eq!(run.ids(), ["bd-own", "plan-far"], "{what}: {}", run.snapshot());
        assert!(run.talk().contains("~/odd"), "{what}: {}", run.snapshot());
        assert_eq!(run.talk().lines().count(), 1, "{what}: {}", run.snapshot());
        let refused = env.bd(["add", "New", "--repo", "~/odd"]);
        assert!(![0, 70].contains(&refused.code), "{what}: {}", refused.snapshot());
        env.bd(["update", "bd-own", "plan-far", "-p", "0"]).ok();
    }
}

#[test]
fn a_repo_that_is_listed_twice() {
    let env = joined();
    repo(&env, "home/other", "other");
    symlink("other", env.root().join("home/alias")).unwrap();
    join(&env, &["~/other", "~/other"]);
    the_rest_works(&env, "repos.additional lists ~/other twice (~/other and ~/other); it counts once");
    join(&env, &["~/other", "~/alias"]);
    let run = env.bd(["list"]).ok();
    assert_eq!(run.stderr, "warning: repos.additional lists ~/other twice (~/other and ~/alias); it counts once\n");
}

#[test]
fn a_repo_inside_another_s_working_copy() {
    if !have(&["git"]) {
        return;
    }
    let env = joined();
    repo(&env, "web/nested", "nested");
    put_issues(&env, "web/nested", &["nested-1"]);
    sh(&env, "git init -q web; git init -q web/nested");
    env.given(
        "config trust
         config --add-repo nested",
    );
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "nested-1", "plan-far"]);
    assert_eq!(run.talk(), "nested is inside the working copy of ., so its files can be committed there by accident\n");
    env.bd(["update", "nested-1", "-p", "0"]).ok();
}

#[test]
fn two_ledgers_in_a_joined_repo() {
    let env = joined();
    let other = env.root().join("home/plan/.beads/issues.jsonl");
    put_file(&other, issues(&["plan-second"]).as_bytes());
    let first = ledger(&env, "home/plan");
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "plan-far", "plan-second"], "{}", run.snapshot());
    for line in ["update plan-far -p 0", "close plan-second", "add New --repo plan", "add Child --parent plan-far"] {
        env.bd(line.split(' ')).fails(8, &["~/plan/.beads has two ledgers, beads.jsonl and issues.jsonl"]);
    }
    assert_eq!(ledger(&env, "home/plan"), first);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), issues(&["plan-second"]));
    env.bd(["update", "bd-own", "-p", "0"]).ok();
    env.bd(["add", "New", "--id", "bd-new"]).ok();
}

#[test]
fn a_torn_ledger_of_a_joined_repo() {
    let env = joined();
    let torn = format!("{}{{\"id\":\"plan-cut\",\"tit", issues(&["plan-far"]));
    put_file(&ledger_path(&env, "home/plan"), torn.as_bytes());
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "plan-far"]);
    assert!(run.talk().contains("home/plan/.beads/beads.jsonl:2"), "{}", run.snapshot());
    env.bd(["update", "plan-far", "-p", "0"]).fails(8, &["~/plan/.beads/beads.jsonl"]);
    env.bd(["add", "New", "--repo", "plan"]).fails(8, &[]);
    assert_eq!(ledger(&env, "home/plan"), torn);
    env.bd(["update", "bd-own", "-p", "0"]).ok();
    env.bd(["add", "New", "--id", "bd-new"]).ok();
}

#[test]
fn a_conflict_in_a_joined_repo() {
    let env = joined();
    let (ours, theirs) = (issues(&["plan-far"]), issues(&["plan-far"]).replace("PLAN-FAR", "Theirs"));
    let text = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> branch\n{}", issues(&["plan-z"]));
    put_file(&ledger_path(&env, "home/plan"), text.as_bytes());
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ["bd-own", "plan-far", "plan-z"]);
    assert!(run.talk().contains("home/plan/.beads/beads.jsonl:1"), "{}", run.snapshot());
    for line in ["update plan-far -p 0", "add New --repo plan", "migrate --move-to . --filter id=plan-far"] {
        env.bd(line.split(' ')).fails(8, &["~/plan/.beads/beads.jsonl"]);
    }
    assert_eq!(ledger(&env, "home/plan"), text);
    env.bd(["migrate", "--move-to", "plan", "--filter", "id=bd-own"]).fails(8, &[]);
    assert!(env.ledger_text().contains("bd-own"), "what cannot arrive does not leave");
    env.bd(["update", "bd-own", "-p", "0"]).ok();
}

#[test]
fn a_joined_repo_whose_own_config_is_broken() {
    let env = joined();
    std::fs::write(env.root().join("home/plan/.beads/config.toml"), "issue_prefix = \n").unwrap();
    let before = ledger(&env, "home/plan");
    let run = env.bd(["list", "--json"]).ok();
    assert_eq!(run.ids().len(), 2);
    assert!(run.talk().contains("home/plan/.beads/config.toml:1:16: "), "{}", run.snapshot());
    env.bd(["update", "plan-far", "-p", "0"]).fails(1, &["~/plan/.beads/config.toml:1:16: "]);
    env.bd(["add", "New", "--repo", "plan"]).fails(1, &["~/plan/.beads/config.toml:1:16: "]);
    assert_eq!(ledger(&env, "home/plan"), before);
    env.bd(["update", "bd-own", "-p", "0"]).ok();
}

#[test]
fn a_settings_file_that_cannot_be_read() {
    for (file, shown, flag) in [
        ("web/.beads/config.toml", ".beads/config.toml", "--shared"),
        ("web/.beads/run/config.toml", ".beads/run/config.toml", "--personal"),
        ("home/config/beads/config.toml", "~/config/beads/config.toml", "--user"),
    ] {
        let env = Env::new();
        put_issues(&env, "web", &["bd-own"]);
        let text = "[routing]\nmode = \"single\"\n  role = king\n";
        env.write(&format!("../{file}"), text);
        let path = env.root().join(file);
        let place = format!("{shown}:3:10: ");
        let before = env.ledger();
        for line in ["list", "ready", "show bd-own", "search OWN", "stats", "config list", "repo list", "role", "where"]
        {
            let run = env.bd(line.split(' ')).ok();
            assert!(run.stderr.contains(&place), "{}", run.snapshot());
        }
        for line in ["add New", "update bd-own -p 0", "close bd-own", "label add bd-own x", "delete bd-own --yes"] {
            env.bd(line.split(' ')).fails(1, &[&place, "fix that line"]);
        }
        env.bd(["config", "set", "routing.mode", "auto", flag]).fails(1, &[&place, "it was not changed"]);
        env.bd(["config", "unset", "routing.mode", flag]).fails(1, &[&place]);
        assert_eq!(env.ledger(), before);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        for line in ["version", "help", "--version", "add --help", "quickstart"] {
            env.bd(line.split(' ')).ok();
        }
        std::fs::write(&path, "[routing]\nmode = \"single\"\n").unwrap();
        env.bd(["update", "bd-own", "-p", "0"]).ok();
    }
}

#[test]
fn a_settings_file_of_a_wrong_kind() {
    let cases: [(&[u8], &str); 4] = [
        (b"issue_prefix = 3\n", ":1:16: issue_prefix must be a text, not integer"),
        (b"[repos]\nadditional = \"~/plan\"\n", ":2:14: repos.additional must be a list of texts, not string"),
        (b"[routing]\n\nmode = \"both\"\n", ":3:8: routing.mode must be one of single auto explicit, not \"both\""),
        (b"issue_prefix = \"\xff\"\n", ": is not UTF-8"),
    ];
    for (bytes, said) in cases {
        let env = Env::new();
        put_issues(&env, "web", &["bd-own"]);
        env.write(".beads/config.toml", bytes);
        let run = env.bd(["list"]).ok();
        assert!(run.stderr.contains(&format!(".beads/config.toml{said}")), "{}", run.snapshot());
        env.bd(["close", "bd-own"]).fails(1, &[said]);
    }
}

#[test]
fn a_variable_that_cannot_be_meant() {
    let env = joined();
    env.set("BD_ROUTING_MODE", "both");
    let run = env.bd(["list"]).ok();
    assert!(
        run.stderr.contains("routing.mode must be one of single auto explicit, not \"both\""),
        "{}",
        run.snapshot()
    );
    env.bd(["close", "bd-own"]).fails(1, &["routing.mode must be one of"]);
}

#[test]
fn a_route_that_leads_nowhere() {
    let env = contributing();
    std::fs::remove_dir_all(env.root().join("home/plan")).unwrap();
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "add 'New'
             add 'New' --json
             where
             list"
        ),
        str![[r#"
$ bd add New
! warning: 1 joined repo is not in use: ~/plan (missing); create it or run `bd repo clone`; `bd repo remove` leaves one out
! error: routing.auto.contributor names ~/plan, but ~/plan has no ledger
! hint: run `bd init --contributor PATH` to make it, or name another repo with --repo
[exit 9]
$ bd add New --json
! {"warning":{"message":"1 joined repo is not in use: ~/plan (missing); create it or run `bd repo clone`; `bd repo remove` leaves one out"}}
! {"error":{"code":"no_repository","message":"routing.auto.contributor names ~/plan, but $ROOT/home/plan has no ledger","hint":"run `bd init --contributor PATH` to make it, or name another repo with --repo","recoverable":false,"exit_code":9}}
[exit 9]
$ bd where
Ledger      .beads/beads.jsonl
Directory   .beads
Because     working directory
New ids     bd-…
State home  .beads/run
Its mode    repo: not under version control
Checkout    main
New issues  go nowhere: routing.auto.contributor names ~/plan, but ~/plan has no ledger
$ bd list
bd-own  P2  open  task  BD-OWN

"#]].raw()
    );
    assert_eq!(env.ledger(), before);
    assert!(!env.root().join("home/plan").exists(), "nothing is made");
}

#[test]
fn explicit_routing_without_a_default() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "config --routing explicit
             add 'New'
             add 'New' --repo . --id bd-new
             add 'Child' --parent bd-new"
        ),
        str![[r#"
$ bd config --routing explicit
changed: .beads/config.toml (shared)
! no repo gets new issues yet; run `bd config set routing.default PATH`
$ bd add New
! error: routing.mode is explicit, but routing.default is not set
! hint: run `bd config set routing.default PATH`, or name the repo with --repo
[exit 2]
$ bd add New --repo . --id bd-new
Created issue: bd-new
$ bd add Child --parent bd-new
Created issue: bd-9d5frkih

"#]]
        .raw()
    );
}

#[test]
fn a_contributor_without_a_planning_repo() {
    let env = Env::new();
    assert_data_eq!(
        env.script(
            "config --routing contributor
             config set routing.mode auto
             config set routing.role contributor
             add 'New'
             q 'New'
             where"
        ),
        str![[r#"
$ bd config --routing contributor
! error: a contributor needs a planning repo: name it with --add-repo PATH, or make one with `bd init --contributor`
[exit 2]
$ bd config set routing.mode auto
changed: .beads/config.toml (shared)
$ bd config set routing.role contributor
changed: .beads/run/config.toml (personal)
$ bd add New
! error: you are a contributor here and have no planning repo yet
! hint: run `bd init --contributor`, or name a repo with --repo or `bd config set routing.auto.contributor PATH`; if you maintain this project, run `bd init --maintainer`
[exit 2]
$ bd q New
! error: you are a contributor here and have no planning repo yet
! hint: run `bd init --contributor`, or name a repo with --repo or `bd config set routing.auto.contributor PATH`; if you maintain this project, run `bd init --maintainer`
[exit 2]
$ bd where
Ledger      .beads/beads.jsonl
Directory   .beads
Because     working directory
New ids     bd-…
State home  .beads/run
Its mode    repo: not under version control
Checkout    main
New issues  go nowhere: you are a contributor here and have no planning repo yet

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), b"");
}

#[test]
fn two_other_repos_and_no_word_about_which() {
    let env = joined();
    repo(&env, "home/other", "other");
    env.given(
        "repo add ~/other
         config --routing auto",
    );
    env.set("BD_ROLE", "contributor");
    env.bd(["add", "New"])
        .fails(2, &["no planning repo yet", "bd init --contributor", "bd config set routing.auto.contributor PATH"]);
    env.bd(["config", "set", "routing.default", "~/other"]).ok();
    assert_eq!(env.bd(["add", "New", "--json"]).ok().json()["source_repo"], "~/other");
}

/// A contributor's routing that no command has looked at.
fn route_by_environment(env: &Env, planning: &str) {
    env.set("BD_ROUTING_MODE", "auto");
    env.set("BD_ROUTING_ROLE", "contributor");
    env.set("BD_ROUTING_AUTO_CONTRIBUTOR", planning);
}

#[test]
fn a_planning_repo_in_the_project_s_working_copy() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; git -C web remote add origin https://host/app");
    env.given("init --quiet --prefix bd");
    repo(&env, "web/plans", "plan");
    let refused = ["plans is inside the working copy of the primary repo"];
    env.bd(["config", "--add-repo", "plans", "--routing", "contributor"]).fails(5, &refused);
    route_by_environment(&env, "plans");
    let run = env.bd(["add", "Private"]);
    run.fails(
        5,
        &["plans is inside the working copy of the primary repo or another clone of it, so a private issue there would be committed with it"],
    );
    env.bd(["q", "Private"]).fails(5, &[]);
    env.bd(["add", "Private", "--repo", "plans"]).fails(5, &[]);
    assert_eq!(ledger(&env, "web/plans"), "");
    for path in ["plans2", "./sub/plans", "."] {
        env.bd(["init", "--contributor", path]).fails(5, &["is inside the working copy of the primary repo"]);
    }
    assert!(!env.path("plans2").exists() && !env.path("sub").exists());
}

#[test]
fn a_planning_repo_in_another_checkout_of_the_project() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; git -C web remote add origin https://host/app");
    env.given("init --quiet --prefix bd");
    sh(&env, "cd web; git add .; git commit -qm ledger; git worktree add -q ../tree");
    let refused = ["../tree is inside the working copy of the primary repo"];
    env.bd(["config", "--add-repo", "../tree", "--routing", "contributor"]).fails(5, &refused);
    route_by_environment(&env, "../tree");
    env.bd(["add", "Private"]).fails(5, &["../tree is inside the working copy of the primary repo"]);
    env.bd(["add", "Private", "--repo", "../tree"]).fails(5, &[]);
    for path in ["../tree", "../tree/plans"] {
        env.bd(["init", "--contributor", path]).fails(5, &["is inside the working copy of the primary repo"]);
    }
    assert_eq!(ledger(&env, "tree"), "");
    assert_eq!(sh(&env, "git -C web log --all --format=%s"), "ledger\n");
    assert!(!env.root().join("tree/plans").exists());
}

#[test]
fn joining_what_is_no_repo() {
    let env = Env::new();
    std::fs::create_dir(env.root().join("home/empty")).unwrap();
    env.write("../home/notes.txt", "mine");
    let before = std::fs::read(env.path(".beads/config.toml")).unwrap();
    for path in ["~/gone", "~/empty", "~/notes.txt"] {
        env.bd(["config", "--add-repo", path]).fails(9, &["no repo at"]);
        env.bd(["repo", "add", path]).fails(9, &[]);
        env.bd(["config", "--add-repo", path, "--routing", "contributor"]).fails(9, &[]);
    }
    assert_eq!(std::fs::read(env.path(".beads/config.toml")).unwrap(), before);
    assert!(!env.path(".beads/run").exists());
    assert_eq!(std::fs::read_dir(env.root().join("home/empty")).unwrap().count(), 0);
}

#[test]
fn moving_issues_to_what_is_no_repo() {
    let env = joined();
    std::fs::create_dir(env.root().join("home/empty")).unwrap();
    let before = (env.ledger_text(), ledger(&env, "home/plan"));
    for (to, code) in [("~/gone", 9), ("~/empty", 9), ("nosuch", 3)] {
        env.bd(["migrate", "--move-to", to, "--filter", "id=bd-own"]).fails(code, &[]);
        env.bd(["migrate", "--move-to", to, "--filter", "id=bd-own", "--dry-run"]).fails(code, &[]);
    }
    env.bd(["migrate", "--move-to", "plan", "--filter", "colour=red"]).fails(2, &["colour"]);
    assert_eq!((env.ledger_text(), ledger(&env, "home/plan")), before);
    assert_eq!(std::fs::read_dir(env.root().join("home/empty")).unwrap().count(), 0);
}

#[test]
fn moving_issues_keeps_every_byte_of_their_lines() {
    let env = joined();
    let odd = "{\"id\":\"bd-odd\",\"title\":\"Gr\\u00f6\\u00dfe\",\"status\":\"open\",\"priority\":1,\"n\":1.50e3,\"deep\":{\"x\":[1, 2]}}\n";
    env.put_ledger(format!("{odd}{}", issues(&["bd-own"])));
    env.given("dep add plan-far bd-own");
    env.bd(["migrate", "--move-to", "plan", "--filter", "priority=1"]).ok();
    assert_eq!(env.ledger_text(), issues(&["bd-own"]));
    assert!(ledger(&env, "home/plan").starts_with(odd));
    env.bd(["migrate", "--move-to", ".", "--filter", "id=bd-odd"]).ok();
    assert_eq!(env.ledger_text(), format!("{odd}{}", issues(&["bd-own"])));
    let tree = bd_in(&env, "web", ["blocked", "--json"]).ok();
    assert_eq!(tree.ids(), ["plan-far"]);
}
