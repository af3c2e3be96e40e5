//! Making a ledger: init.

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, sh};

#[test]
fn init_makes_a_ledger_and_nothing_else() {
    let env = Env::bare();
    assert_data_eq!(
        env.script("init"),
        str![[r#"
$ bd init
bd initialized successfully! Ledger: .beads/beads.jsonl
new ids start with web-
! hint: run `bd add "First issue"`, then `bd ready`

"#]]
        .raw()
    );
    let mut names: Vec<String> = std::fs::read_dir(env.path(".beads"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, [".gitattributes", ".gitignore", "beads.jsonl", "config.toml", "metadata.json"]);
    assert_eq!(env.ledger(), b"");
    assert_eq!(std::fs::read_dir(env.path("")).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(env.root().join("home")).unwrap().count(), 0);
}

#[test]
fn init_twice_changes_nothing() {
    let env = Env::new();
    env.given("add 'First' --id bd-1");
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "init
             init --prefix other --json"
        ),
        str![[r#"
$ bd init
already initialized, nothing changed: .beads/beads.jsonl
$ bd init --prefix other --json
{
  "status": "already_initialized",
  "path": "$ROOT/web/.beads",
  "ledger": "$ROOT/web/.beads/beads.jsonl",
  "prefix": "bd",
  "steps": []
}

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), before);
    assert!(env.bd(["add", "Second"]).ok().stdout.starts_with("Created issue: bd-"));
}

#[test]
fn init_json_and_a_bad_prefix() {
    let env = Env::bare();
    assert_data_eq!(
        env.script(
            "init --prefix 'My Project'
             init --prefix web-ui --json"
        ),
        str![[r#"
$ bd init --prefix 'My Project'
! error: a prefix is made of a-z, 0-9 and '-', and starts with a letter: "My Project"
[exit 2]
$ bd init --prefix web-ui --json
{
  "status": "initialized",
  "path": "$ROOT/web/.beads",
  "ledger": "$ROOT/web/.beads/beads.jsonl",
  "prefix": "web-ui",
  "steps": []
}

"#]]
        .raw()
    );
}

#[test]
fn without_a_repo_nothing_is_made() {
    let env = Env::bare();
    assert_data_eq!(
        env.script(
            "add 'Nowhere to go'
             list --json"
        ),
        str![[r#"
$ bd add 'Nowhere to go'
! error: no .beads directory at or above $ROOT/web
! hint: run `bd init` to make one here, or name another place with -C DIR or BEADS_DIR
[exit 9]
$ bd list --json
! {"error":{"code":"no_repository","message":"no .beads directory at or above $ROOT/web","hint":"run `bd init` to make one here, or name another place with -C DIR or BEADS_DIR","recoverable":false,"exit_code":9}}
[exit 9]

"#]].raw()
    );
    assert_eq!(std::fs::read_dir(env.path("")).unwrap().count(), 0);
}

#[test]
fn init_makes_the_ledger_that_the_config_names() {
    let env = Env::new();
    env.write(".beads/config.toml", "[ledger]\nfile = \"other.jsonl\"\n");
    env.bd(["list"]).fails(9, &["run `bd init` for an empty ledger"]);
    env.bd(["init"]).ok();
    env.bd(["list"]).ok();
    assert!(env.path(".beads/other.jsonl").exists());
}

#[test]
fn init_goes_where_the_other_commands_look() {
    let env = Env::bare();
    env.write("project/keep.txt", "");
    env.set("BEADS_DIR", env.path("project"));
    env.bd(["init"]).ok();
    env.bd(["add", "Found"]).ok();
    let names: Vec<_> =
        std::fs::read_dir(env.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(env.path("project/.beads/beads.jsonl").exists());
}

#[test]
fn a_config_that_cannot_be_read() {
    let env = Env::new();
    env.write(".beads/config.toml", "issue_prefix = \"ok\"\nx = = 1\n");
    // Reading goes on without the file; a write could go anywhere, so it goes nowhere.
    let seen = env.bd(["list"]).ok();
    assert!(seen.stderr.contains("warning: .beads/config.toml:2:5: "), "{}", seen.stderr);
    env.bd(["add", "x"]).fails(1, &["web/.beads/config.toml:2:5: ", "fix that line"]);
    for text in ["issue_prefix = \"Not Good\"\n", "issue_prefix = 3\n", "[ledger]\nfile = \"../x.jsonl\"\n"] {
        env.write(".beads/config.toml", text);
        env.bd(["add", "x"]).fails(1, &["web/.beads/config.toml", "fix that line"]);
    }
    assert_eq!(env.ledger(), b"");
}

#[test]
fn no_ledger_is_made_among_the_files_of_version_control() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; git init -q --bare bare.git; mkdir web/.git/below");
    for place in ["web/.git", "web/.git/below", "bare.git", "bare.git/hooks"] {
        let run = bd_in(&env, place, ["init"]).fails(5, &["is in a directory of version control"]);
        assert!(!run.stdout.contains("success"), "{place}: {}", run.snapshot());
        assert!(!env.root().join(place).join(".beads").exists(), "{place}");
    }
    bd_in(&env, "web", ["init"]).ok();
}

#[test]
fn another_prefix_for_a_ledger_that_is_there() {
    let env = Env::new();
    let again = env.bd(["init", "--prefix", "other"]).ok();
    assert!(again.stderr.contains("new ids start with bd-; `bd rename-prefix`"), "{}", again.snapshot());
    assert_eq!(env.bd(["init", "--prefix", "bd"]).ok().stderr.matches("new ids").count(), 0);
}
