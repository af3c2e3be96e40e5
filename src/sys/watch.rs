//! Waits for files to change, without polling.
//!
//! The system reports changes (inotify, FSEvents, kqueue) to a listening thread. Directories are watched, because files
//! are replaced: the directory of a file, or for a missing path the nearest existing one above. An event only says that
//! it is time to look. So the order is: create the watcher, look, wait, look again; then no change is missed.
//!
//! Not every file system reports changes, and none reports those by other machines: [`Watcher::wait`] also returns
//! after [`LOOK_AGAIN`]. If the system has no watches left, it returns after [`POLL`], and [`Watcher::polls`] says why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use super::fs;
use super::listen::{Heard, System};

/// Events this close together count as one; but a wait takes at most `AT_MOST` longer for the last of them.
const TOGETHER: Duration = Duration::from_millis(5);
const AT_MOST: Duration = Duration::from_millis(50);
const LOOK_AGAIN: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_secs(2);

/// Ends the wait of a watcher from another thread.
#[derive(Debug, Clone)]
pub struct Waker(Sender<Heard>);

impl Waker {
    /// Ends the current wait, or else the next one.
    pub fn wake(&self) {
        // The waiting thread may be gone.
        let _ = self.0.send(Heard::Called);
    }
}

/// Device and number of a directory.
type Identity = (u64, u64);

/// Watches some paths: files or directories, existing or not.
#[derive(Debug)]
pub struct Watcher {
    targets: Vec<PathBuf>,
    /// The watched directories, with their identities at that time: another directory may have replaced one.
    armed: BTreeMap<PathBuf, Option<Identity>>,
    /// `None` if the system reports nothing.
    system: Option<System>,
    /// For callers from other threads; without events, only they end a wait early.
    calls: Sender<Heard>,
    heard: Receiver<Heard>,
    why_polling: Option<String>,
    together: Duration,
}

impl Watcher {
    /// Starts watching. Every change from now on ends a wait.
    pub fn on(targets: &[PathBuf]) -> Self {
        let (calls, heard) = mpsc::channel();
        let mut watcher = Watcher {
            targets: targets.to_vec(),
            armed: BTreeMap::new(),
            system: None,
            calls: calls.clone(),
            heard,
            why_polling: None,
            together: TOGETHER,
        };
        // The waiting thread may be gone.
        match System::start(move |heard| drop(calls.send(heard))) {
            Ok(system) => watcher.system = Some(system),
            Err(error) => watcher.poll_because(error),
        }
        watcher.arm();
        watcher
    }

    /// Watches other paths from now on.
    pub fn turn_to(&mut self, targets: &[PathBuf]) {
        self.targets = targets.to_vec();
        self.arm();
    }

    /// The same; events within `together` end a wait only once.
    pub fn gathering(self, together: Duration) -> Self {
        Watcher { together, ..self }
    }

    /// A handle to end a wait from another thread.
    pub fn waker(&self) -> Waker {
        Waker(self.calls.clone())
    }

    /// Waits until a target may have changed, at most `timeout`. Returns those targets, or none after a timeout. A
    /// target may be unchanged.
    pub fn wait(&mut self, timeout: Duration) -> Vec<PathBuf> {
        let start = Instant::now();
        let pause = if self.system.is_some() { LOOK_AGAIN } else { POLL };
        let look_at = start + pause.min(timeout);
        loop {
            let left = look_at.saturating_duration_since(Instant::now());
            let Ok(first) = self.heard.recv_timeout(left) else {
                // Checking now and then is cheap, and finds unreported changes, and watches that vanished with their
                // directories.
                self.arm();
                return if timeout <= pause { Vec::new() } else { self.targets.clone() };
            };
            let (mut all, woken) = (vec![first], Instant::now());
            while let Ok(more) = self.heard.recv_timeout(self.together) {
                all.push(more);
                if woken.elapsed() > AT_MOST {
                    break;
                }
            }
            let changed = self.touched(&all);
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// Why it polls; `None` if it gets events.
    pub fn polls(&self) -> Option<&str> {
        self.why_polling.as_deref()
    }

    /// The targets that events affect. New and vanished directories change what is watched; then every target may have
    /// changed.
    fn touched(&mut self, all: &[Heard]) -> Vec<PathBuf> {
        let mut unsure = false;
        let mut changed = BTreeSet::new();
        for heard in all {
            let Heard::Paths { paths, moved } = heard else {
                // A caller wants every target checked.
                unsure = true;
                continue;
            };
            for path in paths {
                if *moved && self.armed.remove(path).is_some() {
                    // The watch vanished with the directory; a new one of the same name is another.
                    if let Some(system) = &mut self.system {
                        system.unwatch(path);
                    }
                }
                let speaks = |target: &&PathBuf| target.starts_with(path) || path.starts_with(target);
                changed.extend(self.targets.iter().filter(speaks).cloned());
            }
        }
        let rearmed = self.arm();
        if unsure || rearmed { self.targets.clone() } else { changed.into_iter().collect() }
    }

    /// Watches the nearest directory of each target; returns whether one was added.
    fn arm(&mut self) -> bool {
        let Some(mut system) = self.system.take() else { return false };
        let mut added = false;
        for target in self.targets.clone() {
            // A directory may vanish or appear between looking and watching: look again.
            for _ in 0..target.components().count() + 1 {
                let Some(directory) = nearest(&target) else { break };
                let identity = identity(&directory);
                match self.armed.get(&directory) {
                    Some(known) if *known == identity => break,
                    Some(_) => system.unwatch(&directory),
                    None => {}
                }
                match system.watch(&directory) {
                    Ok(()) => {
                        self.armed.insert(directory, identity);
                        added = true;
                    }
                    Err(_) if !directory.is_dir() => {}
                    Err(error) => {
                        self.poll_because(error);
                        return true;
                    }
                }
            }
        }
        self.system = Some(system);
        added
    }

    fn poll_because(&mut self, why: String) {
        self.system = None;
        self.why_polling = Some(why);
    }
}

/// The directory to watch for a path: itself, or the nearest existing one above.
fn nearest(target: &Path) -> Option<PathBuf> {
    target.ancestors().find(|path| path.is_dir()).map(Path::to_owned)
}

fn identity(directory: &Path) -> Option<Identity> {
    fs::stat(directory).ok().map(|stamp| (stamp.dev, stamp.ino))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(120);
    const SHORT: Duration = Duration::from_millis(150);

    /// Waits until a target is reported; an event of an earlier step may come first.
    fn wakes(watcher: &mut Watcher, target: &Path) {
        let start = Instant::now();
        while !watcher.wait(LONG).iter().any(|path| path == target) {
            assert!(start.elapsed() < LONG, "nobody told");
        }
    }

    fn settles(watcher: &mut Watcher) {
        while !watcher.wait(SHORT).is_empty() {}
    }

    #[test]
    fn a_file_that_is_written_replaced_or_removed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("box");
        let mut watcher = Watcher::on(std::slice::from_ref(&file));
        assert_eq!(watcher.polls(), None);
        std::fs::write(&file, "1").unwrap();
        wakes(&mut watcher, &file);
        settles(&mut watcher);
        std::fs::write(dir.path().join("new"), "2").unwrap();
        std::fs::rename(dir.path().join("new"), &file).unwrap();
        wakes(&mut watcher, &file);
        settles(&mut watcher);
        // Neither reads nor neighbours are reported; an old event may come late on a busy machine.
        let is_no_news = |_| {
            std::fs::read(&file).unwrap();
            std::fs::write(dir.path().join("other"), "3").unwrap();
            watcher.wait(SHORT).is_empty()
        };
        assert!((0..20).any(is_no_news));
        std::fs::remove_file(&file).unwrap();
        wakes(&mut watcher, &file);
    }

    #[test]
    fn a_place_that_is_made_and_unmade() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a/b/box");
        let mut watcher = Watcher::on(std::slice::from_ref(&file));
        for round in 0..3 {
            std::fs::create_dir_all(dir.path().join("a/b")).unwrap();
            std::fs::write(&file, round.to_string()).unwrap();
            wakes(&mut watcher, &file);
            settles(&mut watcher);
            std::fs::write(&file, "again").unwrap();
            wakes(&mut watcher, &file);
            settles(&mut watcher);
            std::fs::remove_dir_all(dir.path().join("a")).unwrap();
            wakes(&mut watcher, &file);
            settles(&mut watcher);
        }
    }

    /// A directory above the watched one that is moved away is not reported. The next check finds it.
    #[test]
    fn another_directory_in_the_place_of_the_one_above() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("repo/inside/box");
        std::fs::create_dir_all(dir.path().join("repo/inside")).unwrap();
        std::fs::create_dir_all(dir.path().join("new/inside")).unwrap();
        let mut watcher = Watcher::on(std::slice::from_ref(&file));
        std::fs::rename(dir.path().join("repo"), dir.path().join("old")).unwrap();
        std::fs::rename(dir.path().join("new"), dir.path().join("repo")).unwrap();
        assert!(watcher.wait(SHORT).is_empty(), "it looks at the end of every wait");
        std::fs::write(&file, "1").unwrap();
        wakes(&mut watcher, &file);
    }

    #[test]
    fn what_happens_before_the_wait_is_not_lost() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        std::fs::create_dir(&two).unwrap();
        let mut watcher = Watcher::on(&[one.clone(), two.clone()]);
        std::fs::write(two.join("inside"), "1").unwrap();
        std::thread::sleep(SHORT);
        assert_eq!(watcher.wait(LONG), [two]);
        assert!((0..20).any(|_| watcher.wait(SHORT).is_empty()), "it was told once");
    }

    #[test]
    fn without_watches_it_looks_now_and_then() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("box");
        let mut watcher = Watcher::on(std::slice::from_ref(&file));
        watcher.poll_because("no watches left".to_owned());
        assert_eq!(watcher.polls(), Some("no watches left"));
        assert!(watcher.wait(SHORT).is_empty());
        assert_eq!(watcher.wait(LONG), [file]);
    }
}
