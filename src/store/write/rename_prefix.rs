//! Gives the issues of the primary repo another prefix, for everyone.
//!
//! The ids, references to them in every ledger that this user may write, texts that mention them, and records in state
//! homes change together; see [`Store::rename_issues`]. Other clones still have the old ids: an edit there brings the
//! old issue back.

use std::collections::BTreeSet;

use crate::model::id::IssueId;
use crate::model::proposal::{Names, Visibility};
use crate::model::record::Record;
use crate::model::{id, proposal};
use crate::store::{Access, Result, Snapshot, Store, StoreError};

/// The result of renaming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenamedPrefix {
    pub old: String,
    pub new: String,
    /// Old ids and the new ones.
    pub names: Names,
    /// The number of issues with neither prefix, which are unchanged.
    pub others: usize,
}

impl Snapshot {
    fn names_with(&self, source: usize, old: &str, new: &str, repair: bool) -> Result<RenamedPrefix> {
        let mut done = RenamedPrefix { old: old.to_owned(), new: new.to_owned(), names: Names::new(), others: 0 };
        let document = self.sources.read_of(source).map(|(document, _)| document);
        let ids: BTreeSet<String> = document.iter().flat_map(|d| d.ids()).map(|id| id.into_owned()).collect();
        let mut taken: BTreeSet<String> = self.sources.ids()?.into_iter().map(|id| id.into_owned()).collect();
        for id in ids {
            let Some(prefix) = id::prefix_of(&id).filter(|prefix| *prefix != new) else { continue };
            if prefix != old && !repair {
                done.others += 1;
                continue;
            }
            let line = self.line_in(source, &id).unwrap_or_default();
            let record = Record::parse(&line).ok();
            if record.as_ref().is_some_and(|record| Visibility::of(record) == Visibility::Proposed) {
                return Err(StoreError::StillProposed { id });
            }
            let title = record.as_ref().and_then(|record| record.string("title")).unwrap_or_default();
            let mut name = format!("{new}{}", &id[prefix.len()..]);
            if prefix == old && taken.contains(&name) {
                return Err(StoreError::Taken { id: name });
            }
            // Two prefixes may have used the same hash.
            while !taken.insert(name.clone()) {
                let now = self.host.clock.now();
                name = IssueId::mint(new, &title, "", now, self.host.entropy.bytes()).to_string();
            }
            done.names.insert(id, name);
        }
        Ok(done)
    }
}

impl Store {
    /// Renames the issues of the primary repo that have its prefix; with `repair`, also those with any other prefix.
    pub fn rename_prefix(&mut self, new: &str, repair: bool, dry_run: bool) -> Result<RenamedPrefix> {
        id::check_prefix(new)?;
        self.look_again()?;
        self.refuse_broken()?;
        if let Access::Read(reason) = self.access(0)? {
            return Err(StoreError::ReadOnly { what: "the prefix".to_owned(), repo: self.name(0).to_owned(), reason });
        }
        let source = self.writable(0)?;
        let old = self.prefix(0)?;
        let done = self.names_with(source, &old, new, repair)?;
        if dry_run || done.names.is_empty() {
            return Ok(done);
        }
        let mut sources = Vec::new();
        for member in 0..self.repos.members.len() {
            if self.access(member)? == Access::Write {
                sources.extend(self.writable(member).ok());
            }
        }
        let prefixes: BTreeSet<String> =
            done.names.keys().filter_map(|id| id::prefix_of(id)).map(|prefix| format!("{prefix}-")).collect();
        let words: Vec<&str> = prefixes.iter().map(String::as_str).collect();
        self.rename_issues(&sources, &done.names, &words, proposal::renamed_for_all)?;
        Ok(done)
    }
}
