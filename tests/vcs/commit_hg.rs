//! Committing with hg beside whatever the user is in the middle of.

use beads::internal::vcs::{CommitError, Committed};

use crate::vcs::lab::Lab;

const LEDGER: &str = "a/.beads/beads.jsonl";

fn repository() -> Option<Lab> {
    let lab = Lab::with(&["hg"])?;
    lab.begin("hg init a; cd a; echo 1 > x; hg commit -q -A -m first");
    lab.write(LEDGER, "{}\n");
    Some(lab)
}

#[test]
fn a_held_lock() {
    let Some(lab) = repository() else { return };
    lab.sh("ln -s elsewhere:1 a/.hg/wlock");
    // hg by itself waits for ten minutes, and would be stopped with another error.
    let error = lab.commit(&[LEDGER]).unwrap_err();
    assert!(matches!(error, CommitError::Busy { .. }), "{error}");
    lab.sh("rm a/.hg/wlock; ln -s elsewhere:1 a/.hg/store/lock");
    assert!(matches!(lab.commit(&[LEDGER]).unwrap_err(), CommitError::Busy { .. }));
    lab.sh("rm a/.hg/store/lock");
    assert_eq!(lab.sh("cd a; hg status"), "? .beads/beads.jsonl\n");
}

#[test]
fn unfinished_business() {
    let Some(lab) = repository() else { return };
    lab.sh("cd a; echo 2 > y; hg commit -q -A -m second y; hg update -q 0; echo 3 > z; hg commit -q -A -m third z
            hg merge -q");
    let error = lab.commit(&[LEDGER]).unwrap_err();
    assert!(error.to_string().ends_with("a merge is not finished"), "{error}");
    assert_eq!(lab.sh("cd a; hg status -u"), "? .beads/beads.jsonl\n");
    lab.sh("cd a; hg commit -q -m merged; hg update -q 1; echo x > z; hg commit -q -A -m fourth z
            hg --config extensions.rebase= rebase -q -t internal:fail -d 2 2>/dev/null || true");
    let error = lab.commit(&[LEDGER]).unwrap_err();
    assert!(error.to_string().ends_with("a rebase is not finished"), "{error}");
}

#[test]
fn an_ignored_file() {
    let Some(lab) = repository() else { return };
    lab.write("a/.hgignore", "syntax: glob\n*.jsonl\n");
    assert!(matches!(lab.commit(&[LEDGER]).unwrap_err(), CommitError::Ignored { .. }));
}

#[test]
fn the_repositorys_settings_name_no_program() {
    let Some(lab) = repository() else { return };
    let ran = lab.path("ran").display().to_string();
    let hgrc = format!(
        "[hooks]\nprecommit = echo hook >> '{ran}'; false\ncommit = echo hook >> '{ran}'\n[alias]\ncommit = !echo a >> '{ran}'\n\
         status = !echo a >> '{ran}'\n[ui]\nusername = Repo <repo@example.org>\n[phases]\nnew-commit = secret\n"
    );
    lab.write("a/.hg/hgrc", &hgrc);
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert!(!lab.path("ran").exists());
    let log = lab.sh("cd a; HGRCSKIPREPO=1 hg log -r . --template '{author} {phase}'");
    assert_eq!(log, "Repo <repo@example.org> secret");
}

#[test]
fn identities() {
    let Some(lab) = repository() else { return };
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    lab.write("home/.hgrc", "[ui]\nusername = Home <home@example.org>\n");
    lab.write(LEDGER, "{}\n{}\n");
    assert_eq!(lab.commit(&[LEDGER]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; hg log -l 2 --template '{author}\\n'"), "Home <home@example.org>\nAnn\n");
}

#[test]
fn a_share() {
    let Some(lab) = repository() else { return };
    lab.sh("hg --config extensions.share= share -q a b");
    lab.write("b/.beads/beads.jsonl", "{}\n");
    assert_eq!(lab.commit(&["b/.beads/beads.jsonl"]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("cd a; hg log -r tip --template '{desc}'; hg status"), "bd: a write? .beads/beads.jsonl\n");
}
