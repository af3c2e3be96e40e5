//! Which version control a directory has: a marker counts only if no commit can have brought it.

use beads::internal::vcs::{self, Kind};

use crate::vcs::lab::Lab;

/// The version control of a path, and the root of its working copy below the lab.
#[track_caller]
fn found(lab: &Lab, path: &str) -> (Kind, String) {
    let root = vcs::root(&lab.path(path)).unwrap();
    (vcs::kind(&lab.path(path)), root.strip_prefix(lab.path("")).unwrap().display().to_string())
}

const GIT: &str = "git init -q r; cd r; mkdir -p a/.beads .beads; touch a/x .beads/x; git add -A; git -c user.name=t -c user.email=t@x commit -qm x";

#[test]
fn git_tracks_the_markers_of_the_others() {
    for form in ["", "--object-format=sha256"] {
        let Some(lab) = Lab::with(&["git"]) else { return };
        lab.sh(&GIT.replace("init -q", &format!("init -q {form}")));
        for marker in [".hg", ".sl", ".jj", "a/.hg", "a/.jj", ".beads/.hg", "a/.beads/.sl", ".HG"] {
            lab.sh(&format!("cd r; mkdir -p {marker}; touch {marker}/x; git add -Af"));
        }
        for place in ["r", "r/a", "r/.beads", "r/a/.beads"] {
            assert_eq!(found(&lab, place), (Kind::Git, "r".to_owned()), "{place} {form}");
            assert_eq!(vcs::Around::of(&lab.path(place)).disputed, None);
        }
    }
}

/// A submodule without files and a link are tracked, too.
#[test]
fn git_tracks_a_marker_that_is_no_directory() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(GIT);
    lab.sh("cd r; ln -s a .hg; git add -Af; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),.jj; mkdir .jj");
    assert_eq!(found(&lab, "r"), (Kind::Git, "r".to_owned()));
}

#[test]
fn what_git_does_not_track_counts() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh(GIT);
    lab.sh("cd r; git init -q a; git init -q .beads; mkdir -p b/.hg/store b/c .beads/.hg; touch b/.hg/requires .hgignore; git add .hgignore");
    assert_eq!(found(&lab, "r/a/.beads"), (Kind::Git, "r/a".to_owned()));
    assert_eq!(found(&lab, "r/.beads"), (Kind::Git, "r/.beads".to_owned()), "no commit of git brings a .git");
    assert_eq!(found(&lab, "r/b/c"), (Kind::Hg, "r/b".to_owned()));
}

#[test]
fn a_repository_of_hg_inside_of_one_of_git() {
    let Some(lab) = Lab::with(&["git", "hg"]) else { return };
    lab.sh(GIT);
    lab.sh("cd r; hg init sub; cd sub; touch x; hg add x; hg commit -m x -u t");
    assert_eq!(found(&lab, "r/sub"), (Kind::Hg, "r/sub".to_owned()));
}

/// hg tracks everything but `.hg`.
#[test]
fn hg_tracks_the_markers_of_the_others() {
    for form in ["", "[format]\nuse-dirstate-v2 = true\n[storage]\ndirstate-v2.slow-path = allow\n"] {
        let Some(lab) = Lab::with(&["git", "hg"]) else { return };
        lab.write("home/.hgrc", form);
        lab.sh("hg init r; cd r; mkdir -p .beads a; touch a/x .beads/x; hg add -q; hg commit -m x -u t");
        assert_eq!(lab.sh("grep -c dirstate-v2 r/.hg/requires || true").trim() == "1", !form.is_empty());
        for marker in [".git", ".jj", ".sl", ".beads/.git", "a/.git", "a/.jj"] {
            let fill = format!("mkdir -p {marker}/objects {marker}/refs; echo 'ref: refs/heads/main' > {marker}/HEAD");
            lab.sh(&format!("cd r; {fill}; hg add -q {marker}; hg commit -m y -u t"));
        }
        for place in ["r", "r/a", "r/.beads"] {
            assert_eq!(found(&lab, place), (Kind::Hg, "r".to_owned()), "{place} {form}");
        }
        lab.sh("cd r; git init -q b");
        assert_eq!(found(&lab, "r/b"), (Kind::Git, "r/b".to_owned()));
    }
}

/// Each list names the other marker, and one of them was brought. `bd` does not choose between them in silence.
#[test]
fn markers_that_each_claim_the_other() {
    let Some(lab) = Lab::with(&["git", "hg"]) else { return };
    lab.sh("hg init r; cd r; mkdir .beads; touch .beads/x; hg add -q; hg commit -m x -u t");
    lab.sh("cd r; git init -q; git add -Af .hg/requires; hg add -q .git; hg commit -m y -u t");
    let (one, other) = vcs::Around::of(&lab.path("r/.beads")).disputed.unwrap();
    assert_eq!((one, other), (lab.path("r/.git"), lab.path("r/.hg")));
}

#[test]
fn jj_beside_git_is_jj() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    lab.sh("jj git init --colocate r; cd r; mkdir .beads; touch .beads/x; jj commit -m x");
    assert_eq!(found(&lab, "r/.beads"), (Kind::Jj, "r".to_owned()));
    lab.sh("cd r; mkdir -p .hg a/.sl; touch .hg/requires a/.sl/x; jj commit -m y; jj new");
    assert_eq!(found(&lab, "r/.beads"), (Kind::Jj, "r".to_owned()));
    assert_eq!(found(&lab, "r/a"), (Kind::Jj, "r".to_owned()));
}
