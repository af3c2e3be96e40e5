//! The user's clones with agents: `clones/repositories.jsonl` in the user's own state.
//!
//! Written when an agent registers; only an overview reads it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::model::seen::SeenRepository;
use crate::ops::Result;
use crate::store::{REPOSITORIES, Store, clones_of_user, real_path};
use crate::vcs;

/// Adds this clone to the list.
pub(in crate::ops) fn note_clone(store: &Store) -> Result<()> {
    let Some(list) = clones_of_user(&store.host().env) else { return Ok(()) };
    let (id, file) = (store.clone_id()?, REPOSITORIES.file(&list));
    let path = store.workspace_parent(0).0;
    let path = vcs::open(&path).checkouts().into_iter().find(|one| one.is_main).map_or(path, |main| main.root);
    let path = path.display().to_string();
    let is_known = |known: &SeenRepository| known.path == path;
    if REPOSITORIES.row(&store.records(&file)?, &id).is_some_and(|known| is_known(&known)) {
        return Ok(());
    }
    let lock = list.lock(store.lock_wait())?;
    let (now, name) = (Some(store.host().clock.now().to_string()), store.name(0).to_owned());
    file.edit::<crate::store::RecordError>(&lock, &store.host().entropy, |document| {
        let known = REPOSITORIES.row(document, &id);
        let created_at = known.and_then(|known| known.created_at).or(now.clone());
        let row = SeenRepository {
            id: id.clone(),
            path: path.clone(),
            name: name.clone(),
            created_at,
            updated_at: now.clone(),
        };
        Ok(vec![REPOSITORIES.put(document, &id, &row)])
    })?;
    Ok(())
}

/// The other clones of this project on this machine.
pub(in crate::ops) fn others(store: &Store) -> Result<Vec<PathBuf>> {
    let Some(list) = clones_of_user(&store.host().env) else { return Ok(Vec::new()) };
    let own = store.known_clone_id();
    let here = store.repo().root();
    let document = store.records(&REPOSITORIES.file(&list))?;
    let known = REPOSITORIES.rows(&document).filter(|row| Some(&row.id) != own.as_ref());
    let paths: BTreeSet<PathBuf> = known.map(|row| real_path(row.path.as_ref())).collect();
    let is_ours = |path: &PathBuf| path.is_dir() && vcs::is_same_project(here, path, &store.host().env);
    Ok(paths.into_iter().filter(is_ours).collect())
}
