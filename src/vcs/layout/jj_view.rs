//! The bookmark at or nearest to a workspace's commit, and the visible commits, from jj's files alone.
//!
//! The newest operation names a view, which holds the commit of every workspace, all bookmarks and the visible heads.
//! The commits between a workspace and a bookmark are found in git. If jj stores these things differently, or two
//! operations are still to be merged, the result is empty.

use std::collections::HashSet;
use std::path::Path;

use gix::ObjectId;

use super::jj_fields::texts;
use super::opened;
use crate::vcs::files;

/// The limit for commits below a workspace.
const DEPTH: usize = 100;

#[derive(Default)]
pub(crate) struct View {
    /// The commit of each workspace.
    workspaces: Vec<(String, ObjectId)>,
    bookmarks: Vec<(String, ObjectId)>,
    git: Option<gix::Repository>,
}

impl View {
    /// The newest view of a repository.
    pub(crate) fn read(repo: &Path) -> Self {
        Self::newest(repo).unwrap_or_default()
    }

    /// The visible heads, from all operations that are still to be merged.
    pub(crate) fn heads(repo: &Path) -> Vec<ObjectId> {
        let views = newest_views(repo).unwrap_or_default();
        let heads = |view: &Vec<u8>| -> Vec<ObjectId> {
            texts(view).filter(|(number, _)| *number == 1).filter_map(|(_, id)| id_of(id)).collect()
        };
        views.iter().flat_map(heads).collect()
    }

    fn newest(repo: &Path) -> Option<Self> {
        let [view]: [Vec<u8>; 1] = newest_views(repo)?.try_into().ok()?;
        let name = |entry: &[u8]| String::from_utf8(field(entry, 1)?.to_vec()).ok();
        let entries = |wanted: u64| texts(&view).filter(move |(number, _)| *number == wanted).map(|(_, entry)| entry);
        let workspaces = entries(8).filter_map(|entry| Some((name(entry)?, id_of(field(entry, 2)?)?))).collect();
        let bookmarks = entries(5).filter_map(|entry| Some((name(entry)?, target(field(entry, 2)?)?))).collect();
        let store = repo.join("store");
        let git = files::named(&store.join("git_target"), &store).and_then(|target| opened::at(&target).ok());
        Some(View { workspaces, bookmarks, git })
    }

    /// The bookmark on a workspace's commit, else the one with the fewest commits in between.
    pub(crate) fn bookmark(&self, workspace: &str) -> Option<String> {
        let (_, start) = self.workspaces.iter().find(|(name, _)| name == workspace)?;
        if self.bookmarks.is_empty() {
            return None;
        }
        let (mut level, mut seen) = (vec![*start], HashSet::from([*start]));
        while !level.is_empty() && seen.len() <= DEPTH {
            let here = self.bookmarks.iter().filter(|(_, target)| level.contains(target)).map(|(name, _)| name);
            if let Some(name) = here.min() {
                return Some(name.clone());
            }
            let parents = level.iter().flat_map(|id| self.parents(*id)).collect::<Vec<_>>();
            level = parents.into_iter().filter(|id| seen.insert(*id)).collect();
        }
        None
    }

    fn parents(&self, id: ObjectId) -> Vec<ObjectId> {
        let commit = self.git.as_ref().and_then(|git| git.find_commit(id).ok());
        commit.map(|commit| commit.parent_ids().map(gix::Id::detach).collect()).unwrap_or_default()
    }
}

/// The views of the newest operations.
fn newest_views(repo: &Path) -> Option<Vec<Vec<u8>>> {
    let heads = std::fs::read_dir(repo.join("op_heads/heads")).ok()?.flatten();
    let view = |name: std::ffi::OsString| {
        let operation = files::bytes(&repo.join("op_store/operations").join(name))?;
        let id: String = field(&operation, 1)?.iter().map(|byte| format!("{byte:02x}")).collect();
        files::bytes(&repo.join("op_store/views").join(id))
    };
    heads.map(|head| view(head.file_name())).collect()
}

fn field(message: &[u8], wanted: u64) -> Option<&[u8]> {
    texts(message).find(|(number, _)| *number == wanted).map(|(_, text)| text)
}

fn id_of(bytes: &[u8]) -> Option<ObjectId> {
    ObjectId::try_from(bytes).ok()
}

/// The commit of a bookmark; `None` if both sides moved it.
fn target(message: &[u8]) -> Option<ObjectId> {
    if let Some(id) = field(message, 1) {
        return id_of(id);
    }
    let mut added = texts(field(message, 3)?).filter(|(number, _)| *number == 2);
    let (one, None) = (added.next()?, added.next()) else { return None };
    id_of(field(one.1, 1)?)
}
