//! Restoring or forgetting what other programs removed from the ledgers.

use super::Result;
use crate::store::{Recovery, Store};

/// What to do with missing writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoverAction {
    PutBack,
    /// Report what restoring would do.
    Show,
    /// They were removed on purpose.
    Discard,
}

/// Processes one repo, or each of the project.
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
