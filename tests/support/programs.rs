//! Programs that a test needs and that may not be installed.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where a program is.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// Whether these programs are installed. A missing one is named, with the test that goes without; in CI it is a failure.
pub fn have(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|name| find(name).is_none());
    missing.is_none_or(|name| skip(&format!("{name} is missing")))
}

/// Skips this test for a reason that a person sees, and that fails in CI. Always `false`.
pub fn skip(reason: &str) -> bool {
    static SKIPPED: AtomicUsize = AtomicUsize::new(0);
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Past the capture of the test runner: a person must see it.
    let _ = writeln!(std::io::stderr(), "skipped ({count}): {test}: {reason}");
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "nothing may be skipped in CI: {reason}");
    false
}
