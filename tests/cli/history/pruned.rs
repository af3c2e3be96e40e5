//! Issues that left the ledger on several sides, or from a private repo: the last of them is found, and nothing gets out.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{bd_in, sh};

/// Two clones of one repository, `web` and `other`, whose ledger has a closed issue.
fn clones() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::new();
    env.given("add Old --id bd-1\nadd Open --id bd-open\nclose bd-1 -r done");
    let identity = "git config user.name t; git config user.email t@example.org";
    sh(
        &env,
        &format!(
            "git init -q --bare upstream; cd web; git init -q; {identity}; git add .; git commit -q -m base
             git remote add origin ../upstream; git push -q -u origin main; cd ..; git clone -q upstream other; cd other; {identity}"
        ),
    );
    Some(env)
}

fn other(env: &Env, lines: &str) {
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        bd_in(env, "other", line.split(' ')).ok();
    }
}

#[test]
fn the_version_of_the_other_side_is_the_last() {
    let Some(env) = clones() else { return };
    other(&env, "reopen bd-1\nupdate bd-1 --description found\ncomment bd-1 important\nclose bd-1 -r really\nsync -q");
    other(&env, "prune --closed-before tomorrow -q\nsync -q");
    // This side never saw the edits, and prunes the older version.
    env.given("prune --closed-before tomorrow -q\nsync -q");
    let shown = env.bd(["show", "bd-1", "--json"]).ok().json();
    assert_eq!((&shown[0]["description"], &shown[0]["close_reason"]), (&"found".into(), &"really".into()), "{shown:#}");
    assert_eq!(shown[0]["comments"][0]["text"], "important");
    let remover = shown[0]["past"]["removed_in"]["summary"].as_str().unwrap();
    assert!(!remover.contains("merge"), "a merge takes nothing out: {remover}");
    env.given("restore bd-1 -q\nsync -q");
    other(&env, "sync -q");
    assert!(env.ledger_text().contains("important"));
    assert_eq!(env.ledger(), std::fs::read(env.root().join("other/.beads/beads.jsonl")).unwrap());
}

#[test]
fn what_both_sides_said_before_they_pruned_comes_back() {
    let Some(env) = clones() else { return };
    env.given("comment bd-1 ours\ncommit -q");
    other(&env, "comment bd-1 theirs\ncommit -q");
    // Both take the line out without having seen the other's.
    for (place, text) in [("web", "ours"), ("other", "theirs")] {
        sh(&env, &format!("cd {place}; sed -i /bd-1/d .beads/beads.jsonl; git commit -q -a -m 'prune {text}'"));
    }
    other(&env, "sync -q");
    env.given("sync -q");
    let shown = env.bd(["show", "bd-1", "--json"]).ok().json();
    let mut said: Vec<&str> =
        shown[0]["comments"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    said.sort_unstable();
    assert_eq!(said, ["ours", "theirs"], "{shown:#}");
}

#[test]
fn a_whole_id_is_found_however_short_and_a_part_of_it_too() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given(
        "add One --id b-1\nadd Two --id b-abc123\nclose b-1 b-abc123\ncommit -q\nprune --closed-before tomorrow -q",
    );
    for typed in ["b-1", "b-abc123", "abc", "b-abc"] {
        let shown = env.bd(["show", typed, "--json"]).ok().json();
        assert_eq!(shown[0]["pruned"], true, "{typed}");
    }
    env.bd(["show", "ab"]).fails(3, &["not found"]);
    env.given("restore b-1\nrestore abc");
    assert_eq!(env.bd(["list", "--all", "--json"]).ok().json().as_array().unwrap().len(), 3);
}

#[test]
fn what_a_planning_repo_has_pruned_is_private_still() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let planning = env.root().join("home/.beads-planning");
    env.given("add 'Private thing' --id pl-1\nclose pl-1");
    let line = std::fs::read_to_string(planning.join(".beads/beads.jsonl")).unwrap();
    let line = line.lines().find(|line| line.contains("pl-1")).unwrap().replace(",\"visibility\":\"local\"", "");
    let leaky = format!("{}{line}\n", env.ledger_text());
    let depends = env.ledger_text().replace(
        "\"title\":\"Base\"",
        "\"title\":\"Base\",\"dependencies\":[{\"issue_id\":\"bd-base\",\"depends_on_id\":\"pl-1\",\"type\":\"blocks\"}]",
    );
    let leaks = |text: &str| {
        let before = env.ledger_text();
        project.stage(".beads/beads.jsonl", text);
        let code = env.bd(["check-leaks", "--staged"]).code;
        project.stage(".beads/beads.jsonl", &before);
        code
    };
    assert_eq!((leaks(&leaky), leaks(&depends)), (8, 8));
    env.given(&format!("prune --repo '{}' --closed-before tomorrow -q", planning.display()));
    let left = std::fs::read_to_string(planning.join(".beads/beads.jsonl")).unwrap();
    assert!(!left.contains("pl-1"), "it has left: {left}");
    assert_eq!((leaks(&leaky), leaks(&depends)), (8, 8), "and is private all the same");
}

#[test]
fn a_withdrawn_issue_comes_back_where_it_is_private() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    let planning = env.root().join("home/.beads-planning");
    env.given("add Secret --id pl-1\npropose pl-1");
    project.git("commit -qam proposed").ok();
    env.given("withdraw pl-1\nnote pl-1 'my own words'\nclose pl-1 -r done");
    env.given(&format!("prune --repo '{}' --closed-before tomorrow -q", planning.display()));
    project.git("commit -qam withdrawn").ok();
    let public = env.ledger_text();
    env.given("restore pl-1");
    assert_eq!(env.ledger_text(), public, "the project's ledger is left alone");
    let private = std::fs::read_to_string(planning.join(".beads/beads.jsonl")).unwrap();
    assert!(private.contains("my own words"), "{private}");
}

#[test]
fn what_others_do_not_have_yet_stays() {
    let Some(env) = clones() else { return };
    env.given("comment bd-1 late\ncommit -q");
    let kept = env.bd(["prune", "--closed-before", "tomorrow", "--json"]).ok().json();
    assert_eq!(
        (&kept["kept"][0]["id"], &kept["kept"][0]["reason"]),
        (&"bd-1".into(), &"unpublished".into()),
        "{kept:#}"
    );
    env.given("sync -q");
    let pruned = env.bd(["prune", "--closed-before", "tomorrow", "--json"]).ok().json();
    assert_eq!(pruned["pruned"][0]["id"], "bd-1", "{pruned:#}");
}

#[test]
fn what_was_said_late_keeps_an_issue_and_an_accepted_proposal_is_news() {
    if !have(&["git"]) {
        return;
    }
    let issue = |id: &str, updated: &str, more: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"T\",\"status\":\"closed\",\"created_at\":\"2025-01-01T00:00:00Z\",\
             \"updated_at\":\"{updated}T00:00:00Z\",\"closed_at\":\"2025-01-01T00:00:00Z\"{more}}}\n"
        )
    };
    let accepted =
        ",\"visibility\":\"canonical\",\"proposal\":{\"id\":\"prop_1\",\"state\":\"accepted\",\"target\":\"bd\"}";
    let env = Env::with_ledger(
        [
            issue("bd-late", "2026-01-04", ""),
            issue("bd-new", "2025-12-01", accepted),
            issue("bd-old", "2025-01-02", ""),
            issue("bd-past", "2025-02-01", accepted),
        ]
        .concat(),
    );
    sh(&env, "cd web; git init -q; git add .; git commit -q -m all");
    let json = env.bd(["prune", "--dry-run", "--json"]).ok().json();
    let ids = |key: &str| {
        json[key].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (ids("pruned"), ids("kept")),
        (vec!["bd-old".into(), "bd-past".into()], vec!["bd-new".into()]),
        "{json:#}"
    );
}

#[test]
fn a_history_that_cannot_be_read_is_an_error_and_not_an_absence() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-one\nclose bd-one\ncommit -q\nprune --closed-before tomorrow -q\ncommit -q");
    let blob = project.git("rev-parse HEAD~1:.beads/beads.jsonl").ok().stdout;
    let blob = blob.trim();
    std::fs::remove_file(env.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    env.bd(["show", "bd-one"]).fails(1, &["cannot read the object", blob]);
}

#[test]
fn a_damaged_version_of_the_past_is_not_blamed_on_the_file() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let sound = env.ledger_text();
    env.put_ledger(format!("{sound}not JSON\n"));
    project.git("commit -qam damaged").ok();
    env.put_ledger(&sound);
    project.git("commit -qam mended").ok();
    let run = env.bd(["list", "--at", "HEAD~1"]).ok();
    assert!(run.stderr.contains("1 line of that version cannot be read"), "{}", run.snapshot());
    assert!(!run.stderr.contains("doctor"), "{}", run.snapshot());
}

#[test]
fn a_shallow_clone_says_so() {
    let Some(env) = clones() else { return };
    env.given("comment bd-open more\nsync -q");
    sh(&env, "git clone -q --depth 1 \"file://$PWD/upstream\" shallow");
    for line in ["blame bd-open", "list --at 2100-01-01", "diff 2100-01-01..", "changelog --since 2020-01-01"] {
        let run = bd_in(&env, "shallow", line.split(' ')).ok();
        assert!(run.stderr.contains(". is a shallow clone"), "{}", run.snapshot());
    }
}
