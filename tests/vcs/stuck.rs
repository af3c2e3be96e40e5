//! Cases in which exchanging a ledger with jj and hg never ended: now it is done, or refused with the reason.

use std::path::PathBuf;

use beads::internal::vcs::{self, Committed, Outgoing, Pushed, Route, SyncError};

use crate::support::programs::have;
use crate::vcs::conformance_jj::server;
use crate::vcs::lab::{self, Lab, areas};

const LEDGER: &str = ".beads/beads.jsonl";

/// A server whose first commit holds a ledger and code, and a clone of it with jj and git side by side.
fn jj() -> Option<Lab> {
    let lab = Lab::with(&["jj", "git"])?;
    lab.fill("a colocated clone of jj", |lab| {
        server(lab);
        lab.sh("git clone -q server seed 2>/dev/null; cd seed; git checkout -q -b main; mkdir .beads
                echo 1 > .beads/beads.jsonl; echo 1 > code; git add -A; git commit -q -m first; git push -q origin main");
        lab.sh("jj git clone --colocate server a 2>&1");
    });
    Some(lab)
}

fn record(lab: &Lab, clone: &str, text: &str) -> Committed {
    let file = format!("{clone}/{LEDGER}");
    lab.write(&file, text);
    lab.commit(&[&file]).unwrap()
}

fn push(lab: &Lab, clone: &str) -> Result<Pushed, SyncError> {
    lab::push(&*vcs::open(&lab.path(clone)), &lab.env())
}

/// Descriptions above what the remote has, oldest first; `!` for a conflict, `*` for a signature.
fn stack(lab: &Lab, clone: &str) -> String {
    let marks = "if(conflict, \"!\") ++ if(signature, \"*\")";
    lab.sh(&format!(
        "cd {clone}; jj log --no-graph --reversed -r 'main@origin..@' -T 'description.first_line() ++ {marks} ++ \"; \"'"
    ))
}

fn on_server(lab: &Lab) -> String {
    lab.sh("git -C server show main:.beads/beads.jsonl")
}

#[test]
fn a_ledger_in_a_change_without_a_description_is_sent() {
    let Some(lab) = jj() else { return };
    lab.sh("cd a; printf '1\n2\n' > .beads/beads.jsonl; jj new 2>&1; echo mine > own");
    assert_eq!(record(&lab, "a", "1\n2\n3\n"), Committed::Done);
    assert_eq!(push(&lab, "a").unwrap(), Pushed::Done);
    assert_eq!(on_server(&lab), "1\n2\n3\n");
    assert_eq!(lab.sh("git -C server log --format=%s main"), "bd: a write\nupdate the ledger\nfirst\n");
    assert_eq!(stack(&lab, "a"), "; ", "only the working copy's own is left");
    assert_eq!(lab.sh("cd a; jj st 2>&1 | grep -c 'A own'; cat own"), "1\nmine\n");
    // Code in such a change is the user's to describe.
    lab.sh("cd a; jj new 2>&1; echo more > more; printf '1\n2\n3\n4\n' > .beads/beads.jsonl; jj new 2>&1");
    let before = stack(&lab, "a");
    let refused = push(&lab, "a").unwrap_err();
    assert!(matches!(&refused, SyncError::Unfit { what, .. } if what.contains("no description")), "{refused}");
    assert_eq!((stack(&lab, "a"), on_server(&lab)), (before, "1\n2\n3\n".to_owned()));
}

/// A clone whose commit of the ledger conflicts with that of the server, and another one of the same on top.
fn conflicted(lab: &Lab) {
    record(lab, "a", "left\n");
    lab.sh("cd seed; echo right > .beads/beads.jsonl; git commit -q -am right; git push -q origin main
            cd ../a; printf 'left\nmore\n' > .beads/beads.jsonl; jj commit -m more 2>&1; jj git fetch 2>&1
            jj rebase -d main@origin 2>&1; jj st 2>&1");
    assert_eq!(stack(lab, "a"), "bd: a write!; more!; !; ");
}

#[test]
fn a_conflict_of_the_ledger_that_was_settled_goes_into_the_commits_that_have_it() {
    let Some(lab) = jj() else { return };
    conflicted(&lab);
    let file = lab.path(&format!("a/{LEDGER}"));
    assert_eq!(vcs::mark_resolved(&file, &lab.env()), Some("jj squash --"));
    assert_eq!(record(&lab, "a", "left\nmore\nright\n"), Committed::Done);
    assert_eq!(stack(&lab, "a"), "bd: a write; more; ; ");
    assert_eq!(vcs::mark_resolved(&file, &lab.env()), None);
    assert_eq!(push(&lab, "a").unwrap(), Pushed::Done);
    assert_eq!(on_server(&lab), "left\nmore\nright\n");
}

#[test]
fn a_conflict_that_nobody_settled_is_no_success() {
    let Some(lab) = jj() else { return };
    conflicted(&lab);
    // The working copy is as jj left it, with markers: nothing is committed over it.
    assert_eq!(lab.commit(&[&format!("a/{LEDGER}")]).unwrap(), Committed::NothingToCommit);
    let refused = push(&lab, "a").unwrap_err();
    assert!(matches!(&refused, SyncError::Unfit { what, .. } if what.contains("conflict")), "{refused}");
    assert_eq!(on_server(&lab), "right\n");
    // Staged changes are still not lost.
    lab.sh("cd a; echo x > staged; git add staged");
    assert!(lab.commit(&[&format!("a/{LEDGER}")]).unwrap_err().to_string().contains("staged"));
}

#[test]
fn signatures_stay_when_the_ledger_is_committed() {
    let Some(lab) = jj().filter(|_| have(&["ssh-keygen"])) else { return };
    lab.sh("ssh-keygen -q -t ed25519 -N '' -f home/key; mkdir -p home/.config/jj
            printf '[signing]\nbehavior = \"own\"\nbackend = \"ssh\"\nkey = \"%s\"\n' $PWD/home/key.pub > home/.config/jj/config.toml");
    lab.sh("cd a; echo 2 > code; jj commit -m mine 2>&1; echo 3 > code; jj describe -m open 2>&1");
    assert_eq!(stack(&lab, "a"), "mine*; open*; ");
    // jj signs for the author alone.
    let env = lab.env().with("JJ_USER", "Script").with("JJ_EMAIL", "script@example.org");
    lab.write(&format!("a/{LEDGER}"), "1\n2\n");
    assert_eq!(lab.commit_in(&[&format!("a/{LEDGER}")], &env).unwrap(), Committed::Done);
    let now = stack(&lab, "a");
    assert!(now.contains("mine*; ") && now.contains("open*; "), "{now}");
    let out = vcs::open(&lab.path("a"))
        .exchange()
        .unwrap()
        .outgoing(&Route { ledgers: &areas(), with_code: false, dry_run: None, env: &lab.env() })
        .unwrap();
    let Outgoing::Ready(parcel) = out else { panic!("{out:?}") };
    assert!(parcel.commits.iter().any(|one| one.has_code && one.subject == "mine"), "told as code, not passed over");
}

#[test]
fn a_copy_works_on_a_change_of_its_own() {
    let Some(lab) = jj() else { return };
    lab.sh("cd a; echo 2 > code; jj describe -m mine 2>&1; cp -a ../a ../copy");
    vcs::open(&lab.path("copy")).cloning().unwrap().settle_copy(&lab.path("a"), "job", &lab.env()).unwrap();
    let change = |place: &str| lab.sh(&format!("cd {place}; jj log --no-graph -r @ -T 'change_id ++ description'"));
    assert_ne!(change("copy"), change("a"));
    assert!(change("copy").ends_with("mine\n"), "all else is the same");
    lab.sh("cd copy; echo 3 > code; jj st 2>&1; jj git export 2>&1
            cd ../a; git fetch -q ../copy job:job; jj git import 2>&1");
    assert_eq!(lab.sh("cd a; jj log --no-graph -r @ -T 'if(divergent, \"divergent\", \"one\")'"), "one");
}

/// hg: someone else's head with a bookmark, and a clone with another line of history.
#[test]
fn a_push_that_would_make_a_new_head_says_so_at_once() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.begin(
        "hg init server; hg clone -q server ann; cd ann; mkdir .beads; echo 1 > .beads/beads.jsonl; echo 1 > code
         hg commit -q -A -m first; hg push -q; cd ..; hg clone -q server bob
         cd ann; hg bookmark feat; echo 2 > code; hg commit -q -m feat; hg push -q -B feat",
    );
    let bob = vcs::open(&lab.path("bob"));
    lab.write(&format!("bob/{LEDGER}"), "1\n2\n");
    lab.commit(&[&format!("bob/{LEDGER}")]).unwrap();
    bob.exchange().unwrap().fetch(&lab.env()).unwrap();
    let refused = lab::push(&*bob, &lab.env()).unwrap_err();
    let SyncError::NewHead { branch, heads, .. } = &refused else { panic!("{refused}") };
    assert_eq!((branch.as_str(), heads.as_slice()), ("default", &["the bookmark feat".to_owned()][..]));
    // The remedy: with the existing bookmark.
    let named = vcs::open_for(&lab.path("bob"), Some("feat"));
    let ledgers = [PathBuf::from(LEDGER)];
    named
        .exchange()
        .unwrap()
        .integrate(vcs::Integration {
            ledgers: &ledgers,
            areas: &areas(),
            merge: &mut |_, versions| versions.ours.clone().unwrap_or_default(),
            message: "bd: merge",
            author: "Ann",
            replaces: None,
            env: &lab.env(),
        })
        .unwrap();
    assert_eq!(lab::push(&*named, &lab.env()).unwrap(), Pushed::Done);
    assert_eq!(lab.sh("hg -R server cat -r feat server/.beads/beads.jsonl server/code"), "1\n2\n2\n");
    // With a single head below ours, nothing is in the way.
    lab.write(&format!("bob/{LEDGER}"), "1\n2\n3\n");
    lab.commit(&[&format!("bob/{LEDGER}")]).unwrap();
    assert_eq!(lab::push(&*bob, &lab.env()).unwrap(), Pushed::Done);
}
