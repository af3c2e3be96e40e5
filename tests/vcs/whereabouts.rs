//! Where else the commits of a checkout are, and what is kept of one that has some.

use std::path::Path;

use beads::internal::vcs::{self, How, Origin, SyncError, Whereabouts};

use crate::vcs::lab::Lab;

/// A repository `a` with a commit, and a clone `b` of it on the branch `job`.
fn git() -> Option<Lab> {
    let lab = Lab::with(&["git"])?;
    lab.begin(
        "git init -q -b main a; cd a; seq 1 20 > file; git add .; git commit -qm one
            cd ..; git clone -q a b; cd b; git checkout -q -b job",
    );
    Some(lab)
}

fn asked(lab: &Lab, name: &str, from: &str) -> Result<Whereabouts, SyncError> {
    let root = lab.path(from);
    let origin = Origin { root: &root, base: Some("main"), base_commit: None };
    vcs::open(&lab.path(name)).whereabouts(&origin, &lab.env())
}

fn found(lab: &Lab) -> Whereabouts {
    asked(lab, "b", "a").unwrap()
}

fn unsaved(lab: &Lab) -> Vec<String> {
    found(lab).unsaved.iter().map(|one| format!("{} of {}", one.commits, one.holder)).collect()
}

fn how(lab: &Lab) -> Option<How> {
    found(lab).merged.map(|merged| merged.how)
}

const WORK: &str = "cd b; echo new > new; git add .; git commit -qm new; sed -i s/^10$/ten/ file; git commit -qam ten";

#[test]
fn work_of_git_comes_into_its_base_in_many_ways() {
    let ways = [
        ("cd a; git pull -q --no-rebase ../b job", How::Ancestor),
        ("cd a; git commit -q --allow-empty -m other; git pull -q --no-rebase --no-edit ../b job", How::Ancestor),
        ("cd a; git pull -q --squash ../b job; git commit -qm squashed", How::Patches),
        (
            "cd a; git pull -q --squash ../b job; git commit -qm squashed; sed -i s/^ten$/TEN/ file; git commit -qam TEN",
            How::Patches,
        ),
        (
            "cd a; echo > x; git add x; git commit -qm x; git fetch -q ../b job; git cherry-pick FETCH_HEAD~ FETCH_HEAD",
            How::Patches,
        ),
        // It was taken back, and the base still has it in its past.
        ("cd a; git pull -q --squash ../b job; git commit -qm squashed; git revert --no-edit HEAD", How::Patches),
        ("cd a; sed -i s/^10$/ten/ file; echo new > new; git add .; git commit -qm by-hand", How::Patches),
        (
            "cd a; sed -i s/^10$/ten/ file; git commit -qam half; echo new > new; git add .; git commit -qm half",
            How::Patches,
        ),
        (
            "cd a; sed -i s/^10$/ten/ file; git commit -qam half; echo new > new; sed -i s/^3$/three/ file; git add .; git commit -qm more",
            How::NothingToAdd,
        ),
    ];
    for (way, expected) in ways {
        let Some(lab) = git() else { return };
        lab.sh(WORK);
        assert_eq!((how(&lab), unsaved(&lab).len()), (None, 1), "{way}");
        lab.sh(way);
        assert_eq!((how(&lab), unsaved(&lab).len()), (Some(expected), 0), "{way}");
    }
}

#[test]
fn work_of_git_that_is_not_in_its_base_is_never_taken_for_merged() {
    let ways = [
        "true",
        "cd a; echo new > new; git add .; git commit -qm half",
        "cd a; echo new > new; sed -i 's/^10$/ ten/' file; git add .; git commit -qm blank",
        "cd a; echo 'new ' > new; sed -i 's/^10$/ten/' file; git add .; git commit -qm blank",
        "cd a; git fetch -q ../b job; git checkout -q -b other FETCH_HEAD; git checkout -q main; git branch -D other",
    ];
    for way in ways {
        let Some(lab) = git() else { return };
        lab.sh(WORK);
        lab.sh(way);
        assert_eq!((how(&lab), unsaved(&lab)), (None, vec!["2 of the branch job".to_owned()]), "{way}");
    }
    // Values that cannot be compared as text.
    let Some(lab) = git() else { return };
    lab.sh("cd b; printf 'a\\0b' > bin; git add .; git commit -qm bin; cd ../a; printf 'a\\0c' > bin; git add .; git commit -qm bin");
    assert_eq!((how(&lab), unsaved(&lab).len()), (None, 1));
    lab.sh("cd b; git reset -q --hard main; printf 'caf\\351\\n' > latin; git add .; git commit -qm latin
            cd ../a; printf 'caf\\350\\n' > latin; git add .; git commit -qm latin");
    assert_eq!((how(&lab), unsaved(&lab).len()), (None, 1));
}

#[test]
fn commits_of_git_that_others_have() {
    let Some(lab) = git() else { return };
    lab.sh(WORK);
    lab.sh("git clone -q --bare a up.git; cd b; git remote add up ../up.git; git push -q up job");
    assert_eq!(unsaved(&lab), [""; 0], "a remote has them");
    lab.sh("cd b; git update-ref -d refs/remotes/up/job; git push -q origin job:refs/heads/kept");
    assert_eq!(unsaved(&lab), [""; 0], "the parent has them");
    lab.sh("cd a; git branch -D kept");
    assert_eq!(unsaved(&lab), ["2 of the branch job"], "what the parent had once does not count");
    lab.sh("cd a; git worktree add -q ../w -b wt; cd ../w; git commit -q --allow-empty -m x; echo y > y; git add y; git commit -qm y");
    let linked = asked(&lab, "w", "a").unwrap();
    assert_eq!(linked.unsaved.iter().map(|one| one.commits).collect::<Vec<_>>(), [2]);
    lab.sh("cd a; git merge -q --squash wt; git commit -qm squashed");
    assert_eq!(asked(&lab, "w", "a").unwrap().unsaved, []);
}

#[test]
fn a_rescue_of_git_survives_the_clone() {
    let Some(lab) = git() else { return };
    lab.sh(WORK);
    lab.sh("cd b; git tag -m tag tag; git checkout -q --detach; echo d > d; git add d; git commit -qm detached
            echo stash > file; git stash -q; git notes add -m note; echo dirty > file; echo own > own");
    let here = |name: &str| {
        lab.sh(&format!(
            "cd {name}; git rev-parse HEAD; git for-each-ref --format='%(objectname) %(refname)' refs/heads refs/tags refs/notes
             git stash list --format=%H; git status --porcelain; cat file own"
        ))
    };
    let before = here("b");
    let (a, b, env) = (lab.path("a"), lab.path("b"), lab.env());
    let branches = lab.sh("cd a; git branch");
    let kept = vcs::open(&b).rescue("cp_a1b2c3d4e5f6", &a, &env).unwrap();
    assert!(kept.names >= 5 && kept.snapshot.left_out.is_empty(), "{kept:?}");
    lab.sh("rm -rf b; cd a; git reflog expire --expire=now --all; git gc -q --prune=now");
    assert_eq!(lab.sh("cd a; git branch"), branches);
    let returned = vcs::open(&a).restore_rescue("cp_a1b2c3d4e5f6", &lab.path("c"), &env).unwrap();
    assert!(returned.with_commits);
    assert_eq!(here("c"), before);
    vcs::open(&a).drop_rescue("cp_a1b2c3d4e5f6", &env).unwrap();
    assert_eq!(lab.sh("cd a; git for-each-ref refs/beads"), "");
}

#[test]
fn commits_of_hg() {
    let Some(lab) = Lab::with(&["hg"]) else { return };
    lab.sh("hg init a; cd a; echo one > file; hg add -q; hg commit -m one; cd ..; hg clone -q a b; cd b; echo two > file; hg commit -m two");
    let ask = || {
        let root = lab.path("a");
        let origin = Origin { root: &root, base: Some("default"), base_commit: None };
        vcs::open(&lab.path("b")).whereabouts(&origin, &lab.env()).unwrap()
    };
    assert_eq!((ask().unsaved.len(), ask().merged), (1, None));
    let (a, b, env) = (lab.path("a"), lab.path("b"), lab.env());
    let refused = vcs::open(&b).rescue("cp_a1b2c3d4e5f6", &a, &env);
    assert!(matches!(refused, Err(SyncError::Unsupported { .. })), "its commits are not kept, so it is refused");
    lab.sh("cd a; hg pull -q ../b");
    assert_eq!((ask().unsaved.len(), ask().merged.map(|merged| merged.how)), (0, Some(How::Ancestor)));
    lab.sh("cd b; echo dirty > file; echo own > own");
    vcs::open(&b).rescue("cp_a1b2c3d4e5f6", &a, &env).unwrap();
    lab.sh("rm -rf b");
    vcs::open(&a).restore_rescue("cp_a1b2c3d4e5f6", &lab.path("c"), &env).unwrap();
    assert_eq!(lab.sh("cat c/file c/own"), "dirty\nown\n");
}

#[test]
fn commits_of_jj() {
    let Some(lab) = Lab::with(&["git", "jj"]) else { return };
    lab.sh("jj git init --colocate a; cd a; echo one > file; jj commit -m one; jj bookmark create main -r @-
            cd ..; git clone -q a b; cd b; jj git init --colocate; jj new main");
    let ask = || {
        let root = lab.path("a");
        let origin = Origin { root: &root, base: Some("main"), base_commit: None };
        vcs::open(&lab.path("b")).whereabouts(&origin, &lab.env()).unwrap()
    };
    assert_eq!(ask().unsaved, []);
    lab.sh("cd b; echo two > file; jj commit -m two");
    assert_eq!((ask().unsaved.len(), ask().merged), (1, None), "{:?}", ask());
    let (a, b, env) = (lab.path("a"), lab.path("b"), lab.env());
    let kept = vcs::open(&b).rescue("cp_a1b2c3d4e5f6", &a, &env).unwrap();
    assert!(kept.names > 0);
    let two = lab.sh("cd b; git rev-parse HEAD");
    lab.sh("cd a; git fetch -q ../b HEAD:refs/heads/two; jj git import; jj new main; jj squash --from two --into @ -m squashed; jj bookmark set main -r @");
    assert_eq!((ask().unsaved.len(), ask().merged.map(|merged| merged.how)), (0, Some(How::Patches)));
    lab.sh("rm -rf b");
    let returned = vcs::open(&a).restore_rescue("cp_a1b2c3d4e5f6", &lab.path("c"), &env).unwrap();
    assert!(returned.with_commits);
    assert_eq!(lab.sh("cat c/file"), "two\n");
    lab.sh(&format!("cd c; git cat-file -e {}", two.trim()));
}

#[test]
fn without_version_control_nothing_is_known_and_files_are_kept() {
    let Some(lab) = Lab::with(&[]) else { return };
    lab.write("a/x", "x");
    lab.write("b/x", "changed");
    assert!(matches!(asked(&lab, "b", "a"), Err(SyncError::NoVcs { .. })));
    let (a, b, env) = (lab.path("a"), lab.path("b"), lab.env());
    vcs::open(&b).rescue("cp_a1b2c3d4e5f6", &a, &env).unwrap();
    std::fs::remove_dir_all(&b).unwrap();
    vcs::open(&a).restore_rescue("cp_a1b2c3d4e5f6", &lab.path("c"), &env).unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("c").join(Path::new("x"))).unwrap(), "changed");
}
