//! Resolves what a person typed to an issue.

use crate::model::id::{self, Resolved};
use crate::store::{Result, Snapshot, StoreError};

/// A named issue, and the first word that named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub typed: String,
    pub id: String,
}

impl Snapshot {
    /// The full id that a typed one means. The full id of an issue that left the ledger means no other issue; the
    /// former id of a planning issue that was proposed means that issue.
    pub fn resolve(&self, typed: &str) -> Result<String> {
        self.read_ledgers()?;
        let resolved = match self.owner(typed) {
            Some(_) => Resolved::One(typed.to_owned()),
            None => id::resolve(typed, self.sources.ids()?.iter().map(|id| id.as_ref())),
        };
        if !matches!(&resolved, Resolved::One(id) if id == typed)
            && let Some(id) = self.renamed_from(typed)
        {
            return Ok(id);
        }
        let is_short = match &resolved {
            Resolved::One(id) => id != typed && id::hash_of(id) != typed,
            Resolved::None => false,
            Resolved::Many(_) => true,
        };
        if is_short && typed.contains('-') && self.is_in_history(typed) {
            return Err(StoreError::NotFound { typed: typed.to_owned() });
        }
        one(typed, resolved)
    }

    /// The issues that several typed ids mean, each once, in order. All must be known, or the error names each that is
    /// not: no change starts while a later id is mistyped.
    pub fn resolve_all(&self, typed: &[String]) -> Result<Vec<Named>> {
        let named = each_once(typed, |typed| self.resolve(typed));
        if matches!(named, Err(StoreError::Unresolved { .. })) {
            // The issue may be in a repo that is left out until the user agrees to the settings.
            self.refuse_unmarked()?;
        }
        named
    }
}

pub(in crate::store) fn one(typed: &str, resolved: Resolved) -> Result<String> {
    match resolved {
        Resolved::One(id) => Ok(id),
        Resolved::None => Err(StoreError::NotFound { typed: typed.to_owned() }),
        Resolved::Many(candidates) => Err(StoreError::Ambiguous { typed: typed.to_owned(), candidates }),
    }
}

pub(in crate::store) fn each_once(
    typed: &[String],
    mut resolve: impl FnMut(&str) -> Result<String>,
) -> Result<Vec<Named>> {
    let (mut named, mut unknown) = (Vec::<Named>::new(), Vec::new());
    for typed in typed {
        match resolve(typed) {
            Ok(id) if named.iter().any(|known| known.id == id) => {}
            Ok(id) => named.push(Named { typed: typed.clone(), id }),
            Err(error) if error.is_unknown_id() => unknown.push((typed.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    if unknown.is_empty() { Ok(named) } else { Err(StoreError::Unresolved { unknown, of: typed.len() }) }
}
