//! What would be lost with a checkout, in easily overlooked cases.

use beads::internal::vcs::{Kind, SyncError, Work, remove_checkout};

use crate::vcs::checkouts::seen;
use crate::vcs::checkouts_change::{add, open, paths, refusal, remove, start, work};
use crate::vcs::lab::Lab;

fn commits(count: usize) -> Work {
    Work { unsaved_commits: count, ..Work::default() }
}

#[test]
fn staged_untracked_and_deleted_files_of_git() {
    let Some(lab) = start(Kind::Git) else { return };
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; echo x > 'staged ü'; git add .; rm file; mkdir -p new/deep; echo > new/deep/x; echo > new/ignored; git init -q inner
            git config status.showUntrackedFiles no; git config core.quotePath true");
    let found = work(&lab, "b");
    assert_eq!(found.changed, paths(&["file", "staged ü"]));
    assert_eq!(found.untracked, paths(&["inner/", "new/deep/x"]));
    lab.sh("cd b; git checkout -q file; git rm -q --cached 'staged ü'; rm -r inner");
    assert_eq!(refusal(&lab, "b"), "it has 2 untracked files, such as new/deep/x");
}

/// Files that git was told to ignore.
#[test]
fn hidden_changes_of_git() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("cd a; for n in one two three four; do echo $n > $n; done; git add .; git commit -qm files");
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; git update-index --skip-worktree one two; git update-index --assume-unchanged three four
            echo changed > one; echo changed > three; rm four; [ -z \"$(git status --porcelain)\" ]");
    assert_eq!(work(&lab, "b").changed, paths(&["one", "three"]));
    assert_eq!(refusal(&lab, "b"), "it has 2 changed files, such as one");
}

#[test]
fn commits_of_git_that_are_somewhere_else() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("git clone -q --bare a up.git; cd a; git remote add origin ../up.git; git fetch -q");
    add(&lab, "b", Some("job"), Some("origin/main")).unwrap();
    assert_eq!(lab.sh("cd b; git config branch.job.merge || echo none"), "none\n", "a new branch follows nothing");
    assert_eq!(work(&lab, "b"), commits(0));
    lab.sh("cd b; git commit -q --allow-empty -m two; git commit -q --allow-empty -m three");
    assert_eq!(work(&lab, "b"), commits(2));
    lab.sh("cd b; git tag t HEAD~");
    assert_eq!(work(&lab, "b"), commits(1), "a tag holds one of them");
    lab.sh("cd b; git push -q origin job");
    assert_eq!(work(&lab, "b"), commits(0), "the remote has them");
    lab.sh("cd b; git commit -q --allow-empty -m four; git branch other");
    assert_eq!(work(&lab, "b"), commits(0), "another branch has them");
}

#[test]
fn commits_of_git_on_no_branch() {
    let Some(lab) = start(Kind::Git) else { return };
    add(&lab, "b", None, None).unwrap();
    assert_eq!(open(&lab, "b").branch(), None);
    lab.sh("cd b; git commit -q --allow-empty -m two");
    assert_eq!(work(&lab, "b"), commits(1));
    assert_eq!(refusal(&lab, "b"), "1 of its commits are on no branch; make a branch there first");
    lab.sh("cd b; git switch -qc saved");
    remove(&lab, "b", false).unwrap();
    assert_eq!(lab.sh("cd a; git log -1 --format=%s saved"), "two\n");
}

/// The repository is in the directory: all of its commits go, and so does what was put aside.
#[test]
fn a_clone_of_git() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("git clone -q a c; cd c; echo two > file; git stash -q; git checkout -q -b x; git commit -q --allow-empty -m x; git checkout -q main");
    assert_eq!(work(&lab, "c"), Work { unsaved_commits: 1, stashes: 1, ..Work::default() });
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; echo two > file; git stash -q");
    assert_eq!(work(&lab, "b"), commits(0), "what is put aside in a worktree is kept by the repository");
    assert_eq!((work(&lab, "a").stashes, work(&lab, "a").unsaved_commits), (1, 1));
}

#[test]
fn before_the_first_commit_of_git() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; echo > a/file");
    assert_eq!(work(&lab, "a"), Work { untracked: paths(&["file"]), ..Work::default() });
    let error = add(&lab, "b", Some("job"), None).unwrap_err().to_string();
    assert!(error.ends_with("there is no commit HEAD; commit something first"), "{error}");
    assert!(!lab.path("b").exists());
}

#[test]
fn something_unfinished_in_git() {
    let Some(lab) = start(Kind::Git) else { return };
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; git bisect start -q 2>/dev/null || git bisect start");
    assert_eq!(work(&lab, "b").unfinished.as_deref(), Some("a bisection"));
    assert_eq!(refusal(&lab, "b"), "it has a bisection that is not finished");
    assert_eq!(work(&lab, "a").unfinished, None);
}

/// Its repository is in the directory of the worktree, and is removed with it.
#[test]
fn a_submodule_in_a_worktree() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("git init -q s; git -C s commit -q --allow-empty -m one; cd a
            git -c protocol.file.allow=always submodule --quiet add ../s sub; git commit -qm sub");
    add(&lab, "b", Some("job"), None).unwrap();
    assert_eq!(work(&lab, "b"), commits(0));
    lab.sh("cd b; git -c protocol.file.allow=always submodule --quiet update --init; cd sub; git checkout -q -b x
            git commit -q --allow-empty -m two; git checkout -q -; echo > new");
    let found = work(&lab, "b");
    assert_eq!((found.unsaved_commits, found.untracked), (1, paths(&["sub/new"])));
    assert!(refusal(&lab, "b").contains("sub"));
}

#[test]
fn a_worktree_that_is_locked_moved_or_gone() {
    let Some(lab) = start(Kind::Git) else { return };
    for name in ["b", "c", "d"] {
        add(&lab, name, Some(name), None).unwrap();
    }
    lab.sh("cd a; git worktree lock --reason 'on a stick' ../b; mv ../c ../m; rm -r ../d; cp -r ../b ../copy");
    assert_eq!(refusal(&lab, "b"), "it is locked (on a stick); git worktree unlock opens it");
    let moved = remove(&lab, "m", true).unwrap_err().to_string();
    assert!(moved.ends_with("it is not a checkout of this repository"), "{moved}");
    let copied = open(&lab, "copy")
        .linking()
        .unwrap()
        .remove_checkout(&lab.path("b"), false, &lab.env())
        .unwrap_err()
        .to_string();
    assert!(copied.contains("locked"), "{copied}");
    let gone = remove(&lab, "d", true).unwrap_err().to_string();
    assert!(gone.ends_with("its directory is gone; git worktree prune drops the record"), "{gone}");
    assert!(lab.path("m/file").exists() && lab.path("b/file").exists());
}

/// Neither the user's hooks nor those of the repository run, and no name becomes an option.
#[test]
fn hooks_and_odd_names_of_git() {
    let Some(lab) = start(Kind::Git) else { return };
    lab.sh("cd a; printf '#!/bin/sh\\ntouch \"%s/ran\"\\n' \"$PWD\" > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout");
    for name in ["-x", "--detach", "a..b", "HEAD", "@{-1}", ""] {
        let error = add(&lab, "b", Some(name), None).unwrap_err();
        assert!(matches!(error, SyncError::NoCheckout { .. }), "{name}: {error}");
    }
    assert!(!lab.path("b").exists());
    assert_eq!(add(&lab, "--orphan", Some("ü/x"), None).unwrap().branch.as_deref(), Some("ü/x"));
    assert!(!lab.path("a/ran").exists());
    assert!(add(&lab, "c", Some("ü/x"), None).unwrap_err().to_string().contains("--orphan"));
}

/// A bare repository has no checkout to begin with; one of its worktrees makes the next.
#[test]
fn worktrees_of_a_bare_repository() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main x; git -C x commit -q --allow-empty -m one; git clone -q --bare x x.git; git -C x.git worktree add -q ../a");
    add(&lab, "b", Some("job"), Some("main")).unwrap();
    assert_eq!(seen(&lab, "a"), ["a x.git/worktrees/a a", "b x.git/worktrees/b job"]);
    remove(&lab, "b", false).unwrap();
    assert_eq!(seen(&lab, "a"), ["a x.git/worktrees/a a"]);
}

#[test]
fn what_jj_does_not_track_and_what_conflicts() {
    let Some(lab) = start(Kind::Jj) else { return };
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; head -c 2000000 /dev/zero > big");
    assert_eq!(work(&lab, "b"), Work { untracked: paths(&["big"]), ..Work::default() });
    assert_eq!(refusal(&lab, "b"), "it has 1 untracked file: big");
    lab.sh("cd b; rm big; echo two > file; jj commit -m two; jj new main; echo three > file; jj rebase -r @ -o job");
    assert_eq!(work(&lab, "b").unfinished.as_deref(), Some("a conflict"));
}

#[test]
fn commits_of_jj_that_are_somewhere_else() {
    let Some(lab) = start(Kind::Jj) else { return };
    lab.sh("git init -q --bare up.git; cd a; jj git remote add origin ../up.git; jj git push --bookmark main");
    add(&lab, "b", Some("job"), Some("main")).unwrap();
    assert_eq!(work(&lab, "b"), commits(0));
    lab.sh("cd b; echo two > file; jj commit -m two; echo three > file; jj commit -m three");
    assert_eq!(work(&lab, "b"), commits(2));
    lab.sh("cd b; jj bookmark create other -r @-; cd ../a; jj new other");
    assert_eq!(work(&lab, "b"), commits(0), "another workspace stands on them");
    assert_eq!(work(&lab, "a"), commits(2), "the repository is there");
    lab.sh("cd b; jj git push --bookmark other");
    assert_eq!((work(&lab, "a"), work(&lab, "b")), (commits(0), commits(0)), "the remote has them");
}

/// Two workspaces of one name would be one for jj.
#[test]
fn workspaces_of_the_same_name() {
    let Some(lab) = start(Kind::Jj) else { return };
    add(&lab, "one/b", None, None).unwrap();
    assert!(matches!(add(&lab, "two/b", Some("-x"), None), Err(SyncError::NoCheckout { .. })));
    add(&lab, "two/b", Some("an odd-name@"), None).unwrap();
    assert_eq!(lab.sh("cd a; jj workspace list -T 'name ++ \"\\n\"'"), "b\nb-2\ndefault\n");
    remove(&lab, "one/b", false).unwrap();
    assert_eq!(seen(&lab, "a"), ["a a/.jj main main", "two/b two/b/.jj an odd-name@"]);
}

/// git and jj know checkouts of one family, and each removes what the other made.
#[test]
fn workspaces_and_worktrees_of_one_repository() {
    let Some(lab) = start(Kind::Jj) else { return };
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd a; git worktree add -q ../w main; git worktree add -q ../v -b v main");
    remove_checkout(&*open(&lab, "w"), &lab.path("b"), false, &lab.env()).unwrap();
    assert_eq!(lab.sh("cd a; jj workspace list -T 'name ++ \"\\n\"'"), "default\n");
    add(&lab, "c", None, None).unwrap();
    remove_checkout(&*open(&lab, "c"), &lab.path("v"), false, &lab.env()).unwrap();
    assert_eq!(seen(&lab, "c"), ["a a/.jj main main", "c c/.jj main", "w a/.git/worktrees/w main"]);
    assert!(!lab.path("b").exists() && !lab.path("v").exists());
}

#[test]
fn a_merge_a_shelf_and_bookmarks_of_hg() {
    let Some(lab) = start(Kind::Hg) else { return };
    add(&lab, "b", Some("-job"), None).unwrap();
    assert_eq!(open(&lab, "b").branch().as_deref(), Some("-job"));
    lab.sh("cd b; echo new > new; echo two > file; hg --config extensions.shelve= shelve -q");
    let found = work(&lab, "b");
    assert_eq!((found.stashes, found.untracked), (1, paths(&["new"])));
    lab.sh("cd b; rm new");
    assert_eq!(refusal(&lab, "b"), "it has 1 shelved change");
    lab.sh("cd b; hg --config extensions.shelve= unshelve -q; hg commit -qm two; hg bookmark --inactive keep
            hg update -q 0; echo three > file; hg commit -qm three; hg merge -q --tool=:local keep");
    assert_eq!(work(&lab, "b").unfinished.as_deref(), Some("a merge"));
    assert_eq!(refusal(&lab, "b"), "it has a merge that is not finished");
    lab.sh("cd b; hg commit -qm merged");
    assert_eq!(work(&lab, "b").unsaved_commits, 2, "one of three is marked");
    remove(&lab, "b", false).unwrap();
    assert_eq!(lab.sh("cd a; hg log -r keep -T '{desc}'"), "two");
    assert_eq!(work(&lab, "a").unsaved_commits, 4, "the store is there");
}

/// Another workspace has rewritten the commit that this one has checked out.
#[test]
fn a_stale_workspace_of_jj() {
    let Some(lab) = start(Kind::Jj) else { return };
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; echo two > file; jj describe -m two; echo three > file; cd ../a; jj restore --from main --into job");
    let error = open(&lab, "b").work(&lab.env()).unwrap_err().to_string();
    assert!(error.contains("update-stale"), "the remedy is named: {error}");
    remove(&lab, "b", false).unwrap_err();
    assert_eq!(lab.sh("cat b/file"), "three\n");
    remove(&lab, "b", true).unwrap();
    assert_eq!(seen(&lab, "a"), ["a a/.jj main main"]);
}

/// From a share, and on a named branch.
#[test]
fn shares_of_shares_of_hg() {
    let Some(lab) = start(Kind::Hg) else { return };
    lab.sh("cd a; hg branch -q stable; echo two > file; hg commit -qm two; hg update -q default");
    let made = add(&lab, "b", Some("stable"), None).unwrap();
    assert_eq!((made.branch.as_deref(), work(&lab, "b").unsaved_commits), (Some("stable"), 1));
    let new = beads::internal::vcs::NewCheckout { path: "c".into(), branch: None, base: Some("stable".to_owned()) };
    open(&lab, "b").linking().unwrap().add_checkout(&new, &lab.env()).unwrap();
    assert_eq!(lab.sh("cat c/file; cat c/.hg/sharedpath"), format!("two\n{}", lab.path("a/.hg").display()));
    remove_checkout(&*open(&lab, "c"), &lab.path("b"), false, &lab.env()).unwrap();
    assert!(!lab.path("b").exists() && lab.path("a/file").exists());
}

/// Another program is at work there.
#[test]
fn a_checkout_that_is_busy() {
    for (kind, lock) in [(Kind::Git, "a/.git/worktrees/b/index.lock"), (Kind::Hg, "b/.hg/wlock")] {
        let Some(lab) = start(kind) else { continue };
        add(&lab, "b", Some("job"), None).unwrap();
        lab.write(lock, "");
        assert!(matches!(remove(&lab, "b", false), Err(SyncError::Busy { .. })), "{kind}");
        assert!(lab.path("b/file").exists());
    }
}

/// The branch is in a table, and not in a file that can be read here.
#[test]
fn a_worktree_of_git_with_a_table_of_branches() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(
        "git init -q --ref-format=reftable a 2>/dev/null || git init -q a; cd a; git commit -q --allow-empty -m one",
    );
    add(&lab, "b", Some("job"), None).unwrap();
    lab.sh("cd b; git commit -q --allow-empty -m two");
    assert_eq!(work(&lab, "b"), commits(1));
    remove(&lab, "b", false).unwrap();
    assert_eq!(lab.sh("cd a; git log -1 --format=%s job"), "two\n");
}
