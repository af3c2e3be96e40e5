//! Snapshots with git: what only git has.

use std::path::{Path, PathBuf};

use beads::internal::vcs::{LARGEST, LeftOut, SyncError, Why};

use crate::vcs::lab::Lab;
use crate::vcs::snapshots::{KEY, items, open, restore, take};
use crate::vcs::snapshots_kinds::git_state;

/// The snapshot changes nothing that git shows, and brings back what the checkout holds.
fn there_and_back(lab: &Lab) -> (Vec<PathBuf>, Vec<LeftOut>) {
    let before = (git_state(lab, "a"), items(&lab.path("a")));
    let snapshot = take(lab, "a");
    assert_eq!((git_state(lab, "a"), items(&lab.path("a"))), before);
    restore(lab, "a", "back").expect("the files");
    assert_eq!(items(&lab.path("back")), before.1);
    (snapshot.files, snapshot.left_out)
}

fn repository(lab: &Lab) {
    lab.begin("git init -q -b main a; cd a; echo 1 > x; echo 1 > y; git add .; git commit -q -m first");
}

fn names(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn before_the_first_commit() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; echo 1 > x; echo 1 > y; git add x");
    let snapshot = take(&lab, "a");
    assert_eq!((snapshot.base, snapshot.files), (None, names(&["x", "y"])));
    restore(&lab, "a", "back").unwrap();
    assert_eq!(items(&lab.path("back")), items(&lab.path("a")));
}

#[test]
fn in_the_middle_of_a_conflict() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.sh("cd a; git checkout -q -b side; echo s > x; git commit -q -a -m s; git checkout -q main; echo m > x; git rm -q y
            git commit -q -a -m m; git merge side >/dev/null 2>&1 || true; git ls-files --unmerged | grep -q x
            echo intended > new; git add -N new");
    let before = (git_state(&lab, "a"), items(&lab.path("a")));
    let snapshot = take(&lab, "a");
    assert_eq!((git_state(&lab, "a"), items(&lab.path("a"))), before);
    assert_eq!((snapshot.files, snapshot.left_out), (names(&["new", "x"]), vec![]));
    assert_eq!(restore(&lab, "a", "back").unwrap(), Some(".bd-index".into()));
    // The versions that are to be merged; nothing is staged of what is only intended.
    assert_eq!(
        lab.sh("cd back; cat .bd-index/base/x .bd-index/ours/x .bd-index/theirs/x; ls .bd-index"),
        "1\nm\ns\nbase\nours\ntheirs\n"
    );
    std::fs::remove_dir_all(lab.path("back/.bd-index")).unwrap();
    assert_eq!(items(&lab.path("back")), before.1);
}

/// Staged content that differs from the files is restored beside them, whether or not these exist.
#[test]
fn what_is_only_staged() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.sh("cd a; mkdir d; echo 1 > d/run; echo 1 > same; git add .; git commit -q -m more
            echo staged > x; git add x; git show HEAD:x > x
            echo only > gone; ln -s target link; git add gone link; rm gone link
            echo staged > d/run; chmod +x d/run; git add d/run; echo later > d/run
            echo 2 > same; git add same; git rm -q --cached y");
    let before = (git_state(&lab, "a"), items(&lab.path("a")));
    let snapshot = take(&lab, "a");
    assert_eq!((git_state(&lab, "a"), items(&lab.path("a"))), before);
    assert_eq!((snapshot.files, snapshot.left_out), (names(&["d/run", "gone", "link", "same", "x", "y"]), vec![]));
    lab.sh("cd a; git reset -q --hard; git reflog expire --expire=now --all; git gc -q --prune=now");
    assert_eq!(restore(&lab, "a", "back").unwrap(), Some(".bd-index".into()));
    assert_eq!(
        lab.sh("cd back/.bd-index; find . ! -type d | sort; cat staged/x staged/gone staged/d/run; readlink staged/link; test -x staged/d/run"),
        "./staged/d/run\n./staged/gone\n./staged/link\n./staged/x\nstaged\nonly\nstaged\ntarget\n"
    );
    std::fs::remove_dir_all(lab.path("back/.bd-index")).unwrap();
    assert_eq!(items(&lab.path("back")), before.1);
    // git itself can put both back, as it does with a stash.
    lab.sh(&format!("cd a; git stash apply -q --index refs/beads/checkpoints/{KEY}"));
    assert_eq!(
        lab.sh("cd a; git show :x :gone :d/run; cat x d/run; git ls-files y"),
        "staged\nonly\nstaged\n1\nlater\n"
    );
}

/// Before the first commit, and with a directory in the way that has the name.
#[test]
fn what_is_only_staged_first() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; echo staged > x; git add x; echo later > x; mkdir .bd-index; echo mine > .bd-index/staged");
    assert_eq!(take(&lab, "a").base, None);
    assert_eq!(restore(&lab, "a", "back").unwrap(), Some(".bd-index~".into()));
    assert_eq!(lab.sh("cd back; cat x .bd-index/staged .bd-index~/staged/x"), "later\nmine\nstaged\n");
}

/// A version that the repository has lost is named, and the rest is kept.
#[test]
fn a_staged_version_that_is_lost() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.sh("cd a; echo staged > x; echo staged too > y; git add x y; id=$(git rev-parse :x); rm -f .git/objects/$(echo $id | cut -c1-2)/*
            echo 3 > x; echo 3 > y");
    assert_eq!(take(&lab, "a").left_out, [LeftOut { path: "x".into(), why: Why::Unreadable }]);
    restore(&lab, "a", "back").unwrap();
    assert_eq!(lab.sh("cd back; cat x y; cd .bd-index/staged; ls; cat y"), "3\n3\ny\nstaged too\n");
}

/// Neither settings nor attributes change a byte, and what only looks different is not called changed.
#[test]
fn filters_and_line_ends() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; printf '*.txt text eol=crlf\\n*.rot filter=rot\\n' > .gitattributes
            echo '*.inf filter=rot' > .git/info/attributes
            git config filter.rot.clean 'echo ran >> ../ran; tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'
            git config filter.rot.required true; git config core.autocrlf true
            for n in a b; do printf 'one\\r\\ntwo\\r\\n' > $n.txt; echo hello > $n.rot; echo hello > $n.inf; done; printf 'x\\r\\n' > auto
            git add .; git commit -q -m first; git cat-file blob HEAD:a.rot | grep -q uryyb
            touch -d '1 hour ago' *; git status >/dev/null; git update-index --refresh
            printf 'mixed\\nends\\r\\n' > b.txt; echo changed > b.rot; echo changed > b.inf; rm -f ../ran");
    assert_eq!(there_and_back(&lab), (names(&["b.inf", "b.rot", "b.txt"]), vec![]));
    assert!(!lab.path("ran").exists(), "no filter ran");
}

#[test]
fn submodules_and_repositories_inside() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.sh("git clone -q a lib; cd a; git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -q -m sub
            echo 2 > sub/x; git init -q inner; echo 1 > inner/file; echo 2 > y");
    let before = git_state(&lab, "a");
    let snapshot = take(&lab, "a");
    assert_eq!(git_state(&lab, "a"), before);
    let repository = |path: &str| LeftOut { path: path.into(), why: Why::Repository };
    assert_eq!((snapshot.files, snapshot.left_out), (names(&["y"]), vec![repository("inner"), repository("sub")]));
    restore(&lab, "a", "back").unwrap();
    assert_eq!(lab.sh("cd back; ls -A").split_whitespace().collect::<Vec<_>>(), [".gitmodules", "sub", "x", "y"]);
    lab.sh("cd a; git submodule --quiet deinit -f sub; git config user.name Ann");
    open(&lab, "a").drop_snapshot(KEY, &lab.env()).unwrap();
    assert_eq!(take(&lab, "a").left_out, [repository("inner")], "nothing is in it");
}

#[test]
fn a_submodule_that_is_none_any_more() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.sh("git clone -q a lib; cd a; git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -q -m sub
            rm -rf sub; echo mine > sub; rm .gitmodules; ln -s x .gitmodules");
    let snapshot = take(&lab, "a");
    assert_eq!(snapshot.files, names(&[".gitmodules", "sub"]));
    assert_eq!(snapshot.left_out, [LeftOut { path: ".gitmodules".into(), why: Why::Special }]);
    restore(&lab, "a", "back").unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("back/sub")).unwrap(), "mine\n");
}

#[test]
fn a_sparse_checkout() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; mkdir in out; echo 1 > in/a; echo 1 > out/a; echo 1 > x; git add .; git commit -q -m first
            git sparse-checkout set --cone --sparse-index in; test ! -e out; echo 2 > in/a; echo 2 > x");
    assert_eq!(there_and_back(&lab), (names(&["in/a", "x"]), vec![]));
}

/// A directory of tracked files that is now a link to somewhere else: nothing there is read.
#[test]
fn a_directory_that_became_a_link() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; mkdir d; echo 1 > d/secret; git add .; git commit -q -m first
            mkdir ../outside; echo secret > ../outside/secret; rm -r d; ln -s ../outside d");
    assert_eq!(there_and_back(&lab), (names(&["d", "d/secret"]), vec![]));
    assert_eq!(lab.sh("cd a; git grep -l secret refs/beads/checkpoints/cp_a1b2c3d4e5f6 || true"), "");
}

/// A large file that the repository has costs nothing; a new version of it does.
#[test]
fn large_files_of_the_repository() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q -b main a; cd a; echo 123456789 > large; echo 123456789 > other; git add .; git commit -q -m first");
    lab.write("a/other", "2345678901");
    let snapshot = open(&lab, "a").snapshot(KEY, 8, &lab.env()).unwrap();
    assert_eq!(snapshot.left_out, [LeftOut { path: "other".into(), why: Why::TooLarge(10) }]);
    restore(&lab, "a", "back").unwrap();
    assert_eq!(items(&lab.path("back")).into_keys().collect::<Vec<_>>(), names(&["large"]));
}

#[test]
fn it_is_kept_and_stays_here() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    lab.sh("git init -q --bare -b main server");
    repository(&lab);
    lab.sh("cd a; git remote add origin ../server; echo new > new; echo old > old");
    let snapshot = take(&lab, "a");
    assert_eq!(
        lab.sh("cd a; git log -1 --format=%B%P refs/beads/checkpoints/cp_a1b2c3d4e5f6 | tr -s '\\n'"),
        format!("bd snapshot\n{}\n", snapshot.base.unwrap())
    );
    lab.sh("cd a; rm new; git reflog expire --expire=now --all; git gc -q --prune=now; git push -q -u origin main; git push -q --all; git push -q --tags; git push -q");
    assert_eq!(lab.sh("cd server; git for-each-ref --format='%(refname)'"), "refs/heads/main\n");
    restore(&lab, "a", "back").unwrap();
    assert_eq!(std::fs::read_to_string(lab.path("back/new")).unwrap(), "new\n");
    open(&lab, "a").drop_snapshot(KEY, &lab.env()).unwrap();
    assert_eq!(lab.sh("cd a; git for-each-ref refs/beads; find .git -name 'bd-*'"), "");
}

#[test]
fn no_hook_runs() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    for hook in ["reference-transaction", "post-index-change", "pre-commit", "post-checkout"] {
        lab.write(&format!("a/.git/hooks/{hook}"), "#!/bin/sh\necho ran >> ../ran\n");
    }
    lab.sh("chmod +x a/.git/hooks/*");
    take(&lab, "a");
    restore(&lab, "a", "back").unwrap();
    open(&lab, "a").drop_snapshot(KEY, &lab.env()).unwrap();
    assert!(!lab.path("ran").exists());
    lab.sh("cd a; git update-ref refs/x HEAD");
    assert!(lab.path("ran").exists(), "they can run");
}

/// Someone else's tree under the name of a snapshot: nothing of it gets out of the directory, and nothing stays.
#[test]
fn hostile_trees() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    let id = |script: &str| lab.sh(&format!("cd a; {script}")).trim().to_owned();
    let blob = id("echo bad | git hash-object -w --stdin");
    let target = id("printf ../outside | git hash-object -w --stdin");
    let tree = |entries: &[(&str, &str, &str)]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend(format!("{mode} {name}\0").bytes());
            bytes.extend((0..20).map(|n| u8::from_str_radix(&id[2 * n..2 * n + 2], 16).unwrap()));
        }
        std::fs::write(lab.path("tree"), bytes).unwrap();
        id("git hash-object -t tree -w --literally ../tree")
    };
    let inner = tree(&[("100644", "escaped", &blob)]);
    let (file, link, dir) = (
        |name| ("100644", name, blob.as_str()),
        |name| ("120000", name, target.as_str()),
        |name| ("40000", name, inner.as_str()),
    );
    let make = |entries: &[(&str, &str, &str)]| {
        let tree = tree(entries);
        lab.sh(&format!(
            "cd a; git update-ref refs/beads/checkpoints/{KEY} $(git commit-tree -m x {tree}); rm -rf ../outside; mkdir -p ../outside ../to"
        ));
    };
    let hostile = [
        vec![file("../escaped")],
        vec![file("..")],
        vec![dir("..")],
        vec![dir(".git")],
        vec![dir(".Git")],
        vec![link("d"), dir("d")],
        vec![dir("d"), link("d")],
        vec![link("d"), file("d")],
        vec![file("d/escaped")],
        vec![file("/tmp/escaped")],
        vec![dir("."), file("x")],
    ];
    for entries in hostile {
        make(&entries);
        let error = restore(&lab, "a", "to/back").expect_err("it is refused");
        assert!(matches!(error, SyncError::Path { .. } | SyncError::History(_)), "{entries:?}: {error:?}");
        assert!(!error.to_string().contains("parsing"), "{entries:?}: {error}");
        assert_eq!(lab.sh("ls -A outside to"), "outside:\n\nto:\n", "{entries:?}");
        assert!(!lab.path("escaped").exists(), "{entries:?}");
    }
    make(&[dir("d"), file("fine"), link("link")]);
    restore(&lab, "a", "to/back").expect("a tree like others");
    assert_eq!(items(&lab.path("to/back")).len(), 3);
}

#[test]
fn two_at_once() {
    let Some(lab) = Lab::with(&["git"]) else { return };
    repository(&lab);
    lab.write("a/new", "new\n");
    let results: Vec<bool> = std::thread::scope(|scope| {
        let take = || open(&lab, "a").snapshot(KEY, LARGEST, &lab.env()).is_ok();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(results.iter().filter(|won| **won).count(), 1, "one of them gets the name");
    restore(&lab, "a", "back").unwrap();
    assert_eq!(items(&lab.path("back")), items(&lab.path("a")));
    assert!(items(&lab.path("back")).contains_key(Path::new("new")));
}
