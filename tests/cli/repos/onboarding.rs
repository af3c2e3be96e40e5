//! The first minutes of contributors, maintainers and teams: `bd init` and its flags, what it makes, what it asks, and the
//! commits that a planning repo gets.

use std::process::Stdio;

use snapbox::{IntoData as _, assert_data_eq, str};

use crate::support::harness::{BD, Env};
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger, put_issues, repo, sh};
use crate::support::wait::until;

/// A clone of a project that has a ledger; the user does not maintain it.
fn clone() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::bare();
    repo(&env, "origin", "bd");
    put_issues(&env, "origin", &["bd-own"]);
    sh(&env, "cd origin; git init -q; git add .; git commit -qm ledger; cd ..; rmdir web; git clone -q origin web");
    Some(env)
}

/// A clone of a project without one.
fn plain_clone() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::bare();
    sh(
        &env,
        "git init -q origin; cd origin; echo 1 > code; git add .; git commit -qm code; cd ..; rmdir web; git clone -q origin web",
    );
    Some(env)
}

fn status(env: &Env, below: &str) -> String {
    sh(env, &format!("git -C {below} status --short --untracked-files=all"))
}

/// Subjects of all commits, the latest first.
fn log(env: &Env, below: &str) -> Vec<String> {
    sh(env, &format!("git -C {below} log --format=%s")).lines().map(str::to_owned).collect()
}

/// The files of the latest commit.
fn committed(env: &Env, below: &str) -> Vec<String> {
    let names = sh(env, &format!("git -C {below} show --format= --name-only"));
    names.lines().map(str::to_owned).collect()
}

#[test]
fn a_contributor_gets_a_planning_repo() {
    let Some(env) = clone() else { return };
    let before = env.ledger();
    assert_data_eq!(
        env.script(
            "init --contributor
             add 'Private' --id plan-1
             list
             init --contributor"
        ),
        str![[r#"
$ bd init --contributor
already initialized: .beads/beads.jsonl
git init in ~/.beads-planning
planning repo made: ~/.beads-planning/.beads/beads.jsonl
committed: start the ledger
changed: .git/beads/config.toml (personal)
! hint: run `bd add "First plan"`: it goes to your planning repo (see `bd info`)
$ bd add Private --id plan-1
Created issue in ~/.beads-planning: plan-1
$ bd list
plan-1  P2  open  task  Private [local] (~/.beads-planning, for bd)
bd-own  P2  open  task  BD-OWN
$ bd init --contributor
already initialized: .beads/beads.jsonl
already so: .git/beads/config.toml (personal)
! ~/.beads-planning is already listed in the personal settings
! hint: run `bd add "First plan"`: it goes to your planning repo (see `bd info`)

"#]]
        .raw()
    );
    assert_eq!(env.ledger(), before);
    assert_eq!((status(&env, "web"), log(&env, "web")), (String::new(), vec!["ledger".to_owned()]));
    let plan = "home/.beads-planning";
    assert_eq!(status(&env, plan), "");
    assert_eq!(log(&env, plan), ["add plan-1: Private", "start the ledger"]);
    assert_eq!(sh(&env, &format!("git -C {plan} log -1 --format=%an")), "ann\n");
}

#[test]
fn a_contributor_plans_elsewhere() {
    let Some(env) = clone() else { return };
    let json = env.bd(["init", "--contributor", "~/plans/big", "--json"]).ok().json();
    let files = &json["config"]["files"];
    assert_eq!(files[0]["origin"], "personal", "{json}");
    assert_eq!(files.as_array().unwrap().len(), 1, "{json}");
    assert_eq!(json["status"], "already_initialized");
    let add = env.bd(["add", "Private", "--json"]).ok().json();
    assert_eq!((&add["source_repo"], add["id"].as_str().unwrap().starts_with("bd-")), (&"~/plans/big".into(), true));
    assert!(!env.root().join("home/.beads-planning").exists());
    assert_eq!(status(&env, "web"), "");
}

#[test]
fn a_planning_repo_that_is_there_stays_as_it_is() {
    let Some(env) = clone() else { return };
    repo(&env, "home/.beads-planning", "mine");
    put_issues(&env, "home/.beads-planning", &["mine-1"]);
    sh(&env, "cd home/.beads-planning; git init -q; git add .; git commit -qm mine; echo x > draft; git add draft");
    let run = env.bd(["init", "--contributor"]).ok();
    assert!(!run.stdout.contains("planning repo made"), "{}", run.snapshot());
    assert_eq!(log(&env, "home/.beads-planning"), ["mine"]);
    assert_eq!(status(&env, "home/.beads-planning"), "A  draft\n");
    assert_eq!(env.bd(["list", "--json", "--sort", "id"]).ok().ids(), ["bd-own", "mine-1"]);
}

#[test]
fn a_directory_with_other_things_becomes_a_planning_repo() {
    let Some(env) = clone() else { return };
    env.write("../home/notes/todo.txt", "mine\n");
    let run = env.bd(["init", "--contributor", "~/notes"]).ok();
    assert!(run.stdout.contains("planning repo made"), "{}", run.snapshot());
    assert!(!env.root().join("home/notes/.git").exists(), "what was there is not put under version control");
    env.bd(["add", "Private"]).ok();
    assert_eq!(std::fs::read_to_string(env.root().join("home/notes/todo.txt")).unwrap(), "mine\n");
}

#[test]
fn a_project_without_a_ledger_sees_nothing_of_it() {
    let Some(env) = plain_clone() else { return };
    let exclude = env.path(".git/info/exclude");
    std::fs::write(&exclude, "*.swp").unwrap();
    assert_data_eq!(
        env.script(
            "init --contributor
             add 'Private' --id plan-1
             list
             init --contributor --quiet"
        ),
        str![[r#"
$ bd init --contributor
bd initialized successfully! Ledger: .beads/beads.jsonl
new ids start with web-
/.beads/ is kept out of commits by .git/info/exclude
git init in ~/.beads-planning
planning repo made: ~/.beads-planning/.beads/beads.jsonl
committed: start the ledger
changed: .git/beads/config.toml (personal)
! hint: run `bd add "First plan"`: it goes to your planning repo (see `bd info`)
$ bd add Private --id plan-1
Created issue in ~/.beads-planning: plan-1
$ bd list
plan-1  P2  open  task  Private [local] (~/.beads-planning, for web)
$ bd init --contributor --quiet

"#]]
        .raw()
    );
    assert_eq!(std::fs::read_to_string(&exclude).unwrap(), "*.swp\n/.beads/\n");
    assert_eq!((status(&env, "web"), log(&env, "web")), (String::new(), vec!["code".to_owned()]));
    sh(&env, "cd web; git add -A");
    assert_eq!(status(&env, "web"), "", "git add -A carries nothing");
    assert_eq!(env.ledger(), b"");
}

#[test]
fn a_worktree_shares_the_exclude_file() {
    let Some(env) = plain_clone() else { return };
    sh(&env, "git -C web worktree add -q ../tree");
    bd_in(&env, "tree", ["init", "--contributor"]).ok();
    assert_eq!(status(&env, "tree"), "");
    assert!(sh(&env, "cat web/.git/info/exclude").contains("/.beads/\n"));
}

#[test]
fn a_planning_repo_that_cannot_be_one_leaves_nothing_behind() {
    let Some(env) = plain_clone() else { return };
    env.write("../home/file", "mine");
    env.bd(["init", "--contributor", "~/file"]).fails(9, &["no repo at ~/file"]);
    env.bd(["init", "--contributor", "."]).fails(5, &["is inside the working copy of the primary repo"]);
    env.bd(["init", "--contributor", "sub"]).fails(5, &[]);
    env.bd(["init", "--contributor", "../web/sub"]).fails(5, &[]);
    assert_eq!(std::fs::read_dir(env.path("")).unwrap().count(), 2, "code and .git");
    assert_eq!(std::fs::read_to_string(env.root().join("home/file")).unwrap(), "mine");
}

#[test]
fn without_git_planning_works_uncommitted() {
    let env = Env::new();
    env.set("PATH", env.root().join("tmp"));
    let run = env.bd(["init", "--contributor"]).ok();
    assert!(run.stdout.contains("has no version control"), "{}", run.snapshot());
    let run = env.bd(["add", "Private", "--json"]).ok();
    assert_eq!((&run.json()["source_repo"], run.stderr.as_str()), (&"~/.beads-planning".into(), ""));
}

#[test]
fn a_maintainer_says_so() {
    let Some(env) = clone() else { return };
    assert_data_eq!(
        env.script(
            "init --maintainer
             role
             config --routing auto
             add 'For all' --id bd-all"
        ),
        str![[r#"
$ bd init --maintainer
already initialized: .beads/beads.jsonl
changed: .git/beads/config.toml (personal)
! hint: run `bd info` to see what is in effect
$ bd role
maintainer
Rule        pinned
Because     routing.role in the personal settings says so
In effect   no: routing.mode is single, everything goes to this repo
$ bd config --routing auto
changed: .beads/config.toml (shared)
$ bd add 'For all' --id bd-all
Created issue: bd-all

"#]]
        .raw()
    );
    assert!(env.ledger_text().contains("\"bd-all\""));
    assert_eq!(log(&env, "web"), ["ledger"], "the project is never committed unasked");
}

#[test]
fn a_team_names_its_maintainers() {
    if !have(&["git"]) {
        return;
    }
    let env = Env::bare();
    sh(&env, "git init -q web; cd web; git remote add origin https://host/app; git config user.email ann@example.org");
    assert_data_eq!(
        env.script(
            "init --prefix bd --team --maintainers ann@example.org,bob@example.org
             role
             add 'For all' --id bd-all"
        ),
        str![[r#"
$ bd init --prefix bd --team --maintainers ann@example.org,bob@example.org
bd initialized successfully! Ledger: .beads/beads.jsonl
new ids start with bd-
changed: .beads/config.toml (shared)
! hint: run `bd info` to see what is in effect
$ bd role
maintainer
Rule        maintainers
Because     routing.maintainers lists ann@example.org
$ bd add 'For all' --id bd-all
Created issue: bd-all

"#]]
        .raw()
    );
    assert_data_eq!(
        std::fs::read_to_string(env.path(".beads/config.toml")).unwrap(),
        str![[r##"
# Settings of this repo's ledger; see `bd help`.
issue_prefix = "bd"

[routing]
mode = "auto"
maintainers = ["ann@example.org", "bob@example.org"]

"##]]
        .raw()
    );
    sh(&env, "git -C web config user.email kim@example.org");
    env.bd(["close", "bd-all"]).fails(5, &["you are a contributor here"]);
}

#[test]
fn a_ledger_of_another_name() {
    let env = Env::bare();
    env.bd(["init", "--ledger-name", "issues.jsonl", "--prefix", "bd"]).ok();
    env.given("add 'One' --id bd-1");
    assert!(std::fs::read_to_string(env.path(".beads/issues.jsonl")).unwrap().contains("bd-1"));
    assert!(!env.ledger_path().exists());
    let env = Env::bare();
    for name in ["../x.jsonl", "x", ".x.jsonl", "a/b.jsonl", ""] {
        env.bd(["init", "--ledger-name", name]).fails(2, &["must be the name of a .jsonl file"]);
    }
    assert!(!env.path(".beads").exists());
}

#[test]
fn parts_that_exclude_each_other() {
    let env = Env::bare();
    for line in ["init --contributor --maintainer", "init --team --maintainer", "init --maintainers a@example.org"] {
        env.bd(line.split(' ')).fails(2, &["Usage: bd init"]);
    }
    assert!(!env.path(".beads").exists());
}

/// Runs a command whose standard input stays open and never says anything.
fn run_with_silent_input(env: &Env, args: &[&str]) {
    let mut command = env.bd_command(BD);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let input = child.stdin.take();
    until(&format!("bd {} asks for nothing", args.join(" ")), || child.try_wait().unwrap().is_some());
    drop(input);
    assert!(child.wait().unwrap().success(), "bd {}", args.join(" "));
}

#[test]
fn nothing_is_asked_without_a_terminal() {
    let Some(env) = clone() else { return };
    for args in
        [&["init", "--contributor"][..], &["init", "--team"], &["init", "--maintainer"], &["init"], &["add", "x"]]
    {
        run_with_silent_input(&env, args);
    }
    assert!(env.root().join("home/.beads-planning/.beads/beads.jsonl").exists());
}

/// Runs `bd` on a terminal, and gives what is to be seen there.
fn on_terminal(env: &Env, line: &str, typed: &str) -> String {
    let mut command = env.bd_command("script");
    command.args(["-qec", &format!("'{BD}' {line}"), "/dev/null"]).env("NO_COLOR", "1").env("SHELL", "/bin/sh");
    let run = env.run(command, line.to_owned(), Some(typed));
    assert_eq!(run.code, 0, "{}", run.snapshot());
    run.stdout.replace("\r\n", "\n").replace(env.root().to_str().unwrap(), "$ROOT")
}

#[test]
fn on_a_terminal_the_default_is_a_key_away() {
    if !have(&["script"]) {
        return;
    }
    let Some(env) = clone() else { return };
    let seen = on_terminal(&env, "init --contributor", "\n");
    assert!(seen.contains("Planning repo [~/.beads-planning]: "), "{seen}");
    assert!(seen.contains("planning repo made: ~/.beads-planning/.beads/beads.jsonl"), "{seen}");
    assert_eq!(status(&env, "web"), "");
}

#[test]
fn on_a_terminal_an_answer_counts() {
    if !have(&["script"]) {
        return;
    }
    let Some(env) = clone() else { return };
    let seen = on_terminal(&env, "init --contributor", "~/elsewhere\n");
    assert!(seen.contains("planning repo made: ~/elsewhere/.beads/beads.jsonl"), "{seen}");
    assert!(!env.root().join("home/.beads-planning").exists());
    let seen = on_terminal(&env, "init --team", "ann@example.org, kim@example.org\n");
    assert!(seen.contains("E-mail addresses of the maintainers, comma-separated"), "{seen}");
    let shared = std::fs::read_to_string(env.path(".beads/config.toml")).unwrap();
    assert!(shared.contains("maintainers = [\"ann@example.org\", \"kim@example.org\"]"), "{shared}");
    // One's own planning repo is joined, so the list decides nothing here, and that is said.
    env.bd(["config", "get", "routing.maintainers"]).fails(3, &["ann@example.org", "not in effect"]);
}

#[test]
fn on_a_terminal_only_what_is_open_is_asked() {
    if !have(&["script"]) {
        return;
    }
    let Some(env) = clone() else { return };
    for line in ["init", "init --contributor ~/given", "init --team --maintainers a@example.org", "init --maintainer"] {
        let seen = on_terminal(&env, line, "~/typed\n");
        assert!(!seen.contains("]: ") && !seen.contains("(y/N)"), "bd {line} asks\n{seen}");
    }
    let json = on_terminal(&env, "init --contributor --json", "~/typed\n");
    assert!(!json.contains("]: ") && !env.root().join("home/typed").exists(), "{json}");
}

const TOLD: &str = "you look like a contributor here (the remote upstream differs from origin, so this is a fork)";
const QUESTION: &str = "Plan in a repo of your own instead, ~/.beads-planning? (y/N) ";

#[test]
fn who_looks_like_a_contributor_is_told_before_an_issue_goes_into_the_project_and_never_asked_without_a_terminal() {
    let Some(env) = clone() else { return };
    assert_data_eq!(
        env.script("add 'Into the project' --id bd-new"),
        str![[r#"
$ bd add 'Into the project' --id bd-new
Created issue: bd-new
! you look like a contributor here (there is a remote, and nothing shows that you may push to it): this goes into the project's own ledger and into your next commit of it
! hint: to keep it to yourself, run `bd init --contributor`, then `bd migrate --move-to ~/.beads-planning --filter id=bd-new`; if you maintain this project, run `bd init --maintainer`

"#]]
        .raw()
    );
    // Before the write, also for programs and also if nothing comes of it.
    let json = env.bd(["add", "Another", "--json"]).ok();
    assert!(json.talk().contains("you look like a contributor here"), "{}", json.snapshot());
    let quick = env.bd(["q", "Quick"]).ok();
    assert!(quick.stderr.contains("you look like a contributor here") && quick.stdout.lines().count() == 1);
    let refused = env.bd(["add", "Taken", "--id", "bd-own"]);
    assert!(refused.code != 0 && refused.stderr.starts_with("you look like"), "{}", refused.snapshot());
    // The printed remedy works, until the issue is committed.
    env.given(
        "init --contributor
         migrate --move-to ~/.beads-planning --filter id=bd-new",
    );
    assert!(!env.ledger_text().contains("bd-new"), "{}", env.ledger_text());
    let moved = env.bd(["show", "bd-new", "--json"]).ok().json();
    assert_eq!((&moved[0]["source_repo"], &moved[0]["visibility"]), (&"~/.beads-planning".into(), &"local".into()));
    env.bd(["migrate", "--move-to", "~/.beads-planning", "--filter", "id=bd-own"])
        .fails(5, &["you are a contributor here"]);
    assert_eq!(env.bd(["add", "Planned"]).ok().stderr, "");
}

#[test]
fn who_maintains_a_project_or_has_it_alone_is_told_nothing() {
    let Some(env) = clone() else { return };
    env.given("init --maintainer");
    assert_eq!(env.bd(["add", "One"]).ok().stderr, "");
    let alone = Env::new();
    assert_eq!(alone.bd(["add", "One"]).ok().stderr, "");
    sh(&alone, "git init -q web");
    assert_eq!(alone.bd(["add", "Two"]).ok().stderr, "");
    // A ledger kept out of commits is private.
    let Some(env) = plain_clone() else { return };
    env.given("init --contributor ~/plan");
    sh(&env, "rm web/.git/beads/config.toml");
    assert_eq!(env.bd(["add", "One"]).ok().stderr, "");
}

#[test]
fn a_team_s_contributor_without_a_planning_repo_is_told_how_to_make_one() {
    let Some(env) = clone() else { return };
    env.given("init --team --maintainers max@example.org");
    let before = env.ledger();
    env.bd(["add", "Mine"])
        .fails(2, &["you are a contributor here and have no planning repo yet", "run `bd init --contributor`"]);
    assert_eq!(env.ledger(), before);
    env.given("init --contributor");
    assert!(env.bd(["add", "Mine"]).ok().stdout.starts_with("Created issue in ~/.beads-planning: "));
}

#[test]
fn on_a_terminal_who_looks_like_a_contributor_is_asked_once_for_each_clone() {
    if !have(&["script"]) {
        return;
    }
    let Some(env) = clone() else { return };
    sh(&env, "git -C web remote add upstream https://host/app");
    // Wherever the terminal's width makes a line end.
    let on_terminal =
        |line: &str, typed: &str| on_terminal(&env, line, typed).split_whitespace().collect::<Vec<_>>().join(" ");
    let before = env.ledger();
    let first = on_terminal("add One", "\n");
    assert!(first.contains(TOLD) && first.contains(QUESTION), "{first}");
    assert_ne!(env.ledger(), before, "the default is to go on");
    let later = on_terminal("add Two", "yes\n");
    assert!(later.contains(TOLD) && !later.contains(QUESTION), "{later}");
    let init = on_terminal("init", "");
    assert!(init.contains(TOLD) && init.contains("bd init --contributor"), "{init}");
    sh(&env, "rm web/.git/beads/hinted");
    let before = env.ledger();
    let yes = on_terminal("add Three", "yes\n");
    assert!(yes.contains(QUESTION) && yes.contains("Created issue in ~/.beads-planning: "), "{yes}");
    assert_eq!(env.ledger(), before);
}

/// A contributor whose planning repo is `~/plan`, under git and with nothing to commit.
fn planning() -> Option<Env> {
    let env = clone()?;
    env.given("init --contributor ~/plan");
    assert_eq!(log(&env, "home/plan"), ["start the ledger"]);
    Some(env)
}

#[test]
fn each_write_is_a_commit_of_the_ledger_alone() {
    let Some(env) = planning() else { return };
    sh(
        &env,
        "cd home/plan; echo 1 > known; git add known; git commit -qm known
         echo 2 >> known; echo staged > staged; git add staged; echo new > untracked",
    );
    let before = status(&env, "home/plan");
    assert_eq!(before, "M known\n".replace('M', " M") + "A  staged\n?? untracked\n");
    env.given(
        "add 'First' --id plan-1
         add 'Second' --id plan-2
         update plan-1 -p 0
         close plan-1 plan-2
         close plan-1",
    );
    assert_eq!(
        log(&env, "home/plan"),
        [
            "update 2 issues",
            "update plan-1: First",
            "add plan-2: Second",
            "add plan-1: First",
            "known",
            "start the ledger"
        ]
    );
    assert_eq!(committed(&env, "home/plan"), [".beads/beads.jsonl"]);
    assert_eq!(status(&env, "home/plan"), before);
    assert_eq!((status(&env, "web"), log(&env, "web").len()), (String::new(), 1));
}

#[test]
fn a_write_stands_when_it_cannot_be_committed() {
    let Some(env) = planning() else { return };
    let lock = env.root().join("home/plan/.git/index.lock");
    std::fs::write(&lock, "").unwrap();
    let run = env.bd(["add", "First", "--id", "plan-1"]).ok();
    assert_data_eq!(run.snapshot(), str![[r#"
$ bd add First --id plan-1
Created issue in ~/plan: plan-1
! warning: written, but not committed in ~/plan: cannot commit in ~/plan: another program holds a lock there; the next write commits it too

"#]].raw());
    let json = env.bd(["update", "plan-1", "-p", "0", "--json"]).ok();
    assert!(json.talk().contains("another program holds a lock there"), "{}", json.snapshot());
    assert!(ledger(&env, "home/plan").contains("plan-1"));
    assert_eq!(log(&env, "home/plan"), ["start the ledger"]);
    std::fs::remove_file(&lock).unwrap();
    let run = env.bd(["add", "Second", "--id", "plan-2"]).ok();
    assert_eq!(run.stderr, "");
    assert_eq!(log(&env, "home/plan"), ["add plan-2: Second", "start the ledger"]);
    assert_eq!(status(&env, "home/plan"), "", "the commit carries both");
    assert_eq!(sh(&env, "git -C home/plan show HEAD:.beads/beads.jsonl").lines().count(), 2);
}

#[test]
fn an_unfinished_merge_is_left_alone() {
    let Some(env) = planning() else { return };
    sh(
        &env,
        "cd home/plan; git checkout -qb side; echo 1 > x; git add x; git commit -qm side; git checkout -q -
         echo 2 > x; git add x; git commit -qm mine; git merge -q side || true",
    );
    let run = env.bd(["add", "First", "--id", "plan-1"]).ok();
    assert!(run.stderr.contains("is not finished"), "{}", run.snapshot());
    assert!(ledger(&env, "home/plan").contains("plan-1"));
    assert_eq!(log(&env, "home/plan"), ["mine", "start the ledger"]);
    assert!(status(&env, "home/plan").contains("AA x\n"));
}

#[test]
fn commits_can_be_switched_off() {
    let Some(env) = planning() else { return };
    env.given(
        "config set commit.planning false --personal
         add 'First' --id plan-1",
    );
    assert_eq!(log(&env, "home/plan"), ["start the ledger"]);
    assert_eq!(status(&env, "home/plan"), " M .beads/beads.jsonl\n");
    env.given("--config commit.planning=true add 'Second' --id plan-2");
    assert_eq!(log(&env, "home/plan"), ["add plan-2: Second", "start the ledger"]);
}

#[test]
fn the_project_is_committed_only_on_demand() {
    let Some(env) = clone() else { return };
    sh(&env, "cd web; echo staged > staged; git add staged");
    env.given("add 'First' --id bd-1");
    assert_eq!(log(&env, "web"), ["ledger"]);
    env.given(
        "config set commit.primary true --personal
         add 'Second' --id bd-2",
    );
    assert_eq!(log(&env, "web"), ["add bd-2: Second", "ledger"]);
    assert_eq!(committed(&env, "web"), [".beads/beads.jsonl"]);
    assert_eq!(status(&env, "web"), "A  staged\n");
}

#[test]
fn a_title_cannot_forge_a_commit_message() {
    let Some(env) = planning() else { return };
    env.bd(["add", "--id", "plan-1", "--", "-n --amend $(touch x) `touch y`"]).ok();
    assert_eq!(log(&env, "home/plan")[0], "add plan-1: -n --amend $(touch x) `touch y`");
    assert_eq!(log(&env, "home/plan").len(), 2);
}

/// The files that a repository has under version control.
fn tracked(env: &Env, below: &str) -> Vec<String> {
    sh(env, &format!("git -C {below} ls-files")).lines().map(str::to_owned).collect()
}

#[test]
fn a_planning_repo_made_by_hand_commits_its_set_up_with_the_first_write() {
    let Some(env) = clone() else { return };
    sh(&env, "git init -q home/hand");
    bd_in(&env, "home/hand", ["init", "-q"]).ok();
    env.write("../home/hand/.beads/notes.txt", "not ours");
    env.given(
        "config --add-repo ~/hand --routing contributor --personal
         add 'First' --id bd-new",
    );
    let names = [".gitattributes", ".gitignore", "beads.jsonl", "config.toml", "metadata.json"];
    assert_eq!(tracked(&env, "home/hand"), names.map(|name| format!(".beads/{name}")));
    assert_eq!(status(&env, "home/hand"), "?? .beads/notes.txt\n", "what is not ours stays as it is");
    sh(&env, "cd home/hand; echo '# mine' >> .beads/config.toml; echo staged > staged; git add staged");
    env.bd(["sync", "--no-push", "-q"]);
    assert_eq!(
        sh(&env, "git -C home/hand show --format=%s --name-only"),
        "update the ledger's settings\n\n.beads/config.toml\n"
    );
    assert_eq!(status(&env, "home/hand"), "A  staged\n?? .beads/notes.txt\n");
    // A file that the user's git ignores is not added by force.
    sh(
        &env,
        "cd home/hand; git rm -q --cached .beads/metadata.json; git commit -qm out; echo metadata.json >> .git/info/exclude",
    );
    env.given("add 'Second'");
    assert!(!tracked(&env, "home/hand").contains(&".beads/metadata.json".to_owned()));
}

#[test]
fn a_planning_ledger_at_the_root_of_its_repo_is_one_like_the_others() {
    let Some(env) = clone() else { return };
    sh(&env, "git init -q home/flat; touch home/flat/beads.jsonl");
    env.given("config --add-repo ~/flat --routing contributor --personal");
    assert_eq!(env.bd(["add", "First", "--id", "bd-new"]).ok().stdout, "Created issue in ~/flat: bd-new\n");
    assert_eq!(log(&env, "home/flat"), ["add bd-new: First"]);
    let repos = env.bd(["repo", "list", "--json"]).ok().json();
    let flat = repos
        .as_array()
        .unwrap()
        .iter()
        .find(|repo| repo["source_repo"] == "~/flat")
        .unwrap_or_else(|| panic!("{repos}"));
    assert_eq!(flat["path"].as_str().unwrap(), env.root().join("home/flat").to_str().unwrap(), "{repos}");
    // The guard knows the place, and the home directory around it is not secret.
    let place = env.root().join("home/flat").display().to_string();
    env.write("doc.txt", format!("see {place}\n"));
    sh(&env, "git -C web add doc.txt");
    let found = env.bd(["check-leaks"]).fails(8, &[]);
    assert!(found.stdout.contains("doc.txt"), "{}", found.snapshot());
    env.write("doc.txt", format!("see {}/other\n", env.root().join("home").display()));
    sh(&env, "git -C web add doc.txt");
    env.bd(["check-leaks"]).ok();
    // Standing in it, too.
    assert_eq!(bd_in(&env, "home/flat", ["list", "--json"]).ok().ids(), ["bd-new"]);
    env.given("propose bd-new");
    assert_eq!(env.bd(["list", "--json", "--visibility", "proposed"]).ok().ids(), ["bd-new"]);
}
