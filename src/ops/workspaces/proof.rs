//! Proof that a directory is the one that `bd` made for a workspace. A record may be damaged, or forged: what it names
//! is deleted only if the directory identifies itself.

use std::path::{Component, Path, PathBuf};

use super::places;
use crate::model::state_id::{self, WORKSPACE};
use crate::model::workspace::{Kind, State, Workspace};
use crate::ops::workspace_records::Known;
use crate::store::{BEADS_DIR, Pointer, PointerState, Store, real_path, worktree_id_at};
use crate::{sys, vcs};

/// Name prefixes of a directory being removed: at first it can still be restored, then it is only deleted.
pub(super) const REMOVING: &str = ".removing-";
pub(super) const DELETING: &str = ".deleting-";

/// The path of a workspace's directory while it is being removed.
pub(super) fn beside(one: &Workspace, prefix: &str) -> PathBuf {
    Path::new(&one.path).with_file_name(format!("{prefix}{}", one.id))
}

/// Where workspaces of a repository are by the current settings.
pub(super) fn usual_place(store: &Store, one: &Workspace) -> Option<PathBuf> {
    Some(places::base(store).ok()?.join(one.repo.as_ref()?))
}

/// Whether what is at its path was made for it. One that could not be made, because something was already there, has no
/// right to that.
pub(super) fn has_right(one: &Workspace) -> bool {
    let was_started = matches!(one.state, State::Creating | State::Failed) && one.ready_at.is_none();
    let is_named = Path::new(&one.path).file_name().is_some_and(|name| *name == *one.id);
    !was_started || one.is_made || one.is_adopted || (is_named && oddity(one).is_none())
}

/// Why a record cannot be right, whatever is on the disk.
pub(super) fn oddity(one: &Workspace) -> Option<String> {
    let path = Path::new(&one.path);
    let plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    if !state_id::is(WORKSPACE, &one.id) {
        return Some(format!("its record cannot be right: {:?} is not a workspace id", one.id));
    }
    let is_place = path.is_absolute() && plain && path.parent().is_some();
    (!is_place).then(|| format!("its record cannot be right: {} is not a valid place for a workspace", path.display()))
}

/// The state home that an unversioned directory points to, if that knows it.
fn is_known(at: &Path) -> Option<Pointer> {
    match Pointer::of(&at.join(BEADS_DIR), None)? {
        PointerState::Known(pointer) => Some(pointer),
        PointerState::Lost(_) | PointerState::Unknown { .. } => None,
    }
}

/// Why the directory at a path may not be the recorded workspace.
pub(super) fn doubt(store: &Store, known: &Known, at: &Path) -> Option<String> {
    let one = &known.workspace;
    let path = Path::new(&one.path);
    let problem = |what: &str| Some(format!("its record cannot be right: {} {what}", path.display()));
    if let Some(why) = oddity(one) {
        return Some(why);
    }
    if !has_right(one) {
        return problem("was there before it");
    }
    let is_directory = sys::path::look(at).is_ok_and(|found| found.is_dir());
    if !is_directory || real_path(at) != at {
        return problem("is a link, is behind a link, or is not a directory");
    }
    let home = store.host().env.home();
    let holy = [Some(PathBuf::from(&one.parent)), home, Some(known.state.path().to_owned())];
    if let Some(inside) = holy.into_iter().flatten().find(|place| real_path(place).starts_with(at)) {
        return problem(&format!("holds {}", inside.display()));
    }
    if vcs::open(Path::new(&one.parent)).checkouts().iter().any(|checkout| checkout.is_main && checkout.root == at) {
        return problem("is the main checkout");
    }
    if one.state == State::Orphaned {
        let base = places::base(store).ok().map(|base| base.join(places::ORPHANED));
        return (!base.is_some_and(|base| at.starts_with(base))).then(|| problem("is not among the orphans"))?;
    }
    let named = at.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
        name == one.id || [REMOVING, DELETING].iter().any(|start| name.strip_prefix(start) == Some(one.id.as_str()))
    });
    let is_usual = named && at.parent().map(Path::to_owned) == usual_place(store, one);
    let leads_home = |pointer: &Pointer| real_path(&pointer.home) == real_path(known.state.path());
    match &one.worktree_id {
        // It was never finished, or has no version control: its place and name must suffice.
        None if is_usual => None,
        // It was verified before it got this name.
        None if [REMOVING, DELETING].iter().any(|start| at == beside(one, start)) => None,
        None if is_known(at).is_some_and(|pointer| leads_home(&pointer)) => None,
        None => problem("is not where workspaces are, and nothing in it says that it is one"),
        Some(id) if worktree_id_at(at).as_ref() != Some(id) => problem(&format!("does not bear the id {id}")),
        Some(_) if one.kind == Kind::Worktree || one.is_adopted => None,
        Some(_) => {
            let pointer = vcs::common_dir(at).and_then(|common| Pointer::written(&common));
            (!pointer.is_some_and(|pointer| leads_home(&pointer)))
                .then(|| problem("does not lead to this state home"))?
        }
    }
}
