//! Waiting for a condition instead of for a while.

use std::time::{Duration, Instant};

/// Longer than anything takes, on a machine that is busy with other work as well.
pub const PATIENCE: Duration = Duration::from_secs(120);

const STEP: Duration = Duration::from_millis(2);

/// Waits until there is a value; fails with these words if there never is one.
#[track_caller]
pub fn until_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited {PATIENCE:?} in vain: {what}");
        std::thread::sleep(STEP);
    }
}

/// Waits until it is so; fails with these words if it never is.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    until_some(what, || is_so().then_some(()));
}
