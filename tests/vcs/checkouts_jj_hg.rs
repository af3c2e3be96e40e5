//! Which checkouts a repository of jj, hg or sl has, from files alone.

use beads::internal::vcs::{self, Kind};

use crate::vcs::checkouts::{admin, assert_unseen, seen};
use crate::vcs::lab::Lab;

#[test]
fn jj_beside_git() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; jj workspace add ../b; jj commit -m one; git worktree add -q ../c HEAD
            jj workspace add ../d; mkdir ../d/deep");
    let all = ["a a/.jj - main", "b b/.jj -", "c a/.git/worktrees/c -", "d d/.jj -"];
    for from in ["a", "b", "d/deep", "c"] {
        assert_eq!(seen(&lab, from), all, "{from}");
    }
    assert_eq!(["a", "b", "c"].map(|from| admin(&lab, from).unwrap()), ["a/.jj", "b/.jj", "a/.git/worktrees/c"]);
    assert_unseen(&lab, &["a", "b", "d"], "jj status 2>/dev/null | grep -v @");
    assert_unseen(&lab, &["a", "c"], "git status --porcelain");
}

#[test]
fn jj_with_its_own_git_inside() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    lab.sh("jj git init --no-colocate a; cd a; jj workspace add ../b");
    for from in ["a", "b"] {
        assert_eq!(seen(&lab, from), ["a a/.jj - main", "b b/.jj -"], "{from}");
    }
    assert_unseen(&lab, &["a", "b"], "jj status 2>/dev/null | grep -v @");
}

/// A workspace inside of the working copy that it was made from, where git has ignored it.
#[test]
fn a_jj_workspace_inside_of_a_git_repository() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; echo /ws > .gitignore; jj commit -m one; mkdir ws; jj workspace add ws/b");
    assert_eq!(seen(&lab, "a/ws/b"), ["a a/.jj - main", "a/ws/b a/ws/b/.jj -"]);
    assert_eq!(vcs::root(&lab.path("a/ws/b/x")), Some(lab.path("a/ws/b")));
    assert_eq!(vcs::common_dir(&lab.path("a/ws/b")), Some(lab.path("a/.git")));
    assert_unseen(&lab, &["a/ws/b"], "git -C ../.. status --porcelain");
}

#[test]
fn jj_over_a_git_repository_elsewhere() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("git init -q -b main g; git -C g commit -q --allow-empty -m one; jj git init --git-repo g a; cd a; jj workspace add ../b");
    for from in ["a", "b"] {
        assert_eq!(seen(&lab, from), ["g g/.git main main", "a a/.jj main", "b b/.jj main"], "{from}");
    }
    assert_eq!(seen(&lab, "g"), ["g g/.git main main"], "nothing leads from there to jj's");
}

/// No jj makes this yet: a git worktree that is also a jj workspace.
#[test]
fn a_worktree_that_is_a_workspace_as_well() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; jj commit -m one; jj workspace add ../b; git worktree add -q --no-checkout ../c HEAD
            mv ../c/.git ../b/.git; cd ../b; git worktree repair 2>/dev/null");
    for from in ["a", "b"] {
        assert_eq!(seen(&lab, from), ["a a/.jj - main", "b b/.jj -"], "{from}");
    }
    assert_eq!(vcs::kind(&lab.path("b")), Kind::Jj);
    assert_eq!(vcs::common_dir(&lab.path("b")), Some(lab.path("a/.git")));
}

#[test]
fn jj_workspaces_that_were_moved_or_deleted() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    lab.sh("jj git init --no-colocate a; cd a; jj workspace add ../b; jj workspace add ../c; rm -r ../b; mv ../c ../d");
    assert_eq!(seen(&lab, "a"), ["a a/.jj - main", "b b/.jj - gone", "c c/.jj - gone"]);
    assert_eq!(seen(&lab, "d"), ["a a/.jj - main", "b b/.jj - gone", "d d/.jj -"], "from inside it is known");
}

#[test]
fn the_bookmark_of_a_jj_workspace() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    for (name, colocate) in [("a", "--colocate"), ("p", "--no-colocate")] {
        lab.sh(&format!(
            "jj git init {colocate} {name}; cd {name}; jj commit -m one; jj bookmark create base -r @-
                         jj commit -m two; jj workspace add ../{name}2; cd ../{name}2; jj bookmark create job -r @"
        ));
        let branch = |name: &str| vcs::open(&lab.path(name)).branch();
        assert_eq!(branch(name).as_deref(), Some("base"), "the nearest");
        assert_eq!(branch(&format!("{name}2")).as_deref(), Some("job"), "the one it is at");
        lab.sh(&format!("cd {name}2; jj commit -m three; jj new; jj bookmark create zeta eta -r @"));
        assert_eq!(branch(&format!("{name}2")).as_deref(), Some("eta"));
        lab.sh(&format!("cd {name}2; jj bookmark delete zeta eta job"));
        assert_eq!(branch(&format!("{name}2")).as_deref(), Some("base"));
        lab.sh(&format!("cd {name}; jj bookmark delete base"));
        assert_eq!(branch(name), None);
    }
    // Unlike anything that is known.
    lab.write("a/.jj/repo/op_heads/heads/other", "");
    assert_eq!(vcs::open(&lab.path("a")).branch(), None);
}

#[test]
fn hg_and_its_shares() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; cd a; echo x > x; hg add -q x; hg commit -qm one; cd ..
            hg --config extensions.share= share -q a b; mkdir c; hg --config extensions.share= share -q --relative a c/d");
    let main = "a a/.hg default main";
    assert_eq!(seen(&lab, "a"), [main], "the store has no list of its shares");
    assert_eq!(seen(&lab, "b"), [main, "b b/.hg default"]);
    assert_eq!(seen(&lab, "c/d"), [main, "c/d c/d/.hg default"]);
    assert_eq!(vcs::root(&lab.path("c/d/x")), Some(lab.path("c/d")));
    assert_unseen(&lab, &["a", "b", "c/d"], "hg status");
    lab.sh("mv c/d e");
    assert_eq!(admin(&lab, "e").as_deref(), Some("e/.hg"));
}

#[test]
fn branches_and_bookmarks_of_hg() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; cd a; echo x > x; hg add -q x; hg branch -q stable; hg commit -qm one");
    let branch = || vcs::open(&lab.path("a")).branch();
    assert_eq!(branch().as_deref(), Some("stable"));
    lab.sh("cd a; hg bookmark 'my work'");
    assert_eq!(branch().as_deref(), Some("my work"));
    // hg can leave the name of one that is gone.
    lab.sh("cd a; cp .hg/bookmarks.current keep; hg bookmark -d 'my work'; mv keep .hg/bookmarks.current");
    assert_eq!(branch().as_deref(), Some("stable"));
}

#[test]
fn a_share_whose_store_is_gone() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("b/.hg/sharedpath", "/nowhere/.hg\n");
    assert_eq!(seen(&lab, "b"), Vec::<String>::new(), "whose checkout it is cannot be told");
}

/// sl is not at hand; the files are as its documentation says.
#[test]
fn sl_knows_itself() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/.sl/bookmarks", "0123456789012345678901234567890123456789 work\n");
    lab.write("a/.sl/bookmarks.current", "work");
    assert_eq!(seen(&lab, "a"), ["a a/.sl work main"]);
    assert_eq!(admin(&lab, "a/deep").as_deref(), Some("a/.sl"));
}
