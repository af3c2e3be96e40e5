//! A progress line on the terminal, while a command takes longer than a second.
//!
//! A separate thread draws it on standard error, and removes it before anything else is printed. Once data has gone to
//! standard output, nothing is drawn any more: it could end up in the middle of a line.

use std::io::{self, Write as _};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::width::shortened;
use crate::sys::activity::{Activity, Now};
use crate::sys::terminal;
use crate::view::inline;

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const BEAT: Duration = Duration::from_millis(120);
const BAR: usize = 24;

#[derive(Debug, Clone)]
pub(super) struct Meter {
    shared: Arc<(Mutex<Shown>, Condvar)>,
}

#[derive(Debug, Default)]
struct Shown {
    is_drawn: bool,
    /// Another program has the terminal.
    is_held: bool,
    is_over: bool,
}

impl Meter {
    pub(super) fn start(activity: Activity) -> Self {
        let meter = Meter { shared: Arc::default() };
        let shared = Arc::clone(&meter.shared);
        // Without a thread only the progress line is missing.
        let _ = thread::Builder::new().name("meter".to_owned()).spawn(move || draw(&shared, &activity));
        meter
    }

    /// Removes the line before other output.
    pub(super) fn hide(&self) {
        clear(&mut self.lock());
    }

    /// Leaves the terminal to another program until the next [`Meter::take_back`].
    pub(super) fn hand_over(&self) {
        let mut shown = self.lock();
        clear(&mut shown);
        shown.is_held = true;
    }

    pub(super) fn take_back(&self) {
        self.lock().is_held = false;
    }

    /// Stops drawing.
    pub(super) fn stop(&self) {
        let mut shown = self.lock();
        clear(&mut shown);
        shown.is_over = true;
        self.shared.1.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Shown> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(shared: &(Mutex<Shown>, Condvar), activity: &Activity) {
    let began = Instant::now();
    let mut wait = PATIENCE;
    let mut shown = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    for beat in 0_usize.. {
        shown = shared.1.wait_timeout(shown, wait).unwrap_or_else(PoisonError::into_inner).0;
        if shown.is_over {
            return;
        }
        // A condition variable may wake spuriously.
        wait = PATIENCE.saturating_sub(began.elapsed()).max(BEAT);
        if began.elapsed() < PATIENCE || shown.is_held {
            continue;
        }
        match activity.now() {
            Some(now) if !now.what.is_empty() => {
                let width = terminal::error_columns().unwrap_or(80).saturating_sub(1);
                let text = line(&now, beat, began.elapsed(), width);
                let _ = write!(io::stderr(), "\r\x1b[K{text}");
                shown.is_drawn = true;
            }
            _ => clear(&mut shown),
        }
    }
}

fn clear(shown: &mut Shown) {
    if std::mem::take(&mut shown.is_drawn) {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

/// The text of the line, no wider than the terminal.
fn line(now: &Now, beat: usize, since: Duration, width: usize) -> String {
    let turning = ['|', '/', '-', '\\'][beat % 4];
    let what = inline(&now.what);
    let text = match now.total {
        0 => format!("{turning} {what} ({}s)", since.as_secs()),
        total => {
            let done = now.done.min(total);
            let part = |whole: u64| usize::try_from(u128::from(done) * u128::from(whole) / u128::from(total));
            let filled = part(BAR as u64).unwrap_or_default();
            let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR - filled));
            format!("{turning} {what} [{bar}] {}% ({}s)", part(100).unwrap_or_default(), since.as_secs())
        }
    };
    shortened(&text, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(what: &str, done: u64, total: u64, width: usize) -> String {
        line(&Now { what: what.to_owned(), done, total }, 1, Duration::from_secs(3), width)
    }

    #[test]
    fn a_line_shows_the_progress_and_fits() {
        assert_eq!(shown("fetching", 0, 0, 80), "/ fetching (3s)");
        assert_eq!(shown("cloning", 1, 2, 80), "/ cloning [############............] 50% (3s)");
        assert_eq!(shown("cloning", 9, 2, 80), "/ cloning [########################] 100% (3s)");
        assert!(shown("a\u{1b}[2Jb", 0, 0, 80).find('\u{1b}').is_none());
        assert!(shown(&"long ".repeat(40), u64::MAX, u64::MAX, 20).chars().count() <= 20);
    }
}
