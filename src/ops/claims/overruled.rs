//! Noticing that a claim was lost to another clone, however the change arrived.

use super::by_id::tell;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::store::Store;

/// Makes the store act as the agent that the environment names, and ends its claims that the ledgers give to someone
/// else.
pub fn join_as_agent(store: &mut Store) -> Result<()> {
    identity::join_as_agent(store)?;
    if store.agent().is_some() {
        // The command itself reports an unusable ledger or state home.
        let _ = yield_claims(store, false);
    }
    Ok(())
}

/// Ends claims that the ledgers give to someone else, and notifies their holders, who are refused from now on: a merge
/// has decided between two clones that claimed at the same time.
pub fn yield_claims(store: &mut Store, everybody: bool) -> Result<()> {
    for lost in store.yield_overruled(everybody)? {
        let id = lost.id;
        let body = match (lost.by, lost.is_done) {
            (Some(winner), false) => format!("{winner} had claimed {id} earlier, in another clone."),
            (Some(winner), true) => format!("{id} is closed; {winner} had it in another clone."),
            (None, _) => format!("{id} was closed in another clone."),
        };
        let body = format!("{body} Your claim is over. Stop working on it.");
        tell(store, &lost.holder, &id, format!("you have lost {id}"), body);
    }
    Ok(())
}
