//! `bd restore`: what was pruned, removed, deleted or edited comes back from the commits.

use crate::support::harness::{Env, put_file};
use crate::support::programs::have;
use crate::support::project::Project;
use crate::support::repos::{issues, ledger, ledger_path, repo, sh};

/// Commits the ledger of the project and gives the commit.
fn commit(project: &Project, message: &str) -> String {
    project.git("add -A").ok();
    project.git(&format!("commit -qm {message}")).ok();
    project.git("rev-parse HEAD").ok().stdout.trim().to_owned()
}

#[test]
fn pruned_and_restored_is_the_same_file() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let odd = "{\"id\":\"bd-m\",  \"title\":\"\\u00e4 <b>\",\"status\":\"closed\",\"closed_at\":\"2025-01-01T00:00:00Z\",\"zz\":[1e400, {}],\"priority\":0}\n";
    let (a, z) = (issues(&["bd-a"]), issues(&["bd-z"]));
    let cases = [
        ("sorted", format!("{a}{odd}{z}")),
        ("first", odd.to_owned() + &z),
        ("last", format!("{a}{odd}")),
        ("alone", odd.to_owned()),
        ("crlf", format!("{a}{odd}{z}").replace('\n', "\r\n")),
        ("mark", format!("\u{feff}{a}{odd}{z}")),
        ("others", format!("{a}{odd}{z}{{\"_type\":\"memory\"}}\nnot JSON\n")),
    ];
    for (n, (name, text)) in cases.into_iter().enumerate() {
        // Of two files of one size and one second git may see the first twice.
        let text = text.replace("1e400", &"1".repeat(100 * (n + 1)));
        env.put_ledger(&text);
        commit(&project, name);
        let json = env.bd(["prune", "--json"]).ok().json();
        assert_eq!(json["pruned"][0]["id"], "bd-m", "{name}");
        assert!(!env.ledger_text().contains("bd-m"), "{name}");
        if name != "first" {
            commit(&project, "pruned");
        }
        env.bd(["restore", "bd-m"]).ok();
        assert_eq!(env.ledger_text(), text, "{name}");
    }
}

#[test]
fn it_tells_where_it_was() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Old --id bd-old\nclose bd-old");
    let made = commit(&project, "made");
    env.given("prune -q --closed-before now");
    let pruned = commit(&project, "pruned");
    let before = env.ledger();
    let dry = env.bd(["restore", "bd-old", "--dry-run"]).ok();
    assert!(dry.stdout.starts_with(&format!("Would restore in . from {} (", &made[..10])), "{}", dry.snapshot());
    assert_eq!(env.ledger(), before, "a dry run writes nothing");
    let json = env.bd(["restore", "bd-ol", "--json"]).ok().json();
    assert_eq!((&json[0]["id"], &json[0]["action"]), (&"bd-old".into(), &"restored".into()), "by part of its id");
    assert_eq!((&json[0]["commit"]["id"], &json[0]["removed_by"]["id"]), (&made.into(), &pruned.into()));
    assert_eq!(json[0]["line"]["title"], "Old");
    env.bd(["show", "bd-old"]).ok();
    let text = env.bd(["restore", "bd-old"]).fails(5, &["bd-old cannot be restored: it is there; --at REV"]);
    assert_eq!(text.stdout, "");
}

#[test]
fn the_last_of_several_versions_comes_back() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add First --id bd-x");
    commit(&project, "one");
    env.given("update bd-x --title Second");
    commit(&project, "two");
    let lines: Vec<String> = env.ledger_text().lines().map(str::to_owned).collect();
    // By hand, and twice: it came back once and left again.
    for text in [format!("{}\n", lines[0]), format!("{}\n{}\n", lines[0], lines[1]), format!("{}\n", lines[0])] {
        env.put_ledger(text);
        commit(&project, "step");
    }
    env.bd(["recover", "--discard"]).ok();
    env.bd(["restore", "bd-x"]).ok();
    assert_eq!(env.ledger_text().lines().collect::<Vec<_>>(), lines);
}

#[test]
fn a_deleted_issue_is_what_it_was_before() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Keep --id bd-k -p 1 -l x\nwork bd-k\ncomment bd-k one");
    commit(&project, "made");
    env.given("delete bd-k --yes -r oops");
    // Someone else's comment, which a merge brought.
    let two = r#"},{"id":2,"issue_id":"bd-k","author":"bob","text":"two","created_at":"2026-01-05T10:00:00.000Z"}]"#;
    env.put_ledger(env.ledger_text().replacen("}]", two, 1));
    commit(&project, "deleted");
    let run = env.bd(["restore", "bd-k"]).ok();
    assert!(run.stdout.contains("Restored status, issue_type") || run.stdout.contains("status"), "{}", run.snapshot());
    let shown = env.bd(["show", "bd-k", "--json"]).ok().json();
    assert_eq!((&shown[0]["status"], &shown[0]["assignee"]), (&"in_progress".into(), &"ann".into()));
    assert!(shown[0].get("deleted_at").is_none() && shown[0].get("delete_reason").is_none(), "{shown}");
    assert_eq!(shown[0]["comments"].as_array().unwrap().len(), 2, "what was said since stays");
    env.given("add Brief --id bd-b\ndelete bd-b --yes");
    commit(&project, "at-once");
    env.bd(["restore", "bd-b"]).fails(5, &["no commit has it as it was before it was deleted"]);
}

#[test]
fn an_older_version_is_an_edit() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add First --id bd-x -p 1 -l a -d 'Old words'");
    let first = commit(&project, "one");
    env.given(
        "update bd-x --title Second -p 3 --description New\nlabel add bd-x b\ncomment bd-x remark\nclose bd-x -r done",
    );
    commit(&project, "two");
    let before = env.ledger_text();
    let dry = env.bd(["restore", "bd-x", "--at", &first, "--dry-run"]).ok();
    assert!(
        dry.stdout
            .contains("Would restore title, description, status, priority, closed_at, close_reason, labels in . from"),
        "{}",
        dry.snapshot()
    );
    assert_eq!(env.ledger_text(), before);
    env.bd(["restore", "bd-x", "--at", &first]).ok();
    let shown = env.bd(["show", "bd-x", "--json"]).ok().json();
    let one = &shown[0];
    assert_eq!((&one["title"], &one["status"], &one["priority"]), (&"First".into(), &"open".into(), &1.into()));
    assert_eq!((&one["description"], &one["labels"]), (&"Old words".into(), &serde_json::json!(["a"])));
    assert_eq!(one["comments"][0]["text"], "remark");
    assert!(one["updated_at"].as_str().unwrap() > "2026-01-05T09:00:05", "an edit is later than what it edits: {one}");
    let again = env.bd(["restore", "bd-x", "--at", &first]).ok();
    assert_eq!(again.stdout, "Nothing to change: bd-x\n");
    let other = |text: &str| text.lines().find(|line| line.contains("bd-base")).unwrap().to_owned();
    assert_eq!(other(&env.ledger_text()), other(&before));
}

#[test]
fn a_pruned_issue_can_come_back_as_it_was_earlier() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add First --id bd-x");
    let first = commit(&project, "one");
    env.given("comment bd-x remark\nclose bd-x");
    let closed = commit(&project, "two");
    env.given("prune -q --closed-before now");
    commit(&project, "three");
    env.bd(["restore", "bd-x", "--at", &first]).ok();
    let shown = env.bd(["show", "bd-x", "--json"]).ok().json();
    assert_eq!((&shown[0]["status"], &shown[0]["comments"][0]["text"]), (&"open".into(), &"remark".into()));
    env.given("prune -q --closed-before now");
    env.bd(["restore", "bd-x", "--at", &closed]).ok();
    assert_eq!(env.bd(["show", "bd-x", "--json"]).ok().json()[0]["status"], "closed");
}

#[test]
fn bad_input_changes_nothing() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let before = env.ledger();
    env.bd(["restore"]).fails(2, &["no issue ID provided"]);
    env.bd(["restore", "bd-nosuch"]).fails(3, &["no issue found matching \"bd-nosuch\""]);
    env.bd(["restore", "x"]).fails(3, &["no issue found"]);
    env.bd(["restore", "bd-base", "--at", "nosuchrev"]).fails(3, &["nosuchrev"]);
    env.bd(["restore", "bd-base", "--at", "--output=x"]).fails(2, &[]);
    env.bd(["restore", "bd-base", "--at=--output=x"]).fails(3, &[]);
    env.bd(["restore", "bd-base", "--at", "2001-01-01"]).fails(3, &["no ledger of the project had bd-base then"]);
    assert_eq!(env.bd(["restore", "bd-base", "--json"]).error()["code"], "illegal");
    let several = env.bd(["restore", "bd-nosuch", "bd-base", "--at", "HEAD"]);
    assert_eq!((several.code, several.stdout.as_str()), (3, ""), "all of them, or none");
    assert_eq!(env.ledger(), before);
}

#[test]
fn without_version_control_there_is_nothing_to_find() {
    let env = Env::new();
    env.given("add One --id bd-one");
    for args in [&["restore", "bd-one"][..], &["restore", "bd-one", "--at", "1d"], &["restore", "bd-gone"]] {
        env.bd(args).fails(9, &["not under version control"]);
    }
}

#[test]
fn a_damaged_ledger_is_not_written() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    let whole = env.ledger_text() + &issues(&["bd-x"]);
    env.put_ledger(&whole);
    commit(&project, "two");
    let base = whole.lines().next().unwrap();
    env.put_ledger(format!("{base}\n{{\"id\":\"bd-y\",\"ti"));
    for args in [&["restore", "bd-x"][..], &["restore", "bd-x", "--dry-run"]] {
        env.bd(args).fails(8, &["the last line is cut off"]);
    }
    env.put_ledger(format!("{base}\n{{\"id\":\"bd-x\",\"title\":}}\n"));
    env.bd(["restore", "bd-x"]).fails(8, &["bd-x", "damaged line"]);
    env.put_ledger(format!("{base}\n<<<<<<< x\n=======\n>>>>>>> y\n"));
    env.bd(["restore", "bd-x"]).fails(8, &["conflict markers; no issue can be added"]);
}

#[test]
fn a_contributor_restores_only_what_is_his() {
    let Some(project) = Project::new() else { return };
    let env = &project.env;
    put_file(&env.ledger_path(), b"\n");
    project.git("commit -qam emptied").ok();
    let before = env.ledger();
    env.bd(["restore", "bd-base"]).fails(5, &["bd-base cannot be written to .: you are a contributor here"]);
    env.bd(["restore", "bd-base", "--dry-run"]).fails(5, &["you are a contributor here"]);
    assert_eq!(env.ledger(), before);
    env.given(
        "add Plan --id plan-1\nclose plan-1\nprune -q --repo ~/.beads-planning --closed-before now\nrestore plan-1 -q",
    );
    assert!(ledger(env, "home/.beads-planning").contains("plan-1"));
    assert_eq!(sh(env, "git -C home/.beads-planning log -1 --format=%s"), "add plan-1: Plan\n");
}

#[test]
fn each_repo_gets_its_own_back() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    repo(env, "home/plan", "plan");
    put_file(&ledger_path(env, "home/plan"), issues(&["plan-1", "plan-2"]).as_bytes());
    sh(env, "cd home/plan; git init -q; git add -A; git commit -qm plan");
    put_file(&ledger_path(env, "home/plan"), issues(&["plan-1"]).as_bytes());
    env.given("config --add-repo ~/plan --personal\nrestore plan-2");
    assert_eq!(ledger(env, "home/plan"), issues(&["plan-1", "plan-2"]));
    assert!(!env.ledger_text().contains("plan-2"));
}

#[test]
fn what_was_private_elsewhere_does_not_come_up_here() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    repo(env, "home/plan", "plan");
    put_file(&ledger_path(env, "home/plan"), issues(&["plan-1"]).as_bytes());
    let long_ago = "GIT_COMMITTER_DATE=2020-01-01T00:00:00Z";
    sh(env, &format!("cd home/plan; git init -q; git add -A; {long_ago} git commit -qm plan"));
    env.given("config --add-repo ~/plan --personal\nmigrate --move-to . --filter id=plan-1");
    commit(&project, "moved");
    let before = env.ledger();
    env.bd(["restore", "plan-1", "--at", "2020-06-01"]).fails(5, &["it was in ~/plan then, and is in . now"]);
    put_file(&env.ledger_path(), b"\n");
    env.bd(["restore", "plan-1", "--at", "2020-06-01"]).fails(5, &["it was in ~/plan then, and in . last"]);
    env.bd(["recover", "--discard"]).ok();
    env.bd(["restore", "plan-1", "bd-base"]).ok();
    assert_eq!(env.ledger(), before);
}

#[test]
fn with_hg_and_jj_too() {
    for (program, set_up) in [
        ("hg", "cd web; hg init; hg add -q .beads; hg commit -qm base"),
        ("jj", "cd web; jj --quiet git init .; jj --quiet commit -m base"),
    ] {
        if !have(&[program]) {
            continue;
        }
        let env = Env::new();
        env.given("add One --id bd-one\nadd Two --id bd-two\nclose bd-one");
        sh(&env, set_up);
        let whole = env.ledger_text();
        env.given("prune -q --closed-before now");
        assert!(!env.ledger_text().contains("bd-one"), "{program}");
        env.given("commit -q\nrestore bd-one");
        assert_eq!(env.ledger_text(), whole, "{program}");
    }
}

/// Changes between the last commit and the deletion are in no commit, but in the tombstone.
#[test]
fn a_deleted_issue_comes_back_with_what_no_commit_has() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add One --id bd-1 -d old -l x\nupdate 1 --status in_progress");
    commit(&project, "made");
    env.given("update 1 -d new -p 0\ndelete 1 --yes");
    let dry = env.bd(["restore", "1", "--dry-run"]).ok();
    assert!(!dry.stdout.contains("description") && dry.stdout.contains("status"), "{}", dry.snapshot());
    env.given("restore 1");
    let issue = &env.bd(["show", "1", "--json"]).ok().json()[0];
    assert_eq!((&issue["description"], &issue["priority"]), (&"new".into(), &0.into()));
    assert_eq!((&issue["status"], &issue["labels"][0]), (&"in_progress".into(), &"x".into()));
}

#[test]
fn an_error_for_one_issue_says_nothing_of_the_others() {
    let Some(project) = Project::single() else { return };
    let env = &project.env;
    env.given("add Old --id bd-old\nclose bd-old");
    commit(&project, "made");
    env.given("prune -q --closed-before now");
    let run = env.bd(["restore", "bd-old", "bd-base"]).fails(5, &["bd-base cannot be restored: it is there"]);
    assert!(run.stdout.contains("Restored") && !run.stderr.contains("nothing was changed"), "{}", run.snapshot());
}
