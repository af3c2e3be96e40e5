//! A maintainer's view of proposals on branches that were fetched but not merged, in git, jj and hg. Without network
//! access.

use crate::support::harness::Env;
use crate::support::programs::have;
use crate::support::repos::{bd_in, put_issues, repo, sh};

/// The project `web` of a maintainer, and the clone `kim` of a contributor who has proposed `bd-idea` on a branch.
fn with_clone(start: &str, clone: &str, propose: &str) -> Env {
    let env = Env::new();
    put_issues(&env, "web", &["bd-1"]);
    sh(&env, start);
    sh(&env, clone);
    let kim = |args: &[&str]| {
        let mut command = env.bd_command(crate::support::harness::BD);
        command.args(args).current_dir(env.root().join("kim")).env("BD_ACTOR", "kim").env("BD_ROLE", "contributor");
        env.run(command, format!("bd {}", args.join(" ")), None).ok()
    };
    kim(&["init", "--contributor", "~/kim-plan", "-q"]);
    kim(&["add", "Idea of Kim", "--id", "bd-idea", "-q"]);
    kim(&["propose", "bd-idea", "-q"]);
    sh(&env, propose);
    env.set("BD_ROLE", "maintainer");
    env
}

fn with_git_clone() -> Env {
    with_clone(
        "cd web; git init -q; git add .; git commit -qm start",
        "git clone -q web kim",
        "cd kim; git checkout -qb idea; git commit -qam 'Propose it'",
    )
}

#[test]
fn a_maintainer_sees_proposals_on_fetched_branches_of_git_before_they_are_merged() {
    if !have(&["git"]) {
        return;
    }
    let env = with_git_clone();
    assert_eq!(env.bd(["proposals", "--json"]).ok().ids(), [""; 0], "nothing was fetched yet");
    sh(&env, "cd web; git remote add kim ../kim; git fetch -q kim; git branch -q copy kim/idea");
    let before = sh(&env, "git -C web status --short; git -C web for-each-ref; cat web/.beads/beads.jsonl");
    for which in [&["proposals", "--json"][..], &["proposals", "--incoming", "--json"]] {
        let rows = env.bd(which.iter().copied()).ok().json();
        let row = &rows[0];
        assert_eq!(
            (&row["id"], &row["title"], &row["author"]),
            (&"bd-idea".into(), &"Idea of Kim".into(), &"kim".into()),
            "{rows}"
        );
        assert_eq!(row["state"], "proposed on another branch", "{rows}");
        assert_eq!(row["branches"], serde_json::json!(["copy", "kim/idea"]), "{rows}");
        assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    }
    assert_eq!(env.bd(["proposals", "--mine", "--json"]).ok().ids(), [""; 0]);
    // Nothing that is only proposed elsewhere is an issue here, and it is decided about where it is.
    assert_eq!(env.bd(["list", "--json"]).ok().ids(), ["bd-1"]);
    env.bd(["accept", "bd-idea"])
        .fails(5, &["bd-idea is proposed on copy, kim/idea, which is not merged here", "merge the branch"]);
    assert_eq!(sh(&env, "git -C web status --short; git -C web for-each-ref; cat web/.beads/beads.jsonl"), before);
    sh(&env, "cd web; git merge -q kim/idea");
    let rows = env.bd(["proposals", "--incoming", "--json"]).ok().json();
    assert_eq!((&rows[0]["state"], &rows[0]["source_repo"]), (&"proposed".into(), &".".into()), "{rows}");
    env.bd(["accept", "bd-idea"]).ok();
    assert_eq!(env.bd(["proposals", "--json"]).ok().ids(), [""; 0], "what was decided does not come back");
    // Also not when it has left the ledger, and the branches are still there.
    put_issues(&env, "web", &["bd-1"]);
    sh(&env, "cd web; git commit -qam pruned");
    assert_eq!(env.bd(["proposals", "--json"]).ok().ids(), [""; 0]);
}

/// A maintainer reads a proposal where it is, and says no without merging it.
#[test]
fn a_proposal_on_a_branch_is_shown_and_rejected() {
    if !have(&["git"]) {
        return;
    }
    let env = with_git_clone();
    sh(&env, "cd web; git remote add kim ../kim; git fetch -q kim");
    for typed in ["bd-idea", "idea", "bd-id"] {
        let run = env.bd(["show", typed]).ok();
        assert!(
            run.stdout.contains("Idea of Kim") && run.stdout.contains("kim/idea, not merged here"),
            "{}",
            run.snapshot()
        );
    }
    assert_eq!(env.bd(["show", "idea", "--json"]).ok().json()[0]["branches"], serde_json::json!(["kim/idea"]));
    env.bd(["show", "zz"]).fails(3, &["zz"]);
    env.bd(["accept", "idea"]).fails(5, &["bd reject ID --reason WHY"]);
    env.bd(["reject", "zz", "--reason", "no"]).fails(3, &["zz"]);
    let run = env.bd(["reject", "idea", "--reason", "out of scope"]).ok();
    for part in
        ["Rejected: bd-idea", "For the pull request of kim/idea", "Idea of Kim (bd-idea) was rejected: out of scope"]
    {
        assert!(run.stdout.contains(part), "{part}: {}", run.snapshot());
    }
    let line = sh(&env, "grep bd-idea web/.beads/beads.jsonl");
    assert!(line.contains("rejected: out of scope") && line.contains("\"state\":\"rejected\""), "{line}");
    assert_eq!(env.bd(["proposals", "--incoming", "--json"]).ok().ids(), [""; 0], "it is decided");
    let again = env.bd(["reject", "idea", "--reason", "out of scope", "--json"]).ok();
    assert_eq!(again.json()[0]["changed"], false, "{}", again.snapshot());
    // The contributor takes the main branch over, and the issue is private again, with the reason.
    sh(&env, "cd web; git commit -qam decided; cd ../kim; git checkout -q main; git pull -q --ff-only");
    let kim = |args: &[&str]| {
        let mut command = env.bd_command(crate::support::harness::BD);
        command.args(args).current_dir(env.root().join("kim")).env("BD_ACTOR", "kim").env("BD_ROLE", "contributor");
        env.run(command, format!("bd {}", args.join(" ")), None).ok()
    };
    let done = kim(&["proposals", "reconcile"]);
    assert!(done.stdout.contains("rejected: the planning copy is private again"), "{}", done.snapshot());
    let own = kim(&["show", "bd-idea"]);
    assert!(own.stdout.contains("out of scope"), "{}", own.snapshot());
    // Proposed again, it is another proposal under the same id: it is shown, and rejected again.
    kim(&["update", "bd-idea", "--title", "A better idea"]);
    kim(&["propose", "bd-idea"]);
    sh(&env, "cd kim; git checkout -qb again; git commit -qam again; cd ../web; git fetch -q kim");
    let shown = env.bd(["show", "bd-idea"]).ok().stdout;
    assert!(shown.contains("A better idea") && shown.contains("kim/again"), "{shown}");
    let run = env.bd(["reject", "bd-idea", "--reason", "still not"]).ok();
    assert!(run.stdout.contains("A better idea (bd-idea) was rejected: still not"), "{}", run.snapshot());
    assert_eq!(env.bd(["proposals", "--incoming", "--json"]).ok().ids(), [""; 0]);
}

/// A line on a branch may hold anything: a rejection takes over what may go out, and nothing else.
#[test]
fn a_rejection_takes_nothing_over_that_does_not_belong_there() {
    if !have(&["git"]) {
        return;
    }
    let env = with_git_clone();
    sh(
        &env,
        r#"cd web; git checkout -qb odd
        printf '%s\n' '{"id":"bd-odd","title":"Odd","status":"open","visibility":"proposed","notes":"n","assignee":"eve","companion":true,"workflow":{"x":1},"former_id":"bd-1","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependencies":[{"issue_id":"bd-odd","depends_on_id":"bd-odd","type":"blocks"}],"proposal":{"id":"prop_odd","author":"eve","target":"bd","state":"open","by":"eve","at":"2026-01-01T00:00:00Z"}}' \
          '{"id":"../x","title":"Path","status":"open","visibility":"proposed","proposal":{"id":"prop_p","author":"eve","target":"bd","state":"open","by":"eve","at":"2026-01-01T00:00:00Z"}}' >> .beads/beads.jsonl
        git commit -qam odd; git checkout -q main"#,
    );
    env.bd(["reject", "bd-odd", "--reason", "no"]).ok();
    let line = sh(&env, "grep bd-odd web/.beads/beads.jsonl");
    for private in ["notes", "assignee", "companion", "workflow", "former_id", "dependencies"] {
        assert!(!line.contains(private), "{private}: {line}");
    }
    let before = env.ledger();
    env.bd(["reject", "../x", "--reason", "no"]).fails(2, &["a new id is made of"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_branch_that_cannot_be_read_hides_no_other() {
    if !have(&["git"]) {
        return;
    }
    let env = with_git_clone();
    sh(
        &env,
        "cd web; git fetch -q ../kim idea:refs/remotes/kim/idea
         git checkout -q --orphan bare; git rm -rqf .; git commit -q --allow-empty -m nothing; git checkout -q main
         git checkout -qb odd; printf 'x\\n{\"proposal\":1}\\n{\"id\":\"bd-x\",\"proposal\":{\"id\":\"p\"}}\\n<<<<<<< \"proposal\"\\n' > .beads/beads.jsonl
         git commit -qam odd; git checkout -q main
         printf 'a tag, no commit' | git hash-object -w --stdin > ../blob
         git update-ref refs/remotes/kim/blob $(cat ../blob) || true",
    );
    let run = env.bd(["proposals", "--json"]).ok();
    assert_eq!(run.ids(), ["bd-idea"], "{}", run.snapshot());
}

#[test]
fn a_maintainer_sees_proposals_on_fetched_bookmarks_of_jj() {
    if !have(&["git", "jj"]) {
        return;
    }
    let env = with_clone(
        "cd web; git init -q; git add .; git commit -qm start; jj git init --colocate 2>/dev/null",
        "git clone -q web kim",
        "cd kim; git checkout -qb idea; git commit -qam 'Propose it'",
    );
    sh(&env, "cd web; jj git remote add kim ../kim; jj git fetch --remote kim 2>/dev/null");
    let rows = env.bd(["proposals", "--incoming", "--json"]).ok().json();
    assert_eq!((&rows[0]["id"], &rows[0]["author"]), (&"bd-idea".into(), &"kim".into()), "{rows}");
    assert!(rows[0]["branches"].to_string().contains("idea@kim"), "{rows}");
}

#[test]
fn a_maintainer_sees_proposals_on_pulled_heads_of_hg() {
    if !have(&["hg"]) {
        return;
    }
    let env = with_clone(
        "cd web; hg init; hg add -q; hg commit -qm start",
        "hg clone -q web kim",
        "cd kim; hg commit -qm 'Propose it'",
    );
    sh(&env, "cd web; echo 1 > code; hg add -q; hg commit -qm code; hg pull -q ../kim");
    let rows = env.bd(["proposals", "--incoming", "--json"]).ok().json();
    assert_eq!((&rows[0]["id"], &rows[0]["author"]), (&"bd-idea".into(), &"kim".into()), "{rows}");
    assert!(rows[0]["branches"].to_string().contains("default ("), "{rows}");
    sh(&env, "hg -R kim bookmark idea; cd web; hg pull -q -B idea ../kim");
    let rows = env.bd(["proposals", "--incoming", "--json"]).ok().json();
    assert_eq!(rows[0]["branches"], serde_json::json!(["idea"]), "{rows}");
}

#[test]
fn a_project_without_version_control_or_without_a_commit_has_no_branches() {
    let env = Env::new();
    env.given("add One");
    assert_eq!(env.bd(["proposals", "--json"]).ok().ids(), [""; 0]);
    if have(&["git"]) {
        repo(&env, "fresh", "fr");
        sh(&env, "git init -q fresh");
        let run = bd_in(&env, "fresh", ["proposals", "--json"]).ok();
        assert_eq!((run.ids(), run.stderr.as_str()), (Vec::<String>::new(), ""), "{}", run.snapshot());
    }
}
