//! Progress of long work. The library only records it; a front end polls and shows it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The current progress. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    steps: Arc<Mutex<Vec<Arc<Inner>>>>,
}

#[derive(Debug, Default)]
struct Inner {
    what: String,
    done: AtomicU64,
    total: AtomicU64,
}

/// A step of the work; it ends when this is dropped.
#[derive(Debug)]
#[must_use = "the step is over when this is dropped"]
pub struct Step {
    activity: Activity,
    inner: Arc<Inner>,
}

/// The progress of the innermost step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    pub what: String,
    pub done: u64,
    /// 0 if unknown.
    pub total: u64,
}

impl Activity {
    /// Begins a step inside the open ones.
    pub fn begin(&self, what: impl Into<String>) -> Step {
        let inner = Arc::new(Inner { what: what.into(), ..Inner::default() });
        self.lock().push(Arc::clone(&inner));
        Step { activity: self.clone(), inner }
    }

    /// Begins a step that is not shown: another program has the terminal, or everything waits.
    pub fn silence(&self) -> Step {
        self.begin("")
    }

    /// The innermost open step.
    pub fn now(&self) -> Option<Now> {
        let inner = self.lock().last().cloned()?;
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Some(Now { what: inner.what.clone(), done: read(&inner.done), total: read(&inner.total) })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Inner>>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Step {
    /// Sets how much of the step is done.
    pub fn at(&self, done: u64, total: u64) {
        self.inner.done.store(done, Ordering::Relaxed);
        self.inner.total.store(total, Ordering::Relaxed);
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.activity.lock().retain(|known| !Arc::ptr_eq(known, &self.inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_step_is_shown_and_ends() {
        let activity = Activity::default();
        assert_eq!(activity.now(), None);
        let outer = activity.begin("outer");
        {
            let inner = activity.clone().begin("inner");
            inner.at(3, 9);
            assert_eq!(activity.now(), Some(Now { what: "inner".to_owned(), done: 3, total: 9 }));
        }
        assert_eq!(activity.now().map(|now| now.what).as_deref(), Some("outer"));
        drop(outer);
        assert_eq!(activity.now(), None);
    }
}
