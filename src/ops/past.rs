//! Taking writes back and bringing issues back: undo, recover, restore. Removing closed issues: prune.

use super::{Each, OpError, Result};
use crate::store::{Moment, PruneRequest, Pruned, Recovery, Restored, Store, Undo};

/// Undoes the last writes of this actor, or with `dry_run` only returns what that would do.
pub fn undo(store: &mut Store, count: usize, dry_run: bool) -> Result<Undo> {
    if count == 0 {
        return Err(OpError::Usage("undo at least one write".to_owned()));
    }
    Ok(store.undo(count, dry_run)?)
}

/// What to do with missing writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoverAction {
    PutBack,
    /// Report what restoring would do.
    Show,
    /// They were removed on purpose.
    Discard,
}

/// Restores or forgets what other programs removed from the ledger of one repo, or of each of the project.
pub fn recover(store: &mut Store, repo: Option<&str>, action: RecoverAction, from_gone: bool) -> Result<Recovery> {
    store.look_again()?;
    let members = match repo {
        Some(text) => vec![store.join(text)?],
        // A repo with no ledger, or two, has other problems, which `bd doctor` reports.
        None => (0..store.repos().members.len()).filter(|n| store.has_one_ledger(*n)).collect(),
    };
    let mut all = Recovery::default();
    for member in members {
        let found = match action {
            RecoverAction::PutBack => store.recover(member, from_gone)?,
            RecoverAction::Show => store.recoverable(member, from_gone)?,
            RecoverAction::Discard => store.discard(member, from_gone)?,
        };
        all.recovered.extend(found.recovered);
        all.gone.extend(found.gone);
    }
    // Repos may share a state home, and then know the same checkouts.
    all.gone.sort();
    all.gone.dedup();
    Ok(all)
}

/// Restores several issues, named as people type them. All must be known; then each is tried.
pub fn restore(store: &mut Store, typed: &[String], at: Option<&str>, dry_run: bool) -> Result<Each<Restored>> {
    let moment = at.map(|text| Moment::parse(text, &store.host().clock.calendar()));
    Ok(store.restore_named(typed, moment.as_ref(), dry_run)?)
}

/// Removes closed issues from one repo, by default the primary.
pub fn prune(store: &mut Store, repo: Option<&str>, request: &PruneRequest, dry_run: bool) -> Result<Pruned> {
    store.look_again()?;
    let member = repo.map(|text| store.join(text)).transpose()?.unwrap_or(0);
    Ok(store.prune(member, request, dry_run)?)
}
