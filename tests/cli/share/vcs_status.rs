//! No footprint: whatever `bd` does, version control sees a change of the ledger and nothing else, even in a repo that has
//! no ignore file of ours.

use std::process::Command;

use crate::support::harness::Env;
use crate::support::programs::{have, quick_hg};

/// Every command that writes, and some that only look or are refused.
const COMMANDS: &str = "
    add 'New' --id bd-new
    q Quick
    agent register bob
    --agent bob claim one
    --agent bob agent heartbeat
    mail send bob -m words
    leases
    --agent bob release one
    worktree list
    worktree prune --apply
    list --all-worktrees
    status --all-worktrees
    update one -p 0
    status one in_progress
    work two
    note one 'a note'
    comment one 'a comment'
    comments add one 'another'
    label add one two x
    label remove two x
    dep add one two
    dep remove one two
    defer new --until 2w
    undefer new
    close one two
    reopen one
    edit one
    delete new --yes
    epic close-eligible
    import more.txt
    doctor --fix
    init
    list
    ready
    export
    stats
    update nosuch -p 1
    dep add one one
";

/// A repo with a committed ledger and nothing of `bd` beside it.
fn repo() -> Env {
    let env = Env::new();
    for name in [".gitignore", ".gitattributes", "config.toml", "metadata.json"] {
        std::fs::remove_file(env.path(".beads").join(name)).unwrap();
    }
    env.given(
        "add 'One' --id bd-one
         add 'Two' --id bd-two
         add 'Whole' --id bd-epic -t epic
         add 'Part' --id bd-part --parent epic
         close part",
    );
    // The journal of the time before version control.
    std::fs::remove_dir_all(env.path(".beads/run")).unwrap();
    env.write("more.txt", "{\"id\":\"bd-more\",\"title\":\"More\"}\n");
    env.write("../editor.sh", "sed -i 's/^One$/Edited/' \"$1\"\n");
    env.set("EDITOR", format!("sh '{}'", env.path("../editor.sh").display()));
    env
}

/// Runs a program that must succeed; `None`, with a word about it, if it is not installed.
fn run(command: &mut Command) -> Option<String> {
    match command.output() {
        Ok(output) => {
            assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
            Some(String::from_utf8(output.stdout).unwrap())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let name = command.get_program().to_string_lossy().into_owned();
            crate::support::programs::skip(&format!("{name} is missing"));
            None
        }
        Err(error) => panic!("{command:?}: {error}"),
    }
}

/// Runs all commands; after each one, `status` gives the changed files.
fn only_the_ledger_changes(env: &Env, status: impl Fn() -> Vec<String>) {
    assert_eq!(status(), [""; 0], "clean at the start");
    let mut changes = 0;
    for line in COMMANDS.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let before = env.ledger();
        env.script(line);
        changes += u32::from(env.ledger() != before);
        assert_eq!(status(), ["M .beads/beads.jsonl"], "after bd {line}");
    }
    assert_eq!(changes, 22, "so many of them write");
}

#[test]
fn git_sees_only_the_ledger() {
    let env = repo();
    let git = |args: &[&str]| {
        run(env.command("git").args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args))
    };
    if git(&["init", "-q"]).is_none() {
        return;
    }
    git(&["add", "-A"]);
    git(&["commit", "-qm", "ledger"]);
    only_the_ledger_changes(&env, || {
        let status = git(&["status", "--porcelain", "--ignored", "--untracked-files=all"]).unwrap();
        status.lines().map(|line| line.trim().to_owned()).collect()
    });
}

#[test]
fn hg_sees_only_the_ledger() {
    let env = repo();
    let hg = |args: &[&str]| {
        let mut command = env.command("hg");
        quick_hg(&mut command);
        run(command.env("HGRCPATH", "").args(["--config", "ui.username=t"]).args(args))
    };
    if !have(&["hg"]) || hg(&["init"]).is_none() {
        return;
    }
    hg(&["commit", "-q", "--addremove", "-m", "ledger"]);
    only_the_ledger_changes(&env, || hg(&["status"]).unwrap().lines().map(str::to_owned).collect());
}

#[test]
fn jj_sees_only_the_ledger() {
    let env = repo();
    let config = env.write("../jj.toml", "");
    let who = ["--config", "user.name=t", "--config", "user.email=t@example.org"];
    let jj = |args: &[&str]| run(env.command("jj").env("JJ_CONFIG", &config).args(who).args(args));
    if jj(&["git", "init"]).is_none() {
        return;
    }
    jj(&["commit", "-m", "ledger"]);
    only_the_ledger_changes(&env, || {
        let status = jj(&["status"]).unwrap();
        let is_file = |line: &&str| line.split_once(' ').is_some_and(|(word, _)| word.len() == 1);
        status.lines().filter(is_file).map(str::to_owned).collect()
    });
}
