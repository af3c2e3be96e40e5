//! What callers are told when something about the state home went wrong.

use super::failure::{Exit, Failure};
use crate::coordination::CoordinationError;
use crate::store::RecordError;

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        let message = error.to_string();
        match error {
            RecordError::Ledger(error) => error.into(),
            RecordError::Fs(_) => {
                Self::failed(message).hint("bd where says which state home is used; BD_STATE_DIR names another")
            }
            RecordError::Newer { .. } => Self::new(Exit::Damaged, "newer", message).hint("use the newer bd"),
            RecordError::Unreachable { .. } => Self::new(Exit::NoRepository, "no_repository", message)
                .hint("mount that directory here, or name a state home with BD_STATE_DIR"),
        }
    }
}

impl From<CoordinationError> for Failure {
    fn from(error: CoordinationError) -> Self {
        match error {
            CoordinationError::Store(error) => error.into(),
            CoordinationError::Record(error) => error.into(),
        }
    }
}
