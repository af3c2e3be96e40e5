//! Proposing issues, and deciding about proposals.

use std::collections::HashMap;

use super::{OpError, Result};
use crate::model::proposal::{Permit, Standing, is_turned_down};
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
    let target = named.map(|_| target(store, named)).transpose()?;
    let ids = ids(store, typed)?;
    Ok(store.withdraw(&ids, target)?)
}

/// What a decision did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    pub permit: Permit,
    /// The branches that have the proposal, and its title, if it was not merged: somebody has to answer there.
    pub unmerged: Option<(Vec<String>, String)>,
}

/// Accepts proposals, or rejects them for a reason. One on a branch that is not merged can only be rejected: its line comes into
/// the ledger as a rejected one.
pub fn decide(store: &mut Store, typed: &[String], reason: Option<&str>) -> Result<Each<Decided>> {
    let mut unmerged = HashMap::new();
    let all = match ids(store, typed) {
        Err(error @ OpError::Store(StoreError::Unresolved { .. })) => {
            let mut all = Vec::new();
            for typed in typed {
                match (ids(store, std::slice::from_ref(typed)), on_a_branch(store, typed), reason) {
                    (Ok(found), _, _) => all.extend(found),
                    (Err(_), Some(row), None) => {
                        return Err(StoreError::NotMerged { id: row.id, branches: row.branches }.into());
                    }
                    (Err(_), Some(row), Some(_)) => {
                        all.push(row.id.clone());
                        unmerged.insert(row.id.clone(), row);
                    }
                    (Err(_), None, _) => return Err(error),
                }
            }
            all
        }
        found => found?,
    };
    // An issue that was rejected here before may be proposed again on a branch.
    let is_over = |id: &&String| store.find(id).is_ok_and(|row| is_turned_down(&row.record()));
    for id in all.iter().filter(|_| reason.is_some()).filter(is_over) {
        if let (false, Some(row)) = (unmerged.contains_key(id), on_a_branch(store, id).filter(|row| row.id == *id)) {
            unmerged.insert(id.clone(), row);
        }
    }
    let lines = unmerged.iter().filter_map(|(id, row)| Some((id.clone(), row.line.clone()?))).collect();
    let decided = store.decide(&all, reason, &lines)?;
    let with_branch = |(id, result): (String, std::result::Result<Permit, StoreError>)| {
        let branch = unmerged.get(&id).map(|row| (row.branches.clone(), row.title.clone()));
        (id, result.map(|permit| Decided { permit, unmerged: branch }))
    };
    Ok(decided.into_iter().map(with_branch).collect())
}

/// A proposal that is only on branches, by its id or the beginning of it.
pub(super) fn on_a_branch(store: &Store, typed: &str) -> Option<ProposalRow> {
    let fits = |row: &ProposalRow| {
        let short = row.id.split_once('-').map_or("", |(_, short)| short);
        row.line.is_some() && (row.id.starts_with(typed) || short.starts_with(typed))
    };
    let mut rows: Vec<ProposalRow> = store.proposals().ok()?.into_iter().filter(fits).collect();
    match rows.iter().position(|row| row.id == typed) {
        Some(at) => Some(rows.swap_remove(at)),
        None => rows.pop().filter(|_| rows.is_empty()),
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
