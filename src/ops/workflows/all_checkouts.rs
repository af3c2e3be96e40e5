//! Workflows in all checkouts: those of the current one, each followed by unmerged versions in others.
//!
//! Read-only: a workflow is moved in a checkout that has it.

use std::collections::{BTreeMap, BTreeSet};

use super::Flow;
use super::flow::{flow, flow_of, flows};
use crate::model::issue;
use crate::model::record::Record;
use crate::model::workflow::{Task, WORKFLOW};
use crate::ops::all_checkouts::others;
use crate::ops::{OpError, Result};
use crate::store::{Elsewhere, Place, Store, StoreError, Worktree};

/// All workflows of all checkouts; finished ones only on request, or if they are unfinished here.
pub fn flows_everywhere(store: &Store, all: bool) -> Result<Vec<Flow>> {
    let mut found = flows(store, all)?;
    let here: BTreeSet<String> = found.iter().map(|flow| flow.workflow.id().to_owned()).collect();
    for (place, there, ids) in checkouts_with_news(store)? {
        for workflow in there.workflows()? {
            let id = workflow.id();
            let is_wanted = all || here.contains(id) || !workflow.state.is_final();
            if ids.contains(id) && workflow.row.repo == 0 && is_wanted {
                found.push(Flow { place: Some(place.clone()), ..flow_of(&there, workflow)? });
            }
        }
    }
    found.sort_by(|a, b| a.workflow.id().cmp(b.workflow.id()));
    Ok(found)
}

/// The workflows of one checkout, named by id, name or path.
pub fn flows_in(store: &Store, worktree: &str, all: bool) -> Result<Vec<Flow>> {
    let wanted = store.find_worktree(worktree)?;
    if wanted.is_here {
        return flows(store, all);
    }
    let mut found = Vec::new();
    for (place, there) in others(store, |one| one.root == wanted.root)? {
        let here = Place::from(&place);
        found.extend(flows(&there, all)?.into_iter().map(|flow| Flow { place: Some(here.clone()), ..flow }));
    }
    Ok(found)
}

/// One workflow in each checkout: the current one's version first, if it has one.
pub fn flow_everywhere(store: &Store, typed: &str) -> Result<Vec<Flow>> {
    let (mut found, missing) = match flow(store, typed) {
        Ok(flow) => (vec![flow], None),
        Err(OpError::Store(error @ StoreError::NotFound { .. })) => (Vec::new(), Some(error)),
        Err(error) => return Err(error),
    };
    let known = found.first().map(|flow| flow.workflow.id().to_owned());
    for (place, there, ids) in checkouts_with_news(store)? {
        match flow(&there, known.as_deref().unwrap_or(typed)) {
            Ok(flow) if ids.contains(flow.workflow.id()) => found.push(Flow { place: Some(place), ..flow }),
            Ok(_) | Err(OpError::Store(StoreError::NotFound { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let ids: BTreeSet<&str> = found.iter().map(|flow| flow.workflow.id()).collect();
    if ids.len() > 1 {
        let candidates = ids.into_iter().map(str::to_owned).collect();
        return Err(StoreError::Ambiguous { typed: typed.to_owned(), candidates }.into());
    }
    match missing {
        Some(error) if found.is_empty() => Err(error.into()),
        _ => Ok(found),
    }
}

/// The other checkouts of this repository with changed workflows, opened, with the ids of those.
fn checkouts_with_news(store: &Store) -> Result<Vec<(Place, Store, BTreeSet<String>)>> {
    let mut news: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let elsewhere: Vec<Elsewhere> = store.all_elsewhere()?.values().flatten().cloned().collect();
    for one in elsewhere {
        let Ok(record) = Record::parse(&one.line) else { continue };
        let concerns = if record.raw(WORKFLOW).is_some() {
            Some(one.id)
        } else if Task::of_line(&one.line).is_some() && store.get(&one.id)?.is_none() {
            // A task that was added there.
            issue::Issue::decode(&record).parent().map(str::to_owned)
        } else {
            None
        };
        if let Some(id) = concerns {
            news.entry(one.worktree).or_default().insert(id);
        }
    }
    if news.is_empty() {
        return Ok(Vec::new());
    }
    let opened = others(store, |worktree| news.contains_key(&worktree.name))?;
    let mut with_ids =
        |(worktree, there): (Worktree, Store)| Some((Place::from(&worktree), there, news.remove(&worktree.name)?));
    Ok(opened.into_iter().filter_map(&mut with_ids).collect())
}
