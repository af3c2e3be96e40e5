//! What callers are told when something about the state home went wrong.

use super::failure::{Exit, Failure};
use crate::coordination::{CoordinationError, Obstacle};
use crate::store::{HistoryError, RecordError};

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

impl Failure {
    /// Somebody else has reserved it.
    pub fn reserved(message: String, obstacles: &[Obstacle]) -> Self {
        let failure = Self::new(Exit::Reserved, "reserved", message)
            .hint("work on something else, ask the holder, or wait until it is over; bd reserve list shows all");
        let Some(Obstacle { wanted, reservation }) = obstacles.first() else { return failure };
        let failure = failure
            .fact("wanted", wanted)
            .fact("holder", &reservation.holder.name)
            .fact("glob", &reservation.glob)
            .fact("reservation", &reservation.id);
        match reservation.expires {
            Some(at) => failure.fact("expires", &at.to_string()),
            None => failure,
        }
    }
}

impl From<CoordinationError> for Failure {
    fn from(error: CoordinationError) -> Self {
        let message = error.to_string();
        match error {
            CoordinationError::Store(error) => error.into(),
            CoordinationError::Record(error) => error.into(),
            CoordinationError::History(HistoryError::NotGit { .. }) => {
                Self::new(Exit::NoRepository, "no_repository", message)
                    .hint("only git stages files: bd reserve check PATH looks at single ones")
            }
            CoordinationError::History(_) => Self::failed(message),
            CoordinationError::Glob { .. } => Self::usage(message).hint("bd reserve --help shows the language"),
            CoordinationError::Outside { .. } => Self::usage(message),
            CoordinationError::Reserved { obstacles } => Self::reserved(message, &obstacles),
            CoordinationError::ReservedByOther { reservation } => Self::new(Exit::Illegal, "illegal", message)
                .hint("its holder or a coordinator can release it")
                .fact("holder", &reservation.holder.name),
            CoordinationError::NotReserved { .. } => {
                Self::not_found(message).hint("bd reserve list shows what is reserved")
            }
            CoordinationError::Endless => Self::usage(message).hint("leave --ttl out, or name a time such as 2h"),
            CoordinationError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
        }
    }
}
