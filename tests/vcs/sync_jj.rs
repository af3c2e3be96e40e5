//! Exchanging commits with jj: what is special to it. The stories that all systems share are in `conformance_jj.rs`.

use std::path::{Path, PathBuf};

use beads::internal::vcs::{self, Committed, Integrated, Integration, Outgoing, Pushed, Route, SyncError, Versions};

use crate::vcs::conformance_jj::server;
use crate::vcs::lab::{self, Lab, areas};

const LEDGER: &str = ".beads/beads.jsonl";
const LOG: &str = "jj log --no-graph --reversed -r 'main@origin..@' -T 'description.first_line() ++ \"; \"'";

/// A server whose first commit holds a ledger and code, and clones of it.
fn clones(names: &[&str]) -> Option<Lab> {
    let lab = Lab::with(&["jj", "git"])?;
    lab.fill(&format!("clones of jj, {names:?}"), |lab| {
        server(lab);
        lab.sh("git clone -q server seed 2>/dev/null; cd seed; git checkout -q -b main; mkdir .beads
                echo 1 > .beads/beads.jsonl; echo 1 > code; git add -A; git commit -q -m first; git push -q origin main");
        for name in names {
            lab.sh(&format!("jj git clone --no-colocate server {name}"));
        }
    });
    Some(lab)
}

fn record(lab: &Lab, clone: &str, text: &str) {
    let file = format!("{clone}/{LEDGER}");
    lab.write(&file, text);
    assert_eq!(lab.commit(&[&file]).unwrap(), Committed::Done);
}

/// Fetches, and integrates with the lines of both sides; says how often the merge was asked.
fn pull(lab: &Lab, clone: &str) -> (Result<Integrated, SyncError>, usize) {
    let (vcs, mut asked) = (vcs::open(&lab.path(clone)), 0);
    vcs.exchange().unwrap().fetch(&lab.env()).unwrap();
    let mut merge = |_: &Path, versions: &Versions| {
        asked += 1;
        let sides = [&versions.ours, &versions.theirs].map(|side| side.clone().unwrap_or_default());
        let text = String::from_utf8(sides.concat()).unwrap();
        let lines: std::collections::BTreeSet<&str> = text.lines().collect();
        lines.into_iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    };
    let (ledgers, env) = ([PathBuf::from(LEDGER)], lab.env());
    let message = "bd: merge";
    let result = vcs.exchange().unwrap().integrate(Integration {
        ledgers: &ledgers,
        areas: &areas(),
        merge: &mut merge,
        message,
        author: "Ann",
        replaces: None,
        env: &env,
    });
    (result, asked)
}

fn push(lab: &Lab, clone: &str) -> Pushed {
    lab::push(&*vcs::open(&lab.path(clone)), &lab.env()).unwrap()
}

fn text(lab: &Lab, name: &str) -> String {
    std::fs::read_to_string(lab.path(name)).unwrap()
}

/// The user's commits stay here; the ledger's goes below them and out.
#[test]
fn the_ledger_is_pushed_without_the_users_commits() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("cd a; echo 2 > code; jj commit -m mine; echo 3 > more; jj describe -m open");
    record(&lab, "a", "1\n2\n");
    record(&lab, "a", "1\n2\n3\n");
    assert_eq!(lab.sh(&format!("cd a; {LOG}")), "bd: a write; bd: a write; mine; open; ");
    assert_eq!(push(&lab, "a"), Pushed::Done);
    assert_eq!(lab.sh(&format!("cd a; {LOG}")), "mine; open; ");
    assert_eq!(lab.sh("git -C server show main:code main:.beads/beads.jsonl"), "1\n1\n2\n3\n");
    assert_eq!(push(&lab, "a"), Pushed::NothingToPush);
    assert_eq!((text(&lab, "a/code"), text(&lab, "a/more")), ("2\n".into(), "3\n".into()));
}

/// A user's commit that also contains a ledger belongs to the user, and its descendants cannot be sent without it.
#[test]
fn a_ledger_above_the_users_commits() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("cd a; echo 2 > code; echo 2 >> .beads/beads.jsonl; jj commit -m both");
    record(&lab, "a", "1\n2\n3\n");
    assert_eq!(lab.sh(&format!("cd a; {LOG}")), "both; bd: a write; ; ");
    let before = lab.sh("cd a; jj op log --no-graph -n 1 -T id");
    assert_eq!(lab::outgoing(&*vcs::open(&lab.path("a")), &lab.env()), ["+both", "bd: a write"]);
    assert_eq!(lab.sh("cd a; jj op log --no-graph -n 1 -T id"), before);
    assert_eq!(push(&lab, "a"), Pushed::Done, "whoever calls it has said so");
}

/// Which bookmark of the remote is meant, and that none is made.
#[test]
fn the_bookmark_that_is_meant() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("cd a; jj bookmark create mine -r @- 2>&1; echo 2 > code; jj commit -m topic 2>&1
            jj bookmark create topic -r @- 2>&1; jj git push -b topic 2>&1; jj bookmark create other -r @ 2>&1");
    let to = |named: Option<&str>| {
        let route = Route { ledgers: &areas(), with_code: false, dry_run: None, env: &lab.env() };
        match vcs::open_for(&lab.path("a"), named).exchange().unwrap().outgoing(&route).unwrap() {
            Outgoing::Ready(parcel) => format!("{}: {}", parcel.to, lab::shown(&parcel.commits).join(", ")),
            other => format!("{other:?}"),
        }
    };
    record(&lab, "a", "1\n2\n");
    assert_eq!(to(None), "topic@origin: bd: a write", "the nearest that the remote has");
    assert_eq!(to(Some("main")), "main@origin: +topic, bd: a write");
    assert!(to(Some("mine")).contains("origin has no bookmark `mine`"));
    assert_eq!(push(&lab, "a"), Pushed::Done);
    assert_eq!(lab.sh("git -C server for-each-ref --format='%(refname:short)'"), "main\ntopic\n");
}

/// A clean merge of texts is not a merge of ledgers.
#[test]
fn the_function_is_asked_where_texts_merge_by_themselves() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    let lines: String = (10..30).map(|line| format!("{line}\n")).collect();
    record(&lab, "a", &lines);
    assert_eq!(push(&lab, "a"), Pushed::Done);
    assert_eq!(pull(&lab, "b").0.unwrap(), Integrated::Forwarded);
    record(&lab, "a", &format!("01\n{lines}"));
    record(&lab, "b", &format!("{lines}00\n"));
    assert_eq!(push(&lab, "a"), Pushed::Done);
    let (result, asked) = pull(&lab, "b");
    assert_eq!((result.unwrap(), asked), (Integrated::Rebased, 1));
    assert_eq!(text(&lab, &format!("b/{LEDGER}")), format!("00\n01\n{lines}"), "sorted, as the function does it");
    assert_eq!(lab.sh("cd b; jj st | head -1"), "The working copy has no changes.\n");
}

/// The working copy's change keeps its id, its description and its content; nothing is left behind.
#[test]
fn the_users_change_goes_along() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    lab.sh("cd b; echo new > new; echo 2 > other; jj describe -m 'half done'");
    let show = "cd b; jj log --no-graph -r @ -T 'change_id ++ description'; jj diff --git";
    record(&lab, "a", "1\na\n");
    assert_eq!(push(&lab, "a"), Pushed::Done);
    record(&lab, "b", "1\nb\n");
    let before = lab.sh(show);
    let (result, asked) = pull(&lab, "b");
    assert_eq!((result.unwrap(), asked), (Integrated::Rebased, 1));
    assert_eq!(lab.sh(show), before);
    assert_eq!(lab.sh(&format!("cd b; {LOG}")), "bd: a write; half done; ");
    assert_eq!(lab.sh("cd b; jj log --no-graph -r 'divergent() | conflicts()' -T commit_id"), "");
    let log = "cd b; jj log --no-graph -r 'all()' -T commit_id; jj op log --no-graph -n 1 -T id";
    let before = lab.sh(log);
    assert_eq!(pull(&lab, "b").0.unwrap(), Integrated::UpToDate);
    assert_eq!(lab.sh(log), before, "not even an operation");
}

#[test]
fn a_conflict_leaves_no_operation() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    lab.sh("cd a; echo a > code; jj commit -m theirs; jj bookmark set main -r @-; jj git push -b main");
    lab.sh("cd b; echo b > code; jj commit -m mine; echo x > open; jj git fetch; jj st");
    let log = "cd b; jj log --no-graph -r 'all()' -T commit_id; jj op log --no-graph -n 1 -T id";
    let before = lab.sh(log);
    match pull(&lab, "b").0 {
        Err(SyncError::Conflicts { files, .. }) => assert_eq!(files, [PathBuf::from("code")]),
        other => panic!("{other:?}"),
    }
    assert_eq!(lab.sh(log), before);
    assert_eq!((text(&lab, "b/code"), text(&lab, "b/open")), ("b\n".into(), "x\n".into()));
}

/// jj would leave the old file in place and take it for a change.
#[test]
fn a_file_that_jj_ignores_is_in_the_way() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    lab.sh("cd b; echo '*.log' > .gitignore; echo precious > x.log; jj st");
    lab.sh("cd a; echo theirs > x.log; jj commit -m log; jj bookmark set main -r @-; jj git push -b main");
    match pull(&lab, "b").0 {
        Err(SyncError::InTheWay { files, .. }) => assert_eq!(files, [PathBuf::from("x.log")]),
        other => panic!("{other:?}"),
    }
    assert_eq!(text(&lab, "b/x.log"), "precious\n");
}

/// Both sides moved the bookmark.
#[test]
fn a_conflicted_bookmark_is_settled() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    record(&lab, "a", "1\na\n");
    assert_eq!(push(&lab, "a"), Pushed::Done);
    lab.sh("cd b; echo 2 > mine; jj commit -m mine; jj bookmark set main -r @-; jj git fetch");
    assert!(lab.sh("cd b; jj bookmark list").contains("conflicted"));
    assert_eq!(pull(&lab, "b").0.unwrap(), Integrated::Rebased);
    assert!(!lab.sh("cd b; jj bookmark list").contains("conflicted"));
    assert_eq!(push(&lab, "b"), Pushed::Done, "the user had moved the bookmark over the commit");
    assert_eq!(lab.sh("git -C server show main:mine main:.beads/beads.jsonl"), "2\n1\na\n");
}

#[test]
fn a_lost_race_leaves_the_bookmark_where_it_was() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    record(&lab, "a", "1\na\n");
    record(&lab, "b", "1\nb\n");
    assert_eq!(push(&lab, "a"), Pushed::Done);
    let bookmarks = "cd b; jj bookmark list --all-remotes; jj op log --no-graph -n 1 -T id";
    let before = lab.sh(bookmarks);
    assert_eq!(push(&lab, "b"), Pushed::Outrun);
    assert_eq!(lab.sh(bookmarks), before);
    assert_eq!(pull(&lab, "b").0.unwrap(), Integrated::Rebased);
    assert_eq!(push(&lab, "b"), Pushed::Done);
    assert!(!lab.sh("cd b; jj bookmark list").contains("conflicted"));
}

/// A commit that was pushed and then amended is the user's to push again.
#[test]
fn a_rewritten_bookmark_is_left_alone() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("cd a; echo 2 > code; jj describe -m topic; jj bookmark create topic -r @; jj git push -b topic
            echo 3 > code; jj st");
    let before = lab.sh("cd a; jj log --no-graph -r 'all()' -T commit_id");
    assert_eq!(pull(&lab, "a").0.unwrap(), Integrated::UpToDate);
    assert!(!matches!(push(&lab, "a"), Pushed::Done));
    assert_eq!(lab.sh("cd a; jj log --no-graph -r 'all()' -T commit_id"), before);
}

#[test]
fn two_workspaces() {
    let Some(lab) = clones(&["a", "b"]) else { return };
    lab.sh("cd a; jj workspace add -r main ../w; cd ../w; echo mine > open; jj st");
    record(&lab, "w", "1\nw\n");
    record(&lab, "b", "1\nb\n");
    assert_eq!(push(&lab, "b"), Pushed::Done);
    let (result, asked) = pull(&lab, "w");
    assert_eq!((result.unwrap(), asked), (Integrated::Rebased, 1));
    assert_eq!((text(&lab, &format!("w/{LEDGER}")), text(&lab, "w/open")), ("1\nb\nw\n".into(), "mine\n".into()));
    assert_eq!(push(&lab, "w"), Pushed::Done);
    assert_eq!(text(&lab, &format!("a/{LEDGER}")), "1\n", "the other working copy is where it was");
    assert_eq!(pull(&lab, "a").0.unwrap(), Integrated::Forwarded);
    assert_eq!(text(&lab, &format!("a/{LEDGER}")), "1\nb\nw\n");
}

/// One server, one person with jj and one with git.
#[test]
fn jj_and_git_exchange_ledgers() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("git clone -q server g");
    record(&lab, "a", "1\njj\n");
    assert_eq!(push(&lab, "a"), Pushed::Done);
    lab.sh("cd g; git pull -q; echo git >> .beads/beads.jsonl; git commit -q -a -m 'by git'; git push -q");
    record(&lab, "a", "1\njj\njj again\n");
    assert_eq!(push(&lab, "a"), Pushed::Outrun);
    assert_eq!(pull(&lab, "a").0.unwrap(), Integrated::Rebased);
    assert_eq!(push(&lab, "a"), Pushed::Done);
    lab.sh("cd g; git pull -q --ff-only");
    assert_eq!(text(&lab, &format!("g/{LEDGER}")), "1\ngit\njj\njj again\n");
    assert_eq!(text(&lab, &format!("g/{LEDGER}")), text(&lab, &format!("a/{LEDGER}")));
}

#[test]
fn a_server_that_refuses() {
    let Some(lab) = clones(&["a"]) else { return };
    lab.sh("printf '#!/bin/sh\\necho not today >&2; exit 1\\n' > server/hooks/pre-receive; chmod +x server/hooks/pre-receive");
    record(&lab, "a", "1\n2\n");
    let before = lab.sh("cd a; jj bookmark list --all-remotes");
    match lab::push(&*vcs::open(&lab.path("a")), &lab.env()) {
        Err(SyncError::Refused { printed, .. }) => assert!(printed.contains("not today"), "{printed}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(lab.sh("cd a; jj bookmark list --all-remotes"), before);
}

/// Settings that jj keeps with the user's are the user's; those inside of the repository are not.
#[test]
fn programs_of_the_repository() {
    let Some(lab) = clones(&["a"]) else { return };
    let programs = || vcs::open(&lab.path("a")).judge(&lab.env()).named();
    lab.sh("cd a; jj config set --repo ui.pager less; jj config set --user ui.editor vi");
    assert_eq!(programs(), Vec::<String>::new());
    let settings = "ui.pager = ':builtin'\nui.editor = 'evil'\nfsmonitor.backend = 'none'\n
        [merge-tools.bd]\nprogram = 'bd'\n[merge-tools.x]\nprogram = 'evil'\n
        [[--scope]]\n--when.commands = ['git']\ngit.executable-path = '/tmp/evil'\n[revset-aliases]\n'x' = 'all()'\n";
    lab.write("a/.jj/repo/config.toml", settings);
    let expected = [
        "jj config git.executable-path = \"/tmp/evil\"",
        "jj config merge-tools.x.program = \"evil\"",
        "jj config ui.editor = \"evil\"",
    ];
    assert_eq!(programs(), expected);
    lab.write("a/.jj/repo/config.toml", "");
    lab.sh("git --git-dir=a/.jj/repo/store/git config core.sshCommand evil");
    assert!(programs().iter().any(|line| line.to_lowercase().contains("core.sshcommand")), "{:?}", programs());
}
