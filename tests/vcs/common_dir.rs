//! One directory for all checkouts of a repository, whatever their shape, and another for every other repository.

use beads::internal::vcs::{self, Kind};

use crate::vcs::lab::{Lab, assert_shared};

#[test]
fn git_and_its_worktrees() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; cd a; git commit -q --allow-empty -m one; git worktree add -q ../b; git worktree add -q c");
    assert_shared(&lab, "a/.git", &["a", "b", "a/c"]);
    assert_eq!(vcs::kind(&lab.path("b")), Kind::Git);
}

#[test]
fn a_bare_repository_with_worktrees() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; cd a; git commit -q --allow-empty -m one; git clone -q --bare . ../bare.git
            cd ../bare.git; git worktree add -q ../b -b b; git worktree add -q ../c -b c");
    assert_shared(&lab, "bare.git", &["b", "c"]);
}

#[test]
fn a_separate_git_directory() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q --separate-git-dir=kept a; cd a; git commit -q --allow-empty -m one; git worktree add -q ../b");
    assert_shared(&lab, "kept", &["a", "b"]);
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q inner; git -C inner commit -q --allow-empty -m one; git init -q outer; cd outer
            git -c protocol.file.allow=always submodule --quiet add ../inner sub");
    assert_shared(&lab, "outer/.git", &["outer"]);
    assert_shared(&lab, "outer/.git/modules/sub", &["outer/sub"]);
}

#[test]
fn a_link_to_a_checkout() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q a; ln -s a link");
    assert_shared(&lab, "a/.git", &["a", "link"]);
}

#[test]
fn jj_beside_git() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("jj git init --colocate a; cd a; jj workspace add ../b; jj commit -m one; git worktree add -q ../c HEAD");
    assert_shared(&lab, "a/.git", &["a", "b", "c"]);
    let kinds = ["a", "b", "c"].map(|name| vcs::kind(&lab.path(name)));
    assert_eq!(kinds, [Kind::Jj, Kind::Jj, Kind::Git]);
}

#[test]
fn jj_with_its_own_git_inside() {
    let Some(lab) = Lab::with(&["jj"]) else { return };
    lab.sh("jj git init --no-colocate a; cd a; jj workspace add ../b; mkdir ../d; jj workspace add ../d/e");
    assert_shared(&lab, "a/.jj/repo/store/git", &["a", "b", "d/e"]);
    assert_eq!(vcs::kind(&lab.path("d/e")), Kind::Jj);
}

#[test]
fn jj_over_a_git_repository_elsewhere() {
    let Some(lab) = Lab::with(&["jj", "git"]) else { return };
    lab.sh("git init -q g; git -C g commit -q --allow-empty -m one; jj git init --git-repo g a; cd a; jj workspace add ../b");
    assert_shared(&lab, "g/.git", &["a", "b", "g"]);
}

/// jj has stores other than git; their files are not at hand, so the shape of the directories is made here.
#[test]
fn jj_without_git() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/.jj/repo/store/type", "simple");
    lab.write("b/.jj/repo", "../../a/.jj/repo");
    assert_shared(&lab, "a/.jj", &["a", "b"]);
}

#[test]
fn hg_and_its_shares() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; hg --config extensions.share= share -q a b; mkdir c
            hg --config extensions.share= share -q --relative a c/d; hg --config extensions.share= share -q b e");
    assert_shared(&lab, "a/.hg", &["a", "b", "c/d", "e"]);
    assert_eq!(vcs::kind(&lab.path("c/d")), Kind::Hg);
}

#[test]
fn two_clones_are_two_repositories() {
    let Some(lab) = Lab::with(&["git", "hg"]) else { return };
    lab.sh("git init -q a; git clone -q a b 2>/dev/null; hg init c; hg clone -q c d");
    let dirs = ["a", "b", "c", "d"].map(|name| vcs::common_dir(&lab.path(name)).unwrap());
    assert_eq!(dirs, ["a/.git", "b/.git", "c/.hg", "d/.hg"].map(|name| lab.path(name)));
}

#[test]
fn the_nearest_repository_counts() {
    let Some(lab) = Lab::with(&["git", "hg"]) else { return };
    lab.sh("git init -q a; hg init a/b; mkdir -p a/b/c .sl-like x/.sl");
    let kinds = ["a", "a/b/c", ".sl-like", "x"].map(|name| vcs::kind(&lab.path(name)).to_string());
    assert_eq!(kinds, ["git", "hg", "none", "sl"]);
    assert_eq!(vcs::common_dir(&lab.path("x")), Some(lab.path("x/.sl")));
    assert_eq!(vcs::common_dir(&lab.path(".sl-like")), None);
}

/// A partial working copy is no reason to fail.
#[test]
fn damaged_markers() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("git/.git", "gitdir: nowhere\n");
    lab.write("jj/.jj/repo", "../../nowhere/.jj/repo");
    lab.write("hg/.hg/sharedpath", "/nowhere/.hg\n");
    assert_eq!(vcs::common_dir(&lab.path("git")), None);
    assert_eq!(vcs::common_dir(&lab.path("jj")), None);
    assert_eq!(vcs::common_dir(&lab.path("hg")), None);
    let leads = ["git/.git", "jj/.jj/repo", "hg/.hg/sharedpath"].map(|name| Some(lab.path(name)));
    assert_eq!(["git", "jj", "hg"].map(|name| vcs::Around::of(&lab.path(name)).stranded), leads);
    for (name, kind) in [("git", Kind::Git), ("jj", Kind::Jj), ("hg", Kind::Hg)] {
        let facts = lab.facts(name);
        assert_eq!((facts.kind, facts.role, facts.remotes.len()), (kind, None, 0));
    }
}
