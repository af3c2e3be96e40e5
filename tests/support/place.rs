//! Temporary directories: in memory for most tests, on the disk where durability or the disk's behaviour is the subject.
//!
//! Everything that tests make is below one of the two, so the first request also puts the process in order: whatever umask and
//! signals it was started with, the programs that tests start get the usual ones.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Once, OnceLock, atomic::AtomicBool};

use tempfile::TempDir;

/// Enough for everything that runs at the same time.
const ROOM: u64 = 4 << 30;

/// A directory in memory, if the machine has such a place and `TMPDIR` asks for no other one.
pub fn in_memory(prefix: &str) -> TempDir {
    below(root(), prefix)
}

/// The directory that all of those are in. It is gone with this process.
pub fn root() -> &'static Path {
    put_in_order();
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(make_root)
}

/// A directory beside the build, on the disk.
pub fn on_disk(prefix: &str) -> TempDir {
    put_in_order();
    below(Path::new(env!("CARGO_TARGET_TMPDIR")), prefix)
}

fn below(root: &Path, prefix: &str) -> TempDir {
    let made = tempfile::Builder::new().prefix(prefix).tempdir_in(root);
    made.unwrap_or_else(|error| panic!("a directory in {}: {error}", root.display()))
}

/// One directory for all that this process makes. However the process ends, nothing of it stays in memory: a shell waits for the
/// end of its input, which is that of the process.
fn make_root() -> PathBuf {
    let shared = Path::new("/dev/shm");
    let has_room = || rustix::fs::statvfs(shared).is_ok_and(|found| found.f_bavail * found.f_frsize >= ROOM);
    let make = |at: &Path| tempfile::Builder::new().prefix("bd-tests-").tempdir_in(at);
    let wanted = std::env::var_os("TMPDIR").is_none() && has_room();
    let made = wanted.then(|| make(shared).ok()).flatten();
    let root = made.unwrap_or_else(|| make(&std::env::temp_dir()).expect("a temporary directory")).keep();
    let script = "trap '' INT TERM HUP QUIT; cat; rm -rf -- \"$0\"";
    let mut janitor = Command::new("sh");
    janitor.args(["-c", script]).arg(&root).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not waited for: its input closes when this process is over.
    std::mem::forget(janitor.spawn().expect("sh"));
    root
}

/// A process started in the background ignores SIGINT, and so would all that it starts. A signal that has a handler, however, is
/// the default again in programs that are started.
fn put_in_order() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGQUIT, signal_hook::consts::SIGHUP] {
            signal_hook::flag::register_conditional_default(signal, Arc::new(AtomicBool::new(true))).unwrap();
        }
    });
}
