//! Which repos a workflow spans, and whether they share their claims.

use super::FlowError;
use crate::model::plan::PlannedTask;
use crate::ops::Result;
use crate::store::Store;

/// The repos of a workflow and of each of its tasks, by number.
pub(super) struct Places {
    pub workflow: usize,
    pub tasks: Vec<usize>,
    /// The `rp_` ids of the repos, if there are several.
    pub repos: Vec<String>,
    /// The same of each task.
    pub of_task: Vec<Option<String>>,
}

/// Finds the repos named for a workflow and by its tasks. If there are several, each task names its own, and all share
/// one state home.
pub(super) fn places(store: &mut Store, named: &[String], tasks: &[PlannedTask]) -> Result<Places> {
    let wanted = named.iter().map(|text| find(store, text)).collect::<Result<Vec<usize>>>()?;
    let mut unknown = Vec::new();
    let mut of_tasks = Vec::new();
    for task in tasks {
        let found = task.repo.as_deref().map(|text| find(store, text)).transpose();
        of_tasks.push(found.unwrap_or_else(|_| {
            unknown.push(format!("{} ({})", task.name, task.repo.as_deref().unwrap_or_default()));
            None
        }));
    }
    if !unknown.is_empty() {
        return Err(store.no_such_repo(&unknown.join(", ")).into());
    }
    let mut all: Vec<usize> = wanted.iter().copied().chain(of_tasks.iter().flatten().copied()).collect();
    all.sort_unstable();
    all.dedup();
    if all.len() < 2 {
        let name = all.first().map(|repo| store.name(*repo).to_owned());
        let workflow = store.route(name.as_deref(), &[])?.repo;
        let of_task = vec![None; tasks.len()];
        return Ok(Places { workflow, tasks: vec![workflow; tasks.len()], repos: Vec::new(), of_task });
    }
    let pairs = || tasks.iter().zip(&of_tasks);
    let without: Vec<String> = pairs().filter(|(_, repo)| repo.is_none()).map(|(task, _)| task.name.clone()).collect();
    if !without.is_empty() {
        return Err(FlowError::NoRepo { tasks: without }.into());
    }
    let outside = |repo: &Option<usize>| !wanted.is_empty() && repo.is_some_and(|repo| !wanted.contains(&repo));
    let outside: Vec<String> = pairs().filter(|(_, repo)| outside(repo)).map(|(task, _)| task.name.clone()).collect();
    if !outside.is_empty() {
        return Err(FlowError::NotAmong { tasks: outside }.into());
    }
    let workflow = store.route(None, &[])?.repo;
    // An edge names both of its ends, so each reveals the other.
    let all_with = [all.as_slice(), &[workflow]].concat();
    let (private, public): (Vec<usize>, Vec<usize>) = all_with.iter().partition(|repo| store.is_planning(**repo));
    if !private.is_empty() && !public.is_empty() {
        let names = |repos: Vec<usize>| repos.into_iter().map(|repo| store.name(repo).to_owned()).collect();
        return Err(FlowError::Mixed { private: names(private), public: names(public) }.into());
    }
    let apart = store.repos_apart(&[all.as_slice(), &[workflow]].concat())?;
    if !apart.is_empty() {
        return Err(FlowError::SeveralHomes { repos: apart }.into());
    }
    let ids = |repos: &[usize]| repos.iter().map(|repo| Ok(store.repository_id(*repo)?)).collect::<Result<Vec<_>>>();
    let repos = ids(&all)?;
    let tasks: Vec<usize> = of_tasks.into_iter().flatten().collect();
    let of_task = ids(&tasks)?.into_iter().map(Some).collect();
    Ok(Places { workflow, tasks, repos, of_task })
}

/// A repo of the project by name, path or `rp_` id.
fn find(store: &Store, text: &str) -> Result<usize> {
    store.find_repository(text).ok_or_else(|| store.no_such_repo(text).into())
}
