//! The error type and its kinds.

use std::fmt;
use std::time::{Duration, SystemTime};

use crate::model::change::ChangeError;
use crate::model::time::Instant;
use crate::ops::OpError;
use crate::store::{LeaseError, StoreError};
use crate::sys;
pub use crate::view::ErrorKind;
use crate::view::Failure;

/// The result of a call of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call failed. The text says what happened; [`Error::kind`] is for programs.
#[derive(Debug)]
pub struct Error {
    cause: Box<OpError>,
}

impl Error {
    /// The kind of failure.
    pub fn kind(&self) -> ErrorKind {
        Failure::from(&*self.cause).kind
    }

    /// The stable word of `bd`'s JSON errors, finer than the kind: `changed`, `claimed`, `busy`, and others.
    pub fn code(&self) -> &'static str {
        Failure::from(&*self.cause).code
    }

    /// How long to wait before the same call is likely to succeed; `None` if repeating it does not help.
    pub fn retry_after(&self) -> Option<Duration> {
        let failure = Failure::from(&*self.cause);
        let seconds = failure.retry_after().filter(|_| failure.kind == ErrorKind::Busy)?;
        Some(Duration::from_secs(seconds.unsigned_abs()))
    }

    /// The same call, unchanged, may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.kind() == ErrorKind::Busy
    }

    /// What to do about it, in `bd`'s words.
    pub fn hint(&self) -> Option<String> {
        Failure::from(&*self.cause).hint.text()
    }

    /// The holder of the issue, if that is the reason.
    pub fn holder(&self) -> Option<&str> {
        match self.lease()? {
            LeaseError::Claimed { holder, .. } | LeaseError::Locked { holder, .. } => Some(holder),
            LeaseError::Stale { holder, .. } | LeaseError::LockOver { holder, .. } => holder.as_deref(),
            _ => None,
        }
    }

    /// When the claim that is the reason expires, unless it is renewed.
    pub fn expires_at(&self) -> Option<SystemTime> {
        let (LeaseError::Claimed { expires, .. } | LeaseError::Locked { expires, .. }) = self.lease()? else {
            return None;
        };
        Instant::parse(expires.as_ref()?).map(sys::to_system)
    }

    /// The issues that this one waits for, if that is the reason.
    pub fn blockers(&self) -> &[String] {
        match (self.lease(), &*self.cause) {
            (Some(LeaseError::Waits { blockers, .. }), _) => blockers,
            (_, OpError::Store(StoreError::Change(ChangeError::OpenBlockers { blockers, .. }))) => blockers,
            (_, OpError::Store(StoreError::Change(ChangeError::OpenChildren { children, .. }))) => children,
            _ => &[],
        }
    }

    fn lease(&self) -> Option<&LeaseError> {
        match &*self.cause {
            OpError::Store(StoreError::Lease(error)) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The cause has the same text as this error.
        self.cause.source()
    }
}

impl<E: Into<OpError>> From<E> for Error {
    fn from(error: E) -> Self {
        Error { cause: Box::new(error.into()) }
    }
}
