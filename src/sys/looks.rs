//! What was found out about a path, for as long as it counts as known: while a project is opened, while a write gets its locks and
//! while it is made, and for the length of a command that only looks. No path is then looked at twice, unless `sys` itself writes,
//! starts a program, gets a lock or pauses meanwhile. At any other time every question is asked again, so a store that stays open
//! notices what changes.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FileType, Stat};
use rustix::io::Errno;

use super::stamp::{FileStamp, retry};

/// Questions, and per path what was answered. A path counts as it is written: that is compared far faster than its parts.
type Answers = BTreeMap<&'static str, BTreeMap<OsString, Box<dyn Any>>>;

thread_local! {
    static KNOWN: RefCell<Option<Answers>> = const { RefCell::new(None) };
}

/// Does something during which what was found out once stays known, in this thread.
pub fn during<T>(work: impl FnOnce() -> T) -> T {
    struct End(bool);
    impl Drop for End {
        fn drop(&mut self) {
            if self.0 {
                KNOWN.set(None);
            }
        }
    }
    let is_first = KNOWN.with_borrow_mut(|known| known.is_none().then(|| *known = Some(Answers::new())).is_some());
    let _end = End(is_first);
    work()
}

/// Something is about to be changed, or others had time to: all that was known is asked again.
pub fn forget() {
    KNOWN.with_borrow_mut(|known| known.iter_mut().for_each(Answers::clear));
}

/// Waits a moment, in which others may change anything.
pub fn pause(length: Duration) {
    std::thread::sleep(length);
    forget();
}

/// The answer to a question about a path: the known one, or else what is found out now.
pub fn once<T: Clone + 'static>(question: &'static str, path: &Path, find_out: impl FnOnce() -> T) -> T {
    let known = KNOWN.with_borrow(|known| {
        let answer = known.as_ref()?.get(question)?.get(path.as_os_str())?;
        Some(answer.downcast_ref::<T>().expect("a question has answers of one type").clone())
    });
    known.unwrap_or_else(|| {
        let found = find_out();
        KNOWN.with_borrow_mut(|known| {
            if let Some(known) = known {
                known.entry(question).or_default().insert(path.into(), Box::new(found.clone()));
            }
        });
        found
    })
}

/// What has this name: a link is a link.
fn look(path: &Path) -> Result<Stat, Errno> {
    once("look", path, || retry(|| rustix::fs::lstat(path)))
}

/// What this name leads to.
fn follow(path: &Path) -> Result<Stat, Errno> {
    match look(path) {
        Ok(stat) if kind(&stat) == FileType::Symlink => once("follow", path, || retry(|| rustix::fs::stat(path))),
        found => found,
    }
}

fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Whether this name leads to something.
pub fn exists(path: &Path) -> bool {
    follow(path).is_ok()
}

pub fn is_dir(path: &Path) -> bool {
    follow(path).is_ok_and(|stat| kind(&stat) == FileType::Directory)
}

pub fn is_file(path: &Path) -> bool {
    follow(path).is_ok_and(|stat| kind(&stat) == FileType::RegularFile)
}

/// Whether something has this name, be it a link that leads nowhere.
pub fn is_there(path: &Path) -> bool {
    look(path).is_ok()
}

/// Nothing has this name, as far as can be told: not even a link.
pub fn is_missing(path: &Path) -> bool {
    look(path).is_err_and(|e| e == Errno::NOENT)
}

/// It was looked for, and is not there.
pub fn is_known_missing(path: &Path) -> bool {
    let known = KNOWN.with_borrow(|known| Some(known.as_ref()?.get("look")?.contains_key(path.as_os_str())));
    known == Some(true) && is_missing(path)
}

pub fn is_link(path: &Path) -> bool {
    look(path).is_ok_and(|stat| kind(&stat) == FileType::Symlink)
}

/// What tells whether a file or a directory has changed.
pub fn stamp(path: &Path) -> Option<FileStamp> {
    follow(path).ok().map(|stat| FileStamp::of(&stat))
}

/// The path without links. Of a path whose directory is known, only the last name is looked at.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    let is_plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    if !is_plain || KNOWN.with_borrow(Option::is_none) {
        return std::fs::canonicalize(path);
    }
    let os = |e: io::Error| e.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
    let found = once("real", path, || {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(path.to_owned()) };
        let here = real(above).map_err(os)?.join(name);
        match kind(&look(&here)?) {
            FileType::Symlink => std::fs::canonicalize(path).map_err(os),
            _ => Ok(here),
        }
    });
    Ok(found?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_asked_again_until_the_end() {
        let here = tempfile::tempdir().unwrap();
        let file = here.path().join("file");
        assert!(!exists(&file));
        during(|| {
            assert!(!exists(&file));
            std::fs::write(&file, "").unwrap();
            during(|| assert!(!exists(&file), "the inner look is a part of the outer one"));
            assert!(!exists(&file));
            forget();
            assert!(exists(&file), "what is written meanwhile is seen");
        });
        assert!(exists(&file));
        let ended = std::panic::catch_unwind(|| during(|| panic!("on purpose")));
        assert!(ended.is_err() && KNOWN.with_borrow(Option::is_none));
    }

    #[test]
    fn a_path_without_links_is_the_same_as_ever() {
        let here = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(here.path()).unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        for (name, to) in [("link", "a"), ("a/up", "../link/b"), ("dead", "nowhere"), ("loop", "loop")] {
            std::os::unix::fs::symlink(to, root.join(name)).unwrap();
        }
        let paths = [
            "",
            "a",
            "a/b",
            "link",
            "link/b",
            "a/up",
            "link/up/..",
            "a/./b",
            "dead",
            "loop/x",
            "a/file",
            "a/file/x",
            "no",
        ];
        during(|| {
            for path in paths.iter().chain(&paths).map(|path| root.join(path)) {
                let kind = |found: io::Result<PathBuf>| found.map_err(|e| e.raw_os_error());
                assert_eq!(kind(real(&path)), kind(std::fs::canonicalize(&path)), "{}", path.display());
                assert_eq!(
                    (exists(&path), is_dir(&path), is_file(&path)),
                    (path.exists(), path.is_dir(), path.is_file())
                );
                assert_eq!(is_link(&path), path.is_symlink(), "{}", path.display());
            }
        });
    }
}
