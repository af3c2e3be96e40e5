//! What the system tells of a process, on Linux: enough to wait for what it does instead of for a while.

use std::fs;
use std::path::Path;

/// Whether a process waits for file events.
pub fn listens(pid: u32) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let is_inotify = |path: &Path| fs::read_link(path).is_ok_and(|to| to.to_string_lossy().contains("inotify"));
    open.flatten().any(|entry| is_inotify(&entry.path())) && is_asleep(pid)
}

/// Whether none of its threads runs or wants to.
pub fn is_asleep(pid: u32) -> bool {
    tasks(pid).iter().all(|stat| stat.starts_with('S')) && !tasks(pid).is_empty()
}

/// How often the threads of a process have gone to sleep or were put aside so far. It stays the same while none of them wakes.
pub fn switches(pid: u32) -> Option<u64> {
    let mut sum = 0;
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        let status = fs::read_to_string(task.path().join("status")).ok()?;
        let counts = status.lines().filter(|line| line.contains("ctxt_switches"));
        sum += counts.filter_map(|line| line.split_whitespace().last()?.parse::<u64>().ok()).sum::<u64>();
    }
    Some(sum)
}

/// The processes that work in a directory or below it.
pub fn working_in(directory: &Path) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|at| at.starts_with(directory))).collect()
}

/// Of each thread, what follows its name in `stat`: the state first.
fn tasks(pid: u32) -> Vec<String> {
    let Ok(all) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let stats = all.flatten().filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    stats.filter_map(|stat| Some(stat.rsplit_once(") ")?.1.to_owned())).collect()
}
