//! What is found out when somebody asks for it, and then stays for as long as the snapshot that it belongs to.

use std::sync::{Mutex, OnceLock, PoisonError};

/// One fact about the files. Two who ask at once wait for one answer.
#[derive(Debug)]
pub(in crate::store) struct Fact<T> {
    now: OnceLock<T>,
    /// What an earlier snapshot found: where the files are the same, it still holds.
    earlier: Mutex<Option<T>>,
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Fact { now: OnceLock::new(), earlier: Mutex::new(None) }
    }
}

impl<T> Fact<T> {
    /// One of which something is known already.
    pub fn after(earlier: T) -> Self {
        Fact { now: OnceLock::new(), earlier: Mutex::new(Some(earlier)) }
    }

    /// The fact; found out now if nobody has asked yet. What was found earlier is there to be taken, or to be left for the next try.
    pub fn get<E>(&self, find: impl FnOnce(&mut Option<T>) -> Result<T, E>) -> Result<&T, E> {
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

    /// The fact, if somebody has asked for it.
    pub fn known(&self) -> Option<&T> {
        self.now.get()
    }

    /// Looks at what was found last, now or earlier.
    pub fn last<R>(&self, look: impl FnOnce(&T) -> R) -> Option<R> {
        match self.now.get() {
            Some(known) => Some(look(known)),
            None => self.earlier.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(look),
        }
    }

    pub fn known_mut(&mut self) -> Option<&mut T> {
        self.now.get_mut()
    }

    /// What was found last, now or earlier.
    pub fn take(&mut self) -> Option<T> {
        self.again();
        self.earlier.get_mut().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Something is known, of now or of earlier.
    pub fn is_begun(&self) -> bool {
        self.now.get().is_some() || self.earlier.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The files may be others by now: who asks next finds out anew.
    pub fn again(&mut self) {
        if let Some(known) = self.now.take() {
            *self.earlier.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(known);
        }
    }
}
