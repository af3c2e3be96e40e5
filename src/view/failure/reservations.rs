//! What goes wrong with reservations and checkpoints.

use super::*;
use crate::ops::{CheckpointError, Obstacle, ReservationError};
use crate::store::{HistoryError, SyncError};

impl Failure {
    /// Somebody else has reserved it.
    pub fn reserved(message: String, obstacles: &[Obstacle]) -> Self {
        of_obstacles(obstacles).saying(message)
    }
}

fn of_obstacles(obstacles: &[Obstacle]) -> Failure {
    let failure = RESERVED
        .hint("work on something else, ask the holder, or wait")
        .run("bd reserve list", "to see all reservations");
    let Some(Obstacle { wanted, reservation }) = obstacles.first() else { return failure };
    failure
        .fact("wanted", wanted)
        .fact("holder", &reservation.holder.name)
        .fact("glob", &reservation.glob)
        .fact("reservation", &reservation.id)
        .known("expires", &reservation.expires.map(|at| at.to_string()))
}

impl Classify for ReservationError {
    fn classify(&self) -> Failure {
        use ReservationError::*;
        match self {
            Staged(SyncError::History(HistoryError::NotGit { .. })) => {
                UNSUPPORTED.shell("only git stages files").run("bd reserve check PATH", "instead")
            }
            Staged(error) => error.classify(),
            Glob { .. } => USAGE.run("bd reserve --help", "for the pattern language"),
            Outside { .. } => USAGE,
            Reserved { obstacles } => of_obstacles(obstacles),
            ByOther { reservation } => {
                ILLEGAL.hint("its holder or a coordinator can release it").fact("holder", &reservation.holder.name)
            }
            NotReserved { .. } => NOT_FOUND.run("bd reserve list", "to see what is reserved"),
            Endless => USAGE.shell("leave --ttl out").or("name a time such as 2h"),
            Ambiguous { .. } => ambiguous_id(),
        }
    }
}

impl Classify for CheckpointError {
    fn classify(&self) -> Failure {
        use CheckpointError::*;
        match self {
            Snapshot(error) => error.classify(),
            NotFound { .. } => NOT_FOUND.run("bd checkpoint list --all-worktrees", "to see all of them"),
            Ambiguous { .. } => ambiguous_id(),
            NoIssue { .. } => {
                USAGE.shell("run `bd checkpoint add ID -m TEXT`, or claim an issue first with `bd claim ID`")
            }
            SeveralIssues { .. } => USAGE.run("bd checkpoint add ID -m TEXT", ""),
            Kind { .. } | NoSummary | Detail => USAGE,
            NoSnapshot { .. } => ILLEGAL,
            InTheWay { .. } => not_empty(),
        }
    }
}
