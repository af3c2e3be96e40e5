//! What agents and checkouts on one machine share, beside the ledgers: agents, mail, reservations, checkpoints.
//!
//! All of it is in the state home (`store::StateHome`), in JSONL files that are read and written by the code of the ledgers
//! (`store::RecordFile`). Nothing here is committed, and nothing periodic touches a committed file. There is no daemon: what is
//! stale is noticed by whoever looks next.

mod here;
mod reservations;

use std::path::PathBuf;

pub use reservations::{
    Checked, Obstacle, Release, ReserveRequest, Reserved, check_paths, check_staged, release, reservations, reserve,
};

use crate::model::glob::GlobError;
use crate::model::reservation::Reservation;
use crate::store::{AGENT_VARIABLE, Identity, RecordError, Store, StoreError};
use crate::vcs::HistoryError;

#[derive(Debug, thiserror::Error)]
pub enum CoordinationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("invalid glob {typed:?}: {source}")]
    Glob { typed: String, source: GlobError },
    #[error("{typed} is outside of {}", root.display())]
    Outside { typed: String, root: PathBuf },
    #[error("{}", reserved_text(obstacles))]
    Reserved { obstacles: Vec<Obstacle> },
    #[error("{} is reserved by {}", reservation.glob, reservation.holder.name)]
    ReservedByOther { reservation: Box<Reservation> },
    #[error("nothing reserved matches {typed:?}")]
    NotReserved { typed: String },
    #[error("an agent cannot reserve without an end")]
    Endless,
    #[error("{typed:?} is the beginning of several: {}", candidates.join(" "))]
    Ambiguous { typed: String, candidates: Vec<String> },
}

/// Who has what was asked for, and for how long.
fn reserved_text(obstacles: &[Obstacle]) -> String {
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

pub type Result<T> = std::result::Result<T, CoordinationError>;

/// Makes the store act as the agent that the environment names, if it names one.
pub fn take_part(store: &mut Store) -> Result<()> {
    if let Some(name) = store.host().env.var(AGENT_VARIABLE) {
        store.act_as(Identity { name, ..Identity::default() });
    }
    Ok(())
}
