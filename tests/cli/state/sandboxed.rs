//! In an agent's sandbox the repository's own directory is read-only. There is one state home, or an error that says so.

use crate::cli::state::ledger_surroundings::is_root;
use crate::support::harness::{BD, Env, Run};
use crate::support::programs::skip;
use crate::support::project::Project;

/// Runs commands, one per line, while `.git` is read-only: by a mount, or by permissions where they apply. Prints the
/// exit code of each.
fn sandboxed(env: &Env, commands: &[&str]) -> Option<Run> {
    let each = commands.iter().map(|line| format!("'{BD}' {line}; echo \"exit $?\"\n")).collect::<String>();
    let script = match is_root() {
        true => format!("mount --bind .git .git && mount -o remount,ro,bind .git || exit 99\n{each}"),
        false => format!("chmod -R a-w .git\n{each}chmod -R u+w .git\n"),
    };
    let mut command = env.bd_command(if is_root() { "unshare" } else { "sh" });
    if is_root() {
        command.args(["--mount", "sh"]);
    }
    command.args(["-c", &script]);
    let run = env.run(command, "in a sandbox".into(), None);
    (run.code != 99 && !run.stderr.contains("unshare")).then_some(run).or_else(|| {
        skip("needs mount namespaces");
        None
    })
}

fn exits(run: &Run) -> Vec<&str> {
    run.stdout.lines().filter_map(|line| line.strip_prefix("exit ")).collect()
}

/// The files in the outbox.
fn waiting(env: &Env) -> Vec<String> {
    let files = std::fs::read_dir(env.path(".beads/run/outbox")).into_iter().flatten().flatten();
    let names = files.map(|file| file.file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    names.sort();
    names
}

#[test]
fn there_is_one_state_home() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two");
    for is_new in [true, false] {
        if is_new {
            let _ = std::fs::remove_dir_all(env.path(".git/beads"));
        }
        let lines =
            ["claim bd-base", "ready --claim", "agent register x", "reserve src/a", "workspace create --issue bd-base"];
        let Some(run) = sandboxed(env, &lines) else { return };
        assert_eq!(exits(&run), ["0", "0", "0", "1", "1"], "{}", run.snapshot());
        assert_eq!(run.stderr.matches("sandbox may have").count(), 2, "{}", run.snapshot());
        assert!(waiting(env).contains(&"leases.jsonl".to_owned()), "{:?}", waiting(env));
        // Outside of the sandbox it is held, and the next one that writes takes it in.
        env.bd_with(["claim", "bd-base"], None, &[("BD_ACTOR", "other")]).fails(4, &["claimed"]);
        assert!(!waiting(env).contains(&"leases.jsonl".to_owned()), "{:?}", waiting(env));
        assert!(std::fs::read_to_string(env.path(".git/beads/leases.jsonl")).unwrap().contains("bd-two"));
        env.bd(["release", "bd-base", "bd-two"]).ok();
        env.bd(["agent", "unregister", "x"]).ok();
    }
}

#[test]
fn plain_work_goes_on() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Two --id bd-two");
    let lines = [
        "list",
        "show bd-base",
        "ready",
        "where",
        "add Three",
        "update bd-base --title New",
        "note bd-base hm",
        "close bd-two",
        "undo --yes",
    ];
    let Some(run) = sandboxed(env, &lines) else { return };
    assert_eq!(exits(&run), ["0"; 9], "{}", run.snapshot());
    let text = env.ledger_text();
    assert!(text.contains("Three") && text.contains("\"New\"") && !text.contains("closed"), "{text}");
    assert_eq!(waiting(env), ["writes.jsonl"]);
    assert!(!env.bd(["undo"]).ok().stdout.is_empty(), "the log is known outside");
}
