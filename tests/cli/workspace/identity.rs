//! The identity of a user does not depend on the directory: a workspace of every kind, in every mode of the state home,
//! has the role, repos, planning repo and guards of its parent checkout.

use std::path::PathBuf;

use crate::support::checkouts::bd;
use crate::support::harness::{BD, Env, Run};
use crate::support::project::Project;
use crate::support::repos::{ledger, sh};

const PLANS: &str = "home/.beads-planning";

/// Where claims are kept, and the variables that say so.
fn modes(env: &Env) -> [(&'static str, Vec<(&'static str, String)>); 5] {
    let named = env.root().join("named").display().to_string();
    [
        ("repo", vec![]),
        ("state move --to global", vec![]),
        ("state move --to worktree", vec![]),
        ("the user's settings", vec![]),
        ("BD_STATE_DIR", vec![("BD_STATE_DIR", named)]),
    ]
}

/// A contributor's project in one of the modes, and the variables to go on with.
fn project(mode: usize) -> Option<(Project, Vec<(&'static str, String)>)> {
    let project = Project::new()?;
    let (name, vars) = modes(&project.env)[mode].clone();
    match name {
        "the user's settings" => {
            let settings = project.env.bd(["config", "list", "--json"]).ok();
            assert!(settings.stdout.contains("state.mode"), "{}", settings.snapshot());
            sh(
                &project.env,
                "mkdir -p home/config/beads && printf '[state]\\nmode = \"global\"\\n' >> home/config/beads/config.toml",
            );
        }
        name if name.starts_with("state") => drop(project.env.bd(name.split(' ')).ok()),
        _ => {}
    }
    Some((project, vars))
}

struct Place<'a> {
    env: &'a Env,
    at: PathBuf,
    vars: &'a [(&'static str, String)],
}

impl Place<'_> {
    fn bd(&self, line: &str) -> Run {
        let vars: Vec<(&str, &str)> = self.vars.iter().map(|(name, value)| (*name, value.as_str())).collect();
        bd(self.env, &self.at, line, &vars)
    }

    /// Makes a workspace of this kind from here.
    fn workspace(&self, kind: &str, name: &str) -> Self {
        let at = self.env.root().join(name);
        self.bd(&format!("workspace create --new --kind {kind} --path {}", at.display())).ok();
        Place { at, ..*self }
    }

    /// The deciding answers here.
    fn word(&self) -> (String, Vec<String>) {
        let role = self.bd("role --json").ok().json();
        let repos = self.bd("repo list --json").ok().json();
        let names = |repo: &serde_json::Value| repo["path"].as_str().unwrap_or_default().to_owned();
        let repos = repos.as_array().unwrap().iter().map(names).filter(|path| path.contains("planning"));
        (role["role"].to_string() + &role["rule"].to_string(), repos.collect())
    }

    /// A contributor here files in private, rewrites nothing of the project's, and is warned of a private line.
    fn keeps_private(&self, what: &str) {
        let filed = self.bd("q 'Private plan'").ok();
        let id = filed.stdout.trim();
        let beads = self.at.join(".beads/beads.jsonl");
        let own = std::fs::read_to_string(&beads).unwrap();
        assert!(!own.contains("Private plan"), "{what}: {own}");
        let plans = ledger(self.env, PLANS);
        let line = plans.lines().find(|line| line.contains(id)).unwrap_or_else(|| panic!("{what}: {plans}"));
        self.bd("update bd-base --title Changed").fails(5, &["contributor"]);
        std::fs::write(&beads, format!("{own}{line}\n")).unwrap();
        self.env.git(&self.at, "add .beads/beads.jsonl").ok();
        let found = self.bd("check-leaks --staged");
        assert_eq!(found.code, 8, "{what}\n{}", found.snapshot());
        assert!(found.stdout.contains(id), "{what}\n{}", found.snapshot());
        std::fs::write(&beads, own).unwrap();
        self.env.git(&self.at, "reset -q").ok();
    }
}

fn a_contributor_stays_one(mode: usize) {
    for kind in ["clone", "copy", "worktree"] {
        let Some((project, vars)) = project(mode) else { return };
        let env = &project.env;
        let what = format!("{kind}, {}", modes(env)[mode].0);
        let home = Place { env, at: env.root().join("web"), vars: &vars };
        home.keeps_private(&what);
        let first = home.workspace(kind, "first");
        assert_eq!(first.word(), home.word(), "{what}");
        first.keeps_private(&what);
        let second = first.workspace("clone", "second");
        assert_eq!(second.word(), home.word(), "a workspace of a workspace, {what}");
        second.keeps_private(&format!("a workspace of a workspace, {what}"));
        // Without the variable the same place is found.
        let led = Place { vars: &[], ..first };
        led.keeps_private(&format!("{what}, without the variable"));
    }
}

#[test]
fn a_contributor_stays_one_where_the_home_is_the_usual_one() {
    a_contributor_stays_one(0);
}

#[test]
fn a_contributor_stays_one_where_the_home_was_moved_to_the_global_one() {
    a_contributor_stays_one(1);
}

#[test]
fn a_contributor_stays_one_where_each_checkout_has_its_own_home() {
    a_contributor_stays_one(2);
}

#[test]
fn a_contributor_stays_one_where_the_user_wants_the_global_home() {
    a_contributor_stays_one(3);
}

#[test]
fn a_contributor_stays_one_where_a_variable_names_the_home() {
    a_contributor_stays_one(4);
}

#[test]
fn a_maintainer_stays_one() {
    for mode in 0..5 {
        let Some((project, vars)) = project(mode) else { return };
        let env = &project.env;
        env.given("config set routing.role maintainer");
        let home = Place { env, at: env.root().join("web"), vars: &vars };
        let there = home.workspace("clone", "first");
        assert_eq!(there.word(), home.word(), "{}", modes(env)[mode].0);
        there.bd("update bd-base --title Changed").ok();
        let filed = there.bd("q Public").ok();
        assert!(std::fs::read_to_string(there.at.join(".beads/beads.jsonl")).unwrap().contains(filed.stdout.trim()));
    }
}

/// `check-leaks` checks the repository of the current directory, whichever ledger a job is told to use.
#[test]
fn a_job_on_a_planning_issue_does_not_commit_it() {
    let Some((project, _)) = project(1) else { return };
    let env = &project.env;
    let id = env.bd(["q", "Private plan"]).ok().stdout.trim().to_owned();
    let script = format!(
        "grep {id} \"$HOME/.beads-planning/.beads/beads.jsonl\" >> .beads/beads.jsonl && git add -A && '{BD}' check-leaks --staged; test $? = 8"
    );
    let run = env.bd(["run", &id, "--workspace", "--", "sh", "-c", &script]);
    assert!(run.stderr.contains("the program ended with 0"), "{}", run.snapshot());
    // The same where a variable names the ledger of another checkout.
    sh(
        env,
        "cd web && git worktree add -q ../other -b other && cd ../other && cat ../home/.beads-planning/.beads/beads.jsonl >> .beads/beads.jsonl && git add -A",
    );
    let beads = env.root().join("web/.beads").display().to_string();
    let run = bd(env, &env.root().join("other"), "check-leaks --staged", &[("BEADS_DIR", &beads)]);
    assert_eq!(run.code, 8, "{}", run.snapshot());
}

/// Where the settings of its parent cannot be read, a workspace does not guess.
#[test]
fn a_workspace_whose_parent_is_gone_writes_nothing() {
    let Some((project, vars)) = project(1) else { return };
    let env = &project.env;
    let home = Place { env, at: env.root().join("web"), vars: &vars };
    let there = home.workspace("clone", "first");
    sh(env, "mv web moved");
    there.bd("add Private").fails(1, &["web", "is not there", "bd worktree repair"]);
    assert_eq!(there.bd("check-leaks").code, 1);
    Place { env, at: env.root().join("moved"), vars: &vars }.bd("worktree repair").ok();
    there.keeps_private("after the repair");
}

/// Settings from before version control are those of every checkout.
#[test]
fn settings_from_before_version_control_hold_in_worktrees() {
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    let env = Env::new();
    env.given("add Base --id bd-base");
    env.bd(["init", "--contributor", "~/.beads-planning", "--quiet"]).ok();
    sh(&env, "cd web && git init -q && git add -A && git commit -qm base && git worktree add -q ../other -b other");
    let home = Place { env: &env, at: env.root().join("web"), vars: &[] };
    let there = Place { at: env.root().join("other"), ..home };
    assert_eq!(there.word(), home.word());
    there.keeps_private("a worktree");
}
