//! A contributor and an issue of the project that they may not write: notes beside it, a claim of their own, and nothing of it in
//! the project.

use crate::cli::share::proposals::Story;
use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, ledger, put_issues, repo, sh};

/// A clone of a project with the issues `bd-1` and `bd-2`, and a planning repo that is committed.
fn clone() -> Option<Env> {
    if !have(&["git"]) {
        return None;
    }
    let env = Env::bare();
    repo(&env, "origin", "bd");
    put_issues(&env, "origin", &["bd-1", "bd-2"]);
    sh(&env, "cd origin; git init -q; git add .; git commit -qm ledger; cd ..; rmdir web; git clone -q origin web");
    env.bd(["init", "--contributor", "~/plan", "-q"]).ok();
    Some(env)
}

#[test]
fn a_contributor_works_on_an_issue_of_the_project_and_takes_notes_without_touching_it() {
    let Some(env) = clone() else { return };
    let before = env.ledger();
    let worked = env.bd(["work", "bd-1"]).ok();
    assert!(worked.stdout.contains("In progress, yours: bd-1"), "{}", worked.snapshot());
    assert!(worked.stderr.contains("only you see this"), "{}", worked.snapshot());
    env.bd(["note", "bd-1", "the cache is cold"]).ok();
    env.bd(["comment", "bd-1", "asked Kim"]).ok();
    env.bd(["note", "bd-1", "and the index too"]).ok();
    // The project is as it was: the ledger, its repository and what version control would pick up.
    assert_eq!(env.ledger(), before);
    assert_eq!(sh(&env, "git -C web status --short --untracked-files=all; git -C web log --format=%s"), "ledger\n");
    let shown = env.bd(["show", "bd-1", "--json"]).ok().json();
    let (shown, private) = (&shown[0], &shown[0]["private"]);
    assert_eq!((shown["status"].as_str(), shown["assignee"].as_str()), (Some("in_progress"), Some("ann")), "{shown}");
    assert_eq!(private["notes"], "the cache is cold\nand the index too", "{shown}");
    assert_eq!(private["comments"][0]["text"], "asked Kim", "{shown}");
    assert_eq!((&shown["source_repo"], &shown["writable"]), (&".".into(), &false.into()), "{shown}");
    let text = env.bd(["show", "bd-1"]).ok();
    assert!(
        text.stdout.contains("Yours alone, in ~/plan") && text.stdout.contains("the cache is cold"),
        "{}",
        text.stdout
    );
    let listed = env.bd(["list", "--json", "--status", "in_progress", "--assignee", "ann"]).ok().json();
    assert_eq!(
        (&listed[0]["id"], &listed[0]["private"]["source_repo"]),
        (&"bd-1".into(), &"~/plan".into()),
        "{listed}"
    );
    assert_eq!(listed.as_array().unwrap().len(), 1, "the companion is no issue: {listed}");
    assert_eq!(env.bd(["list", "--json", "--all", "--sort", "id"]).ok().ids(), ["bd-1", "bd-2"]);
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-2"]);
    let row = env.bd(["list"]).ok().stdout;
    assert!(row.contains("bd-1  P2  in_progress  task  BD-1 [claimed] @ann (with your notes)"), "{row}");
    // The planning repo has it, in one line that was committed each time.
    let lines = ledger(&env, "home/plan");
    assert!(lines.lines().count() == 1 && lines.contains("\"companion\":true"), "{lines}");
    assert_eq!(sh(&env, "git -C home/plan status --short; git -C home/plan log --format=%s | wc -l"), "4\n");
}

#[test]
fn a_contributor_gives_back_what_they_took() {
    let Some(env) = clone() else { return };
    let before = env.ledger();
    env.given("claim bd-1");
    env.bd_with(["claim", "bd-1"], None, &[("BD_AGENT", "builder")]).fails(4, &["already claimed by ann"]);
    env.bd(["work", "bd-1"]).ok();
    let mine = env.bd(["leases", "--json"]).ok().json();
    assert_eq!(mine[0]["issue_id"].as_str().or(mine[0]["id"].as_str()), Some("bd-1"), "{mine}");
    env.bd(["release", "bd-1", "--reason", "no time"]).ok();
    let shown = env.bd(["show", "bd-1", "--json"]).ok().json();
    assert_eq!((&shown[0]["status"], &shown[0]["assignee"]), (&"open".into(), &serde_json::Value::Null), "{shown}");
    assert_eq!(shown[0]["private"]["comments"][0]["text"], "Released: no time", "{shown}");
    assert_eq!(env.ledger(), before);
    env.bd(["release", "bd-1"]).fails(5, &["not claimed"]);
}

#[test]
fn only_remarks_and_claims_have_a_place_beside_an_issue() {
    let Some(env) = clone() else { return };
    let (before, plan) = (env.ledger(), ledger(&env, "home/plan"));
    for line in [
        "update bd-1 -p 0",
        "update bd-1 -p 0 --append-notes x",
        "update bd-1 --claim -p 0",
        "close bd-1",
        "status bd-1 in_progress",
        "label add bd-1 x",
        "dep add bd-1 bd-2",
        "delete bd-1 --yes",
        "claim bd-1 --remote",
    ] {
        let said = env.script(line);
        assert!(said.ends_with("[exit 5]\n"), "{said}");
        assert_eq!((env.ledger(), ledger(&env, "home/plan")), (before.clone(), plan.clone()), "{said}");
        assert_eq!(env.bd(["list", "--json", "--status", "in_progress"]).ok().ids(), [""; 0], "{said}");
    }
    // Without naming an issue, no one gets one that they may not write.
    env.bd(["ready", "--claim", "--json"]).ok();
    assert_eq!(env.bd(["list", "--json", "--status", "in_progress"]).ok().ids(), [""; 0]);
    // Without a planning repo there is no place for it.
    env.given("repo remove ~/plan");
    env.bd(["note", "bd-1", "secret"]).fails(5, &["you are a contributor here"]);
    assert_eq!((env.ledger(), ledger(&env, "home/plan")), (before, plan));
}

#[test]
fn a_claim_goes_with_an_agent_and_ends_with_its_time() {
    let Some(env) = clone() else { return };
    env.bd_with(["claim", "bd-1", "--ttl", "5s"], None, &[("BD_AGENT", "builder")]).ok();
    let listed = |env: &Env| env.bd(["list", "--json", "--assignee", "builder"]).ok().ids();
    assert_eq!(listed(&env), ["bd-1"]);
    env.bd_with(["note", "bd-1", "not mine"], None, &[("BD_AGENT", "other")]).fails(4, &["already claimed by builder"]);
    for _ in 0..5 {
        env.bd(["list", "-q"]).ok();
    }
    assert_eq!(listed(&env), [""; 0], "its time is over");
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-1", "bd-2"]);
}

#[test]
fn notes_beside_an_issue_stay_private_whatever_is_done_with_them() {
    let Some(env) = clone() else { return };
    let before = env.ledger();
    env.given(
        "note bd-1 'SECRET and long plan'
         comment bd-1 'SECRET remark'
         comment bd-2 'SECRET too'",
    );
    // No command brings them into the project.
    for line in [
        "propose bd-1",
        "withdraw bd-1",
        "migrate --move-to . --filter status=open",
        "import ../home/plan/.beads/beads.jsonl",
    ] {
        env.script(line);
        assert_eq!(env.ledger(), before, "{line}");
    }
    for line in ["export", "export --repo ."] {
        let out = env.script(line);
        assert!(!out.contains("SECRET"), "{out}");
    }
    // A maintainer who plans as well does not overwrite the issue with the line beside it.
    let maintainer = [("BD_ROLE", "maintainer")];
    env.bd_with(["import", "../home/plan/.beads/beads.jsonl"], None, &maintainer);
    env.bd_with(["migrate", "--move-to", ".", "--filter", "status=open"], None, &maintainer);
    assert_eq!(env.ledger(), before);
    // The issue itself may be committed, its companion may not.
    env.bd(["check-leaks"]).ok();
    let line = String::from_utf8(before.clone()).unwrap();
    let pasted = line.replacen("\"priority\":2", "\"notes\":\"see: SECRET and long plan\",\"priority\":2", 1);
    env.put_ledger(&pasted);
    sh(&env, "git -C web add .beads");
    let found = env.bd(["check-leaks"]).fails(8, &[]);
    assert!(found.stdout.contains("the private notes of bd-1"), "{}", found.snapshot());
    env.put_ledger(format!("{line}{}", ledger(&env, "home/plan").lines().next().unwrap()));
    sh(&env, "git -C web add .beads");
    let found = env.bd(["check-leaks"]).fails(8, &[]);
    assert!(found.stdout.contains("bd-1"), "{}", found.snapshot());
    // Upstream's own edits of an issue with a companion are not private.
    env.put_ledger(line.replace("BD-1", "Renamed"));
    sh(&env, "git -C web add .beads");
    env.bd(["check-leaks"]).ok();
}

#[test]
fn a_line_beside_an_issue_is_no_issue_where_the_issue_is_not() {
    let Some(env) = clone() else { return };
    env.given("note bd-1 'SECRET and long plan'");
    // On a branch that does not have the issue, and in the planning repo itself.
    env.put_ledger(
        String::from_utf8(env.ledger()).unwrap().lines().skip(1).map(|l| format!("{l}\n")).collect::<String>(),
    );
    assert_eq!(env.bd(["list", "--json", "--all"]).ok().ids(), ["bd-2"]);
    assert_eq!(env.bd(["ready", "--json"]).ok().ids(), ["bd-2"]);
    env.bd(["note", "bd-1", "x"]).fails(3, &[]);
    for args in [&["list", "--json", "--all"][..], &["ready", "--json"], &["export"]] {
        let run = bd_in(&env, "home/plan", args.iter().copied()).ok();
        assert!(!run.stdout.contains("bd-1"), "{}", run.snapshot());
    }
    bd_in(&env, "home/plan", ["doctor"]).ok();
    // It comes back with the issue.
    sh(&env, "git -C web checkout -q .beads");
    let shown = env.bd(["show", "bd-1", "--json"]).ok().json();
    assert_eq!(shown[0]["private"]["notes"], "SECRET and long plan", "{shown}");
}

#[test]
fn notes_beside_an_issue_can_be_taken_back_and_edited() {
    let Some(env) = clone() else { return };
    env.given("note bd-1 'first'");
    env.write("../editor.sh", "sed -i 's/^first$/second/' \"$1\"\n");
    env.set("EDITOR", format!("sh '{}'", env.path("../editor.sh").display()));
    env.bd(["edit", "bd-1"]).ok();
    let notes = |env: &Env| env.bd(["show", "bd-1", "--json"]).ok().json()[0]["private"]["notes"].clone();
    assert_eq!(notes(&env), "second");
    env.given("undo --yes");
    assert_eq!(notes(&env), "first");
    env.given("undo 3 --yes");
    assert_eq!(notes(&env), serde_json::Value::Null);
    assert_eq!(ledger(&env, "home/plan").trim(), "");
}

#[test]
fn after_work_and_propose_the_contributor_sees_their_own_status_and_assignee() {
    let story = Story::new();
    story.plan("bd-new", "Dark mode", &[]);
    story.bd("work|bd-new").ok();
    story.bd("propose|bd-new").ok();
    let listed = story.bd("show|bd-new|--json").ok().json();
    assert_eq!((&listed[0]["status"], &listed[0]["assignee"]), (&"in_progress".into(), &"ann".into()), "{listed}");
    assert_eq!(listed[0]["source_repo"], ".", "{listed}");
    assert_eq!(story.bd("list|--json|--status|in_progress|--assignee|ann").ok().ids(), ["bd-new"]);
    assert!(!story.bd("ready|--json").ok().ids().contains(&"bd-new".to_owned()));
    // No one else sees it.
    let theirs = story.max("show|bd-new|--json").ok().json();
    assert_eq!((&theirs[0]["status"], &theirs[0]["assignee"]), (&"open".into(), &serde_json::Value::Null), "{theirs}");
    // The maintainer's text in the project wins.
    story.max("update|bd-new|--status|blocked|--assignee|max").ok();
    let listed = story.bd("show|bd-new|--json").ok().json();
    assert_eq!((&listed[0]["status"], &listed[0]["assignee"]), (&"blocked".into(), &"max".into()), "{listed}");
    story.max("update|bd-new|--status|open|--assignee|").ok();
    // The claim was made before the proposal, and is given back after it.
    story.bd("release|bd-new").ok();
    let listed = story.bd("show|bd-new|--json").ok().json();
    assert_eq!((&listed[0]["status"], &listed[0]["assignee"]), (&"open".into(), &serde_json::Value::Null), "{listed}");
}

#[test]
fn an_accepted_issue_is_taken_by_its_contributor() {
    let story = Story::new();
    story.plan("bd-new", "Dark mode", &[]);
    story.bd("work|bd-new").ok();
    story.bd("propose|bd-new").ok();
    story.max("accept|bd-new").ok();
    story.bd("proposals|reconcile").ok();
    let project = story.env.ledger();
    // The claim outlives the planning copy.
    let listed = story.bd("show|bd-new|--json").ok().json();
    assert_eq!((&listed[0]["status"], &listed[0]["assignee"]), (&"in_progress".into(), &"ann".into()), "{listed}");
    story.bd("release|bd-new").ok();
    assert_eq!(story.bd("list|--json|--status|in_progress").ok().ids(), [""; 0]);
    story.bd("work|bd-new").ok();
    story.bd("note|bd-new|mine").ok();
    assert_eq!(story.env.ledger(), project);
    assert_eq!(story.bd("list|--json|--status|in_progress").ok().ids(), ["bd-new"]);
    // When the project closes it, the work is over.
    story.max("close|bd-new|--force").ok();
    assert_eq!(story.bd("list|--json|--status|in_progress").ok().ids(), [""; 0]);
    assert_eq!(story.bd("show|bd-new|--json").ok().json()[0]["private"]["notes"], "mine");
}

/// The maintainers give the project another prefix: what a contributor keeps beside its issues follows them.
#[test]
fn notes_follow_an_issue_whose_prefix_changes() {
    let Some(env) = clone() else { return };
    env.given("note bd-1 cold");
    env.given("add Plan --id bd-plan --deps bd-2");
    sh(&env, "git -C origin config receive.denyCurrentBranch updateInstead");
    bd_in(&env, "origin", ["rename-prefix", "kw"]).ok();
    sh(&env, "cd origin; git commit -qam prefix; cd ../web; git pull -q");
    let told = env.bd(["proposals", "reconcile"]).ok().stdout;
    assert!(told.contains("kw-1: was bd-1"), "{told}");
    let shown = env.bd(["show", "kw-1"]).ok().stdout;
    assert!(shown.contains("Yours alone") && shown.contains("cold"), "{shown}");
    let plan = env.bd(["show", "bd-plan", "--json"]).ok().stdout;
    assert!(plan.contains("kw-2"), "what a plan waits for follows, too: {plan}");
    let settled = ledger(&env, "home/plan");
    env.given("note kw-1 warm");
    assert_eq!(ledger(&env, "home/plan").lines().count(), settled.lines().count(), "one line of notes");
    assert_eq!(env.bd(["proposals", "reconcile"]).ok().stdout, "everything is in step\n");
}
