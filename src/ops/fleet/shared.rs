//! The notes that the clones of a user show each other: one ref for each in the private repository that `fleet.remote`
//! names.
//!
//! It holds names and titles, so it must not be a repository of the project; private plans are only counted in it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::model::fleet_note::FleetNote;
use crate::model::record::Record;
use crate::model::row::Row as _;
use crate::ops::{OpError, Result, here};
use crate::store::{Store, StoreError};
use crate::vcs::{self, SyncError};

const SETTING: &str = "fleet.remote";
/// The largest note that is read or written.
const MAX: usize = 256 << 10;

/// Another machine's clone, as it was shown last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetMachine {
    pub note: FleetNote,
}

/// The private repository, and the working copy from which it is reached.
pub(super) fn place(store: &Store) -> Result<Option<(PathBuf, String)>> {
    let Some(address) = store.settings().own_text(SETTING).filter(|text| !text.is_empty()) else { return Ok(None) };
    let root = here::root(store);
    if vcs::is_own_remote(&root, address, &store.host().env) {
        return Err(OpError::Usage(format!("{SETTING} is a remote of this project, whose readers must not see names")));
    }
    store.refuse_programs_of(&root)?;
    Ok(Some((root, address.to_owned())))
}

/// Writes the note of this clone.
pub(super) fn put(store: &Store, note: &FleetNote) -> Result<()> {
    let Some((root, address)) = place(store)? else { return Ok(()) };
    let text = note.line();
    if text.len() > MAX {
        return Err(OpError::TooLong { what: "list of agents", most: MAX });
    }
    vcs::put_fleet_note(&root, &address, &note.id, &text, &store.host().env)?;
    Ok(())
}

/// The notes of other machines, without the clones of this one, and those that cannot be read.
pub(super) fn machines(store: &Store, own: &BTreeSet<String>) -> Result<(Vec<FleetMachine>, Vec<String>)> {
    let Some((root, address)) = place(store)? else { return Ok(Default::default()) };
    let notes = match vcs::fleet_notes(&root, &address, &store.host().env) {
        Err(SyncError::Unsupported { .. } | SyncError::NoVcs { .. }) => Vec::new(),
        notes => notes.map_err(StoreError::from)?,
    };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for one in notes.into_iter().filter(|one| !own.contains(&one.id)) {
        let record = Record::parse(one.text.trim()).ok().filter(|_| one.text.len() <= MAX);
        match record.as_ref().and_then(FleetNote::parse).filter(|note| note.id == one.id) {
            Some(note) => found.push(FleetMachine { note }),
            None => problems.push(format!("the note of {} in {address} is not one that this bd can read", one.id)),
        }
    }
    found.sort_by(|a, b| (&a.note.host, &a.note.id).cmp(&(&b.note.host, &b.note.id)));
    Ok((found, problems))
}
