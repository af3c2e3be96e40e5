//! The system's information about processes, on Linux: enough to wait for an action instead of for a time.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::time::Duration;

use super::wait::{until, until_some};

/// Whether the system tells what processes do.
pub fn is_told() -> bool {
    Path::new("/proc/self/task").exists()
}

/// Whether a process sleeps and listens for file events.
pub fn listens(pid: u32) -> bool {
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let is_inotify = |path: &Path| std::fs::read_link(path).is_ok_and(|to| to.to_string_lossy().contains("inotify"));
    open.flatten().any(|entry| is_inotify(&entry.path())) && Sleeper::process(pid).turns().is_some()
}

/// The processes that work in a directory or below it.
pub fn working_in(directory: &Path) -> Vec<u32> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at.starts_with(directory)))
        .collect()
}

/// So many looks in a row that find something asleep, and nothing done in between.
const SETTLED: usize = 10;
/// The same for something that has a reason to go on: it was not woken. However busy the machine is, what was woken does
/// not sleep, it waits for its turn.
const FORGOTTEN: usize = 250;
const LOOK: Duration = Duration::from_millis(20);

/// A process or a thread that may be asleep.
pub struct Sleeper {
    place: PathBuf,
    is_thread: bool,
    last: Option<u64>,
    same: usize,
}

impl Sleeper {
    pub fn process(pid: u32) -> Self {
        Sleeper { place: format!("/proc/{pid}/task").into(), is_thread: false, last: None, same: 0 }
    }

    /// The thread that calls this.
    pub fn this_thread() -> Self {
        let place = std::fs::canonicalize("/proc/thread-self").unwrap_or_default();
        Sleeper { place, is_thread: true, last: None, same: 0 }
    }

    /// How often it has run, if it sleeps; `None` if it runs, has ended, or the system does not tell.
    pub fn turns(&self) -> Option<u64> {
        if self.is_thread {
            return turns(&self.place);
        }
        std::fs::read_dir(&self.place).ok()?.map(|task| turns(&task.ok()?.path())).sum()
    }

    /// In how many looks up to now it has slept and done nothing.
    fn look(&mut self) -> usize {
        let now = self.turns();
        self.same = if now.is_some() && now == self.last { self.same + 1 } else { 0 };
        self.last = now;
        self.same
    }

    /// Waits until it has nothing to do but wait, or has ended.
    pub fn until_asleep(&mut self) {
        if !is_told() {
            // Nothing tells.
            std::thread::sleep(Duration::from_millis(500));
            return;
        }
        until("it has nothing to do but wait", || self.look() >= SETTLED || self.is_over());
    }

    fn is_over(&self) -> bool {
        let status = std::fs::read_to_string(self.place.with_file_name("status")).unwrap_or_default();
        !self.is_thread && (status.is_empty() || status.contains("State:\tZ"))
    }

    /// Waits for what something does that has a reason to go on now.
    #[track_caller]
    pub fn until_woken<T>(&mut self, mut look: impl FnMut() -> Option<T>) -> T {
        self.same = 0;
        until_some("it goes on", || {
            let found = look();
            assert!(found.is_some() || self.look() < FORGOTTEN, "it sleeps, and was not woken");
            if found.is_none() {
                std::thread::sleep(LOOK);
            }
            found
        })
    }
}

/// How often a task was given the processor, if it sleeps now.
fn turns(task: &Path) -> Option<u64> {
    let status = std::fs::read_to_string(task.join("status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    field("State").filter(|state| state.starts_with('S'))?;
    let count = |name: &str| field(name)?.parse::<u64>().ok();
    Some(count("voluntary_ctxt_switches")? + count("nonvoluntary_ctxt_switches")?)
}

/// Waits until a process has slept a few times, a little each time, as one does that looks again and again.
pub fn until_pausing(pid: u32) {
    let sleeper = Sleeper::process(pid);
    let mut seen = std::collections::BTreeSet::new();
    until("it looks again and again", || {
        seen.extend(sleeper.turns());
        seen.len() >= 4 || sleeper.is_over() || !is_told()
    });
}

/// Waits until a command that must wait for something does so.
#[track_caller]
pub fn until_waiting(child: &mut Child) {
    Sleeper::process(child.id()).until_asleep();
    assert!(child.try_wait().unwrap().is_none(), "it waits");
}

/// The end of a command that has a reason to go on now.
#[track_caller]
pub fn woken(mut child: Child) -> Output {
    Sleeper::process(child.id()).until_woken(|| child.try_wait().unwrap());
    child.wait_with_output().unwrap()
}

/// The end of a command that must not wait for anything.
#[track_caller]
pub fn ended(mut child: Child) -> Output {
    until("the command ends", || child.try_wait().unwrap().is_some());
    child.wait_with_output().unwrap()
}

/// How many wait for the lock on a directory.
pub fn lock_waiters(directory: &Path) -> usize {
    let inode = format!(":{} ", std::fs::metadata(directory).unwrap().ino());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    locks.lines().filter(|line| line.contains("->") && line.contains(&inode)).count()
}
