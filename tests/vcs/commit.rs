//! The same story in every version control: the ledger is committed, and nothing else is touched.

use beads::internal::vcs::{Committed, commit};

use crate::vcs::lab::Lab;

/// The facts that a story needs about one program.
struct Told {
    programs: &'static [&'static str],
    /// Makes the repository `a` with a committed `other` and a ledger that is not committed.
    begin: &'static str,
    /// Prints the messages of all commits, newest first, that touch a file.
    log: &'static str,
    /// Prints the last committed bytes of the ledger.
    last: &'static str,
    /// Prints what is changed besides.
    status: &'static str,
}

const GIT: Told = Told {
    programs: &["git"],
    begin: "git init -q a; cd a; echo 1 > other; git add other; git commit -q -m first",
    log: "git log --format=%s --",
    last: "git show HEAD:.beads/beads.jsonl",
    status: "git status --porcelain --untracked-files=all",
};

const JJ: Told = Told {
    programs: &["jj"],
    begin: "jj git init --no-colocate a; cd a; echo 1 > other; jj commit -m first",
    log: "jj log --no-graph -r '~empty() & ::@-' -T 'description' --",
    last: "jj file show -r @- root:.beads/beads.jsonl",
    status: "jj diff --summary",
};

const COLOCATED: Told = Told {
    programs: &["jj", "git"],
    begin: "jj git init --colocate a; cd a; echo 1 > other; jj commit -m first",
    ..JJ
};

const HG: Told = Told {
    programs: &["hg"],
    begin: "hg init a; cd a; echo 1 > other; hg commit -q -A -m first",
    log: "hg log --template '{desc}\\n' --",
    last: "hg cat -r . .beads/beads.jsonl",
    status: "hg status",
};

fn tell(told: &Told) {
    let Some(lab) = Lab::with(told.programs) else { return };
    let ledger = "a/.beads/beads.jsonl";
    lab.begin(told.begin);
    lab.sh("cd a; echo 2 >> other; echo new > new");
    let before = lab.sh(&format!("cd a; {}", told.status));
    lab.write(ledger, "{\"id\":\"bd-1\"}\n");
    assert_eq!(lab.commit(&[ledger]).unwrap(), Committed::Done, "a ledger that was not tracked");
    lab.write(ledger, "{\"id\":\"bd-1\"}\n{\"id\":\"bd-2\"}\n");
    lab.write("a/.beads/deleted.jsonl", "x");
    assert_eq!(lab.commit(&[ledger, "a/.beads/deleted.jsonl"]).unwrap(), Committed::Done, "two files");
    assert_eq!(lab.commit(&[ledger, "a/.beads/deleted.jsonl"]).unwrap(), Committed::NothingToCommit);
    assert_eq!(lab.commit(&[ledger, "a/.beads/nosuch"]).unwrap(), Committed::NothingToCommit);
    std::fs::remove_file(lab.path("a/.beads/deleted.jsonl")).unwrap();
    assert_eq!(lab.commit(&["a/.beads/deleted.jsonl"]).unwrap(), Committed::Done, "a file that is gone");

    assert_eq!(lab.sh(&format!("cd a; {} .beads/beads.jsonl", told.log)), "bd: a write\nbd: a write\n");
    assert_eq!(lab.sh(&format!("cd a; {} other", told.log)), "first\n");
    assert_eq!(lab.sh(&format!("cd a; {}", told.last)), "{\"id\":\"bd-1\"}\n{\"id\":\"bd-2\"}\n");
    assert_eq!(lab.sh(&format!("cd a; {}", told.status)), before);
    assert_eq!(lab.sh("cat a/other a/new"), "1\n2\nnew\n");
}

#[test]
fn git() {
    tell(&GIT);
}

#[test]
fn jj() {
    tell(&JJ);
}

#[test]
fn jj_beside_git() {
    tell(&COLOCATED);
}

#[test]
fn hg() {
    tell(&HG);
}

/// Names that mean something to one of the programs, and a message that begins like a comment or an option.
#[test]
fn names_and_messages_are_taken_as_they_are() {
    for told in [&GIT, &JJ, &HG] {
        let Some(lab) = Lab::with(told.programs) else { continue };
        lab.begin(told.begin);
        let names = ["a/-n", "a/*", "a/a \"b\" \\c", "a/:(top)x", "a/set:x", "a/é~|b"];
        names.iter().for_each(|name| drop(lab.write(name, name)));
        lab.write("a/innocent", "stays");
        let files = names.map(|name| lab.path(name));
        let message = "-# first line\n\n\"second\" $line";
        assert_eq!(commit(&files, message, "Ann", &lab.env()).unwrap(), Committed::Done);
        let status = lab.sh(&format!("cd a; {}", told.status));
        assert_eq!((status.lines().count(), status.contains("innocent")), (1, true), "{status}");
        let log = lab.sh(
            "cd a; if [ -d .git ]; then git log -1 --format=%B; elif [ -d .hg ]; then hg log -r . --template '{desc}'
                          else jj log --no-graph -r @- -T description; fi",
        );
        assert_eq!(log.trim_end(), message);
    }
}

#[test]
fn a_link_leads_into_another_repository() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; git init -q plan; mkdir plan/.beads; ln -s ../plan/.beads a/.beads");
    lab.write("plan/.beads/beads.jsonl", "{}\n");
    assert_eq!(lab.commit(&["a/.beads/beads.jsonl"]).unwrap(), Committed::Done);
    assert_eq!(lab.sh("git -C plan log --format=%s"), "bd: a write\n");
}

#[test]
fn files_of_two_repositories() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; git init -q a/b");
    lab.write("a/x", "");
    lab.write("a/b/x", "");
    let error = lab.commit(&["a/x", "a/b/x"]).unwrap_err();
    assert!(error.to_string().ends_with("are not in one working copy"), "{error}");
}

#[test]
fn no_version_control() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/x", "");
    assert_eq!(lab.commit(&["a/x"]).unwrap(), Committed::NoVcs);
    assert_eq!(lab.commit(&[]).unwrap(), Committed::NothingToCommit);
    assert!(lab.commit(&["nowhere/x"]).unwrap_err().to_string().contains("nowhere/x"));
}

#[test]
fn a_missing_program_is_named() {
    let Some(lab) = Lab::with(&[]) else { return };
    for (marker, name) in [(".git", "git"), (".jj", "jj"), (".hg", "hg"), (".sl", "sl")] {
        let file = format!("{name}/x");
        lab.write(&file, "");
        std::fs::create_dir(lab.path(name).join(marker)).unwrap();
        let error = lab.commit_in(&[&file], &lab.env().with("PATH", lab.path("home"))).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} is not installed: no directory of PATH holds it"));
    }
}
