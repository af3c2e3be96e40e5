//! Failures of reservations and checkpoints.

use super::failure::{Exit, Failure};
use crate::ops::{CheckpointError, Obstacle, ReservationError};
use crate::store::{HistoryError, SyncError};

impl Failure {
    /// Someone else has reserved it.
    pub fn reserved(message: String, obstacles: &[Obstacle]) -> Self {
        let failure = Self::new(Exit::Reserved, "reserved", message)
            .hint("work on something else, ask the holder, or wait; run `bd reserve list` to see all reservations");
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

impl From<&ReservationError> for Failure {
    fn from(error: &ReservationError) -> Self {
        let message = error.to_string();
        match error {
            ReservationError::Staged(SyncError::History(HistoryError::NotGit { .. })) => {
                Self::no_repository(message).hint("only git stages files; run `bd reserve check PATH` instead")
            }
            ReservationError::Staged(error) => error.into(),
            ReservationError::Glob { .. } => {
                Self::usage(message).hint("run `bd reserve --help` for the pattern language")
            }
            ReservationError::Outside { .. } => Self::usage(message),
            ReservationError::Reserved { obstacles } => Self::reserved(message, obstacles),
            ReservationError::ByOther { reservation } => Self::illegal(message)
                .hint("its holder or a coordinator can release it")
                .fact("holder", &reservation.holder.name),
            ReservationError::NotReserved { .. } => {
                Self::not_found(message).hint("run `bd reserve list` to see what is reserved")
            }
            ReservationError::Endless => Self::usage(message).hint("leave --ttl out, or name a time such as 2h"),
            ReservationError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
        }
    }
}

impl From<&CheckpointError> for Failure {
    fn from(error: &CheckpointError) -> Self {
        let message = error.to_string();
        match error {
            CheckpointError::Snapshot(error) => (&error.0).into(),
            CheckpointError::NotFound { .. } => {
                Self::not_found(message).hint("run `bd checkpoint list --all-worktrees` to see all of them")
            }
            CheckpointError::Ambiguous { .. } => {
                Self::new(Exit::NotFound, "ambiguous", message).hint("type more characters of the id")
            }
            CheckpointError::NoIssue { .. } => Self::usage(message)
                .hint("run `bd checkpoint add ID -m TEXT`, or claim an issue first with `bd claim ID`"),
            CheckpointError::SeveralIssues { .. } => Self::usage(message).hint("run `bd checkpoint add ID -m TEXT`"),
            CheckpointError::Kind { .. } | CheckpointError::NoSummary | CheckpointError::Detail => Self::usage(message),
            CheckpointError::NoSnapshot { .. } => Self::illegal(message),
            CheckpointError::InTheWay { .. } => Self::new(Exit::Damaged, "in_the_way", message)
                .hint("nothing was written; name a directory that is empty or does not exist"),
        }
    }
}
