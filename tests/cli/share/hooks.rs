//! The leak check in git's hooks: it stops what must not leave, runs what was there before, and goes without a trace.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::support::harness::{BD, Run, words};
use crate::support::programs::put;
use crate::support::project::{Project, listing};

const LOCAL: &str = "{\"id\":\"x-2\",\"visibility\":\"local\"}\n";

fn script(path: &Path, text: &str) {
    put(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o750)).unwrap();
}

fn commit(project: &Project, file: &str, text: &str) -> Run {
    project.stage(file, text);
    let run = project.git("commit -qm more");
    if run.code != 0 {
        project.git(&format!("rm -qf --cached {file}")).ok();
        std::fs::remove_file(project.env.path(file)).unwrap();
    }
    run
}

/// Installs, lets a check be made, uninstalls, and compares everything with what was there before.
fn without_a_trace(project: &Project, check: impl Fn()) {
    let before = listing(&project.env.path(""));
    project.env.bd(["hooks", "install"]).ok();
    let installed = listing(&project.env.path(""));
    project.env.bd(["hooks", "install"]).ok();
    assert_eq!(listing(&project.env.path("")), installed, "twice is once");
    check();
    project.env.bd(["hooks", "uninstall"]).ok();
    let kept = |line: &String| !line.contains("/.git/refs") && !line.contains("/added");
    let (now, then) = (listing(&project.env.path("")), before);
    let only = |one: &[String], other: &[String]| -> Vec<String> {
        one.iter().filter(|line| kept(line) && !other.contains(line)).cloned().collect()
    };
    assert_eq!((only(&now, &then), only(&then, &now)), (vec![], vec![]), "came, and went");
    project.env.bd(["hooks", "uninstall"]).fails(3, &["no hooks of bd are installed"]);
}

#[test]
fn commits_and_pushes_are_stopped() {
    let Some(project) = Project::new() else { return };
    let upstream = project.env.path("../up.git");
    project.git(&format!("init -q --bare '{}'", upstream.display())).ok();
    project.git(&format!("remote add origin '{}'", upstream.display())).ok();
    project.git("push -q origin main").ok();
    without_a_trace(&project, || {
        let run = commit(&project, "added.txt", LOCAL);
        assert_eq!(run.code, 1, "{}", run.snapshot());
        assert!(run.stderr.contains("added.txt:1: an issue that is local: x-2"), "{}", run.snapshot());
        commit(&project, "added.txt", "fine\n").ok();
        // With an index of its own, as git makes one for these.
        project.env.write("added.txt", LOCAL);
        assert_eq!(project.git("commit -qam x").code, 1);
        assert_eq!(project.git("commit -qm x added.txt").code, 1);
        project.git("push -q origin main").ok();
        project.git("commit -q --no-verify -am leak").ok();
        project.env.write("added.txt", "fine again\n");
        project.git("commit -qam gone").ok();
        for to in ["main", "main:refs/heads/new"] {
            let run = project.git(&format!("push -q origin {to}"));
            assert!(run.code == 1 && run.stderr.contains("added.txt:1: an issue that is local"), "{}", run.snapshot());
        }
        // What another remote has does not matter for this one; what this one has is not new to it.
        let fork = project.env.path("../fork.git");
        project.git(&format!("init -q --bare '{}'", fork.display())).ok();
        project.git(&format!("push -q --no-verify '{}' main", fork.display())).ok();
        project.git("update-ref refs/remotes/fork/main main").ok();
        assert_eq!(project.git("push -q origin main:refs/heads/new").code, 1);
        project.env.write("added.txt", "fine still\n");
        project.git("commit -qam after").ok();
        project.git(&format!("push -q '{}' main", fork.display())).ok();
        assert_eq!(project.git(&format!("push -q '{}' main:other", fork.display())).code, 1, "no remote, a new branch");
        project.git("update-ref -d refs/remotes/fork/main").ok();
        project.git("update-ref refs/heads/main main~1").ok();
        project.git("push -q origin main~2:refs/heads/older").ok();
        project.git("push -q origin :refs/heads/older").ok();
        project.git("update-ref refs/heads/main HEAD~2").ok();
        project.git("commit -qm clean").ok();
        project.git("push -q origin main").ok();
    });
}

/// A tag can name a file or a tree that no commit has.
#[test]
fn tags_on_files_and_trees() {
    let Some(project) = Project::new() else { return };
    project.git(&format!("init -q --bare '{}'", project.env.path("../up.git").display())).ok();
    project.git("remote add origin ../up.git").ok();
    project.env.bd(["hooks", "install"]).ok();
    project.stage("added.txt", LOCAL);
    let tree = project.git("write-tree").ok().stdout;
    project.git(&format!("tag tree {}", tree.trim())).ok();
    project.git("tag file :added.txt").ok();
    project.git("tag -a -m over over file").ok();
    for (tag, place) in [("tree", "added.txt:1"), ("file", "refs/tags/file:1"), ("over", "refs/tags/over:1")] {
        let run = project.git(&format!("push -q origin refs/tags/{tag}"));
        let stopped = run.code == 1 && run.stderr.contains(&format!("{place}: an issue that is local"));
        assert!(stopped, "{}", run.snapshot());
    }
    project.stage("added.txt", "fine\n");
    project.git("tag fine :added.txt").ok();
    project.git("push -q origin refs/tags/fine").ok();
}

/// A hook that notes its name, arguments and input, and ends with a code of its own.
fn noting(project: &Project, code: u8) -> String {
    let log = project.env.path("../log");
    format!("#!/bin/sh\necho \"$(basename \"$0\") $#\" >>'{0}'\ncat >>'{0}'\nexit {code}\n", log.display())
}

fn log(project: &Project) -> String {
    let path = project.env.path("../log");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    text
}

fn chains(project: &Project) {
    assert_eq!(commit(project, "added.txt", LOCAL).code, 1);
    assert_eq!(log(project), "", "the check comes first");
    let run = commit(project, "added.txt", "fine\n");
    assert_eq!((run.code, log(project).as_str()), (1, "pre-commit 0\n"), "{}", run.snapshot());
}

fn pushes(project: &Project) {
    let upstream = project.env.path("../up.git");
    let head = project.git("rev-parse HEAD").ok().stdout;
    let run = project.git(&format!("push -q '{}' main", upstream.display()));
    let zero = "0".repeat(40);
    let line = format!("pre-push 2\nrefs/heads/main {} refs/heads/main {zero}\n", head.trim());
    assert_eq!((run.code, log(project)), (1, line), "{}", run.snapshot());
}

#[test]
fn a_hook_of_the_user_runs_after_ours() {
    let Some(project) = Project::new() else { return };
    project.git(&format!("init -q --bare '{}'", project.env.path("../up.git").display())).ok();
    script(&project.env.path(".git/hooks/pre-commit"), &noting(&project, 3));
    script(&project.env.path(".git/hooks/pre-push"), &noting(&project, 4));
    without_a_trace(&project, || {
        chains(&project);
        pushes(&project);
        let status = project.env.bd(["hooks", "status", "--json"]).ok().json();
        assert_eq!((&status["installed"], &status["hooks"][0]["state"]), (&true.into(), &"installed".into()));
        assert!(status["hooks"][0]["chained"].as_str().unwrap().ends_with("/pre-commit.bd-previous"), "{status}");
    });
    // Another kind of program, a link, and a file that git would not run.
    let real = project.env.path("../tool");
    script(&real, "#!/usr/bin/env -S sh -e\necho linked >&2\nexit 5\n");
    std::fs::remove_file(project.env.path(".git/hooks/pre-commit")).unwrap();
    std::os::unix::fs::symlink(&real, project.env.path(".git/hooks/pre-commit")).unwrap();
    std::fs::set_permissions(project.env.path(".git/hooks/pre-push"), std::fs::Permissions::from_mode(0o644)).unwrap();
    without_a_trace(&project, || {
        let run = commit(&project, "added.txt", "fine\n");
        assert!(run.code == 1 && run.stderr.contains("linked"), "{}", run.snapshot());
        project.git(&format!("push -q '{}' main", project.env.path("../up.git").display())).ok();
        assert_eq!(log(&project), "");
    });
}

#[test]
fn a_directory_outside_of_the_project() {
    let Some(project) = Project::new() else { return };
    project.git(&format!("init -q --bare '{}'", project.env.path("../up.git").display())).ok();
    let outside = project.env.path("../hooks");
    script(&outside.join("pre-commit"), &noting(&project, 3));
    script(&outside.join("pre-push"), &noting(&project, 4));
    project.git(&format!("config core.hooksPath '{}'", outside.display())).ok();
    let before = listing(&outside);
    without_a_trace(&project, || {
        chains(&project);
        pushes(&project);
    });
    assert_eq!(listing(&outside), before);
    // Shared by a repository that has no ledger: nothing happens there.
    project.env.bd(["hooks", "install"]).ok();
    std::fs::remove_file(outside.join("pre-commit.bd-previous")).unwrap();
    let other = project.env.path("../other");
    project.git(&format!("init -q '{}'", other.display())).ok();
    let mut command = project.env.command("git");
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let setting = format!("core.hooksPath={}", outside.display());
    command.current_dir(&other).args(who).args(["-c", &setting, "commit", "-q", "--allow-empty", "-m", "x"]);
    assert_eq!(project.run(command, "commit in other").ok().stderr, "");
    // Nor in one that has a ledger and did not ask for it, until it does.
    let setting = format!("config core.hooksPath '{}'", outside.display());
    let in_other = |line: &str| {
        let mut git = project.env.command("git");
        git.current_dir(&other).args(who).args(words(line));
        project.run(git, line)
    };
    let bd = |args: [&str; 2]| project.env.bd(["-C", other.to_str().unwrap()].into_iter().chain(args));
    in_other(&setting).ok();
    bd(["init", "-q"]).ok();
    std::fs::write(other.join("local.txt"), LOCAL).unwrap();
    in_other("add -A").ok();
    in_other("commit -qm unasked").ok();
    // An archive brings such a setting too.
    bd(["hooks", "install"]).fails(10, &["core.hooksPath", "bd trust"]);
    bd(["trust", "."]).ok();
    bd(["hooks", "install"]).ok();
    std::fs::write(other.join("more.txt"), LOCAL).unwrap();
    in_other("add -A").ok();
    assert_eq!(in_other("commit -qm asked").code, 1);
    bd(["hooks", "uninstall"]).fails(0, &["stay: another repository put them in"]);
    assert!(outside.join("pre-commit").exists());
    in_other("commit -qm unasked").ok();
}

/// What cannot be checked is not allowed.
#[test]
fn settings_that_cannot_be_read_stop_a_commit() {
    let Some(project) = Project::new() else { return };
    project.env.bd(["hooks", "install"]).ok();
    std::fs::write(project.env.path(".git/beads/config.toml"), "[repos\n").unwrap();
    let run = commit(&project, "added.txt", "fine\n");
    assert!(run.code == 1 && run.stderr.contains("config.toml"), "{}", run.snapshot());
}

/// husky 9: `.husky/_` is ignored, and each hook in it asks for its own name.
#[test]
fn an_ignored_directory_in_the_project() {
    let Some(project) = Project::new() else { return };
    let path = |name: &str| project.env.path(".husky").join(name);
    script(
        &path("_/h"),
        "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nexit $?\n",
    );
    for name in ["pre-commit", "pre-push"] {
        script(&path("_").join(name), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"");
    }
    std::fs::write(path("_/.gitignore"), "*").unwrap();
    std::fs::write(path("pre-commit"), noting(&project, 3)).unwrap();
    project.git("config core.hooksPath .husky/_").ok();
    project.git("add -A").ok();
    project.git("commit -qm husky --no-verify").ok();
    without_a_trace(&project, || {
        assert_eq!(project.git("status --porcelain").ok().stdout, "");
        chains(&project);
        // `npm install` writes its hooks again.
        script(&path("_/pre-commit"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"");
        let status = project.env.bd(["hooks", "status"]).ok();
        assert!(status.stdout.contains("pre-commit  overwritten"), "{}", status.snapshot());
        project.env.bd(["hooks", "install"]).ok();
        chains(&project);
    });
}

/// Older husky: the hooks themselves are committed.
#[test]
fn a_committed_directory_is_not_touched() {
    let Some(project) = Project::new() else { return };
    project.git(&format!("init -q --bare '{}'", project.env.path("../up.git").display())).ok();
    for (name, code) in [("pre-commit", 3), ("pre-push", 4), ("commit-msg", 6)] {
        script(&project.env.path(".husky").join(name), &noting(&project, code));
    }
    project.git("add -A").ok();
    project.git("commit -qm husky").ok();
    project.git("config core.hooksPath .husky").ok();
    without_a_trace(&project, || {
        assert_eq!(project.git("status --porcelain").ok().stdout, "");
        chains(&project);
        pushes(&project);
        std::fs::rename(project.env.path(".husky/pre-commit"), project.env.path("../aside")).unwrap();
        assert_eq!(commit(&project, "added.txt", "fine\n").code, 1);
        assert_eq!(log(&project), "commit-msg 1\n");
        std::fs::rename(project.env.path("../aside"), project.env.path(".husky/pre-commit")).unwrap();
    });
    assert_eq!(project.git("config core.hooksPath").ok().stdout, ".husky\n");
    // A setting that came meanwhile stays; ours goes.
    project.env.bd(["hooks", "install"]).ok();
    project.git("config user.nick n").ok();
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(project.git("config core.hooksPath").ok().stdout, ".husky\n");
    assert_eq!(project.git("config user.nick").ok().stdout, "n\n");
    // Set again by another program: said, and put right.
    project.env.bd(["hooks", "install"]).ok();
    project.git("config core.hooksPath .husky").ok();
    project.env.bd(["hooks", "status"]).fails(0, &["git looks for hooks in", ".husky now"]);
    project.env.bd(["hooks", "install"]).ok();
    chains(&project);
}

#[test]
fn a_hook_that_was_changed_by_hand_stays() {
    let Some(project) = Project::new() else { return };
    project.env.bd(["hooks", "install"]).ok();
    let hook = project.env.path(".git/hooks/pre-push");
    let edited = std::fs::read_to_string(&hook).unwrap() + "echo mine\n";
    std::fs::write(&hook, &edited).unwrap();
    let before = listing(&project.env.path(""));
    project.env.bd(["hooks", "uninstall"]).fails(5, &["changed by hand", "pre-push"]);
    assert_eq!(listing(&project.env.path("")), before);
    let status = project.env.bd(["hooks", "status"]).ok();
    assert!(status.stdout.contains("pre-push    edited"), "{}", status.snapshot());
    // Replaced by another program: that one stays, ours goes.
    script(&hook, "#!/bin/sh\nexit 0\n");
    project.env.bd(["hooks", "uninstall"]).fails(0, &["is not ours any more and stays"]);
    assert_eq!(std::fs::read_to_string(&hook).unwrap(), "#!/bin/sh\nexit 0\n");
    assert!(!project.env.path(".git/hooks/pre-commit").exists());
}

#[test]
fn without_bd_git_goes_on() {
    let Some(project) = Project::new() else { return };
    let own = project.env.path("../bd-of-today");
    // By another program: a file that this one had open for writing could not be run while a neighbour forks.
    assert!(project.env.command("cp").arg(BD).arg(&own).status().unwrap().success());
    let command = |args: [&str; 2]| {
        let mut command = project.env.bd_command(&own);
        command.args(args);
        project.env.run(command, args.join(" "), None)
    };
    command(["hooks", "install"]).ok();
    assert_eq!(commit(&project, "added.txt", LOCAL).code, 1);
    std::fs::remove_file(&own).unwrap();
    project.stage("added.txt", LOCAL);
    let git = |path: &str| {
        let mut git = project.env.command("git");
        git.args(["commit", "-qm", "x", "--allow-empty"]).env("PATH", path);
        project.run(git, "commit")
    };
    let run = git("/usr/bin:/bin").ok();
    assert!(run.stderr.contains("bd was not found"), "{}", run.snapshot());
    // A different program called `bd` is no reason to stop either.
    script(&project.env.path("../bin/bd"), "#!/bin/sh\necho 'unknown command' >&2\nexit 1\n");
    let run = git(&format!("{}:/usr/bin:/bin", project.env.path("../bin").display())).ok();
    assert!(run.stderr.contains("could not look for private issues (exit code 1)"), "{}", run.snapshot());
}

#[test]
fn from_a_linked_worktree_and_from_below() {
    let Some(project) = Project::new() else { return };
    let other = project.env.path("../other");
    project.git(&format!("worktree add -q '{}'", other.display())).ok();
    let before = listing(&project.env.path(".git/hooks"));
    let below = other.join("deep/er");
    std::fs::create_dir_all(&below).unwrap();
    project.env.bd(["-C", below.to_str().unwrap(), "hooks", "install"]).ok();
    assert_eq!(commit(&project, "added.txt", LOCAL).code, 1);
    std::fs::write(other.join("added.txt"), LOCAL).unwrap();
    let git = |args: &str| {
        let mut git = project.env.command("git");
        git.current_dir(&below).args(args.split(' '));
        project.run(git, args)
    };
    git("add -A ..").ok();
    git("add ../../added.txt").ok();
    let run = git("commit -qm x");
    assert!(run.code == 1 && run.stderr.contains("added.txt:1:"), "{}", run.snapshot());
    project.env.bd(["hooks", "uninstall"]).ok();
    assert_eq!(listing(&project.env.path(".git/hooks")), before);
}

#[test]
fn elsewhere_there_are_no_hooks() {
    let env = crate::support::harness::Env::new();
    env.bd(["hooks", "install"]).fails(9, &["bd hooks is for git"]);
}
