//! The rules of the leak check: each with what it catches and what it allows.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::sh;

/// A line of the primary's ledger for `pl-1`, proposed, with a further field.
fn proposed(field: &str) -> String {
    format!(
        "{{\"id\":\"pl-1\",\"title\":\"Plan\",{field}\"visibility\":\"proposed\",\"proposal\":{{\"id\":\"prop_1\",\"state\":\"open\"}}}}\n"
    )
}

#[test]
fn local_issues() {
    let Some(project) = Project::single() else { return };
    project.stage("a.txt", "{\"id\":\"x-1\",\"visibility\":\"proposed\"}\n{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    assert_eq!(project.leaks(""), ["a.txt:2: an issue that is local: x-2"]);
    project.stage(
        "a.txt",
        "{\"id\":\"x-1\",\"visibility\":\"proposed\"}\n{\"title\":\"no id\",\"visibility\":\"local\"}\n",
    );
    assert_eq!(project.leaks("--staged"), [""; 0]);
}

#[test]
fn private_issues_in_any_file() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1 -d words\nadd Other --id pl-2");
    project.stage("docs/dump.txt", "{\"id\":\"pl-1\",\"title\":\"Plan\"}\n{\"id\":\"bd-base\"}\nabout pl-1\n");
    assert_eq!(project.leaks(""), ["docs/dump.txt:1: a private issue of a planning repo: pl-1"]);
    project.stage("docs/dump.txt", "[\n  {\n    \"id\": \"pl-2\",\n    \"title\": \"Other\"\n  }\n]\n");
    assert_eq!(project.leaks(""), ["docs/dump.txt:3: a private issue of a planning repo: pl-2"]);
    // Once it is proposed, its public part may go.
    project.env.given("propose pl-1");
    project.stage("docs/dump.txt", "{\"id\":\"pl-1\",\"title\":\"Plan\"}\n");
    assert_eq!(project.leaks(""), [""; 0]);
    project.env.given("withdraw pl-1");
    project.git("add -A").ok();
    assert_eq!(project.leaks(""), ["docs/dump.txt:1: a private issue of a planning repo: pl-1"]);
}

/// Public in the project that it was proposed to, and private everywhere else.
#[test]
fn an_issue_that_was_proposed_to_another_project() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1\npropose pl-1");
    let planning = project.env.root().join("home/.beads-planning/.beads/beads.jsonl");
    let text = std::fs::read_to_string(&planning).unwrap();
    project.stage("dump.txt", "{\"id\":\"pl-1\",\"title\":\"Plan\"}\n");
    assert_eq!(project.leaks(""), [""; 0]);
    let elsewhere = text.replace("\"target\":\"bd\"", "\"target\":\"api\"");
    assert_ne!(elsewhere, text);
    for state in ["open", "accepted"] {
        let line = elsewhere.replace("\"state\":\"open\"", &format!("\"state\":\"{state}\""));
        crate::support::harness::put_file(&planning, line.as_bytes());
        let found = project.leaks("");
        assert!(
            found.contains(&"dump.txt:1: a private issue of a planning repo: pl-1".to_owned()),
            "{state}: {found:?}"
        );
    }
}

/// The project's own line cannot make a note public.
#[test]
fn a_line_cannot_include_notes_by_itself() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1\nnote pl-1 'call the customer'\npropose pl-1");
    let line = project.env.ledger_text().lines().last().unwrap().to_owned();
    assert!(line.contains("\"state\":\"open\""), "{line}");
    let claims = line.replace("\"state\":\"open\"", "\"state\":\"open\",\"include\":[\"notes\"]");
    project.stage("dump.txt", &claims.replacen("{", "{\"notes\":\"call the customer\",", 1));
    let found = project.leaks("");
    assert!(found.iter().any(|leak| leak.starts_with("dump.txt:1:") && leak.contains("notes")), "{found:?}");
}

#[test]
fn private_parts_of_a_proposed_issue() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1 -a ann -e 5 --external-ref gh-7\nadd Other --id pl-2\nadd Third --id pl-3");
    project.env.given("note pl-1 'call the customer'\ncomment pl-1 'they are late'\npropose pl-1");
    project.git("add -A").ok();
    assert_eq!(project.leaks(""), [""; 0], "an export is clean");
    let base = String::from_utf8(project.git("show HEAD:.beads/beads.jsonl").ok().stdout.into_bytes()).unwrap();
    let found = |field: &str| {
        project.stage(".beads/beads.jsonl", &format!("{base}{}", proposed(field)));
        project.leaks("").into_iter().map(|line| line.replace(".beads/beads.jsonl:2: ", "")).collect::<Vec<_>>()
    };
    for (field, name) in [
        ("\"notes\":\"call the customer\",", "notes"),
        ("\"comments\":[{\"text\":\"they are late\"}],", "comments"),
        ("\"assignee\":\"ann\",", "assignee"),
        ("\"estimated_minutes\":5,", "estimated_minutes"),
        ("\"external_ref\":\"gh-7\",", "external_ref"),
    ] {
        assert_eq!(found(field), [format!("the private {name} of pl-1")]);
    }
    for field in [
        "",
        "\"notes\":\"of the maintainers\",",
        "\"comments\":[{\"text\":\"welcome\"}],",
        "\"assignee\":\"bob\",",
        "\"dependencies\":[{\"depends_on_id\":\"bd-base\",\"type\":\"blocks\"}],",
    ] {
        assert_eq!(found(field), [""; 0], "{field}");
    }
    let dependency = "\"dependencies\":[{\"depends_on_id\":\"pl-2\",\"type\":\"blocks\"}],";
    assert_eq!(found(dependency), ["pl-1 depends on a private issue: pl-2"]);
    let run = project.env.bd(["check-leaks", "--json"]).fails(8, &[]);
    assert_eq!(run.error()["code"], "leak");
    let leak = &run.json()["leaks"][0];
    assert_eq!((&leak["kind"], &leak["depends_on_id"]), (&"private_dependency".into(), &"pl-2".into()));
    // Private text is named, not repeated.
    found("\"notes\":\"call the customer\",");
    let run = project.env.bd(["check-leaks"]).fails(8, &["error: 1 private thing"]);
    assert!(!run.snapshot().contains("call the customer"), "{}", run.snapshot());
}

#[test]
fn included_notes_may_go() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1\nnote pl-1 'call the customer'\npropose pl-1 --include notes");
    project.git("add -A").ok();
    assert!(project.env.ledger_text().contains("call the customer"));
    assert_eq!(project.leaks(""), [""; 0]);
}

#[test]
fn paths() {
    let Some(project) = Project::new() else { return };
    let planning = project.env.root().join("home/.beads-planning");
    let personal = project.env.path(".git/beads/config.toml");
    let text = format!("in {}/x\n~/.beads-planning\n~/.beads-planning-2\n{}\n", planning.display(), personal.display());
    project.stage("a\u{1b}.md", &text);
    let name = "a\\u{1b}.md";
    let expected = [
        format!("{name}:1: the path of a planning repo"),
        format!("{name}:2: the path of a planning repo"),
        format!("{name}:4: the path of the personal settings"),
    ];
    assert_eq!(project.leaks(""), expected);
    project.git("rm -qf -r --cached .").ok();
    std::fs::remove_file(project.env.path("a\u{1b}.md")).unwrap();
    project.git("reset -q").ok();
    project.stage(".beads/config.toml", "[repos]\nadditional = [\"~/.beads-planning\"]\n");
    assert_eq!(project.leaks(""), [".beads/config.toml:2: the path of a planning repo"]);
    std::os::unix::fs::symlink(&planning, project.env.path("link")).unwrap();
    project.git("add link").ok();
    assert!(project.leaks("").contains(&"link:1: the path of a planning repo".to_owned()));
}

#[test]
fn only_what_is_new_counts() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1 -a ann\npropose pl-1");
    project
        .stage("a.txt", &format!("{{\"id\":\"x-2\",\"visibility\":\"local\"}}\n{}", proposed("\"assignee\":\"ann\",")));
    assert_eq!(project.leaks("").len(), 2);
    project.git("commit -qm there").ok();
    // A line that moves, and a field that was there before.
    let moved = format!(
        "{}{{\"id\":\"x-2\",\"visibility\":\"local\"}}\n",
        proposed("\"assignee\":\"ann\",\"design\":\"new\",")
    );
    project.stage("a.txt", &moved);
    assert_eq!(project.leaks(""), [""; 0]);
    project.stage("b.txt", &moved);
    assert_eq!(project.leaks("").len(), 2, "another file");
}

#[test]
fn an_unborn_branch() {
    let Some(project) = Project::new() else { return };
    project.git("checkout -q --orphan fresh").ok();
    project.stage("a.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    assert_eq!(project.leaks(""), ["a.txt:1: an issue that is local: x-2"]);
}

#[test]
fn a_range_is_looked_at_commit_by_commit() {
    let Some(project) = Project::new() else { return };
    project.git("branch side").ok();
    project.stage("a.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    project.git("commit -qm leak").ok();
    let leaked = project.git("rev-parse HEAD").ok().stdout;
    project.stage("a.txt", "nothing\n");
    project.git("commit -qm gone").ok();
    let expected = [format!("{} a.txt:1: an issue that is local: x-2", &leaked[..10])];
    assert_eq!(project.leaks("--range side..main"), expected);
    assert_eq!(project.leaks("--range HEAD~1..HEAD"), [""; 0]);
    // A merge is not blamed for what its other side brings.
    project.git("checkout -q side").ok();
    project.stage("b.txt", "side\n");
    project.git("commit -qm side").ok();
    project.git("merge -q --no-ff -m merge main~1").ok();
    let merge = project.git("rev-parse --verify HEAD^2").ok().stdout;
    assert_eq!(merge, leaked);
    assert_eq!(project.leaks("--range main~1..side"), [""; 0]);
    for bad in ["main", "-x..y", "a...b"] {
        project.env.bd(["check-leaks", &format!("--range={bad}")]).fails(2, &["is not a range", "origin/main..HEAD"]);
    }
    // A variable of a script was empty.
    project.env.bd(["check-leaks", "--range", "..main"]).fails(2, &["\"..main\" is not a range with a beginning"]);
    for bad in ["nosuch..main", "main..nosuch"] {
        let told = format!("{bad:?} is not a range of commits that are here");
        let run = project.env.bd(["check-leaks", "--range", bad]).fails(2, &[&told, "hint: git: two commits"]);
        assert!(!run.stderr.contains("fatal"), "{}", run.snapshot());
    }
}

/// The list of what is staged is longer than what is kept of a program's talk elsewhere.
#[test]
fn a_long_list_is_not_cut() {
    let Some(project) = Project::new() else { return };
    let name = "n".repeat(200);
    for n in 0..4500 {
        project.env.write(&format!("many/{name}{n}"), "x\n");
    }
    project.stage("zz.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    assert_eq!(project.leaks(""), ["zz.txt:1: an issue that is local: x-2"]);
}

#[test]
fn a_file_by_name_and_no_git() {
    let env = Env::new();
    env.write("dump.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    let run = env.bd(["check-leaks", "--ledger", "dump.txt"]).fails(8, &["error: 1 private thing"]);
    assert!(run.stdout.ends_with("dump.txt:1: an issue that is local: x-2\n"), "{}", run.snapshot());
    env.bd(["check-leaks", "--ledger", ".beads/beads.jsonl"]).ok();
    env.bd(["check-leaks"]).fails(9, &["--staged is for git", "bd check-leaks --ledger FILE"]);
    env.bd(["check-leaks", "--range", "a..b"]).fails(9, &["--range is for git"]);
    env.bd(["check-leaks", "--ledger", "nosuch"]).fails(1, &["nosuch"]);
}

#[test]
fn in_hg_what_would_be_committed_is_checked() {
    let env = Env::new();
    if !have(&["hg"]) {
        return;
    }
    assert!(env.command("hg").env("HGRCPATH", "").arg("init").status().unwrap().success());
    env.write("dump.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    env.bd(["check-leaks"]).ok();
    assert!(env.command("hg").env("HGRCPATH", "").args(["add", "dump.txt"]).status().unwrap().success());
    env.bd(["check-leaks"]).fails(8, &["1 private thing"]);
    env.bd(["check-leaks", "--range", "remote('x')"]).fails(2, &["stays in this repository"]);
    env.bd(["check-leaks", "--range", "nosuch"]).fails(2, &["\"nosuch\" is not a revset", "hg: a revset"]);
    env.bd(["hooks", "install", "--no-merge-driver"]).fails(9, &["bd hooks is for git"]);
    env.bd(["check-leaks", "--ledger", "dump.txt"]).fails(8, &[]);
}

#[test]
fn jj_beside_git() {
    let Some(project) = Project::new() else { return };
    if !have(&["jj"]) {
        return;
    }
    project.stage("a.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    project.git("commit -qm leak").ok();
    let config = project.env.write("../jj.toml", "");
    let mut command = project.env.command("jj");
    command.env("JJ_CONFIG", config).args(["git", "init", "--colocate", "--quiet"]);
    project.run(command, "jj git init").ok();
    assert_eq!(project.leaks("--range main~1..main").len(), 1, "as git writes it");
    assert_eq!(project.leaks("--range @-").len(), 1, "as jj writes it");
    // jj stages nothing: what the working copy holds would be committed.
    assert_eq!(project.leaks(""), [""; 0]);
    project.env.write("b.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    assert_eq!(project.leaks(""), ["b.txt:1: an issue that is local: x-2"]);
}

/// jj takes `main~1..main` for "main without what is between 1 and main" as soon as a commit's id begins with 1.
#[test]
fn a_range_of_git_that_jj_reads_otherwise() {
    let Some(project) = Project::new() else { return };
    if !have(&["jj"]) {
        return;
    }
    let commit = "n=0; until git -C web rev-parse HEAD | grep -q \"$MATCH\"; do n=$((n + 1)); git -C web commit -q --amend --allow-empty -m \"$n\"; done";
    sh(&project.env, &commit.replace("$MATCH", "^1"));
    project.stage("a.txt", "{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    project.git("commit -qm leak").ok();
    sh(&project.env, &commit.replace("$MATCH", "^[^1]"));
    // Of all commits only that one begins with 1.
    sh(
        &project.env,
        "cd web; jj git init --colocate --quiet 2>&1; n=0
         until [ \"$(jj log --no-graph -r 'all()' -T 'commit_id ++ \"\\n\"' | grep -c ^1)\" = 1 ]; do n=$((n + 1)); jj describe -q -m $n; done",
    );
    let as_jj = sh(&project.env, "cd web; jj log --no-graph -r main~1..main -T commit_id 2>&1");
    assert_eq!(as_jj, "", "the case that is meant");
    assert_eq!(project.leaks("--range main~1..main").len(), 1);
}

#[test]
fn a_planning_repo_that_is_away() {
    let Some(project) = Project::new() else { return };
    std::fs::remove_dir_all(project.env.root().join("home/.beads-planning")).unwrap();
    project.stage("a.txt", "~/.beads-planning\n{\"id\":\"x-2\",\"visibility\":\"local\"}\n");
    let run = project.env.bd(["check-leaks"]).fails(8, &["warning: ", "~/.beads-planning (missing)"]);
    assert_eq!(run.stdout, "a.txt:1: the path of a planning repo\na.txt:2: an issue that is local: x-2\n");
}

#[test]
fn an_export_does_not_carry_private_issues_into_the_project() {
    let Some(project) = Project::new() else { return };
    project.env.given("add Plan --id pl-1");
    let refused = ["is inside the working copy", "pl-1", "--repo ."];
    project.env.bd(["export", "-o", "all.jsonl"]).fails(5, &refused);
    assert!(!project.env.path("all.jsonl").exists());
    project.env.bd(["export", "-o", "all.jsonl", "--json"]).fails(5, &["would_leak"]);
    project.env.bd(["export", "-o", "all.jsonl", "--repo", "."]).ok();
    project.env.bd(["export", "-o", "../all.jsonl"]).ok();
    project.env.bd(["export", "-o", ".git/all.jsonl"]).ok();
    std::os::unix::fs::symlink(project.env.path("in.jsonl"), project.env.path("../out.jsonl")).unwrap();
    project.env.bd(["export", "-o", "../out.jsonl"]).fails(5, &refused[..1]);
    project.env.write(".gitignore", "*.private\n");
    project.env.bd(["export", "-o", "all.private"]).ok();
    project.git("add -f all.private").ok();
    project.env.bd(["export", "-o", "all.private"]).fails(5, &refused);
}
