//! Messages about a claim or a lock, for an actor that does not hold it.

use crate::model::lease::{Lease, Now, Standing};
use crate::store::error::LeaseError;
use crate::store::state::leases::standing;

/// Why a claim has ended.
pub(in crate::store) fn since(lease: &Lease, now: &Now) -> String {
    match &lease.holder {
        Some(holder) if standing(lease, now) == Standing::Live => {
            format!("{} holds it, epoch {}", holder.name, lease.epoch)
        }
        Some(holder) => match holder.expires {
            Some(at) => format!("it ended at {at}"),
            None => "its process is gone".to_owned(),
        },
        None => "it was given back or taken back".to_owned(),
    }
}

/// The claim under which `name` wants to write is over.
pub(in crate::store) fn stale(id: &str, name: &str, held: i64, lease: &Lease, now: &Now) -> LeaseError {
    let (id, name, epoch, why) = (id.to_owned(), name.to_owned(), lease.epoch, since(lease, now));
    let holder = lease.holder.as_ref().map(|holder| holder.name.clone());
    LeaseError::Stale { id, name, held, epoch, holder, why }
}

pub(in crate::store) fn claimed(id: &str, lease: &Lease) -> LeaseError {
    let holder = lease.holder.as_ref();
    LeaseError::Claimed {
        id: id.to_owned(),
        holder: holder.map(|holder| holder.name.clone()).unwrap_or_default(),
        agent: holder.and_then(|holder| holder.agent.clone()),
        epoch: lease.epoch,
        expires: holder.and_then(|holder| holder.expires).map(|at| at.to_string()),
        worktree: holder.and_then(|holder| holder.worktree.clone()),
        session: holder.and_then(|holder| holder.session.clone()),
    }
}

pub(in crate::store) fn locked(id: &str, lease: &Lease) -> LeaseError {
    let holder = lease.holder.as_ref();
    LeaseError::Locked {
        id: id.to_owned(),
        holder: holder.map(|holder| holder.name.clone()).unwrap_or_default(),
        agent: holder.and_then(|holder| holder.agent.clone()),
        epoch: lease.epoch,
        expires: holder.and_then(|holder| holder.expires).map(|at| at.to_string()),
    }
}
