//! Whether new dependencies would close a cycle, checked while the locks are held, so that no one adds another
//! meanwhile.

use std::collections::{HashMap, HashSet};

use super::transaction::Transaction;
use crate::model::change::NewIssue;
use crate::model::dependency::DependencyType;
use crate::model::graph::Graph;
use crate::store::{Result, StoreError};

impl Transaction<'_> {
    /// Refuses new issues that would close a cycle, among themselves or with what is on disk now.
    pub fn refuse_cycles_of_many<'a>(
        &mut self,
        new: impl Iterator<Item = (&'a str, &'a NewIssue)> + Clone,
    ) -> Result<()> {
        let is_open_epic = |issue: &NewIssue| issue.issue_type.as_str() == "epic" && !issue.status.is_done();
        let mut epics: HashMap<String, bool> =
            new.clone().map(|(id, issue)| (id.to_owned(), is_open_epic(issue))).collect();
        let mut edges: Vec<(String, String)> = Vec::new();
        for (id, issue) in new.clone() {
            for (target, kind) in issue.dependencies.iter().filter(|(_, kind)| kind.orders_work()) {
                if !kind.is_parent_child() {
                    edges.push((id.to_owned(), target.clone()));
                    continue;
                }
                if !epics.contains_key(target) {
                    epics.insert(target.clone(), self.is_open_epic(target)?);
                }
                // An epic waits for its children.
                edges.extend(epics[target].then(|| (target.clone(), id.to_owned())));
            }
        }
        if edges.is_empty() {
            return Ok(());
        }
        let waits = self.store.ask(|cache| cache.waits())?;
        let known = waits.edges().map(|(from, to)| (from.to_owned(), to.to_owned()));
        let all: Graph = known.chain(edges).collect();
        let ids: HashSet<&str> = new.map(|(id, _)| id).collect();
        match all.cycles().into_iter().find(|cycle| cycle.iter().any(|id| ids.contains(id.as_str()))) {
            None => Ok(()),
            Some(path) => {
                let end = |at: usize| path.get(at).cloned().unwrap_or_default();
                Err(StoreError::Cycle { dependent: end(0), target: end(1), path })
            }
        }
    }

    /// Refuses a dependency that would close a cycle with what is on disk now. An epic waits for its children, so a
    /// child must not wait for it.
    pub fn refuse_cycle(&mut self, dependent: &str, target: &str, parents: bool) -> Result<()> {
        let is_epic = parents && self.is_open_epic(target)?;
        let around = self.store.ask(|cache| {
            let around = match parents {
                true => match cache.parents_path(target, dependent)? {
                    None if is_epic => cache.waits_path(dependent, target)?,
                    found => found,
                },
                false => cache.waits_path(target, dependent)?,
            };
            // A child waits for what its ancestors wait for.
            match around {
                None if parents => cache.waits_below(target, dependent),
                None => cache.waits_back(target, dependent),
                found => Ok(found),
            }
        })?;
        match around {
            None => Ok(()),
            Some(path) => {
                let first = if path.first().is_some_and(|id| id == dependent) { target } else { dependent };
                let path = std::iter::once(first.to_owned()).chain(path).collect();
                Err(StoreError::Cycle { dependent: dependent.to_owned(), target: target.to_owned(), path })
            }
        }
    }

    /// The same for an issue that nothing waits for yet, except an epic that becomes its parent.
    pub fn refuse_cycle_of_new(&mut self, id: &str, dependencies: &[(String, DependencyType)]) -> Result<()> {
        let parents = dependencies.iter().filter(|(_, kind)| kind.is_parent_child());
        for (parent, _) in parents {
            let blockers = || dependencies.iter().filter(|(_, kind)| kind.orders_work() && !kind.is_parent_child());
            if blockers().next().is_none() || !self.is_open_epic(parent)? {
                continue;
            }
            for (target, _) in blockers() {
                if let Some(path) = self.store.ask(|cache| cache.waits_path(target, parent))? {
                    let path = std::iter::once(id.to_owned()).chain(path).chain([id.to_owned()]).collect();
                    return Err(StoreError::Cycle { dependent: id.to_owned(), target: target.clone(), path });
                }
            }
        }
        Ok(())
    }

    fn is_open_epic(&mut self, id: &str) -> Result<bool> {
        let row = self.store().get(id)?;
        Ok(row.is_some_and(|row| row.issue.issue_type.as_str() == "epic" && !row.issue.status.is_done()))
    }
}
