//! Proposing issues, and deciding about proposals.

use super::Result;
use crate::model::proposal::{Include, Permit, Standing};
use crate::store::{ProposalRow, ProposeRequest, Proposed, Reconciled, Store, StoreError};

/// What became of each issue, in the order in which they were named.
pub type Each<T> = Vec<(String, std::result::Result<T, StoreError>)>;

/// The repo that a target names: a path, a name, or `upstream` for the primary.
fn target(store: &mut Store, named: Option<&str>) -> Result<usize> {
    match named {
        None | Some("upstream" | "primary") => Ok(0),
        Some(text) => Ok(store.join(text)?),
    }
}

/// Ids as people type them, each resolved or not.
fn resolved(store: &mut Store, typed: &[String]) -> (Vec<String>, Each<()>) {
    let (mut ids, mut failed) = (Vec::new(), Vec::new());
    for text in typed {
        match store.resolve(text) {
            Ok(id) => ids.push(id),
            Err(error) => failed.push((text.clone(), Err(error))),
        }
    }
    (ids, failed)
}

fn with_failures<T>(mut results: Each<T>, failed: Each<()>) -> Each<T> {
    results.extend(failed.into_iter().filter_map(|(id, result)| Some((id, Err(result.err()?)))));
    results
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProposeOptions<'a> {
    pub target: Option<&'a str>,
    pub with_deps: bool,
    pub include: Include,
    pub dry_run: bool,
    pub count: Option<usize>,
}

pub fn propose(store: &mut Store, typed: &[String], options: ProposeOptions<'_>) -> Result<Each<Proposed>> {
    let target = target(store, options.target)?;
    let (ids, failed) = resolved(store, typed);
    let ProposeOptions { with_deps, include, dry_run, count, .. } = options;
    let request = ProposeRequest { ids, target, with_deps, include, dry_run, count };
    Ok(with_failures(store.propose(&request)?, failed))
}

pub fn withdraw(store: &mut Store, typed: &[String], named: Option<&str>) -> Result<Each<Permit>> {
    let target = target(store, named)?;
    let (ids, failed) = resolved(store, typed);
    Ok(with_failures(store.withdraw(&ids, target)?, failed))
}

/// Accepts proposals, or rejects them for a reason.
pub fn decide(store: &mut Store, typed: &[String], reason: Option<&str>) -> Result<Each<Permit>> {
    let (ids, failed) = resolved(store, typed);
    Ok(with_failures(store.decide(&ids, 0, reason)?, failed))
}

pub fn reconcile(store: &mut Store, dry_run: bool) -> Result<Vec<Reconciled>> {
    Ok(store.reconcile(dry_run)?)
}

/// Which proposals to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those that this user planned.
    Mine,
    /// Those that await a decision here and come from somebody else.
    Incoming,
    /// Open ones of either kind.
    Open,
    /// Decided and withdrawn ones too.
    All,
}

pub fn proposals(store: &mut Store, which: Which) -> Result<Vec<ProposalRow>> {
    let mut rows = store.proposals()?;
    let is_open = |row: &ProposalRow| matches!(row.standing, Standing::Proposed | Standing::Elsewhere);
    rows.retain(|row| match which {
        Which::Mine => row.planning.is_some(),
        Which::Incoming => row.standing == Standing::Proposed && row.planning.is_none(),
        Which::Open => is_open(row),
        Which::All => true,
    });
    rows.sort_by(|a, b| (&a.proposal.at, &a.id).cmp(&(&b.proposal.at, &b.id)));
    Ok(rows)
}
