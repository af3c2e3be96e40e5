//! What a long piece of work says about itself while it goes on. The library only says it; whoever shows it looks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is being done now. Copies of it are the same.
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

/// A step of the work; it is over when this is dropped.
#[derive(Debug)]
#[must_use = "the step is over when this is dropped"]
pub struct Step {
    activity: Activity,
    inner: Arc<Inner>,
}

/// How far the innermost step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    pub what: String,
    pub done: u64,
    /// 0 if nobody knows.
    pub total: u64,
}

impl Activity {
    /// Begins a step inside of those that have begun.
    pub fn begin(&self, what: impl Into<String>) -> Step {
        let inner = Arc::new(Inner { what: what.into(), ..Inner::default() });
        self.lock().push(Arc::clone(&inner));
        Step { activity: self.clone(), inner }
    }

    /// Begins a step that nothing is said about: somebody else has the terminal, or everybody waits.
    pub fn silence(&self) -> Step {
        self.begin("")
    }

    /// The step that began last and is not over.
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
    /// So much of so much is done.
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
    fn the_innermost_step_is_told_and_ends() {
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
