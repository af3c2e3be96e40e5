//! A workspace belongs to the project that it was made from: settings, roles, other repos and claims are the same there.

use std::path::{Path, PathBuf};

use crate::support::checkouts::{Family, bd};
use crate::support::harness::Env;
use crate::support::project::Project;

/// Makes a workspace, and gives its directory.
fn workspace(env: &Env, flags: &str) -> PathBuf {
    let line = format!("workspace create --json {flags}");
    let made = bd(env, &env.path(""), line.trim(), &[]).ok().json();
    PathBuf::from(made["path"].as_str().unwrap_or_else(|| panic!("{made}")))
}

fn lines(directory: &Path) -> usize {
    std::fs::read_to_string(directory.join(".beads/beads.jsonl")).unwrap().lines().count()
}

#[test]
fn what_a_contributor_files_in_a_workspace_stays_private() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let at = workspace(env, "");
    let before = lines(&at);
    let filed = bd(env, &at, "add Secret --json", &[]).ok().json();
    assert_eq!(filed["source_repo"], "~/.beads-planning", "{filed}");
    assert_eq!(lines(&at), before);
    // The project itself is read-only there as it is here.
    let refused = bd(env, &at, "update bd-base --priority 0", &[]);
    assert_eq!(refused.code, 5, "{refused:?}");
    // A private issue is not written into a checkout that is pushed.
    let refused = bd(env, &at, "export -o all.jsonl", &[]);
    assert_eq!((refused.code, at.join("all.jsonl").exists()), (5, false), "{refused:?}");
    let refused = bd(env, &env.path(""), &format!("export -o '{}/all.jsonl'", at.display()), &[]);
    assert_eq!((refused.code, at.join("all.jsonl").exists()), (5, false), "{refused:?}");
    let status = env.command("git").current_dir(&at).args(["status", "--porcelain"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&status.stdout), "");
}

#[test]
fn other_repos_are_found_from_a_workspace_that_lies_elsewhere() {
    let Some(family) = Family::new() else { return };
    let env = family.env();
    let plan = family.path("plan");
    std::fs::create_dir(&plan).unwrap();
    family.bd(&plan, "init --quiet --prefix pl").ok();
    family.bd(&plan, "add Planned --id pl-one").ok();
    // In the settings that are committed, so the user must agree, once.
    std::fs::write(family.web().join(".beads/config.toml"), "[repos]\nadditional = [\"../plan\"]\n").unwrap();
    family.commit(&family.web());
    let at = workspace(env, "");
    let seen = |directory: &Path| family.bd(directory, "list --json").ok().json().to_string().contains("pl-one");
    assert!(!seen(&family.web()) && !seen(&at));
    family.bd(&family.web(), "config trust").ok();
    assert!(seen(&family.web()) && seen(&at));
    // A claim there on an issue of the other repo is known here, whatever state home the job was given.
    let told = family.bd(&at, &format!("workspace env '{}' --json", at.display())).ok().json();
    let home = told["BD_STATE_DIR"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
    let vars = [("BD_STATE_DIR", home.as_str()), ("BD_WORKSPACE", "ws_0123456789ab"), ("BD_AGENT", "job")];
    family.bd_with(&at, "claim pl-one", &vars).ok();
    family.bd_with(&at, "claim bd-base", &vars).ok();
    let mut held: Vec<String> = family.held(&family.web());
    held.sort();
    let ids: Vec<&str> = held.iter().map(|text| text.split(' ').next().unwrap()).collect();
    assert_eq!(ids, ["bd-base", "pl-one"], "{held:?}");
    assert_eq!(family.held(&plan).len(), 1);
}

#[test]
fn a_workspace_whose_home_is_out_of_reach_claims_nothing() {
    let Some(family) = Family::new() else { return };
    let at = workspace(family.env(), "");
    std::fs::rename(family.web(), family.path("elsewhere")).unwrap();
    let refused = family.bd_with(&at, "claim bd-base", &[("BD_AGENT", "job")]);
    assert_eq!(refused.code, 9, "{refused:?}");
    assert!(refused.stderr.contains("mount"), "{refused:?}");
    assert!(!at.join(".git/beads/leases.jsonl").exists());
    // Its ledger can be read without it.
    assert_eq!(family.bd(&at, "show bd-base").code, 0);
    std::fs::rename(family.path("elsewhere"), family.web()).unwrap();
    family.bd_with(&at, "claim bd-base", &[("BD_AGENT", "job")]).ok();
    assert_eq!(family.held(&family.web()).len(), 1);
}

#[test]
fn a_workspace_whose_home_is_out_of_reach_writes_nothing() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let at = workspace(env, "");
    let elsewhere = env.root().join("elsewhere");
    std::fs::rename(env.path(""), &elsewhere).unwrap();
    // Where a contributor's issues go is settled there: here it would be the project.
    let command = |line: &str, vars: &[(&str, &str)]| {
        let mut command = env.bd_command(crate::support::harness::BD);
        command.current_dir(&at).args(line.split(' ')).envs(vars.iter().copied());
        env.run(command, format!("bd {line}"), None)
    };
    let refused = command("add Secret", &[]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("workspace"), "{refused:?}");
    assert_eq!(command("list", &[]).code, 0);
    assert!(!env.path("").exists());
    // Mounted elsewhere, as in a container, it is as good.
    let home = elsewhere.join(".git/beads");
    let vars = [("BD_WORKSPACE", "ws_0123456789ab"), ("BD_STATE_DIR", home.to_str().unwrap())];
    let filed = command("add Secret --json", &vars).ok().json();
    assert_eq!(filed["source_repo"], "~/.beads-planning", "{filed}");
    std::fs::rename(elsewhere, env.path("")).unwrap();
}

#[test]
fn a_repository_that_was_moved_tells_its_workspaces() {
    let Some(family) = Family::new() else { return };
    let at = workspace(family.env(), "");
    let there = family.path("elsewhere");
    std::fs::rename(family.web(), &there).unwrap();
    let repaired = bd_at(&family, &there, "worktree repair --json").ok().json();
    assert_eq!(repaired["repaired"], serde_json::json!([at.to_str().unwrap()]));
    assert_eq!(bd_at(&family, &there, "worktree repair --json").ok().json()["repaired"], serde_json::json!([]));
    bd_at(&family, &at, "claim bd-base").ok();
    let leases = bd_at(&family, &there, "leases --json").ok().json();
    assert_eq!(leases.as_array().map(Vec::len), Some(1));
    bd_at(&family, &at, "release bd-base").ok();
    family.env().command("git").current_dir(&at).args(["fetch", "-q"]).status().unwrap();
    bd_at(&family, &there, &format!("workspace remove '{}'", at.display())).ok();
    assert!(!at.exists());
}

/// Runs `bd` in a directory, though the repo is not where it was.
fn bd_at(family: &Family, directory: &Path, line: &str) -> crate::support::harness::Run {
    bd(family.env(), directory, line, &[])
}

#[test]
fn a_ledger_that_nobody_commits_is_that_of_the_parent() {
    let Some(family) = Family::new() else { return };
    family.git(&family.web(), "rm -rq --cached .beads").ok();
    std::fs::write(family.web().join(".gitignore"), ".beads\n").unwrap();
    family.git(&family.web(), "add .gitignore").ok();
    family.git(&family.web(), "commit -qm private").ok();
    let at = workspace(family.env(), "");
    assert!(!at.join(".beads").exists());
    family.bd(&at, "add There --id bd-there").ok();
    assert_eq!(family.bd(&family.web(), "show bd-there").code, 0);
    assert!(!at.join(".beads").exists());
    let place = family.bd(&at, "where --json").ok().json().to_string();
    assert!(place.contains(family.web().to_str().unwrap()), "{place}");
}

#[test]
fn the_checkouts_of_a_project_and_its_workspaces_know_each_other() {
    let Some(family) = Family::new() else { return };
    let side = family.worktree("side");
    let at = workspace(family.env(), "");
    let roots = |directory: &Path| {
        let all = family.bd(directory, "worktree list --json").ok().json();
        let all = all.as_array().cloned().unwrap_or_default();
        let mut roots: Vec<(String, bool)> = all
            .iter()
            .map(|one| (one["path"].as_str().unwrap_or_default().to_owned(), one["main"].as_bool().unwrap_or_default()))
            .collect();
        roots.sort();
        roots
    };
    let seen = roots(&family.web());
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert_eq!(seen.iter().filter(|(_, is_main)| *is_main).count(), 1, "{seen:?}");
    assert_eq!(roots(&side), seen);
    assert_eq!(roots(&at), seen);
    // An issue closed there is offered in none of them.
    family.bd(&at, "close bd-base").ok();
    for directory in [family.web(), side, at] {
        let ready = family.bd(&directory, "ready --json").ok().json();
        assert_eq!(ready.as_array().map(Vec::len), Some(0), "{}: {ready}", directory.display());
    }
}

#[test]
fn ids_in_a_workspace_are_like_those_of_the_project() {
    let env = Env::bare();
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    for line in ["init -q -b main", "config user.name t", "config user.email t@example.org"] {
        assert!(env.command("git").args(line.split(' ')).status().unwrap().success());
    }
    env.bd(["init", "--quiet"]).ok();
    std::fs::write(env.path("file"), "").unwrap();
    for line in ["add -A", "commit -qm first"] {
        assert!(env.command("git").args(line.split(' ')).status().unwrap().success());
    }
    let at = workspace(&env, "");
    let filed = bd(&env, &at, "add First --json", &[]).ok().json();
    assert!(filed["id"].as_str().unwrap().starts_with("web-"), "{filed}");
}
