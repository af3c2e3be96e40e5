//! What agents and checkouts on one machine share, beside the ledgers: agents, mail, reservations, checkpoints.
//!
//! All of it is in the state home (`store::StateHome`), in JSONL files that are read and written by the code of the ledgers
//! (`store::RecordFile`). Nothing here is committed, and nothing periodic touches a committed file. There is no daemon: what is
//! stale is noticed by whoever looks next.

use crate::store::{AGENT_VARIABLE, Identity, RecordError, Store, StoreError};

#[derive(Debug, thiserror::Error)]
pub enum CoordinationError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Record(#[from] RecordError),
}

pub type Result<T> = std::result::Result<T, CoordinationError>;

/// Makes the store act as the agent that the environment names, if it names one.
pub fn take_part(store: &mut Store) -> Result<()> {
    if let Some(name) = store.host().env.var(AGENT_VARIABLE) {
        store.act_as(Identity { name, ..Identity::default() });
    }
    Ok(())
}
