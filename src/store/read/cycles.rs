//! Circles among many new issues, looked for once.

use std::collections::{HashMap, HashSet};

use crate::model::change::NewIssue;
use crate::model::graph::Graph;
use crate::store::{Result, StoreError, Transaction};

impl Transaction<'_> {
    /// Refuses new issues that would close a circle, by themselves or with what is on disk now.
    pub fn refuse_cycles_of_many<'a>(
        &mut self,
        new: impl Iterator<Item = (&'a str, &'a NewIssue)> + Clone,
    ) -> Result<()> {
        let store = self.store();
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
                    let row = store.get(target)?;
                    let is_epic =
                        row.is_some_and(|row| row.issue.issue_type.as_str() == "epic" && !row.issue.status.is_done());
                    epics.insert(target.clone(), is_epic);
                }
                // An epic waits for its children.
                edges.extend(epics[target].then(|| (target.clone(), id.to_owned())));
            }
        }
        if edges.is_empty() {
            return Ok(());
        }
        let waits = store.ask(|cache| cache.waits())?;
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
}
