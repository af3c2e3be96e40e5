//! Reservations of files: who may have what, from any directory, and the check before a commit.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{Env, Run};
use crate::support::project::Project;

fn as_agent(env: &Env, agent: &str, line: &str) -> Run {
    env.bd_with(line.split(' '), None, &[("BD_AGENT", agent)])
}

fn globs(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["glob"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_a_person_sees() {
    let env = Env::new();
    env.given("add One --id bd-1");
    let text = env.script(
        "reserve list
         reserve src/*.rs --issue 1 --reason parser
         reserve docs --shared --ttl none
         reserve list --mine
         reserve release docs
         reserve release --all
         reserve release --all
         reserve release docs",
    );
    let hidden = text.lines().map(|line| match line.find("rs_") {
        Some(at) => format!("{}rs_ID{}\n", &line[..at], &line[at + 15..]),
        None => format!("{line}\n"),
    });
    assert_data_eq!(
        hidden.collect::<String>(),
        str![[r#"
$ bd reserve list
! nothing is reserved
$ bd reserve 'src/*.rs' --issue 1 --reason parser
Reserved src/*.rs  exclusive  ann in main  until 2026-01-05 10:00  for bd-1  (parser)  rs_ID
$ bd reserve docs --shared --ttl none
Reserved docs  shared  ann in main  until released  rs_ID
$ bd reserve list --mine
src/*.rs  exclusive  ann in main  until 2026-01-05 10:00  for bd-1  (parser)  rs_ID
docs  shared  ann in main  until released  rs_ID
$ bd reserve release docs
Released docs  rs_ID
$ bd reserve release --all
Released src/*.rs  rs_ID
$ bd reserve release --all
! nothing is reserved
$ bd reserve release docs
! error: nothing reserved matches "docs"
! hint: run `bd reserve list` to see what is reserved
[exit 3]

"#]]
        .raw()
    );
}

#[test]
fn another_holder_is_refused_and_nothing_is_reserved() {
    let env = Env::new();
    as_agent(&env, "bob", "reserve src/** --json").ok();
    let run =
        env.bd(["reserve", "README.md", "src/a.rs", "--json"]).fails(11, &["src/a.rs is reserved by bob (src/**)"]);
    let error = run.error();
    assert_eq!(
        (&error["code"], &error["holder"], &error["glob"], &error["wanted"]),
        (&"reserved".into(), &"bob".into(), &"src/**".into(), &"src/a.rs".into())
    );
    assert_eq!(error["expires"], "2026-01-05T10:00:00.000Z");
    assert_eq!(globs(&env.bd(["reserve", "list", "--json"]).ok()), ["src/**"]);
    // No one can release others' reservations.
    env.bd(["reserve", "release", "src/**"]).fails(5, &["src/** is reserved by bob"]);
    env.bd(["reserve", "release", "--all"]).ok();
    assert_eq!(globs(&env.bd(["reserve", "list", "--json"]).ok()), ["src/**"]);
    env.bd(["reserve", "README.md"]).ok();
    assert_eq!(globs(&env.bd(["reserve", "list", "--mine", "--json"]).ok()), ["README.md"]);
}

#[test]
fn sharing_needs_both() {
    let env = Env::new();
    as_agent(&env, "bob", "reserve docs --shared").ok();
    env.bd(["reserve", "docs/a.md"]).fails(11, &["reserved by bob"]);
    env.bd(["reserve", "docs/a.md", "--shared"]).ok();
    as_agent(&env, "bob", "reserve docs").fails(11, &["docs is reserved by ann (docs/a.md)"]);
    as_agent(&env, "bob", "reserve docs/b*").ok();
}

#[test]
fn reserving_again_renews() {
    let env = Env::new();
    let first = env.bd(["reserve", "src", "--ttl", "10s", "--reason", "why", "--json"]).ok().json();
    // A key of a later version stays.
    let file = env.path(".beads/run/reservations.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen('{', "{\"later\":[1e400],", 1)).unwrap();
    let again = env.bd(["reserve", "./src", "--json"]).ok().json();
    assert_eq!((&again[0]["id"], &again[0]["reason"]), (&first[0]["id"], &"why".into()));
    assert_eq!(
        (&again[0]["acquired"], &again[0]["renewed"]),
        (&first[0]["acquired"], &"2026-01-05T09:00:01.000Z".into())
    );
    assert_eq!(again[0]["expires"], "2026-01-05T10:00:01.000Z");
    assert!(std::fs::read_to_string(&file).unwrap().contains("{\"later\":[1e400],"), "unknown keys stay");
    assert_eq!(env.bd(["reserve", "list", "--json"]).ok().json().as_array().unwrap().len(), 1);
}

#[test]
fn what_is_over_does_not_count() {
    let env = Env::new();
    as_agent(&env, "bob", "reserve src --ttl 2s").ok();
    env.bd(["reserve", "src/a"]).fails(11, &["reserved by bob"]);
    env.bd(["reserve", "src/a"]).ok();
    assert_eq!(globs(&env.bd(["reserve", "list", "--expired", "--json"]).ok()), ["src"]);
    assert_eq!(globs(&env.bd(["reserve", "list", "--json"]).ok()), ["src/a"]);
    as_agent(&env, "bob", "reserve src").fails(11, &["src is reserved by ann (src/a)"]);
}

#[test]
fn an_agent_cannot_reserve_for_ever() {
    let env = Env::new();
    as_agent(&env, "bob", "reserve src --ttl none").fails(2, &["an agent cannot reserve without an end"]);
    env.bd(["reserve", "src", "--ttl", "soon"]).fails(2, &["invalid --ttl"]);
    env.bd(["reserve", "src", "--ttl", "0s"]).fails(2, &["invalid --ttl"]);
    env.bd(["reserve", "src", "--issue", "nosuch"]).fails(3, &["nosuch"]);
    env.bd(["reserve", "a[b"]).fails(2, &["invalid glob \"a[b\": '[' is not closed"]);
    env.bd(["reserve", "../x"]).fails(2, &["../x is outside of"]);
    env.bd(["reserve", "/etc/passwd"]).fails(2, &["/etc/passwd is outside of"]);
    env.bd(["reserve"]).fails(2, &["required"]);
    assert_eq!(env.bd(["reserve", "list", "--json"]).ok().stdout, "[]\n");
}

#[test]
fn a_glob_is_about_where_one_stands() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.write("app/[id]/page.tsx", "x");
    env.write("app/i/page.tsx", "x");
    let at = |dir: &str, glob: &str| globs(&env.bd(["-C", dir, "reserve", glob, "--json"]).ok());
    assert_eq!(at("app", "*.ts"), ["app/*.ts"]);
    assert_eq!(at("app/i", "../*.md"), ["app/*.md"]);
    assert_eq!(at("app/i", "."), ["app/i"]);
    assert_eq!(at(".", "."), ["**"]);
    // Names of directories and files are not taken for globs.
    assert_eq!(at("app/[id]", "*.tsx"), ["app/\\[id\\]/*.tsx"]);
    assert_eq!(at("app", "[id]/page.tsx"), ["app/\\[id\\]/page.tsx"]);
    let whole = env.path("app/[ab].rs").to_str().unwrap().to_owned();
    assert_eq!(at("app", &whole), ["app/[ab].rs"]);
    env.bd(["-C", "app", "reserve", "../../x"]).fails(2, &["outside"]);
    // Released from somewhere else.
    env.bd(["-C", "app/i", "reserve", "release", "../*.ts"]).ok();
}

#[test]
fn checking_paths() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    as_agent(env, "bob", "reserve src/**/*.rs").ok();
    as_agent(env, "bob", "reserve notes --shared").ok();
    env.bd(["reserve", "check", "src/a.md", "notes/x"]).ok();
    let run =
        env.bd(["reserve", "check", "src/a.md", "src/x/a.rs", "--json"]).fails(11, &["1 path reserved by others"]);
    assert_eq!(run.json()["ok"], false);
    assert_eq!(run.json()["conflicts"][0]["path"], "src/x/a.rs");
    assert_eq!(run.json()["conflicts"][0]["reservation"]["holder"], "bob");
    as_agent(env, "bob", "reserve check src/x/a.rs").ok();
    let passed = env.bd_with(["reserve", "check", "src/x/a.rs"], None, &[("BD_BYPASS", "1")]).ok();
    assert!(passed.stderr.contains("warning: 1 path reserved by others; BD_BYPASS is set"), "{}", passed.snapshot());
    // A directory that holds something reserved.
    env.write("src/x/a.rs", "x");
    env.bd(["reserve", "check", "src"]).fails(11, &["reserved by others"]);
    env.bd(["-C", "src/x", "reserve", "check", "a.rs"]).fails(11, &["reserved by others"]);
}

#[test]
fn checking_what_is_staged() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.stage("src/old.rs", "x");
    project.stage("src/other.md", "x");
    project.git("commit -qm files").ok();
    as_agent(env, "bob", "reserve src/**/*.rs").ok();
    env.bd(["reserve", "check", "--staged"]).ok();
    // Removing is a change too; the new name is not reserved.
    project.git("mv src/old.rs src/new.txt").ok();
    let run = env.bd(["reserve", "check", "--staged"]).fails(11, &["1 path reserved by others"]);
    assert!(run.stdout.starts_with("src/old.rs: reserved: src/**/*.rs"), "{}", run.snapshot());
    let warned = env.bd(["reserve", "check", "--staged", "--config", "reserve.mode=warn"]).ok();
    assert!(warned.stderr.contains("reserve.mode is warn"), "{}", warned.snapshot());
    env.bd(["reserve", "check", "src/old.rs", "--config", "reserve.mode=warn"]).fails(11, &[]);
    as_agent(env, "bob", "reserve check --staged").ok();
    env.bd(["reserve", "check"]).fails(2, &["required"]);
    // From a directory below, and while nothing was ever committed.
    env.bd(["-C", "src", "reserve", "check", "--staged"]).fails(11, &[]);
    Env::new().bd(["reserve", "check", "--staged"]).fails(9, &["not a git working copy"]);
}

#[test]
fn nothing_shows_in_version_control() {
    let Some(project) = Project::single() else { return };
    project.env.bd(["reserve", "src"]).ok();
    project.env.bd(["reserve", "release", "--all"]).ok();
    assert_eq!(project.git("status --porcelain").ok().stdout, "");
}

#[test]
fn all_checkouts_and_only_this_repository() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    project.git("worktree add -q ../second").ok();
    let second = env.root().join("second");
    let second = second.to_str().unwrap();
    let made = env.bd_with(["-C", second, "reserve", "src", "--json"], None, &[("BD_AGENT", "bob")]).ok().json();
    assert_eq!(made[0]["worktree"], "second");
    env.bd(["reserve", "src/a"]).fails(11, &["reserved by bob"]);
    // One state home for two repositories: each has its own files.
    let other = Project::single().unwrap();
    let home = env.root().join("shared");
    let with = |env: &Env, agent: &str| {
        env.bd_with(["reserve", "lib"], None, &[("BD_STATE_DIR", home.to_str().unwrap()), ("BD_AGENT", agent)])
    };
    with(env, "bob").ok();
    with(&other.env, "ann").ok();
    with(env, "ann").fails(11, &["reserved by bob"]);
}
