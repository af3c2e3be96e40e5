//! What every adapter must do with snapshots: the same stories for all of them.
//!
//! An adapter is tested with a type that implements [`Shop`], in `snapshots_kinds.rs`.

use std::any::type_name;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use beads::internal::vcs::{self, LARGEST, LeftOut, Snapshot, SyncError, Vcs, Why};

use crate::vcs::lab::Lab;

pub const KEY: &str = "cp_a1b2c3d4e5f6";

/// How a user of one system works.
pub trait Shop {
    const PROGRAMS: &'static [&'static str];
    /// Whether names may be no text.
    const ANY_NAME: bool = true;
    /// Whether there can be more than one checkout, and files that are ignored.
    const IS_VERSIONED: bool = true;
    /// Whether something can be staged that is in no file.
    const HAS_INDEX: bool = false;

    /// Makes `main` a repository of all that is in it.
    fn begin(lab: &Lab);
    /// Makes `wt` another checkout of it.
    fn checkout(lab: &Lab);
    /// What the user has staged, committed and so on, in `wt`.
    fn state(lab: &Lab) -> String;
    fn stage(lab: &Lab, file: &str);
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    File { can_run: bool, bytes: Vec<u8> },
    Link(PathBuf),
    Other,
}

/// All files of a directory, but not those of version control.
pub fn items(root: &Path) -> BTreeMap<PathBuf, Item> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let meta = std::fs::symlink_metadata(&path).expect("a file");
            let name = path.strip_prefix(root).expect("below").to_owned();
            if [".git", ".jj", ".hg"].iter().any(|marker| path.ends_with(marker)) || name.starts_with(".beads/run") {
                continue;
            }
            let can_run = meta.permissions().mode() & 0o100 != 0;
            if meta.is_dir() {
                open.push(path);
            } else if meta.is_symlink() {
                found.insert(name, Item::Link(std::fs::read_link(&path).expect("a link")));
            } else if meta.is_file() {
                found.insert(name, Item::File { can_run, bytes: std::fs::read(&path).expect("a file") });
            } else {
                found.insert(name, Item::Other);
            }
        }
    }
    found
}

pub fn open(lab: &Lab, place: &str) -> Box<dyn Vcs> {
    vcs::open(&lab.path(place))
}

pub fn take(lab: &Lab, place: &str) -> Snapshot {
    open(lab, place).snapshot(KEY, LARGEST, &lab.env()).expect("a snapshot")
}

pub fn restore(lab: &Lab, place: &str, to: &str) -> Result<Option<PathBuf>, SyncError> {
    open(lab, place).restore_snapshot(KEY, &lab.path(to), &lab.env())
}

fn names(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

/// A repository with some files, and a second checkout in which the user is at work.
fn at_work<S: Shop>(lab: &Lab) {
    for (name, text) in [("same", "same\n"), ("changed", "1\n"), ("gone", "1\n"), ("staged", "1\n"), ("tool", "1\n")] {
        lab.write(&format!("main/{name}"), text);
    }
    lab.write("main/deep/er/same", "same\n");
    lab.write("main/was-dir/a", "1\n");
    lab.write("main/was-file", "1\n");
    lab.sh("cd main; ln -s same link; ln -s nowhere dead; printf '\\0\\r\\n\\377' > binary");
    S::begin(lab);
    S::checkout(lab);
    lab.write("wt/changed", "2\r\nno end");
    lab.write("wt/new", "new\n");
    lab.write("wt/new dir/with \"odd\"\nname", "new\n");
    lab.write("wt/empty", "");
    lab.write("wt/staged", "2\n");
    S::stage(lab, "staged");
    lab.write("wt/staged", "3\n");
    lab.write("wt/ignored.o", "o\n");
    lab.sh("cd wt; rm gone; chmod +x tool; ln -sf changed link; ln -s ../outside out; rm -r was-dir; echo f > was-dir
            rm was-file; mkdir was-file; echo f > was-file/a; mkdir nothing");
    if S::ANY_NAME {
        std::fs::write(lab.path("wt").join(OsStr::from_bytes(b"n\xff\xfe")), "bytes").expect("a file");
    }
}

pub fn the_work_comes_back<S: Shop>(lab: &Lab) {
    at_work::<S>(lab);
    let mut work = items(&lab.path("wt"));
    let before = (S::state(lab), work.clone());
    let snapshot = take(lab, "wt");
    assert_eq!((S::state(lab), items(&lab.path("wt"))), before, "nothing changes");
    assert_eq!(snapshot.left_out, []);
    if S::IS_VERSIONED {
        work.remove(Path::new("ignored.o"));
        let mut expected = names(&[
            "changed",
            "empty",
            "gone",
            "link",
            "new",
            "new dir/with \"odd\"\nname",
            "out",
            "staged",
            "tool",
            "was-dir",
            "was-dir/a",
            "was-file",
            "was-file/a",
        ]);
        expected.extend(S::ANY_NAME.then(|| PathBuf::from(OsStr::from_bytes(b"n\xff\xfe"))));
        expected.sort();
        assert_eq!(snapshot.files, expected);
        assert!(snapshot.base.is_some());
        lab.sh("rm -rf wt");
    }
    let staged = restore(lab, if S::IS_VERSIONED { "main" } else { "wt" }, "back/here").expect("the work");
    assert_eq!(staged, S::HAS_INDEX.then(|| ".bd-index".into()));
    if let Some(staged) = staged.map(|name| lab.path("back/here").join(name)) {
        assert_eq!(std::fs::read_to_string(staged.join("staged/staged")).unwrap(), "2\n");
        std::fs::remove_dir_all(staged).unwrap();
    }
    assert_eq!(items(&lab.path("back/here")), work);
    assert!(!lab.path("back/here/.beads/run").exists());
    assert_eq!(std::fs::read_dir(lab.path("back")).unwrap().count(), 1, "nothing beside it");
}

/// A repository with one file, and a second checkout.
fn one_file<S: Shop>(lab: &Lab) {
    lab.fill(&format!("one file of {}", type_name::<S>()), |lab| {
        lab.write("main/a", "1\n");
        S::begin(lab);
        S::checkout(lab);
    });
}

pub fn nothing_is_different<S: Shop>(lab: &Lab) {
    one_file::<S>(lab);
    let snapshot = take(lab, "wt");
    assert!(snapshot.files.is_empty() || !S::IS_VERSIONED, "{:?}", snapshot.files);
    restore(lab, "wt", "back").expect("a directory");
    assert_eq!(items(&lab.path("back")), items(&lab.path("wt")));
}

pub fn large_files_are_named<S: Shop>(lab: &Lab) {
    one_file::<S>(lab);
    lab.write("wt/fits", "12345678");
    lab.write("wt/large", "123456789");
    let snapshot = open(lab, "wt").snapshot(KEY, 8, &lab.env()).expect("a snapshot");
    assert_eq!(snapshot.left_out, [LeftOut { path: "large".into(), why: Why::TooLarge(9) }]);
    restore(lab, "wt", "back").expect("a directory");
    let back = items(&lab.path("back"));
    assert!(back.contains_key(Path::new("fits")) && !back.contains_key(Path::new("large")));
}

pub fn other_repositories_are_named<S: Shop>(lab: &Lab) {
    one_file::<S>(lab);
    lab.sh("cd wt; mkdir -p x/.GIT; echo 1 > x/.GIT/config; echo 1 > x/y");
    let snapshot = take(lab, "wt");
    assert_eq!(snapshot.left_out, [LeftOut { path: "x/.GIT".into(), why: Why::Repository }]);
    restore(lab, "wt", "back").expect("a directory");
    assert!(lab.path("back/x/y").exists() && !lab.path("back/x/.GIT").exists());
}

pub fn refusals<S: Shop>(lab: &Lab) {
    one_file::<S>(lab);
    assert!(matches!(restore(lab, "wt", "back"), Err(SyncError::NoSnapshot { .. })));
    assert!(!lab.path("back").exists());
    take(lab, "wt");
    lab.write("wt/a", "2\n");
    let again = open(lab, "wt").snapshot(KEY, LARGEST, &lab.env());
    assert!(again.is_err(), "a snapshot is never replaced: {again:?}");
    lab.write("back/mine", "mine");
    assert!(matches!(restore(lab, "wt", "back"), Err(SyncError::Path { .. })));
    assert_eq!(items(&lab.path("back")).len(), 1);
    lab.write("file", "mine");
    assert!(restore(lab, "wt", "file").is_err());
    assert_eq!(std::fs::read_to_string(lab.path("file")).unwrap(), "mine");
    for odd in ["", "../x", "a/b", "-d", "A"] {
        assert!(open(lab, "wt").snapshot(odd, LARGEST, &lab.env()).is_err(), "{odd:?}");
        assert!(open(lab, "wt").drop_snapshot(odd, &lab.env()).is_err(), "{odd:?}");
    }
    lab.sh("mkdir hollow");
    restore(lab, "wt", "hollow").expect("an empty directory will do");
    assert_eq!(std::fs::read_to_string(lab.path("hollow/a")).unwrap(), "1\n", "the first one is still there");
    open(lab, "wt").drop_snapshot(KEY, &lab.env()).expect("forgotten");
    open(lab, "wt").drop_snapshot(KEY, &lab.env()).expect("forgotten already");
    assert!(matches!(restore(lab, "wt", "back2"), Err(SyncError::NoSnapshot { .. })));
}

/// Another program makes and removes files all the time.
pub fn files_that_come_and_go<S: Shop>(lab: &Lab) {
    one_file::<S>(lab);
    (0..300).for_each(|n| drop(lab.write(&format!("wt/stays{n}"), "1\n")));
    let over = std::sync::atomic::AtomicBool::new(false);
    let place = lab.path("wt/d");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::create_dir_all(&place).unwrap();
                (0..50).for_each(|n| std::fs::write(place.join(format!("{n}")), "x").unwrap());
                std::fs::remove_dir_all(&place).unwrap();
            }
        });
        let results: Vec<_> = (0..5)
            .map(|n| open(lab, "wt").snapshot(&format!("cp_{n}"), LARGEST, &lab.env()).map(|s| s.left_out))
            .collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        results.into_iter().for_each(|result| assert_eq!(result.expect("a snapshot"), []));
    });
    open(lab, "wt").restore_snapshot("cp_4", &lab.path("back"), &lab.env()).expect("a directory");
    assert!((0..300).all(|n| lab.path(&format!("back/stays{n}")).exists()));
}

macro_rules! snapshots {
    ($shop:ty) => {
        $crate::vcs::snapshots::snapshots!($shop: the_work_comes_back, nothing_is_different, large_files_are_named,
            other_repositories_are_named, refusals, files_that_come_and_go);
    };
    ($shop:ty: $($story:ident),*) => {
        $(#[test]
        fn $story() {
            use $crate::vcs::snapshots::Shop as _;
            if let Some(lab) = $crate::vcs::lab::Lab::with(<$shop>::PROGRAMS) {
                $crate::vcs::snapshots::$story::<$shop>(&lab);
            }
        })*
    };
}
pub(crate) use snapshots;
