//! A committed config is data from strangers: a path that leaves the repository is followed only after the user agreed.

use std::os::unix::fs::symlink;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger, put_issues, repo, sh};

/// A project with one issue whose committed config joins a path; `~/x` holds another issue.
fn stranger(path: &str) -> Env {
    let env = Env::new();
    repo(&env, "home/x", "x");
    put_issues(&env, "home/x", &["x-far"]);
    put_issues(&env, "web", &["bd-own"]);
    join(&env, path);
    env
}

/// Writes the config as another would have committed it.
fn join(env: &Env, path: &str) {
    env.write(".beads/config.toml", format!("issue_prefix = \"bd\"\n[repos]\nadditional = [{path:?}]\n"));
}

/// The rows of a list, and the other messages.
fn shown(env: &Env) -> (Vec<String>, String) {
    let run = env.bd(["list", "--json", "--sort", "id"]).ok();
    (run.ids(), run.talk())
}

#[track_caller]
fn is_followed(env: &Env) {
    assert_eq!(shown(env), (vec!["bd-own".to_owned(), "x-far".to_owned()], String::new()));
}

#[track_caller]
fn is_not_followed(env: &Env, path: &str) {
    let (ids, talk) = shown(env);
    assert_eq!(ids, ["bd-own"]);
    let said = format!("1 joined repo is not in use: {path} (not trusted); run `bd trust`");
    assert_eq!(talk.matches(&said).count(), 1, "{talk}");
    assert_eq!(talk.lines().count(), 1, "{talk}");
}

fn trust_file(env: &Env) -> Option<String> {
    std::fs::read_to_string(env.root().join("home/state/beads/trust.jsonl")).ok()
}

#[test]
fn paths_that_leave_the_repository_need_trust() {
    const WAYS: [(&str, &str); 6] = [
        ("below the home", "~/x"),
        ("its .beads", "~/x/.beads"),
        ("absolute", "$ROOT/home/x"),
        ("upwards", "../home/x"),
        ("in and out again", ".beads/../../home/x"),
        ("a link that leads out", "link"),
    ];
    for (way, path) in WAYS {
        let env = stranger("");
        symlink(env.root().join("home/x"), env.path("link")).unwrap();
        let path = path.replace("$ROOT", env.root().to_str().unwrap());
        join(&env, &path);
        println!("{way}: {path}");
        is_not_followed(&env, &path);
        for looking in [&["ready"][..], &["search", "far"], &["stats"], &["show"], &["repo", "list"], &["where"]] {
            let run = env.bd_with(looking, None, &[("BD_NO_IMAGE", "1")]).ok();
            assert!(!run.stdout.contains("x-far"), "{}", run.snapshot());
            assert_eq!(run.stderr.matches("(not trusted)").count(), 1, "{}", run.snapshot());
        }
        env.bd(["show", "x-far"]).fails(3, &["no issue found matching \"x-far\""]);
        env.bd(["update", "x-far", "-p", "0"]).fails(3, &[]);
        env.bd(["update", "bd-own", "-p", "0"]).ok();
        env.bd(["config", "trust"]).ok();
        is_followed(&env);
        env.bd(["update", "x-far", "-p", "0"]).ok();
        assert!(ledger(&env, "home/x").contains("\"priority\":0"));
    }
}

#[test]
fn trusting_is_shown_and_asked_for() {
    let env = stranger("~/x");
    assert_data_eq!(
        env.script(
            "list
             config trust --dry-run
             config trust --dry-run --json"
        ),
        str![[r#"
$ bd list
bd-own  P2  open  task  BD-OWN
! warning: 1 joined repo is not in use: ~/x (not trusted); run `bd trust`; `bd repo remove` leaves one out
$ bd config trust --dry-run
Would trust: repos.additional = ~/x
$ bd config trust --dry-run --json
{
  "trusted": [
    {
      "key": "repos.additional",
      "path": "~/x",
      "resolved": "$ROOT/home/x"
    }
  ],
  "dry_run": true,
  "warnings": [
    "1 joined repo is not in use: ~/x (not trusted); run `bd trust`; `bd repo remove` leaves one out"
  ]
}
! {"warning":{"message":"1 joined repo is not in use: ~/x (not trusted); run `bd trust`; `bd repo remove` leaves one out"}}

"#]].raw()
    );
    assert_eq!(trust_file(&env), None, "a dry run changes nothing");
    is_not_followed(&env, "~/x");
    assert_data_eq!(
        env.script(
            "config trust
             config trust
             list
             config trust --json"
        ),
        str![[r#"
$ bd config trust
Trusted: repos.additional = ~/x
$ bd config trust
the committed file names no path that would need trust
$ bd list
bd-own  P2  open  task  BD-OWN
x-far   P2  open  task  X-FAR (~/x)
$ bd config trust --json
{
  "trusted": [],
  "dry_run": false
}

"#]]
        .raw()
    );
    assert_eq!(trust_file(&env).unwrap().lines().count(), 1);
}

#[test]
fn a_changed_path_must_be_trusted_again() {
    let env = stranger("~/x");
    env.given("config trust");
    is_followed(&env);
    repo(&env, "home/y", "y");
    join(&env, "~/y");
    is_not_followed(&env, "~/y");
    join(&env, "~/./x");
    is_not_followed(&env, "~/./x");
    join(&env, "~/x");
    is_followed(&env);
}

#[test]
fn a_link_that_leads_elsewhere_must_be_trusted_again() {
    let env = stranger("link");
    let link = env.path("link");
    symlink(env.root().join("home/x"), &link).unwrap();
    env.given("config trust");
    is_followed(&env);
    repo(&env, "home/secret", "s");
    std::fs::remove_file(&link).unwrap();
    symlink(env.root().join("home/secret"), &link).unwrap();
    is_not_followed(&env, "link");
    // A link in the middle of a trusted path, too.
    std::fs::rename(env.root().join("home/x"), env.root().join("home/z")).unwrap();
    join(&env, "~/z");
    env.given("config trust");
    is_followed(&env);
    std::fs::rename(env.root().join("home/z"), env.root().join("home/x")).unwrap();
    symlink("secret", env.root().join("home/z")).unwrap();
    is_not_followed(&env, "~/z");
}

#[test]
fn a_link_inside_that_stays_inside_needs_no_trust() {
    let env = stranger("link");
    repo(&env, "web/inside", "x");
    put_issues(&env, "web/inside", &["x-far"]);
    symlink("inside", env.path("link")).unwrap();
    is_followed(&env);
}

#[test]
fn a_path_inside_needs_no_trust_unless_it_names_the_machine() {
    let env = stranger("phases/one");
    repo(&env, "web/phases/one", "x");
    put_issues(&env, "web/phases/one", &["x-far"]);
    is_followed(&env);
    join(&env, "./phases/../phases/one");
    is_followed(&env);
    let absolute = env.path("phases/one").to_str().unwrap().to_owned();
    join(&env, &absolute);
    is_not_followed(&env, &absolute);
    assert_eq!(trust_file(&env), None);
}

#[test]
fn upwards_inside_one_working_copy_needs_no_trust() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web");
    repo(&env, "web/parts/one", "bd");
    repo(&env, "web/parts/two", "x");
    put_issues(&env, "web/parts/two", &["x-far"]);
    env.write("parts/one/.beads/config.toml", "[repos]\nadditional = [\"../two\"]\n");
    let run = bd_in(&env, "web/parts/one", ["list", "--json"]).ok();
    assert_eq!((run.ids(), run.stderr), (vec!["x-far".to_owned()], String::new()));
    env.write("parts/one/.beads/config.toml", "[repos]\nadditional = [\"../../../outside\"]\n");
    let run = bd_in(&env, "web/parts/one", ["list", "--json"]).ok();
    assert!(run.talk().contains("(not trusted)"), "{}", run.snapshot());
}

#[test]
fn trust_is_for_one_repository_and_all_its_worktrees() {
    if !have(&["git"]) {
        return;
    }
    let env = stranger("~/x");
    sh(
        &env,
        "cd web; git init -q; git add .beads; git commit -qm ledger; git worktree add -q ../tree; git clone -q . ../clone",
    );
    let ids = |place: &str| bd_in(&env, place, ["list", "--json", "--sort", "id"]).ok().ids();
    env.given("config trust");
    assert_eq!(ids("web"), ["bd-own", "x-far"]);
    assert_eq!(ids("tree"), ["bd-own", "x-far"]);
    assert_eq!(ids("clone"), ["bd-own"], "another clone is another repository");
    bd_in(&env, "clone", ["config", "trust"]).ok();
    assert_eq!(ids("clone"), ["bd-own", "x-far"]);
}

#[test]
fn trust_in_one_key_is_not_trust_in_another() {
    let env = stranger("~/x");
    env.given("config trust");
    env.write(
        ".beads/config.toml",
        "[repos]\nadditional = [\"~/x\"]\n[routing]\nmode = \"explicit\"\ndefault = \"~/x\"\n",
    );
    let run = env.bd(["add", "Where to"]);
    let (own, far) = (env.ledger_text(), ledger(&env, "home/x"));
    run.fails(10, &["routing.default names ~/x, outside of this repository", "bd trust"]);
    assert!(!own.contains("Where to") && !far.contains("Where to"));
    env.given("config trust");
    assert_eq!(env.bd(["add", "Where to", "--json"]).ok().json()["source_repo"], "~/x");
}

#[test]
fn a_route_to_an_untrusted_repo_files_nothing() {
    for (mode, key) in [("explicit", "default"), ("auto", "auto.contributor"), ("auto", "auto.maintainer")] {
        let env = stranger("~/x");
        let text = format!("[routing]\nmode = \"{mode}\"\n{key} = \"~/x\"\n");
        env.write(".beads/config.toml", text);
        let role = if key.ends_with("contributor") { "contributor" } else { "maintainer" };
        env.set("BD_ROLE", role);
        let (own, far) = (env.ledger(), ledger(&env, "home/x"));
        let run = env.bd(["add", "Where to", "--json"]);
        let error = run.error();
        run.fails(10, &[&format!("routing.{key} names ~/x")]);
        assert_eq!((&error["code"], &error["exit_code"]), (&"untrusted".into(), &10.into()), "{error}");
        env.bd(["add", "Where to", "--dry-run"]).fails(10, &[]);
        env.bd(["q", "Where to"]).fails(10, &[]);
        assert_eq!((env.ledger(), ledger(&env, "home/x")), (own, far.clone()));
        assert!(env.bd(["where"]).ok().stdout.contains("go nowhere"));
        env.given("config trust");
        env.bd(["add", "Where to"]).ok();
        assert_ne!(ledger(&env, "home/x"), far);
    }
}

#[test]
fn a_repo_that_the_user_names_himself_is_no_stranger() {
    let env = stranger("~/x");
    let run = env.bd(["add", "On purpose", "--repo", "~/x", "--json"]).ok();
    assert_eq!(run.json()["source_repo"], "~/x");
    is_not_followed(&env, "~/x");
    assert_eq!(trust_file(&env), None, "once is not always");
}

#[test]
fn what_this_user_puts_into_the_committed_file_is_trusted() {
    let env = stranger("");
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n");
    assert_data_eq!(
        env.script(
            "config --add-repo ~/x --shared
             list
             config set routing.default ~/x --shared
             config set routing.mode explicit --shared
             add 'Routed' --id x-routed
             list"
        ),
        str![[r#"
$ bd config --add-repo '~/x' --shared
changed: .beads/config.toml (shared)
$ bd list
bd-own  P2  open  task  BD-OWN
x-far   P2  open  task  X-FAR (~/x)
$ bd config set routing.default '~/x' --shared
changed: .beads/config.toml (shared)
$ bd config set routing.mode explicit --shared
changed: .beads/config.toml (shared)
$ bd add Routed --id x-routed
Created issue in ~/x: x-routed
$ bd list
x-routed  P2  open  task  Routed [local] (~/x, for bd)
bd-own    P2  open  task  BD-OWN
x-far     P2  open  task  X-FAR (~/x)

"#]]
        .raw()
    );
    assert_eq!(trust_file(&env).unwrap().lines().count(), 2);
}

#[test]
fn the_primary_of_a_stranger_needs_trust_too() {
    let env = stranger("");
    env.write(".beads/config.toml", "[repos]\nprimary = \"~/x\"\n");
    let far = ledger(&env, "home/x");
    // Until then the repo at hand is read, and nothing is written.
    let seen = env.bd(["list"]).ok();
    assert!(seen.stderr.contains("repos.primary names ~/x, outside of this repository"), "{}", seen.snapshot());
    assert!(seen.stdout.contains("bd-own"), "{}", seen.snapshot());
    env.bd(["add", "Where to"]).fails(10, &["repos.primary names ~/x"]);
    assert_eq!((ledger(&env, "home/x"), env.ledger_text().lines().count()), (far.clone(), 1));
    env.bd(["config", "trust"]).ok();
    assert!(!env.bd(["list"]).ok().stdout.contains("bd-own"));
    env.bd(["add", "There"]).ok();
    assert_ne!(ledger(&env, "home/x"), far);
}

#[test]
fn the_user_s_own_files_need_no_trust() {
    for (file, is_marked) in [("home/config/beads/config.toml", false), ("web/.beads/run/config.toml", true)] {
        let env = stranger("");
        env.write(".beads/config.toml", "issue_prefix = \"bd\"\n");
        if is_marked {
            env.given("config set routing.role maintainer");
        }
        env.write(&format!("../{file}"), "[repos]\nadditional = [\"~/x\"]\n");
        is_followed(&env);
    }
    let env = stranger("");
    env.write(".beads/config.toml", "issue_prefix = \"bd\"\n");
    env.set("BD_REPOS_ADDITIONAL", "~/x");
    is_followed(&env);
}
