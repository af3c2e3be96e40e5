//! Making and removing checkouts, and what would be lost with one, run with git, jj and hg.

use std::path::{Path, PathBuf};

use beads::internal::vcs::{self, Checkout, Kind, NewCheckout, SyncError, Vcs, Work};

use crate::vcs::checkouts::{inside, seen};
use crate::vcs::lab::Lab;

pub fn open(lab: &Lab, name: &str) -> Box<dyn Vcs> {
    vcs::open(&lab.path(name))
}

pub fn work(lab: &Lab, name: &str) -> Work {
    open(lab, name).work(&lab.env()).unwrap()
}

pub fn add(lab: &Lab, path: &str, branch: Option<&str>, base: Option<&str>) -> Result<Checkout, SyncError> {
    let new = NewCheckout { path: path.into(), branch: branch.map(str::to_owned), base: base.map(str::to_owned) };
    open(lab, "a").linking()?.add_checkout(&new, &lab.env())
}

pub fn remove(lab: &Lab, name: &str, force: bool) -> Result<(), SyncError> {
    vcs::remove_checkout(&*open(lab, "a"), &lab.path(name), force, &lab.env())
}

/// The message instead of removing a checkout, which still exists.
pub fn refusal(lab: &Lab, name: &str) -> String {
    let error = remove(lab, name, false).unwrap_err();
    assert!(matches!(error, SyncError::Kept { .. }), "{error:?}");
    assert!(lab.path(name).exists());
    let (path, message) = (lab.path(name).display().to_string(), error.to_string());
    message.strip_prefix(&format!("{path} is left as it is: ")).expect("a message that names the path").to_owned()
}

pub fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// A repository `a` with a file, an ignored name and one commit.
pub fn start(kind: Kind) -> Option<Lab> {
    let script = match kind {
        Kind::Jj => {
            "jj git init --colocate a; cd a; echo ignored > .gitignore; echo one > file; jj commit -m one; jj bookmark create main -r @-"
        }
        Kind::Hg => {
            "hg init a; cd a; printf 'syntax: glob\\nignored\\n' > .hgignore; echo one > file; hg add -q .hgignore file; hg commit -qm one"
        }
        _ => "git init -q -b main a; cd a; echo ignored > .gitignore; echo one > file; git add .; git commit -qm one",
    };
    let lab = Lab::with(match kind {
        Kind::Jj => &["jj", "git"],
        Kind::Hg => &["hg"],
        _ => &["git"],
    })?;
    lab.begin(script);
    Some(lab)
}

/// The same story for every kind: made, found, changed, kept, removed, and its commits are still there.
fn told_in(kind: Kind, commit: &str, message_of: &str) {
    let Some(lab) = start(kind) else { return };
    let b = "deep/er/b";
    let made = add(&lab, b, Some("job/1"), None).unwrap();
    assert_eq!((made.root.clone(), made.exists, made.is_main), (lab.path(b), true, false));
    assert_eq!(vcs::kind(&made.root), kind);
    assert_eq!(vcs::common_dir(&made.root), vcs::common_dir(&lab.path("a")));
    assert_eq!(open(&lab, b).admin_dir(), Some(made.admin.clone()));
    assert!(open(&lab, b).checkouts().contains(&made));
    assert_eq!(std::fs::read_to_string(made.root.join("file")).unwrap(), "one\n");
    lab.write("deep/er/b/ignored/x", "");
    assert_eq!(work(&lab, b), Work::default(), "what is ignored does not count");

    lab.write("deep/er/b/file", "two\n");
    assert_eq!(work(&lab, b).changed, paths(&["file"]));
    assert_eq!(refusal(&lab, b), "it has 1 changed file: file");
    lab.sh(&format!("cd {b}; {commit}"));
    assert_eq!(work(&lab, b), Work { unsaved_commits: 1, ..Work::default() }, "committed, but nowhere else");

    let inner = lab.write("deep/er/b/ignored/inner/.hg/requires", "");
    let inner = inner.parent().and_then(Path::parent).expect("a directory");
    assert_eq!(
        refusal(&lab, b),
        format!("another repository is inside, at {}; remove that one first", inner.display())
    );
    std::fs::remove_dir_all(inner).unwrap();
    assert_eq!(refusal(&lab, "a"), "it is the main checkout, which holds the repository");
    let own =
        open(&lab, b).linking().unwrap().remove_checkout(&lab.path(b), false, &lab.env()).unwrap_err().to_string();
    assert!(own.ends_with("it is the checkout in use; go to another one first"), "{own}");
    lab.write("other/file", "");
    assert_eq!(refusal(&lab, "other"), "it is not a checkout of this repository");

    remove(&lab, b, false).unwrap();
    assert!(!lab.path(b).exists());
    assert_eq!(lab.sh(&format!("cd a; {message_of}")).trim(), "two", "the commit is still there");
    assert_eq!(seen(&lab, "a").len(), 1);
    let again = add(&lab, "c", Some("job/1"), None).unwrap();
    assert_eq!(std::fs::read_to_string(again.root.join("file")).unwrap(), "two\n", "a branch that is there");
    lab.write("c/file", "three\n");
    lab.write("c/new", "");
    remove(&lab, "c", true).unwrap();
    assert!(!lab.path("c").exists());
}

#[test]
fn git() {
    told_in(Kind::Git, "git commit -qam two", "git log -1 --format=%s job/1");
}

#[test]
fn jj() {
    told_in(Kind::Jj, "jj commit -m two", "jj log --no-graph -r job/1 -T description");
}

#[test]
fn hg() {
    told_in(Kind::Hg, "hg commit -qm two", "hg log -r job/1 -T '{desc}'");
}

/// Nothing is made where something is, or from what is not there.
fn refused_in(kind: Kind) {
    let Some(lab) = start(kind) else { return };
    lab.write("full/file", "");
    let said = |result: Result<Checkout, SyncError>| result.unwrap_err().to_string();
    let at = |name: &str| format!("cannot make a checkout at {}: ", lab.path(name).display());
    assert_eq!(said(add(&lab, "full", None, None)), at("full") + "the directory is not empty; choose another path");
    assert_eq!(said(add(&lab, "full/file", None, None)), at("full/file") + "a file is in the way; choose another path");
    said(add(&lab, "b", Some("job"), Some("nosuch")));
    said(add(&lab, "b", None, Some("--help")));
    assert!(!lab.path("b").exists());
    lab.sh(match kind {
        Kind::Jj => "cd a; jj bookmark create job -r main",
        Kind::Hg => "cd a; hg bookmark --inactive job",
        _ => "cd a; git branch job",
    });
    let both = said(add(&lab, "c", Some("job"), Some("job")));
    assert!(both.contains("job exists already; leave out job, or name another"), "{both}");
    assert!(!lab.path("c").exists());
    // An empty directory, and a name that begins like an option.
    std::fs::create_dir(lab.path("-empty")).unwrap();
    let made = add(&lab, "-empty", None, Some("job")).unwrap();
    assert_eq!(std::fs::read_to_string(made.root.join("file")).unwrap(), "one\n");
    remove(&lab, "-empty", false).unwrap();
}

#[test]
fn refused_in_git() {
    refused_in(Kind::Git);
}

#[test]
fn refused_in_jj() {
    refused_in(Kind::Jj);
}

#[test]
fn refused_in_hg() {
    refused_in(Kind::Hg);
}

#[test]
fn no_version_control() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/file", "");
    assert!(matches!(add(&lab, "b", None, None), Err(SyncError::Unsupported { kind: Kind::None, .. })));
    assert!(matches!(remove(&lab, "a", true), Err(SyncError::Unsupported { .. })));
    assert!(matches!(open(&lab, "a").work(&lab.env()), Err(SyncError::NoVcs { .. })));
    assert_eq!(open(&lab, "a").prune_checkouts(false, &lab.env()).unwrap(), paths(&[]));
    assert!(lab.path("a/file").exists());
}

/// Prunes from `a`; what is dropped, or would be.
pub fn pruned(lab: &Lab, dry_run: bool) -> Vec<String> {
    let gone = open(lab, "a").prune_checkouts(dry_run, &lab.env()).unwrap();
    gone.iter().map(|path| inside(lab, path)).collect()
}

#[test]
fn pruned_in_git() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("cd a; for n in b c d e; do git worktree add -q ../$n; done; git worktree lock ../c; rm -r ../b ../c; mv ../d ../m");
    let both = ["a/.git/worktrees/b", "a/.git/worktrees/d"];
    let mut found = pruned(&lab, true);
    // git goes by the order of the directory, which is another one in memory.
    found.sort();
    assert_eq!(found, both);
    // From the moved one, its own record is repaired and kept.
    let moved = open(&lab, "m");
    assert_eq!(moved.prune_checkouts(true, &lab.env()).unwrap(), [lab.path(both[0])]);
    assert_eq!(moved.prune_checkouts(false, &lab.env()).unwrap(), [lab.path(both[0])]);
    let rest =
        ["a a/.git main main", "c a/.git/worktrees/c c gone", "e a/.git/worktrees/e e", "m a/.git/worktrees/d d"];
    assert_eq!(seen(&lab, "a"), rest, "a locked one stays");
    assert_eq!(pruned(&lab, false), paths(&[]).iter().map(|path| inside(&lab, path)).collect::<Vec<_>>());
}

#[test]
fn pruned_in_jj() {
    let Some(lab) = start(Kind::Jj) else { return };
    lab.sh("cd a; for n in b c; do jj workspace add ../$n; done; jj workspace add --name=-x ../d; git worktree add -q ../w; rm -r ../b ../d ../w");
    let gone = ["b/.jj", "d/.jj", "a/.git/worktrees/w"];
    assert_eq!(pruned(&lab, true), gone);
    assert_eq!(pruned(&lab, false), gone);
    assert_eq!(seen(&lab, "a"), ["a a/.jj main main", "c c/.jj main"]);
    assert_eq!(lab.sh("cd a; jj workspace list -T 'name ++ \"\n\"'"), "c\ndefault\n");
}
