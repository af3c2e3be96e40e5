//! Which checkouts a repository has, from files alone, in every shape that git makes.

use std::path::Path;

use beads::internal::vcs::{self, Checkout, Kind};

use crate::vcs::lab::Lab;

/// A path as seen from the directory of the test.
pub fn inside(lab: &Lab, path: &Path) -> String {
    path.strip_prefix(lab.path("")).unwrap_or(path).display().to_string()
}

fn line(lab: &Lab, checkout: &Checkout) -> String {
    let marks = [(checkout.is_main, " main"), (!checkout.exists, " gone")];
    let marks: String = marks.iter().filter(|(on, _)| *on).map(|(_, mark)| *mark).collect();
    let branch = checkout.branch.as_deref().unwrap_or("-");
    format!("{} {} {branch}{marks}", inside(lab, &checkout.root), inside(lab, &checkout.admin))
}

/// All checkouts as seen from one: root, own directory, branch, and what is special.
pub fn seen(lab: &Lab, from: &str) -> Vec<String> {
    vcs::open(&lab.path(from)).checkouts().iter().map(|checkout| line(lab, checkout)).collect()
}

pub fn admin(lab: &Lab, from: &str) -> Option<String> {
    vcs::open(&lab.path(from)).admin_dir().map(|dir| inside(lab, &dir))
}

/// A file in the own directory of each checkout stays out of its status.
pub fn assert_unseen(lab: &Lab, checkouts: &[&str], status: &str) {
    for checkout in checkouts {
        let before = lab.sh(&format!("cd {checkout}; {status}"));
        let dir = vcs::open(&lab.path(checkout)).admin_dir().expect("a directory");
        std::fs::write(dir.join("beads-id"), "wt_0123456789ab").expect("a file");
        assert_eq!(lab.sh(&format!("cd {checkout}; {status}")), before, "{checkout}");
    }
}

const START: &str = "git init -q -b main a; cd a; git commit -q --allow-empty -m one";

#[test]
fn a_repository_that_is_alone() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; mkdir -p deep/er"));
    assert_eq!(seen(&lab, "a"), ["a a/.git main main"]);
    assert_eq!(seen(&lab, "a/deep/er"), seen(&lab, "a"));
    assert_eq!(vcs::root(&lab.path("a/deep/er")), Some(lab.path("a")));
    lab.sh("cd a; git checkout -q --detach");
    assert_eq!(vcs::open(&lab.path("a")).branch(), None);
}

#[test]
fn before_the_first_commit() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b x/y a");
    assert_eq!(seen(&lab, "a"), ["a a/.git x/y main"]);
}

#[test]
fn linked_worktrees_see_each_other() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b -b x/y; git worktree add -q --detach inner/c; mkdir ../b/deep"));
    let all = ["a a/.git main main", "a/inner/c a/.git/worktrees/c -", "b a/.git/worktrees/b x/y"];
    for from in ["a", "b", "a/inner/c", "b/deep"] {
        assert_eq!(seen(&lab, from), all, "{from}");
    }
    let admins = ["a", "b/deep", "a/inner/c"].map(|from| admin(&lab, from).unwrap());
    assert_eq!(admins, ["a/.git", "a/.git/worktrees/b", "a/.git/worktrees/c"]);
    assert_unseen(&lab, &["a", "b", "a/inner/c"], "git status --porcelain --ignored");
}

/// From git 2.48 on a worktree may be made with `--relative-paths`; older ones get its files by hand.
#[test]
fn worktrees_with_relative_paths() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q --relative-paths ../b 2>/dev/null || git worktree add -q ../b"));
    lab.write("b/.git", "gitdir: ../a/.git/worktrees/b\n");
    lab.write("a/.git/worktrees/b/gitdir", "../../../../b/.git\n");
    let all = ["a a/.git main main", "b a/.git/worktrees/b b"];
    assert_eq!(seen(&lab, "a"), all);
    assert_eq!(seen(&lab, "b"), all);
    // All of it moved together.
    lab.sh("mkdir new; mv a b new");
    assert_eq!(seen(&lab, "new/a"), all.map(|line| format!("new/{}", line.replace(" a/", " new/a/"))));
    assert_eq!(vcs::common_dir(&lab.path("new/b")), Some(lab.path("new/a/.git")));
}

#[test]
fn a_bare_repository_has_no_main_checkout() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!(
        "{START}; git clone -q --bare . ../bare.git; cd ../bare.git; git worktree add -q ../b; git worktree add -q ../c"
    ));
    let all = ["b bare.git/worktrees/b b", "c bare.git/worktrees/c c"];
    assert_eq!(seen(&lab, "b"), all);
    assert_eq!(seen(&lab, "c"), all);
    assert_eq!(vcs::kind(&lab.path("bare.git")), Kind::None, "nothing is checked out there");
}

/// A bare repository beside its worktrees, with a file `.git` that leads to it.
#[test]
fn a_bare_repository_inside_of_the_directory_of_its_worktrees() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!(
        "{START}; mkdir ../p; git clone -q --bare . ../p/.bare; cd ../p; echo 'gitdir: ./.bare' > .git
                     git worktree add -q b"
    ));
    for from in ["p", "p/b"] {
        assert_eq!(seen(&lab, from), ["p/b p/.bare/worktrees/b b"], "{from}");
        assert_eq!(vcs::common_dir(&lab.path(from)), Some(lab.path("p/.bare")));
    }
    // With settings for each worktree, the bare flag is in another file.
    lab.sh("cd p; git config extensions.worktreeConfig true; git config --unset core.bare
            git config --file .bare/config.worktree core.bare true");
    assert_eq!(seen(&lab, "p/b"), ["p/b p/.bare/worktrees/b b"]);
}

#[test]
fn a_submodule_is_no_worktree() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!(
        "{START}; cd ..; git init -q -b main outer; cd outer; git commit -q --allow-empty -m one
                     git -c protocol.file.allow=always submodule --quiet add ../a sub
                     cd sub; git worktree add -q ../../w"
    ));
    assert_eq!(seen(&lab, "outer"), ["outer outer/.git main main"]);
    let modules = "outer/.git/modules/sub";
    let all = [format!("outer/sub {modules} main main"), format!("w {modules}/worktrees/w w")];
    assert_eq!(seen(&lab, "outer/sub"), all);
    assert_eq!(seen(&lab, "w"), all, "the settings say where the main one is");
    assert_unseen(&lab, &["outer", "outer/sub", "w"], "git status --porcelain --ignored");
}

#[test]
fn a_separate_git_directory() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main --separate-git-dir=kept a; cd a; git commit -q --allow-empty -m one; git worktree add -q ../b");
    assert_eq!(seen(&lab, "a"), ["a kept main main", "b kept/worktrees/b b"]);
    assert_eq!(seen(&lab, "b"), ["b kept/worktrees/b b"], "nothing leads from there to the main one");
    assert_eq!(admin(&lab, "a").as_deref(), Some("kept"));
}

#[test]
fn a_repository_inside_of_an_ignored_directory() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!(
        "{START}; echo /scratch > .gitignore; git init -q -b inner scratch/n; mkdir scratch/n/deep scratch/plain"
    ));
    assert_eq!(seen(&lab, "a/scratch/n/deep"), ["a/scratch/n a/scratch/n/.git inner main"]);
    assert_eq!(vcs::root(&lab.path("a/scratch/n/deep")), Some(lab.path("a/scratch/n")));
    assert_eq!(vcs::common_dir(&lab.path("a/scratch/n")), Some(lab.path("a/scratch/n/.git")));
    assert_eq!(vcs::root(&lab.path("a/scratch/plain")), Some(lab.path("a")));
}

#[test]
fn links_on_the_way() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!(
        "{START}; mkdir sub; cd ..; ln -s a link; ln -s a/sub below; mkdir d; ln -s d way; cd link
                     git worktree add -q ../way/b"
    ));
    let all = ["a a/.git main main", "d/b a/.git/worktrees/b b"];
    for from in ["a", "link", "link/sub", "below", "d/b", "way/b"] {
        assert_eq!(seen(&lab, from), all, "{from}");
        assert_eq!(vcs::common_dir(&lab.path(from)), Some(lab.path("a/.git")), "{from}");
        assert_eq!(vcs::kind(&lab.path(from)), Kind::Git, "{from}");
    }
    assert_eq!(vcs::root(&lab.path("below")), Some(lab.path("a")), "the repository that the link leads into");
}

#[test]
fn a_worktree_that_was_moved() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; mv ../b ../c"));
    let (old, new) = ("b a/.git/worktrees/b b gone", "c a/.git/worktrees/b b");
    assert_eq!(seen(&lab, "a"), ["a a/.git main main", old]);
    assert_eq!(seen(&lab, "c"), ["a a/.git main main", new], "from inside it is known");
    assert_eq!(admin(&lab, "c").as_deref(), Some("a/.git/worktrees/b"));
    lab.sh("cd c; git worktree repair 2>/dev/null");
    assert_eq!(seen(&lab, "a"), ["a a/.git main main", new]);
}

#[test]
fn a_main_checkout_that_was_moved() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; mv ../a ../z"));
    assert_eq!(seen(&lab, "z"), ["z z/.git main main", "b z/.git/worktrees/b b gone"]);
    assert_eq!((seen(&lab, "b"), admin(&lab, "b")), (vec![], None), "the worktree leads nowhere");
    lab.sh("cd z; git worktree repair ../b 2>/dev/null");
    assert_eq!(seen(&lab, "b"), ["z z/.git main main", "b z/.git/worktrees/b b"]);
}

#[test]
fn a_worktree_whose_directory_is_gone() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; git worktree add -q ../c; rm -r ../b ../c; git init -q ../c"));
    let gone = ["a a/.git main main", "b a/.git/worktrees/b b gone", "c a/.git/worktrees/c c gone"];
    assert_eq!(seen(&lab, "a"), gone, "another repository in its place is not it");
}

/// Two live directories with one directory of git's behind them.
#[test]
fn a_worktree_that_was_copied() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; cp -r ../b ../copy"));
    let known = ["a a/.git main main", "b a/.git/worktrees/b b"];
    assert_eq!(seen(&lab, "a"), known);
    assert_eq!(seen(&lab, "b"), known);
    assert_eq!(seen(&lab, "copy"), [known[0], known[1], "copy a/.git/worktrees/b b"]);
}

#[test]
fn a_main_checkout_that_was_copied_is_a_repository_of_its_own() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; cp -r ../a ../copy"));
    assert_eq!(seen(&lab, "copy"), ["copy copy/.git main main", "b copy/.git/worktrees/b b gone"]);
}

/// Its file HEAD is only there for older programs.
#[test]
fn branches_in_a_table_are_not_read() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q --ref-format=reftable a 2>/dev/null || { git init -q a; echo 'ref: refs/heads/.invalid' > a/.git/HEAD; }");
    assert_eq!(seen(&lab, "a"), ["a a/.git - main"]);
}

/// Partial damage is no reason to fail.
#[test]
fn damaged_records() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(&format!("{START}; git worktree add -q ../b; git worktree add -q ../c; git worktree add -q ../d
                     rm .git/worktrees/b/gitdir; : > .git/worktrees/c/gitdir; rm .git/worktrees/d/HEAD; echo x > .git/worktrees/file
                     echo '[core' > .git/config"));
    let (main, last) = ("a a/.git main main", "d a/.git/worktrees/d -");
    assert_eq!(seen(&lab, "a"), [main, last]);
    assert_eq!(seen(&lab, "b"), [main, "b a/.git/worktrees/b b", last]);
    lab.write("x/.git", "gitdir: nowhere\n");
    assert_eq!((seen(&lab, "x"), admin(&lab, "x")), (vec![], None));
}

#[test]
fn no_version_control() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("plain/file", "");
    assert_eq!((seen(&lab, "plain"), admin(&lab, "plain")), (vec![], None));
    assert_eq!(vcs::open(&lab.path("plain")).branch(), None);
}
