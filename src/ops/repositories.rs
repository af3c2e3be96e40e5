//! The repositories that a state home has seen, by `rp_` id, and whether one is in use: `repositories.jsonl`.
//!
//! This can be found out again, so it is recorded in passing and never blocks an answer.

use super::{RepoUse, Result, workflows};
use crate::ledger::Document;
use crate::model::seen::SeenRepository;
use crate::store::{REPOSITORIES, RecordError, Store, WORKSPACES};

/// The ids of all repos of the project, in order, recorded in the state home. `None` for a repo that cannot get one.
pub fn repository_ids(store: &Store) -> Vec<Option<String>> {
    let ids: Vec<Option<String>> =
        (0..store.repos().members.len()).map(|repo| store.repository_id(repo).ok()).collect();
    // Answer even if the state home is not writable.
    let _ = note(store, &ids);
    ids
}

/// Records where repos are, if that is new.
fn note(store: &Store, ids: &[Option<String>]) -> Result<()> {
    let members = store.repos().members.iter().zip(ids);
    let seen = members.filter_map(|(member, id)| {
        let (path, name) = (member.repo.root().display().to_string(), member.name.clone());
        Some(SeenRepository { id: id.clone()?, path, name, ..SeenRepository::default() })
    });
    let seen: Vec<SeenRepository> = seen.collect();
    let state = store.state();
    let file = REPOSITORIES.file(&state);
    let news = |document: &Document| -> Vec<(SeenRepository, Option<SeenRepository>)> {
        let with_known = seen.iter().map(|one| (one.clone(), REPOSITORIES.row(document, &one.id)));
        let is_same = |one: &SeenRepository, known: &SeenRepository| one.path == known.path && one.name == known.name;
        with_known.filter(|(one, known)| known.as_ref().is_none_or(|known| !is_same(one, known))).collect()
    };
    if news(&store.records(&file)?).is_empty() {
        return Ok(());
    }
    let lock = state.lock(store.lock_wait())?;
    let now = Some(store.host().clock.now().to_string());
    file.edit::<RecordError>(&lock, &store.host().entropy, |document| {
        let put = |(one, known): (SeenRepository, Option<SeenRepository>)| {
            let row = match known {
                Some(known) => SeenRepository { path: one.path, name: one.name, updated_at: now.clone(), ..known },
                None => SeenRepository { created_at: now.clone(), ..one },
            };
            REPOSITORIES.put(document, &row.id, &row)
        };
        Ok(news(document).into_iter().map(put).collect())
    })?;
    Ok(())
}

/// Everything that needs a repo of the project, by its number, including workflows that only another checkout has, and workspaces
/// recorded with the repo itself.
pub fn repo_use(store: &Store, repo: usize) -> Result<RepoUse> {
    let mut found = RepoUse::default();
    let id = store.repository_id(repo).ok();
    for flow in workflows::flows_everywhere(store, false)? {
        let is_here = flow.place.is_none();
        let is_there =
            is_here && (flow.workflow.row.repo == repo || flow.tasks.iter().any(|task| task.row.repo == repo));
        let is_named = id.as_ref().is_some_and(|id| flow.workflow.workflow.repos.contains(id));
        if (is_there || is_named) && !found.workflows.iter().any(|known| known == flow.workflow.id()) {
            found.workflows.push(flow.workflow.id().to_owned());
        }
    }
    let Some(id) = id else { return Ok(found) };
    for (home, _) in store.homes_of_repos() {
        let records = store.records(&WORKSPACES.file(&home))?;
        // Even one of a later version, most of which is unreadable.
        for record in (0..records.len()).filter_map(|line| records.record(line)) {
            let is_removed = record.string("state").as_deref() == Some("removed");
            if record.string("repo").as_deref() == Some(id.as_str()) && !is_removed {
                found.workspaces.extend(record.string("id").map(|id| id.into_owned()));
            }
        }
    }
    Ok(found)
}
