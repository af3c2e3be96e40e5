//! A repository that the original set up: its hooks and its merge driver call `bd`, and git must go on working.

use std::os::unix::fs::symlink;

use crate::support::harness::{BD, Run, words};
use crate::support::programs::put;
use crate::support::project::{Project, listing};

/// Hooks of three of its generations.
const HOOKS: [(&str, &str); 6] = [
    (
        "pre-commit",
        "#!/usr/bin/env sh\n# bd-shim v1\n# bd-hooks-version: 0.49.3\nexec bd hooks run pre-commit \"$@\"\n",
    ),
    ("pre-push", "#!/usr/bin/env sh\n# bd-shim v1\n# bd-hooks-version: 0.49.3\nexec bd hooks run pre-push \"$@\"\n"),
    (
        "post-checkout",
        "#!/usr/bin/env sh\n# bd-shim v2\n# bd-hooks-version: 0.55.0\nexec bd hook post-checkout \"$@\"\n",
    ),
    ("post-merge", "#!/bin/sh\n#\n# bd (beads) post-merge hook\n#\nbd sync --import-only || exit 1\n"),
    ("post-rewrite", "#!/bin/sh\n# bd-hooks-version: 0.29.0\nbd sync --import-only --json >/dev/null || exit 1\n"),
    (
        "prepare-commit-msg",
        "#!/usr/bin/env sh\n# bd-shim v1\n# bd-hooks-version: 0.49.3\nexec bd hooks run prepare-commit-msg \"$@\"\n",
    ),
];

fn with_hooks(project: &Project) {
    for (name, text) in HOOKS {
        put(&project.env.path(&format!(".git/hooks/{name}")), text);
    }
    // They find the program by its name.
    std::fs::create_dir_all(project.env.path("../bin")).unwrap();
    symlink(BD, project.env.path("../bin/bd")).unwrap();
}

/// Runs git with `bd` on the path.
fn git(project: &Project, line: &str) -> Run {
    let mut command = project.env.command("git");
    let path = format!("{}:{}", project.env.path("../bin").display(), std::env::var("PATH").unwrap());
    command.args(words(line)).env("PATH", path);
    project.run(command, line)
}

fn with_driver(project: &Project) {
    git(project, "config merge.beads.name beads").ok();
    git(project, "config merge.beads.driver 'bd merge %A %O %A %B'").ok();
    project.stage(".gitattributes", ".beads/beads.jsonl merge=beads\n");
    git(project, "commit -qm attributes").ok();
}

#[test]
fn git_goes_on_working() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    with_hooks(&project);
    with_driver(&project);
    git(&project, "init -q --bare ../up.git").ok();
    git(&project, "remote add origin ../up.git").ok();
    git(&project, "push -q -u origin main").ok();
    git(&project, "checkout -q -b other").ok();
    env.given("update bd-base --priority 0\nadd Theirs --id bd-theirs");
    git(&project, "commit -qam theirs").ok();
    git(&project, "checkout -q main").ok();
    env.given("update bd-base --title Ours\nadd Ours --id bd-ours");
    git(&project, "commit -qam ours").ok();
    git(&project, "merge -q other -m merged").ok();
    git(&project, "commit -q --amend -m again").ok();
    git(&project, "push -q").ok();
    let ledger = env.ledger_text();
    assert!(
        ["bd-ours", "bd-theirs", "\"Ours\"", "\"priority\":0"].iter().all(|part| ledger.contains(part)),
        "{ledger}"
    );
    assert_eq!(ledger.matches("\"bd-base\"").count(), 1, "{ledger}");
    assert_eq!(git(&project, "status --porcelain").ok().stdout, "");
}

#[test]
fn only_a_leak_stops_git() {
    let Some(project) = Project::new() else { return };
    with_hooks(&project);
    let stopped = |what: &str| {
        let run = git(&project, &format!("commit -qm {what}"));
        assert_eq!(run.code, 1, "{}", run.snapshot());
        assert!(run.stderr.contains("an issue that is local: x-2"), "{}", run.snapshot());
        git(&project, "rm -qf --cached added.txt").ok();
    };
    project.stage("added.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    stopped("shim");
    put(
        &project.env.path(".git/hooks/pre-commit"),
        "#!/bin/sh\n# bd-hooks-version: 0.29.0\nbd sync --flush-only || exit 1\n",
    );
    git(&project, "add -A").ok();
    stopped("flush");
    // Unreadable settings are not a leak.
    project.stage("added.txt", "fine\n");
    std::fs::write(project.env.path(".git/beads/config.toml"), "[broken").unwrap();
    for hook in ["pre-commit", "pre-push", "post-merge", "no-such-hook"] {
        project.env.bd(["hooks", "run", hook, "origin", "--odd"]).ok();
        project.env.bd(["hook", hook]).ok();
    }
    let run = project.env.bd(["hooks", "run", "pre-commit"]).ok();
    assert!(run.stderr.contains("nobody looked for private issues"), "{}", run.snapshot());
}

#[test]
fn what_it_does_between_file_and_database_is_nothing_here() {
    let Some(project) = Project::single() else { return };
    let before = listing(&project.env.path(""));
    for flag in ["--flush-only", "--import-only"] {
        assert!(project.env.bd(["sync", flag]).ok().stdout.starts_with("nothing to do"));
        assert_eq!(project.env.bd(["sync", flag, "--json"]).ok().json()["repos"], serde_json::json!([]));
    }
    assert_eq!(listing(&project.env.path("")), before);
}

#[test]
fn a_merge_that_fails_is_never_taken_for_a_merge() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"title\":\"T\"}}\n");
    for (name, text) in
        [("base", line("x-a")), ("ours", line("x-a") + &line("x-b")), ("theirs", line("x-a") + &line("x-c"))]
    {
        env.write(name, text);
    }
    std::fs::create_dir(env.path("directory")).unwrap();
    let ours = std::fs::read_to_string(env.path("ours")).unwrap();
    for words in [
        "ours base ours",
        "ours base ours missing",
        "ours base missing theirs",
        "ours base ours directory",
        "ours directory ours theirs",
        "directory base ours theirs",
        "ours base ours theirs more",
        "",
    ] {
        let run = env.bd(["merge"].into_iter().chain(words.split_whitespace()));
        assert_eq!(run.code, 129, "{}", run.snapshot());
        assert_eq!(std::fs::read_to_string(env.path("ours")).unwrap(), ours, "{}", run.snapshot());
    }
    env.bd(["merge", "ours", "base", "ours", "theirs"]).ok();
    assert_eq!(std::fs::read_to_string(env.path("ours")).unwrap(), line("x-a") + &line("x-b") + &line("x-c"));
    env.bd(["merge", "other", "no-base", "ours", "theirs"]).ok();
}

#[test]
fn its_hooks_are_named_and_replaced_and_come_back() {
    let Some(project) = Project::single() else { return };
    with_hooks(&project);
    with_driver(&project);
    let doctor = project.env.bd(["doctor"]).ok();
    let names =
        "hooks of the original bd: pre-commit, pre-push, post-checkout, post-merge, post-rewrite, prepare-commit-msg";
    assert!(doctor.stdout.contains(names), "{}", doctor.snapshot());
    assert!(!doctor.stdout.contains("merge="), "its merge driver works: {}", doctor.snapshot());
    let mine = project.env.write(".git/hooks/commit-msg", "#!/bin/sh\nexit 0\n");
    let before = listing(&project.env.path(".git/hooks"));
    project.env.bd(["hooks", "install"]).ok();
    for (name, text) in HOOKS {
        let copy = project.env.path(&format!(".git/hooks/{name}.bd-previous"));
        assert_eq!(std::fs::read_to_string(copy).unwrap(), text);
    }
    assert!(mine.exists() && !project.env.path(".git/hooks/post-merge").exists());
    let status = project.env.bd(["hooks", "status"]).ok().stdout;
    assert!(status.contains("pre-commit  installed\n"), "nothing runs after it: {status}");
    assert!(!project.env.bd(["doctor"]).ok().stdout.contains("original"));
    git(&project, "commit -q --allow-empty -m fine").ok();
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(listing(&project.env.path(".git/hooks")), before);
}

/// New ids go on as the original made them.
#[test]
fn its_prefix_is_taken_from_its_settings_or_from_its_ledger() {
    let line = |id: &str| format!("{{\"id\":\"{id}\",\"title\":\"T\",\"status\":\"open\"}}\n");
    let env = crate::support::harness::Env::bare();
    std::fs::create_dir(env.path(".beads")).unwrap();
    env.write(".beads/issues.jsonl", [line("old-1"), line("old-2"), line("x-3")].concat());
    let new = |env: &crate::support::harness::Env| env.bd(["add", "New", "--silent"]).ok().stdout;
    assert!(new(&env).starts_with("old-"), "most ids of the ledger bear it");
    env.write(".beads/config.yaml", "# Beads\nno-db: false\nissue-prefix: \"my-app\" # set by init\n");
    assert!(new(&env).starts_with("my-app-"));
    assert_eq!(env.bd(["config", "get", "issue_prefix", "--json"]).ok().json()["value"], "my-app");
    assert_eq!(env.bd(["where", "--json"]).ok().json()["prefix"], "my-app");
    // A prefix that is invalid here is ignored; the ledger decides.
    for odd in ["issue-prefix: 'Home Lab'\n", "# issue-prefix: none\n", "issue-prefix: [a, b\n", "\u{0}\u{1}"] {
        env.write(".beads/config.yaml", odd);
        assert!(new(&env).starts_with("old-"), "{odd:?}");
    }
    env.write(".beads/config.yaml", "issue-prefix: my-app\n");
    env.write(".beads/config.toml", "issue_prefix = \"own\"\n");
    assert!(new(&env).starts_with("own-"), "our own settings come first");
    // A repository whose issues the original keeps elsewhere.
    let env = crate::support::harness::Env::bare();
    env.write(".beads/config.yaml", "issue-prefix: my-app\n");
    env.bd(["init", "--quiet"]).ok();
    assert!(new(&env).starts_with("my-app-"));
}
