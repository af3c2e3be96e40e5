//! Proposing issues, and deciding about proposals.

use super::{OpError, Result};
use crate::model::proposal::{Permit, Standing};
use crate::store::{ProposalRow, ProposeRequest, Proposed, Reconciled, Store, StoreError};

/// The result for each issue, in the order named.
pub type Each<T> = Vec<(String, std::result::Result<T, StoreError>)>;

/// The repo that a target names: a path, a name, or `upstream` for the primary.
fn target(store: &mut Store, named: Option<&str>) -> Result<usize> {
    match named {
        None | Some("upstream" | "primary") => Ok(0),
        Some(text) => Ok(store.join(text)?),
    }
}

/// The named issues, each once.
fn ids(store: &Store, typed: &[String]) -> Result<Vec<String>> {
    Ok(store.resolve_all(typed)?.into_iter().map(|one| one.id).collect())
}

/// Proposes issues to a repo; the request says how.
pub fn propose(
    store: &mut Store,
    typed: &[String],
    named: Option<&str>,
    request: ProposeRequest,
) -> Result<Each<Proposed>> {
    let target = target(store, named)?;
    let ids = ids(store, typed)?;
    Ok(store.propose(&ProposeRequest { ids, target, ..request })?)
}

pub fn withdraw(store: &mut Store, typed: &[String], named: Option<&str>) -> Result<Each<Permit>> {
    let target = target(store, named)?;
    let ids = ids(store, typed)?;
    Ok(store.withdraw(&ids, target)?)
}

/// Accepts proposals, or rejects them for a reason.
pub fn decide(store: &mut Store, typed: &[String], reason: Option<&str>) -> Result<Each<Permit>> {
    let ids = match ids(store, typed) {
        Err(OpError::Store(error @ StoreError::Unresolved { .. })) => {
            return Err(on_a_branch(store, typed, error).into());
        }
        other => other?,
    };
    Ok(store.decide(&ids, 0, reason)?)
}

/// A proposal that is only on a branch cannot be decided yet.
fn on_a_branch(store: &Store, typed: &[String], error: StoreError) -> StoreError {
    let rows = store.proposals().unwrap_or_default();
    let on_branch = |row: &&ProposalRow| row.target.is_none() && row.planning.is_none() && typed.contains(&row.id);
    match rows.iter().find(on_branch) {
        Some(row) => StoreError::NotMerged { id: row.id.clone(), branches: row.branches.clone() },
        None => error,
    }
}

pub fn reconcile(store: &mut Store, dry_run: bool) -> Result<Vec<Reconciled>> {
    Ok(store.reconcile(dry_run)?)
}

/// Which proposals to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that this user planned.
    Mine,
    /// Others' proposals that await a decision here.
    Incoming,
    /// Open ones of either kind.
    Open,
    /// Also decided and withdrawn ones.
    All,
}

pub fn proposals(store: &Store, which: Which) -> Result<Vec<ProposalRow>> {
    let mut rows = store.proposals()?;
    let is_open = |row: &ProposalRow| matches!(row.standing, Standing::Proposed | Standing::Elsewhere);
    rows.retain(|row| match which {
        Which::Mine => row.planning.is_some(),
        Which::Incoming => is_open(row) && row.planning.is_none(),
        Which::Open => is_open(row),
        Which::All => true,
    });
    rows.sort_by(|a, b| (&a.proposal.at, &a.id).cmp(&(&b.proposal.at, &b.id)));
    Ok(rows)
}
