//! Ends programs that this one started.

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How long a program may clean up after a timeout, and how long its streams may outlive it.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// Ends a child and everything it started. A polite signal comes first: version control then removes its locks. The
/// child is reaped last, because until then its process id cannot be reused.
pub(super) fn end(child: &mut Child) -> std::io::Result<()> {
    let group = Pid::from_child(child);
    let _ = kill_process_group(group, Signal::TERM);
    let until = Instant::now() + GRACE;
    let ended = || waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG);
    while Instant::now() < until && matches!(ended(), Ok(None)) {
        sleep(Duration::from_millis(5));
    }
    let _ = kill_process_group(group, Signal::KILL);
    child.wait().map(drop)
}
