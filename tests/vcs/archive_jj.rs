//! The meaning of a revision in jj.

use beads::internal::vcs;

use crate::vcs::lab::Lab;

#[test]
fn a_revset_that_names_one_commit() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    for (kind, init) in
        [("colocated", "jj git init --quiet --colocate"), ("alone", "jj git init --quiet --no-colocate")]
    {
        lab.sh(&format!("{init} {kind}; cd {kind}; jj describe --quiet -m one; jj new --quiet -m two; jj bookmark create --quiet -r @ mark
                         jj new --quiet -m three; jj abandon --quiet @-; jj new --quiet -m four; echo new > file"));
        let said = |template: &str, revset: &str| {
            lab.sh(&format!("cd {kind}; jj --ignore-working-copy log --no-graph -r '{revset}' -T '{template}'"))
        };
        let operations = || lab.sh(&format!("cd {kind}; jj --ignore-working-copy operation log --no-graph -T id"));
        let before = operations();
        let (vcs, env) = (vcs::open(&lab.path(kind)), lab.env());
        let mut archive = vcs.archive(&env).expect("an archive");
        let mut summary = |revision: &str| archive.resolve(revision).expect("an answer").map(|commit| commit.summary);
        assert_eq!(summary("@").as_deref(), Some("four"), "{kind}");
        assert_eq!(summary("@-").as_deref(), Some("three"));
        for template in ["change_id", "change_id.shortest()", "commit_id", "commit_id.shortest(8)"] {
            assert_eq!(summary(&said(template, "@-")).as_deref(), Some("three"), "{template}");
        }
        assert_eq!(summary("description(glob:\"one*\")").as_deref(), Some("one"));
        assert_eq!(summary("heads(::@ & description(substring:\"t\"))").as_deref(), Some("three"));
        let bad = ["none()", "", "nothing", "root()", "--help", "-r", "a\0b", "@ |", "mark:", "file(\"", "ffffffff"];
        for revision in bad {
            assert_eq!(summary(revision), None, "{revision:?}");
        }
        let several = archive.resolve("all()");
        assert!(matches!(several, Err(vcs::SyncError::Several { .. })), "{several:?}");
        assert_eq!(operations(), before, "nothing was recorded");
    }
}

/// git still has what jj forgot.
#[test]
fn a_commit_that_was_given_up() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    lab.sh("jj git init --colocate --quiet a; cd a; jj describe --quiet -m one; jj new --quiet -m two");
    let id = lab.sh("cd a; jj --ignore-working-copy log --no-graph -r @ -T commit_id");
    lab.sh("cd a; jj abandon --quiet @");
    let (vcs, env) = (vcs::open(&lab.path("a")), lab.env());
    let found = vcs.archive(&env).expect("an archive").resolve(&id).expect("an answer");
    assert_eq!(found.map(|commit| commit.summary), Some("two".to_owned()));
}
