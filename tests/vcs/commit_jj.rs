//! Committing with jj: the working copy's own change keeps what it is.

use beads::internal::vcs::{CommitError, Committed};

use crate::vcs::lab::Lab;

const LEDGER: &str = "a/.beads/beads.jsonl";

fn repository() -> Option<Lab> {
    let lab = Lab::with(&["jj"])?;
    lab.begin("jj git init --no-colocate a; cd a; echo 1 > x; jj commit -m first");
    Some(lab)
}

#[test]
fn the_users_change_keeps_its_id_description_and_bookmark() {
    let Some(lab) = repository() else { return };
    lab.sh("cd a; echo 2 > x; jj describe -m 'my work'; jj bookmark create mine -r @");
    let show = "cd a; jj log --no-graph -r mine -T 'change_id ++ description ++ diff.summary()'";
    let before = lab.sh(show);
    lab.write(LEDGER, "{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh(show), before);
    assert!(before.contains("my work\n") && before.contains("M x\n"), "{before}");
    let below = lab.sh("cd a; jj log --no-graph -r @- -T 'description ++ diff.summary()'");
    assert_eq!(below, "bd: a write\nA .beads/beads.jsonl\n");
}

/// Editing a change in the middle: what is above it keeps its content.
#[test]
fn changes_above_stay() {
    let Some(lab) = repository() else { return };
    lab.sh("cd a; echo 2 > y; jj commit -m second; echo 3 > z; jj commit -m third; jj edit 'subject(second)'");
    lab.write(LEDGER, "{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    let log = lab.sh("cd a; jj log --no-graph -r '@-::' -T 'description.first_line() ++ \"; \"'");
    assert_eq!(log, "third; second; bd: a write; ");
    assert_eq!(lab.sh("cd a; jj file list -r 'subject(third)'"), ".beads/beads.jsonl\nx\ny\nz\n");
    assert_eq!(lab.sh("cd a; jj log --no-graph -r 'conflicts()' -T commit_id"), "");
}

#[test]
fn new_files_that_jj_does_not_take_up_by_itself() {
    let Some(lab) = repository() else { return };
    lab.sh("cd a; jj config set --repo snapshot.auto-track 'none()'");
    lab.write(LEDGER, "{}\n");
    lab.write("a/new", "stays\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; jj file list"), ".beads/beads.jsonl\nx\n");
}

#[test]
fn an_ignored_file() {
    let Some(lab) = repository() else { return };
    lab.write("a/.gitignore", "*.jsonl\n");
    lab.write(LEDGER, "{}\n");
    let log = "cd a; jj log --no-graph -T description";
    let before = lab.sh(log);
    assert!(matches!(lab.commit(&[LEDGER]).unwrap_err(), CommitError::Ignored { .. }));
    assert_eq!(lab.sh(log), before);
}

#[test]
fn a_new_file_that_jj_finds_too_large() {
    let Some(lab) = repository() else { return };
    lab.write(LEDGER, &"x".repeat(2_000_000));
    let error = lab.commit(&[LEDGER]).unwrap_err();
    assert!(error.to_string().contains("the maximum size allowed is 1.0MiB"), "{error}");
}

#[test]
fn a_held_lock() {
    let Some(lab) = repository() else { return };
    lab.write(LEDGER, "{}\n");
    let lock = lab.write("a/.jj/working_copy/working_copy.lock", "");
    let held = std::fs::File::open(lock).unwrap();
    held.lock().unwrap();
    // jj by itself waits for ever, and would be stopped with another error.
    assert!(matches!(lab.commit(&[LEDGER]).unwrap_err(), CommitError::Busy { .. }));
    drop(held);
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done, "the file alone is no lock");
}

#[test]
fn identities() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    // The working copy's change gets its author when it is made.
    lab.sh("unset JJ_USER JJ_EMAIL; jj git init --no-colocate a");
    lab.write(LEDGER, "{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    let author = "cd a; jj log --no-graph -r @- -T 'author.name() ++ \" <\" ++ author.email() ++ \">\"'";
    assert_eq!(lab.sh(author), "Ann <>");
    lab.sh("unset JJ_USER JJ_EMAIL; cd a; jj config set --user user.name Home; jj config set --user user.email h@example.org
            jj new");
    lab.write(LEDGER, "{}\n{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh(author), "Home <h@example.org>");
}

#[test]
fn another_workspace() {
    let Some(lab) = repository() else { return };
    lab.sh("cd a; jj workspace add ../b");
    lab.write("b/.beads/beads.jsonl", "{}\n");
    assert_eq!(lab.commit(&["b/.beads/beads.jsonl"]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; jj log --no-graph -r 'b@-' -T description"), "bd: a write\n");
}
