//! Updates planning lines about issues of the project when the project gets another prefix.

use std::collections::BTreeSet;

use super::Reconciled;
use crate::model::proposal::{Names, Proposal, Visibility, is_companion};
use crate::model::record::Record;
use crate::model::{issue, proposal};
use crate::store::{Result, Store};

impl Store {
    /// Renames ids in planning repos that the project has given up.
    pub(super) fn follow_prefix(&mut self, dry_run: bool) -> Result<Vec<Reconciled>> {
        let sources: Vec<usize> = self.planning_sources().collect();
        let mut left = BTreeSet::new();
        for source in &sources {
            for id in self.sources.ids_mentioning(*source, "\"id\"") {
                let line = self.line_in(*source, &id).unwrap_or_default();
                let Ok(record) = Record::parse(&line) else { continue };
                let is_mirror = Visibility::of(&record) == Visibility::Canonical && Proposal::of(&record).is_some();
                let is_beside = is_companion(&record) || is_mirror;
                let is_theirs = |other: &str| self.holders(other).iter().any(|n| !sources.contains(n));
                let targets = issue::dependencies_of(&record).into_iter().map(|edge| edge.target);
                left.extend(targets.filter(|target| self.line_in(*source, target).is_none() && !is_theirs(target)));
                left.extend((is_beside && !is_theirs(&id)).then_some(id));
            }
        }
        if left.is_empty() {
            return Ok(Vec::new());
        }
        let pasts: Vec<_> = self.last_of_each_in(&left, Some(0))?.into_values().collect();
        let names: Names = self.called_now_each(&pasts)?.into_iter().collect();
        let reconciled = |(old, new): (&String, &String)| Reconciled {
            id: new.clone(),
            what: format!("was {old}: what you keep beside it follows"),
        };
        if !dry_run && !names.is_empty() {
            let words: Vec<&str> = names.keys().map(String::as_str).collect();
            self.rename_issues(&sources, &names, &words, proposal::renamed_for_all)?;
        }
        Ok(names.iter().map(reconciled).collect())
    }
}
