//! The workspaces of a jj repository, as its files tell.
//!
//! jj writes the name and the place of every workspace that it makes into `workspace_store/index`. A workspace knows its own
//! name. One that was moved is found only from inside, and one of an older jj has no entry.

use std::path::{Path, PathBuf};

use super::jj;
use super::jj_fields::texts;
use super::jj_view::View;
use crate::vcs::Checkout;
use crate::vcs::files;
use crate::vcs::files::real;

/// The name of the workspace in a directory.
pub(crate) fn name(root: &Path) -> Option<String> {
    let bytes = files::bytes(&root.join(".jj/working_copy/checkout"))?;
    texts(&bytes).find(|(field, _)| *field == 3).map(|(_, name)| String::from_utf8_lossy(name).into_owned())
}

/// The workspaces that have an entry, and where: from the root of the repository's first workspace.
pub(crate) fn recorded(repo: &Path) -> Vec<(String, PathBuf)> {
    let bytes = files::bytes(&repo.join("workspace_store/index")).unwrap_or_default();
    let read = |entry: &[u8]| {
        let part = |wanted: u64| texts(entry).find(|(field, _)| *field == wanted).map(|(_, text)| text.to_vec());
        let name = String::from_utf8(part(1)?).ok()?;
        Some((name, real(&repo.join(files::path_of(&part(2)?)))))
    };
    texts(&bytes).filter(|(field, _)| *field == 1).filter_map(|(_, entry)| read(entry)).collect()
}

/// The workspaces of a repository: the first, those that have an entry, and those of these directories.
pub(crate) fn workspaces(repo: &Path, homes: &[PathBuf]) -> Vec<Checkout> {
    let is_first = |root: &Path| repo.parent().and_then(Path::parent) == Some(root) && repo.ends_with(".jj/repo");
    let leads_back = |root: &PathBuf| jj::repo(root).as_deref() == Some(repo);
    let first = repo.parent().and_then(Path::parent).map(Path::to_owned);
    let mut roots: Vec<PathBuf> = first.into_iter().chain(homes.iter().cloned()).filter(leads_back).collect();
    // A workspace that was moved has its entry still at the old place.
    let here: Vec<String> = roots.iter().filter_map(|root| name(root)).collect();
    let recorded = recorded(repo);
    let others = recorded.iter().filter(|(name, root)| leads_back(root) || !here.contains(name));
    roots.extend(others.map(|(_, root)| root.clone()));
    roots.sort();
    roots.dedup();
    let view = View::read(repo);
    let named = |root: &Path| {
        let entry = recorded.iter().find(|(_, place)| place == root);
        name(root).or_else(|| entry.map(|(name, _)| name.clone()))
    };
    let checkout = |root: PathBuf| Checkout {
        admin: real(&root.join(".jj")),
        is_main: is_first(&root),
        branch: named(&root).and_then(|name| view.bookmark(&name)),
        exists: leads_back(&root),
        root,
    };
    roots.into_iter().map(checkout).collect()
}
