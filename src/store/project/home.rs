//! Where state that is nobody's ledger lives: the user's directories, and the state home of a repository.
//!
//! One resolver for every entry point ([`StateHome::of`]). Nothing is made by looking; no path is hashed.

use std::path::{Path, PathBuf};

use super::checkout_id::{REPO_ID_NAME, read_text};
use super::names::CONFIG_NAME;
use super::pointer::{Pointer, PointerState, place_of, root_of, without_repository};
use super::settings::{ConfigError, ConfigFault};
use super::state_mode::StateMode;
use crate::sys::{Env, below, looks};
use crate::{sys, vcs};

/// The user's settings.
pub fn user_config(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_CONFIG_HOME", ".config")
}

/// What this user's machine remembers for all projects.
pub fn user_state(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_STATE_HOME", ".local/state")
}

/// What this user's machine keeps for all projects, and nobody may throw away.
pub fn user_data(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_DATA_HOME", ".local/share")
}

/// What may be thrown away at any time.
pub fn user_cache(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_CACHE_HOME", ".cache").and_then(|own| own.parent().map(Path::to_owned))
}

fn xdg(env: &Env, variable: &str, usual: &str) -> Option<PathBuf> {
    let base = env.var(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    base.or_else(|| env.home().map(|home| home.join(usual))).map(|base| base.join("beads"))
}

/// The variable that names a state home and wins over everything.
pub const STATE_DIR: &str = "BD_STATE_DIR";
/// The variable that names the workspace of a job.
pub const WORKSPACE_VARIABLE: &str = "BD_WORKSPACE";

/// So many workspaces may have been made from each other.
const MOST_PARENTS: usize = 8;

/// A state home, and why it is this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHome {
    pub path: PathBuf,
    pub mode: StateMode,
    pub reason: String,
}

impl StateHome {
    /// The state home of the repo with this `.beads` directory: the one named by `BD_STATE_DIR`, else that of the repository
    /// which this is a workspace of, else as `asked`.
    pub fn of(beads: &Path, env: &Env, asked: StateMode) -> Self {
        let Some(named) = env.var(STATE_DIR) else { return Self::with_repo(beads, env, asked) };
        let path = resolved(env.path(&named));
        if env.var(WORKSPACE_VARIABLE).is_some() && asked != StateMode::Worktree {
            let usual = Self::with_repo(beads, env, asked);
            // A job is told where the state home of its own repository is; other repos have theirs.
            if usual.mode != StateMode::Workspace || usual.path == path {
                return usual;
            }
        }
        StateHome { path, mode: StateMode::Named, reason: "BD_STATE_DIR is set".to_owned() }
    }

    /// The same without a look at the variable.
    fn with_repo(beads: &Path, env: &Env, asked: StateMode) -> Self {
        let home = |path, mode, reason: &str| StateHome { path, mode, reason: reason.to_owned() };
        let own = beads.join("run");
        if vcs::stranded(beads).is_some() {
            let place = without_repository(beads);
            return home(place, StateMode::Workspace, "the repository of this working copy is not there");
        }
        let common = vcs::common_dir(beads);
        if let Some(PointerState::Known(target) | PointerState::Lost(target)) = Pointer::of(beads, common.as_deref()) {
            // In a container the same directory may be mounted elsewhere.
            let told = env.var(STATE_DIR).filter(|_| env.var(WORKSPACE_VARIABLE).is_some()).map(|path| env.path(&path));
            let path = match told.filter(|path| !target.home.is_dir() && path.is_dir()) {
                Some(mounted) => mounted,
                None => target.home,
            };
            return home(path, StateMode::Workspace, "this is a workspace of another checkout");
        }
        match (asked, common) {
            (StateMode::Global, _) if user_state(env).is_some() => {
                let path = resolved(user_state(env).unwrap_or_default());
                home(path, StateMode::Global, "state.mode is global")
            }
            (StateMode::Worktree, _) => home(own, StateMode::Worktree, "state.mode is worktree"),
            (_, None) => home(own, StateMode::Repo, "not under version control"),
            (_, Some(common)) => {
                let shared = place_of(&common);
                let is_settled = |beads: &PathBuf| {
                    looks::exists(&beads.join("run").join(CONFIG_NAME)) && committed_settings(beads, env).is_none()
                };
                if !looks::exists(&shared.join(CONFIG_NAME)) {
                    let main = in_main_checkout(beads, &common);
                    if let Some(first) = main.into_iter().chain([beads.to_owned()]).find(is_settled) {
                        let reason = "version control came after the settings, which stay in effect where they are";
                        return home(first.join("run"), StateMode::Repo, reason);
                    }
                }
                // Also where it cannot be written: another one would be a second home, whose claims nobody else sees.
                home(shared, StateMode::Repo, "the directory that all checkouts share")
            }
        }
    }
}

/// A working copy whose repository is not where it says. Without the repository nobody knows what the user has settled for it,
/// such as where private issues go, so nothing is written.
pub fn stranded(beads: &Path) -> Option<ConfigError> {
    let message = "leads to a repository that is not there; if it was moved, repair the link (`git worktree repair` in the \
                   moved repository, or edit this file)";
    vcs::stranded(beads).map(|path| ConfigError::whole(path, message, ConfigFault::Broken))
}

/// The environment names this state home.
pub fn is_named(home: &Path, env: &Env) -> bool {
    let real = super::place::real;
    env.var(STATE_DIR).is_some_and(|named| real(&env.path(&named)) == real(home))
}

/// A directory that the user named: if it is a link, where that leads. In a repository no link is followed.
fn resolved(path: PathBuf) -> PathBuf {
    match sys::path::link(&path) {
        Ok(_) => super::place::real(&path),
        Err(_) => path,
    }
}

/// What a workspace needs and what is not there: the state home that it shares, or the checkout whose settings are its own.
pub fn unreachable(beads: &Path, env: &Env) -> Option<(PathBuf, &'static str)> {
    let home = StateHome::with_repo(beads, env, StateMode::Repo);
    if home.mode == StateMode::Workspace && !home.path.is_dir() {
        return Some((home.path, "the state home that it shares"));
    }
    Some((settled_in(beads, env, MOST_PARENTS).err()?, "the checkout that it was made from, whose settings it shares,"))
}

/// The settings of the checkout around a `.beads` that is a submodule of it, if that submodule has none of its own: a commit of the
/// project can make it one, and must not make the user somebody else.
pub fn hidden_by_submodule(beads: &Path) -> Option<PathBuf> {
    let own = vcs::common_dir(beads)
        .filter(|_| vcs::root(beads).is_some_and(|root| root.ends_with(crate::store::BEADS_DIR)))?;
    let is_outer = |dir: &&Path| own.starts_with(dir.join("modules")) && below::is_control(dir);
    let outer = place_of(own.ancestors().find(is_outer)?).join(CONFIG_NAME);
    (looks::exists(&outer) && !looks::exists(&place_of(&own).join(CONFIG_NAME))).then_some(outer)
}

/// A file that calls this a workspace of a repository which does not know it: nobody's word until that repository does.
pub fn unknown_pointer(beads: &Path) -> Option<(PathBuf, Pointer)> {
    match Pointer::of(beads, vcs::common_dir(beads).as_deref())? {
        PointerState::Unknown { file, pointer } => Some((file, pointer)),
        PointerState::Known(_) | PointerState::Lost(_) => None,
    }
}

/// Personal settings that somebody has committed: they are nobody's, and are not used.
pub fn committed_settings(beads: &Path, env: &Env) -> Option<PathBuf> {
    let file = beads.join("run").join(CONFIG_NAME);
    if !looks::exists(&file) {
        return None;
    }
    let vcs = vcs::open(beads);
    let root = super::place::real(vcs.root());
    let real = super::place::real(&file);
    let inside = real.strip_prefix(&root).ok()?;
    match vcs.committed(inside, env) {
        Ok(None) => None,
        Err(_) if !vcs.is_versioned() => None,
        // What cannot be told counts as committed.
        Ok(Some(_)) | Err(_) => Some(file),
    }
}

/// The same `.beads` in the main checkout, for one in another checkout.
fn in_main_checkout(beads: &Path, common: &Path) -> Option<PathBuf> {
    let main = below::is_control(common).then(|| root_of(common))?;
    let root = vcs::root(beads)?;
    let inside = beads.strip_prefix(&root).ok().filter(|_| root != main)?;
    Some(main.join(inside))
}

/// The directory for what all checkouts of a repository share and nobody commits, whatever `state.mode` and `BD_STATE_DIR` say:
/// settings, hooks and the log of writes concern the repository alone. A contributor's routing must not be lost with a variable.
/// In a workspace it is that of the checkout which the workspace was made from, wherever their claims are.
pub fn state_home(beads: &Path, env: &Env) -> PathBuf {
    settled_in(beads, env, MOST_PARENTS).unwrap_or_else(|_| StateHome::with_repo(beads, env, StateMode::Repo).path)
}

/// The same; an error names the checkout that nobody can ask.
fn settled_in(beads: &Path, env: &Env, parents: usize) -> Result<PathBuf, PathBuf> {
    let home = StateHome::with_repo(beads, env, StateMode::Repo).path;
    let pointer = match Pointer::of(beads, vcs::common_dir(beads).as_deref()) {
        Some(PointerState::Known(pointer) | PointerState::Lost(pointer)) if vcs::stranded(beads).is_none() => pointer,
        _ => return Ok(home),
    };
    match in_parent(beads, &pointer).filter(|_| parents > 0) {
        Some(there) => settled_in(&there, env, parents - 1),
        // With the repository, so it is where the settings are, too.
        None if is_with_repository(&pointer.home) => Ok(home),
        None => Err(pointer.parent.unwrap_or(pointer.home)),
    }
}

/// The same `.beads` in the checkout that a workspace was made from, if that is still the same repository.
fn in_parent(beads: &Path, pointer: &Pointer) -> Option<PathBuf> {
    let root = vcs::root(beads).or_else(|| beads.parent().map(Path::to_owned))?;
    let there = pointer.parent.as_ref()?.join(beads.strip_prefix(&root).ok()?);
    let id = |beads: &Path| {
        let directory = vcs::common_dir(beads).map_or_else(|| beads.join("run"), |common| place_of(&common));
        read_text(&directory, REPO_ID_NAME)
    };
    id(beads).is_none_or(|own| id(&there) == Some(own)).then_some(there)
}

/// A state home lies with one repository: in the directory that its checkouts share, or in `.beads`.
fn is_with_repository(home: &Path) -> bool {
    let above = home.parent().unwrap_or(home);
    below::is_control(home)
        || above.extension().is_some_and(|end| end == "git")
        || above.file_name().is_some_and(|name| name == crate::store::BEADS_DIR)
        || vcs::is_bare(above)
}
