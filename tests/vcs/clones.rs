//! Clones and copies of a checkout, run with git, jj and hg: they are separate repositories, and the original is
//! unchanged, byte for byte.

use std::path::{Path, PathBuf};

use beads::internal::sys::tree;
use beads::internal::vcs::{self, Checkout, Kind, NewClone, SyncError, Work};

use crate::vcs::checkouts_change::{open, start, work};
use crate::vcs::lab::Lab;

fn clone(lab: &Lab, from: &str, path: &str, branch: &str, base: Option<&str>) -> Result<Checkout, SyncError> {
    let new = NewClone { path: path.into(), branch: branch.to_owned(), base: base.map(str::to_owned) };
    open(lab, from).cloning()?.clone_checkout(&new, None, &lab.env())
}

/// Everything in a directory, the files of version control included: names and bytes.
fn picture(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    // Files that the programs write even when only reading: caches, and the times in the index.
    const OWN: [&str; 6] = ["/cache/", "/index", "working_copy.lock", "/op_store/", "undo", "/dirstate"];
    let mut all = Vec::new();
    let each = &mut |path: &Path, meta: &std::fs::Metadata| {
        if meta.is_file() && !OWN.iter().any(|own| path.to_string_lossy().contains(own)) {
            all.push((path.to_owned(), std::fs::read(root.join(path)).expect("a readable file")));
        }
        Ok(())
    };
    tree::walk(root, &mut |_, _| true, each).expect("a readable directory");
    all.sort();
    all
}

/// A user's description of a repository.
fn state(lab: &Lab, kind: Kind, name: &str) -> String {
    match kind {
        Kind::Jj => lab.sh(&format!("cd {name}; jj log --ignore-working-copy -r 'all()' --no-graph -T 'commit_id ++ bookmarks ++ \"\\n\"'; jj op log --ignore-working-copy --no-graph -T 'id ++ \"\\n\"'; jj git remote list")),
        Kind::Hg => lab.sh(&format!("cd {name}; hg log -T '{{node}} {{phase}} {{bookmarks}}\\n'; hg summary; cat .hg/hgrc 2>/dev/null || true")),
        _ => lab.sh(&format!("cd {name}; git for-each-ref; git symbolic-ref HEAD || git rev-parse HEAD; git status --porcelain; git config --local --list; git stash list")),
    }
}

fn commit(lab: &Lab, kind: Kind, name: &str, file: &str) {
    lab.write(&format!("{name}/{file}"), "new\n");
    lab.sh(&match kind {
        Kind::Jj => format!("cd {name}; jj commit -m {file}"),
        Kind::Hg => format!("cd {name}; hg add -q {file}; hg commit -qm {file}"),
        _ => format!("cd {name}; git add {file}; git commit -qm {file}"),
    });
}

/// The same story for every kind.
fn told(lab: &Lab, kind: Kind) {
    commit(lab, kind, "a", "second");
    lab.write("a/file", "changed and not committed\n");
    lab.write("a/ignored", "secret\n");
    // jj records the working copy whenever someone reads it.
    let _ = work(lab, "a");
    let (before, files) = (state(lab, kind, "a"), picture(&lab.path("a")));
    let made = clone(lab, "a", "b", "bd/one", None).unwrap();
    assert_eq!((made.root.clone(), made.branch.as_deref(), made.exists), (lab.path("b"), Some("bd/one"), true));
    assert_eq!(open(lab, "b").branch().as_deref(), Some("bd/one"), "{kind}");
    assert_eq!(open(lab, "b").kind(), kind);
    assert_eq!(open(lab, "b").admin_dir(), Some(made.admin));
    let common = vcs::common_dir(&lab.path("b")).unwrap();
    assert!(common.starts_with(lab.path("b")), "{kind}: {}", common.display());
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "one\n", "{kind}: as it was committed");
    assert!(lab.path("b/second").exists() && !lab.path("b/ignored").exists(), "{kind}");
    assert_eq!(work(lab, "b"), Work::default(), "{kind}: nothing in it was made there");
    assert_eq!(open(lab, "b").head(&lab.env()).unwrap(), open(lab, "a").head(&lab.env()).unwrap(), "{kind}");
    commit(lab, kind, "b", "third");
    assert!(work(lab, "b").unsaved_commits > 0, "{kind}: this was");
    assert_eq!(state(lab, kind, "a"), before, "{kind}: the parent stays as it is");
    assert!(picture(&lab.path("a")) == files, "{kind}: byte for byte");
    assert!(open(lab, "b").branches(&lab.env()).unwrap().contains("bd/one"), "{kind}");
    assert!(!open(lab, "a").branches(&lab.env()).unwrap().contains("bd/one"), "{kind}");
    refused(lab, kind);
}

fn refused(lab: &Lab, kind: Kind) {
    for (path, branch, base) in [
        ("c", "bd/two", Some("no-such-version")),
        ("c", "-x", None),
        ("c", "", None),
        ("c", "with space~^", None),
        ("home", "bd/two", None),
        ("a", "bd/two", None),
    ] {
        let made = clone(lab, "a", path, branch, base);
        // hg takes any name for a bookmark but a few.
        if kind == Kind::Hg && branch == "with space~^" {
            made.unwrap();
            std::fs::remove_dir_all(lab.path("c")).unwrap();
            continue;
        }
        if path == "home" {
            lab.write("home/file", "mine\n");
            let made = clone(lab, "a", path, branch, base);
            assert!(made.is_err(), "{kind}: {path}");
            assert_eq!(std::fs::read_to_string(lab.path("home/file")).unwrap(), "mine\n");
            continue;
        }
        assert!(made.is_err(), "{kind}: {path} {branch} {base:?}");
        assert!(!lab.path("c").exists(), "{kind}: nothing stays of {branch} {base:?}");
    }
}

#[test]
fn a_clone_is_a_repository_of_its_own() {
    for kind in [Kind::Git, Kind::Jj, Kind::Hg] {
        let Some(lab) = start(kind) else { continue };
        // The home is not empty, for the story of a path that is taken.
        lab.write("home/.keep", "");
        told(&lab, kind);
    }
}

#[test]
fn a_clone_of_a_repository_that_jj_keeps_for_itself() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --no-colocate a; cd a; echo ignored > .gitignore; echo one > file; jj commit -m one; jj bookmark create main -r @-");
    lab.write("home/.keep", "");
    told(&lab, Kind::Jj);
}

#[test]
fn branches_and_bases() {
    for kind in [Kind::Git, Kind::Jj, Kind::Hg] {
        let Some(lab) = start(kind) else { continue };
        let first = open(&lab, "a").head(&lab.env()).unwrap().unwrap();
        let name = match kind {
            Kind::Jj => "cd a; jj bookmark create old -r @-",
            Kind::Hg => "cd a; hg bookmark --inactive old",
            _ => "cd a; git branch old",
        };
        lab.sh(name);
        commit(&lab, kind, "a", "second");
        clone(&lab, "a", "b", "old", None).unwrap();
        assert_eq!(open(&lab, "b").head(&lab.env()).unwrap().unwrap(), first, "{kind}: where the branch is");
        assert_eq!(open(&lab, "b").branch().as_deref(), Some("old"), "{kind}");
        clone(&lab, "a", "c", "new", Some("old")).unwrap();
        assert_eq!(open(&lab, "c").head(&lab.env()).unwrap().unwrap(), first, "{kind}: where the base is");
        assert_eq!(work(&lab, "c"), Work::default(), "{kind}");
        let error = clone(&lab, "a", "d", "old", Some("old")).unwrap_err().to_string();
        assert!(error.contains("exists already"), "{kind}: {error}");
        assert!(!lab.path("d").exists());
        for (name, there) in [("old", true), ("nothing", false), ("--help", false), ("", false)] {
            let found = open(&lab, "a").resolve(name, &lab.env()).unwrap();
            assert_eq!(found.is_some_and(|id| id == first), there, "{kind}: {name}");
        }
    }
}

#[test]
fn nothing_is_committed_yet() {
    let scripts = [
        (Kind::Git, &["git"][..], "git init -q a"),
        (Kind::Jj, &["jj", "git"][..], "jj git init --colocate a"),
        (Kind::Hg, &["hg"][..], "hg init a"),
    ];
    for (kind, programs, script) in scripts {
        let Some(lab) = Lab::with(programs) else { continue };
        lab.sh(script);
        let error = clone(&lab, "a", "b", "x", None).unwrap_err().to_string();
        assert!(error.contains("commit something first"), "{kind}: {error}");
        assert!(!lab.path("b").exists(), "{kind}");
    }
}

/// All files as they are; what the parent has does not look like made there.
fn copy(lab: &Lab, from: &str, to: &str, branch: &str) {
    std::fs::create_dir(lab.path(to)).unwrap();
    tree::copy(&lab.path(from), &lab.path(to), &mut |_| true).unwrap();
    open(lab, to).cloning().unwrap().settle_copy(&lab.path(from), branch, &lab.env()).unwrap();
}

#[test]
fn a_copy_is_settled() {
    for kind in [Kind::Git, Kind::Jj, Kind::Hg] {
        let Some(lab) = start(kind) else { continue };
        commit(&lab, kind, "a", "second");
        if kind == Kind::Git {
            lab.sh("cd a; git tag lost; echo x > file; git stash -q; git checkout -q -b side HEAD~1; echo s > s; git add s; git commit -qm s; git tag off; git checkout -q main; git branch -qD side");
        }
        let before = state(&lab, kind, "a");
        copy(&lab, "a", "b", "bd/one");
        assert_eq!(open(&lab, "b").branch().as_deref(), Some("bd/one"), "{kind}");
        assert_eq!(work(&lab, "b"), Work::default(), "{kind}");
        commit(&lab, kind, "b", "third");
        assert!(work(&lab, "b").unsaved_commits > 0, "{kind}");
        assert_eq!(state(&lab, kind, "a"), before, "{kind}");
    }
}

#[test]
fn ignored_files_are_known() {
    for kind in [Kind::Git, Kind::Jj, Kind::Hg] {
        let Some(lab) = start(kind) else { continue };
        lab.write("a/ignored", "x");
        lab.write("a/deep/ignored", "x");
        lab.write("a/deep/other", "x");
        let mut found = open(&lab, "a").ignored(&lab.env()).unwrap();
        found.sort();
        assert_eq!(found, [Path::new("deep/ignored"), Path::new("ignored")].map(Path::to_owned), "{kind}");
    }
}

#[test]
fn a_directory_without_version_control_has_nothing_to_clone() {
    let lab = Lab::with(&[]).unwrap();
    lab.write("a/file", "x");
    assert!(matches!(clone(&lab, "a", "b", "x", None), Err(SyncError::Unsupported { .. })));
    let none = vcs::open(&lab.path("a"));
    assert_eq!(none.head(&lab.env()).unwrap(), None);
    assert!(none.branches(&lab.env()).unwrap().is_empty() && none.ignored(&lab.env()).unwrap().is_empty());
}
