//! Files from a pull do not decide which version control a project has, nor whose settings count.

use crate::support::harness::Env;
use crate::support::project::Project;
use crate::support::repos::{ledger, sh};

const PLANS: &str = "home/.beads-planning";

/// The contributor files in private, and a private line is found.
fn keeps_private(env: &Env, what: &str) {
    let id = env.bd(["q", "Private plan"]).ok().stdout.trim().to_owned();
    assert!(!ledger(env, "web").contains("Private plan"), "{what}");
    let plans = ledger(env, PLANS);
    let line = plans.lines().find(|line| line.contains(&id)).unwrap_or_else(|| panic!("{what}: {plans}"));
    let own = ledger(env, "web");
    std::fs::write(env.ledger_path(), format!("{own}{line}\n")).unwrap();
    sh(env, "cd web && git add .beads/beads.jsonl");
    env.bd(["check-leaks", "--staged"]).fails(8, &[]);
    std::fs::write(env.ledger_path(), own).unwrap();
    sh(env, "cd web && git add .beads/beads.jsonl");
}

#[test]
fn a_pulled_marker_does_not_hide_who_you_are() {
    for file in [
        ".beads/.hg/requires",
        ".beads/.sl/requires",
        ".beads/.jj/repo/x",
        ".jj/repo/x",
        ".jj/repo/store/git_target",
        ".hg/requires",
        ".hg/dirstate",
        ".sl/requires",
    ] {
        let Some(project) = Project::new() else { return };
        let env = &project.env;
        let before = env.bd(["where", "--json"]).ok().json();
        sh(
            env,
            &format!(
                "git clone -q web other && cd other && mkdir -p $(dirname {file}) && echo ../../../x > {file} && git add -Af && \
                 git commit -qm marker && cd ../web && git pull -q ../other"
            ),
        );
        assert!(env.path(file).exists(), "{file}");
        let after = env.bd(["where", "--json"]).ok().json();
        assert_eq!(after["state_home"], before["state_home"], "{file}");
        keeps_private(env, file);
        // Once more where the list of files is written in another way.
        for form in ["--index-version 4", "--split-index"] {
            sh(env, &format!("cd web && git update-index {form}"));
            keeps_private(env, &format!("{file} {form}"));
        }
    }
}

/// In a workspace that is made of such a commit it is the same.
#[test]
fn a_workspace_of_a_commit_with_markers() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    sh(
        env,
        "cd web && mkdir -p .hg .beads/.jj/repo && touch .hg/requires .beads/.jj/repo/x && git add -Af && git commit -qm marker",
    );
    for kind in ["clone", "copy", "worktree"] {
        let path = env.root().join(kind).display().to_string();
        env.bd(["workspace", "create", "--new", "--kind", kind, "--path", &path]).ok();
        let run = crate::support::checkouts::bd(env, &env.root().join(kind), "q Private", &[]).ok();
        assert!(ledger(env, PLANS).contains(run.stdout.trim()), "{kind}");
        assert!(!ledger(env, kind).contains("Private"), "{kind}");
    }
}

/// A commit makes a submodule of the ledger's directory: what the user has settled around it is not forgotten in silence.
#[test]
fn a_pull_that_makes_the_ledger_a_submodule_stops_writes() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    sh(
        env,
        "git clone -q web other; git init -q ledger; cp other/.beads/beads.jsonl ledger/; cd ledger; git add -A; git commit -qm ledger
         cd ../other; git rm -rqf .beads; git -c protocol.file.allow=always submodule -q add ../ledger .beads; git commit -qam submodule
         cd ../web; git pull -q ../other; git -c protocol.file.allow=always submodule -q update --init",
    );
    let before = ledger(env, "web");
    env.bd(["add", "Private plan"]).fails(1, &["this is a submodule", "bd init --contributor"]);
    env.bd(["check-leaks"]).fails(1, &["this is a submodule"]);
    env.bd(["list"]).ok();
    assert_eq!(ledger(env, "web"), before);
    env.bd(["init", "--contributor"]).ok();
    env.bd(["add", "Private plan"]).ok();
    assert_eq!(ledger(env, "web"), before);
    assert!(ledger(env, PLANS).contains("Private plan"));
}
