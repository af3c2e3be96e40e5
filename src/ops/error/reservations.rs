//! Why a reservation is refused.

use std::path::PathBuf;

use crate::model::glob::GlobError;
use crate::model::reservation::Reservation;
use crate::vcs::SyncError;

#[derive(Debug, thiserror::Error)]
pub enum ReservationError {
    #[error(transparent)]
    Staged(SyncError),
    #[error("invalid glob {typed:?}: {source}")]
    Glob { typed: String, source: GlobError },
    #[error("{typed} is outside of {}", root.display())]
    Outside { typed: String, root: PathBuf },
    #[error("{}", obstacle_text(obstacles))]
    Reserved { obstacles: Vec<Obstacle> },
    #[error("{} is reserved by {}", reservation.glob, reservation.holder.name)]
    ByOther { reservation: Box<Reservation> },
    #[error("nothing reserved matches {typed:?}")]
    NotReserved { typed: String },
    #[error("an agent cannot reserve without an end")]
    Endless,
    #[error("{typed:?} is the beginning of several: {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
}

/// The holders of the requested files, and for how long they have reserved them.
fn obstacle_text(obstacles: &[Obstacle]) -> String {
    let Some(first) = obstacles.first() else { return "reserved by another".to_owned() };
    let Obstacle { wanted, reservation } = first;
    let as_wanted = if *wanted == reservation.glob { String::new() } else { format!(" ({})", reservation.glob) };
    let until = reservation.expires.map_or_else(|| "it is released".to_owned(), |at| at.to_string());
    let more = match obstacles.len() - 1 {
        0 => String::new(),
        more => format!("; {more} more in the way"),
    };
    format!("{wanted} is reserved by {}{as_wanted} until {until}{more}", reservation.holder.name)
}

/// A conflicting reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The requested path or glob.
    pub wanted: String,
    pub reservation: Reservation,
}
