//! Clones of git checkouts of every shape, and that they go where their parent goes.

use beads::internal::vcs::{NewClone, SyncError, Work};

use crate::vcs::checkouts_change::{open, start, work};
use crate::vcs::lab::Lab;

fn clone(lab: &Lab, from: &str, path: &str, branch: &str, base: Option<&str>) -> Result<(), SyncError> {
    let new = NewClone { path: path.into(), branch: branch.to_owned(), base: base.map(str::to_owned) };
    open(lab, from).cloning().unwrap().clone_checkout(&new, None, &lab.env()).map(drop)
}

fn lab() -> Option<Lab> {
    start(beads::internal::vcs::Kind::Git)
}

/// A person who waits for a large clone sees its progress.
#[test]
fn how_far_a_clone_is_goes_to_the_step() {
    let Some(lab) = lab() else { return };
    lab.sh("cd a; for n in 1 2 3 4 5 6 7; do echo $n > file$n; done; git add .; git commit -qm files");
    let files: u64 = lab.sh("cd a; git ls-files | wc -l").trim().parse().unwrap();
    let activity = beads::internal::sys::Activity::default();
    let step = activity.begin("cloning");
    let new = NewClone { path: "b".into(), branch: "bd/x".to_owned(), base: None };
    open(&lab, "a").cloning().unwrap().clone_checkout(&new, Some(&step), &lab.env()).unwrap();
    let now = activity.now().unwrap();
    assert_eq!((now.done, now.total), (files, files), "{now:?}");
}

#[test]
fn remotes_and_what_is_known_of_them() {
    let Some(lab) = lab() else { return };
    lab.sh(
        "git init -q --bare up.git; git init -q --bare fork.git; cd a; git remote add origin ../up.git; \
         git remote add parent ../fork.git; git push -q origin main; git push -q parent main; git remote set-head origin main; \
         git config remote.origin.pushurl ../up.git; git tag v1; git config user.name 'Ann \"the\" Tester'; git config core.autocrlf input; \
         git config core.hooksPath ../hooks; mkdir ../hooks; printf '#!/bin/sh\\ntouch ../hook-ran\\n' > ../hooks/post-checkout; chmod +x ../hooks/post-checkout; \
         cp ../hooks/post-checkout .git/hooks/post-checkout; echo '/private' >> .git/info/exclude; \
         git config branch.main.description text",
    );
    let before = lab.sh("cd a; git for-each-ref; cat .git/config");
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    assert_eq!(lab.sh("cd a; git for-each-ref; cat .git/config"), before, "no branch and no setting of the parent");
    let refs = lab.sh("cd b; git for-each-ref --format='%(refname) %(symref)'");
    let expected = "refs/heads/bd/x \nrefs/remotes/origin/HEAD refs/remotes/origin/main\nrefs/remotes/origin/main \n\
                    refs/remotes/parent/main \nrefs/remotes/parent2/HEAD refs/remotes/parent2/main\nrefs/remotes/parent2/main \n";
    assert_eq!(refs, expected, "no tag, no branch but that of the job");
    let url = |name: &str| lab.sh(&format!("cd b; git config remote.{name}.url")).trim().to_owned();
    assert_eq!(url("origin"), lab.path("up.git").display().to_string());
    assert_eq!(url("parent"), lab.path("fork.git").display().to_string());
    assert_eq!(url("parent2"), lab.path("a").display().to_string());
    assert_eq!(lab.sh("cd b; git config user.name"), "Ann \"the\" Tester\n");
    assert_eq!(lab.sh("cd b; git config core.autocrlf"), "input\n");
    assert_eq!(
        lab.sh("cd b; git config --get core.hooksPath || echo none; ls .git/hooks 2>/dev/null | wc -l"),
        "none\n0\n"
    );
    assert!(!lab.path("hook-ran").exists(), "no hook has run");
    lab.write("b/private", "x");
    assert_eq!(
        lab.sh("cd b; git status --porcelain"),
        "",
        "what the parent leaves out of commits, the clone leaves out"
    );
    std::fs::remove_file(lab.path("b/private")).unwrap();
    lab.sh("cd b; echo 2 > file; git commit -qam 2; git push -q origin HEAD:refs/heads/bd/x");
    assert_eq!(lab.sh("cd a; git for-each-ref; cat .git/config"), before, "a push goes where those of the parent go");
    assert_eq!(work(&lab, "b"), Work::default());
    lab.sh("cd b; git fetch -q --all; git checkout -q main");
}

#[test]
fn objects_are_linked() {
    use std::os::unix::fs::MetadataExt as _;
    let Some(lab) = lab() else { return };
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    let id = lab.sh("cd a; git rev-parse HEAD").trim().to_owned();
    let object = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
    let inode = |name: &str| std::fs::metadata(lab.path(name).join(&object)).unwrap().ino();
    assert_eq!(inode("a"), inode("b"));
}

#[test]
fn no_remotes_detached_and_off_every_branch() {
    let Some(lab) = lab() else { return };
    lab.sh("cd a; git checkout -q --detach; echo 2 > file; git commit -qam 2");
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    assert_eq!(lab.sh("cd b; git config remote.origin.url").trim(), lab.path("a").display().to_string());
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "2\n");
    assert_eq!(work(&lab, "b"), Work::default(), "a commit of the parent is not made here");
    lab.sh("cd a; git tag off; git checkout -q main");
    clone(&lab, "a", "c", "bd/x", Some("off")).unwrap();
    assert_eq!(work(&lab, "c"), Work::default());
}

#[test]
fn a_worktree_a_bare_repository_a_submodule_and_a_separate_directory() {
    let Some(lab) = lab() else { return };
    lab.sh(
        "cd a; git worktree add -q ../linked -b side; cd ..; git clone -q --bare a bare.git; git -C bare.git worktree add -q ../of-bare main; \
         git init -q outer; cd outer; git -c protocol.file.allow=always submodule --quiet add ../a sub; git commit -qm sub; cd ..; \
         git clone -q --separate-git-dir=apart.git a apart",
    );
    lab.sh("cd linked; echo 2 > file; git commit -qam 2");
    for (from, text) in
        [("linked", "2\n"), ("of-bare", "one\n"), ("outer/sub", "one\n"), ("apart", "one\n"), ("outer", "")]
    {
        let to = format!("clone-of-{}", from.replace('/', "-"));
        clone(&lab, from, &to, "bd/x", None).unwrap_or_else(|error| panic!("{from}: {error}"));
        let path = lab.path(&to);
        assert!(path.join(".git").is_dir(), "{from}");
        if from == "outer" {
            assert_eq!(std::fs::read_dir(path.join("sub")).unwrap().count(), 0, "submodules are not fetched");
        } else {
            assert_eq!(std::fs::read_to_string(path.join("file")).unwrap(), text, "{from}");
        }
        assert_eq!(work(&lab, &to), Work::default(), "{from}");
    }
}

#[test]
fn shallow_sparse_and_partial() {
    let Some(lab) = lab() else { return };
    lab.sh(
        "cd a; for n in 1 2 3; do echo $n > file; git commit -qam $n; done; mkdir in out; echo i > in/i; echo o > out/o; git add .; git commit -qm dirs; \
         git config uploadpack.allowFilter true; git config uploadpack.allowAnySHA1InWant true; cd ..; \
         git clone -q --depth=2 \"file://$PWD/a\" shallow; git clone -q a sparse; cd sparse; git sparse-checkout set in; cd ..; \
         git clone -q --filter=blob:none \"file://$PWD/a\" partial",
    );
    for from in ["shallow", "sparse", "partial"] {
        let to = format!("clone-of-{from}");
        clone(&lab, from, &to, "bd/x", None).unwrap_or_else(|error| panic!("{from}: {error}"));
        assert_eq!(work(&lab, &to), Work::default(), "{from}");
        assert_eq!(std::fs::read_to_string(lab.path(&to).join("file")).unwrap(), "3\n", "{from}");
        assert_eq!(lab.path(&to).join("out/o").exists(), from != "sparse", "{from}");
        let origin = lab.sh(&format!("cd {to}; git rev-parse refs/remotes/origin/main"));
        assert_eq!(origin, lab.sh("cd a; git rev-parse main"), "{from}");
        lab.sh(&format!("cd {to}; git fetch -q origin; git fsck --connectivity-only"));
    }
    assert!(lab.path("clone-of-shallow/.git/shallow").exists());
}

#[test]
fn filters_come_along() {
    let Some(lab) = lab() else { return };
    lab.sh("cd a; git config filter.up.smudge 'tr a-z A-Z'; git config filter.up.clean 'tr A-Z a-z'; \
         echo 'loud filter=up' > .gitattributes; echo hello > loud; git add .; git commit -qm loud");
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("b/loud")).unwrap(), "HELLO\n");
    assert_eq!(work(&lab, "b"), Work::default());
}

#[test]
fn a_clone_is_brought_up_to_date() {
    let Some(lab) = lab() else { return };
    lab.sh("git init -q --bare up.git; cd a; git remote add origin ../up.git; git push -q origin main");
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    let new = |branch: &str, base: Option<&str>| NewClone {
        path: lab.path("b"),
        branch: branch.to_owned(),
        base: base.map(str::to_owned),
    };
    let renew = |branch: &str, base: Option<&str>| {
        open(&lab, "b").renewal().unwrap().renew_clone(&lab.path("a"), &new(branch, base), &[], &lab.env())
    };
    lab.sh("cd a; echo 2 > file; git commit -qam 2; git push -q origin main; git branch gone; git checkout -q -b other; echo 3 > file; git commit -qam 3");
    renew("bd/y", Some("main")).unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "2\n");
    let refs = lab.sh(
        "cd b; git for-each-ref --format='%(refname)' refs/heads; git rev-parse origin/main main 2>/dev/null || true",
    );
    assert!(refs.starts_with("refs/heads/bd/y\n"), "{refs}");
    assert!(refs.contains(lab.sh("cd a; git rev-parse main").trim()), "what is known of remotes is known here: {refs}");
    assert_eq!(work(&lab, "b"), Work::default());
    // Data that is only here stays.
    lab.write("b/untracked", "x");
    assert!(renew("bd/z", None).unwrap_err().to_string().contains("untracked"));
    std::fs::remove_file(lab.path("b/untracked")).unwrap();
    lab.sh("cd b; echo mine > file; git commit -qam mine");
    assert!(renew("bd/z", None).unwrap_err().to_string().contains("nowhere else"));
    assert_eq!(open(&lab, "b").branch().as_deref(), Some("bd/y"));
    lab.sh("cd b; git push -q origin HEAD:refs/heads/bd/y");
    renew("bd/z", None).unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "3\n", "what is checked out in the parent");
}

#[test]
fn a_branch_is_brought_forward_and_nothing_else() {
    let Some(lab) = lab() else { return };
    clone(&lab, "a", "b", "bd/x", None).unwrap();
    let forward = || open(&lab, "b").renewal().unwrap().forward_clone(&lab.path("a"), Some("main"), &lab.env());
    assert!(!forward().unwrap(), "nothing is new");
    lab.sh("cd a; echo 2 > file; git commit -qam 2");
    lab.write("b/file", "dirty\n");
    assert!(forward().unwrap_err().to_string().contains("nothing is pulled over that"));
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "dirty\n");
    lab.sh("cd b; git checkout -q file");
    assert!(forward().unwrap());
    assert_eq!(std::fs::read_to_string(lab.path("b/file")).unwrap(), "2\n");
    lab.sh("cd b; echo mine > mine; git add mine; git commit -qm mine");
    assert!(!forward().unwrap(), "it has all of it");
    lab.sh("cd a; echo 3 > file; git commit -qam 3");
    let head = lab.sh("cd b; git rev-parse HEAD");
    assert!(forward().unwrap_err().to_string().contains("merge or rebase it yourself"));
    assert_eq!(lab.sh("cd b; git rev-parse HEAD"), head);
}
