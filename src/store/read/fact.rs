//! Facts computed on first use, which then stay for the life of their snapshot.

use std::sync::{Mutex, OnceLock, PoisonError};

/// One fact about the files. Two threads that ask at once share one computation.
#[derive(Debug)]
pub(in crate::store) struct Fact<T> {
    now: OnceLock<T>,
    /// The result of an earlier snapshot, which still holds if the files are the same.
    earlier: Mutex<Option<T>>,
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Fact { now: OnceLock::new(), earlier: Mutex::new(None) }
    }
}

impl<T> Fact<T> {
    /// A fact with an earlier result.
    pub(crate) fn after(earlier: T) -> Self {
        Fact { now: OnceLock::new(), earlier: Mutex::new(Some(earlier)) }
    }

    /// The fact; computed now if no one has asked before. `find` may take the earlier result, or leave it for the next
    /// try.
    pub(crate) fn get<E>(&self, find: impl FnOnce(&mut Option<T>) -> Result<T, E>) -> Result<&T, E> {
        if let Some(known) = self.now.get() {
            return Ok(known);
        }
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.now.get() {
            return Ok(known);
        }
        let found = find(&mut earlier)?;
        Ok(self.now.get_or_init(|| found))
    }

    /// The fact, if it was computed.
    pub(crate) fn known(&self) -> Option<&T> {
        self.now.get()
    }

    /// Inspects the latest result, current or earlier.
    pub(crate) fn last<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
        match self.now.get() {
            Some(known) => Some(look(known)),
            None => self.earlier.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(look),
        }
    }

    pub(crate) fn known_mut(&mut self) -> Option<&mut T> {
        self.now.get_mut()
    }

    /// The latest result, current or earlier.
    pub(crate) fn take(&mut self) -> Option<T> {
        self.invalidate();
        self.earlier.get_mut().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// There is a result, current or earlier.
    pub(crate) fn has_result(&self) -> bool {
        self.now.get().is_some() || self.earlier.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The files may have changed: the next request computes it again.
    pub(crate) fn invalidate(&mut self) {
        if let Some(known) = self.now.take() {
            *self.earlier.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(known);
        }
    }
}
