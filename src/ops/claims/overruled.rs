//! Noticing that a claim was lost to another clone, whatever way the news came.

use super::by_id::tell;
use crate::ops::Result;
use crate::ops::agents::identity;
use crate::store::Store;

/// Makes the store act as the agent that the environment names, and ends those of its claims that the ledgers give to somebody else.
pub fn join_as_agent(store: &mut Store) -> Result<()> {
    identity::join_as_agent(store)?;
    if store.agent().is_some() {
        // A ledger or a state home that cannot be used is told by the command itself.
        let _ = yield_claims(store, false);
    }
    Ok(())
}

/// Ends claims that the ledgers give to somebody else, and tells their holders, who are refused from now on: of two clones that claimed
/// at once the merge has decided, by whatever way it came here.
pub fn yield_claims(store: &mut Store, everybody: bool) -> Result<()> {
    for lost in store.yield_overruled(everybody)? {
        let Some(agent) = lost.holder.agent else { continue };
        let id = lost.id;
        let body = match (lost.by, lost.is_done) {
            (Some(winner), false) => format!("{winner} had claimed {id} earlier, in another clone."),
            (Some(winner), true) => format!("{id} is closed; {winner} had it in another clone."),
            (None, _) => format!("{id} was closed in another clone."),
        };
        tell(
            store,
            agent,
            &id,
            format!("you have lost {id}"),
            format!("{body} Your claim is over. Stop working on it."),
        );
    }
    Ok(())
}
