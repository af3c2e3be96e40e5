//! Where state outside of ledgers is stored: the user's directories, and the state home of a repository.
//!
//! One resolver for every entry point ([`Site`]). Looking creates nothing; no path is hashed.

use std::path::{Path, PathBuf};

use super::pointer::{Pointer, PointerState, root_of};
use crate::store::error::{ConfigError, ConfigFault};
use crate::store::file_names::CONFIG_NAME;
use crate::store::state::checkout_id::{REPO_ID_NAME, place_of, read_text};
use crate::store::state::home::{StateHome, StateMode};
use crate::store::state::state_dir::StateDir;
use crate::sys::{Env, below};
use crate::{sys, vcs};

/// The user's settings.
pub fn user_config(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_CONFIG_HOME", ".config")
}

/// The directory of what this machine remembers for all of the user's projects.
pub fn user_state(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_STATE_HOME", ".local/state")
}

/// The list of this user's repositories with agents.
pub fn clones(env: &Env) -> Option<StateDir> {
    let place = user_state(env)?.join("clones");
    Some(StateDir::of(StateHome::alone(place, StateMode::Named, "the user's list of clones")))
}

/// The directory of what this machine stores for all of the user's projects and must not delete.
pub fn user_data(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_DATA_HOME", ".local/share")
}

/// What may be deleted at any time.
pub fn user_cache(env: &Env) -> Option<PathBuf> {
    xdg(env, "XDG_CACHE_HOME", ".cache").and_then(|own| own.parent().map(Path::to_owned))
}

fn xdg(env: &Env, variable: &str, usual: &str) -> Option<PathBuf> {
    let base = env.var(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    base.or_else(|| env.home().map(|home| home.join(usual))).map(|base| base.join("beads"))
}

/// The variable that names a state home, before all other rules.
pub const STATE_DIR: &str = "BD_STATE_DIR";
/// The variable that names the workspace of a job.
pub const WORKSPACE_VARIABLE: &str = "BD_WORKSPACE";

/// How deeply workspaces may be made from each other.
const MAX_PARENTS: usize = 8;

/// A `.beads` directory, and what version control says about its place, read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    beads: PathBuf,
    pub(in crate::store) around: vcs::Around,
    /// What it says about being a workspace.
    pointer: Option<PointerState>,
    /// The state home in the usual mode, if no variable names another.
    usual: StateHome,
    /// The place of the settings ([`Site::settings_home`]); an error names the checkout that is missing.
    settled: Result<PathBuf, PathBuf>,
}

impl Site {
    pub fn of(beads: &Path, env: &Env) -> Self {
        Self::below(beads, env, MAX_PARENTS)
    }

    fn below(beads: &Path, env: &Env, parents: usize) -> Self {
        let around = vcs::Around::of(beads);
        let pointer = Pointer::of(beads, around.common.as_deref());
        let usual = StateHome::alone(PathBuf::new(), StateMode::Repo, "");
        let mut site = Site { beads: beads.to_owned(), around, pointer, settled: Ok(PathBuf::new()), usual };
        site.usual = site.home_in(env, StateMode::Repo);
        site.settled = site.settled_in(env, parents);
        site
    }

    pub fn beads(&self) -> &Path {
        &self.beads
    }

    /// The state home of this repo: the one named by `BD_STATE_DIR`, else that of the workspace's original repository,
    /// else as `mode`.
    pub fn home(&self, env: &Env, mode: StateMode) -> StateHome {
        let Some(named) = env.var(STATE_DIR) else { return self.unnamed_home(env, mode) };
        let path = resolved(env.path(&named));
        if env.var(WORKSPACE_VARIABLE).is_some() && mode != StateMode::Worktree {
            let usual = self.unnamed_home(env, mode);
            // A job gets the state home of its own repository in a variable; other repos have theirs.
            if usual.mode != StateMode::Workspace || usual.path == path {
                return usual;
            }
        }
        StateHome::alone(path, StateMode::Named, "BD_STATE_DIR is set")
    }

    /// The same, ignoring the variable.
    fn unnamed_home(&self, env: &Env, mode: StateMode) -> StateHome {
        if mode == StateMode::Repo { self.usual.clone() } else { self.home_in(env, mode) }
    }

    /// The state home in the usual mode.
    pub(in crate::store) fn usual_home(&self) -> StateHome {
        self.usual.clone()
    }

    fn home_in(&self, env: &Env, mode: StateMode) -> StateHome {
        let home = StateHome::alone;
        let own = self.beads.join("run");
        if let Some(lead) = &self.around.stranded {
            return home(place_of(lead), StateMode::Workspace, "the repository of this working copy is not there");
        }
        if let Some(PointerState::Known(target) | PointerState::Lost(target)) = &self.pointer {
            // In a container the same directory may be mounted elsewhere.
            let named =
                env.var(STATE_DIR).filter(|_| env.var(WORKSPACE_VARIABLE).is_some()).map(|path| env.path(&path));
            let path = match named.filter(|path| !target.home.is_dir() && path.is_dir()) {
                Some(mounted) => mounted,
                None => target.home.clone(),
            };
            return home(path, StateMode::Workspace, "this is a workspace of another checkout");
        }
        match (mode, &self.around.common) {
            (StateMode::Global, _) if user_state(env).is_some() => {
                let path = resolved(user_state(env).unwrap_or_default());
                home(path, StateMode::Global, "state.mode is global")
            }
            (StateMode::Worktree, _) => home(own, StateMode::Worktree, "state.mode is worktree"),
            (_, None) => home(own, StateMode::Repo, "not under version control"),
            (_, Some(common)) => {
                let shared = place_of(common);
                let is_settled = |beads: &PathBuf| {
                    beads.join("run").join(CONFIG_NAME).exists() && committed_settings(beads, env).is_none()
                };
                if !shared.join(CONFIG_NAME).exists() {
                    let main = self.in_main_checkout(common);
                    if let Some(first) = main.into_iter().chain([self.beads.clone()]).find(is_settled) {
                        let reason = "version control came after the settings, which stay in effect where they are";
                        return home(first.join("run"), StateMode::Repo, reason);
                    }
                }
                // Even if it is not writable: another one would be a second home, whose claims no one else sees.
                home(shared, StateMode::Repo, "the directory that all checkouts share")
            }
        }
    }

    /// Why nothing is written: the repository is not where this checkout says.
    pub fn stranded(&self) -> Option<ConfigError> {
        stranded(self.around.stranded.clone())
    }

    /// What a workspace needs and lacks: the state home that it shares, or the checkout whose settings it uses.
    pub fn unreachable(&self) -> Option<(PathBuf, &'static str)> {
        if self.usual.mode == StateMode::Workspace && !self.usual.path.is_dir() {
            return Some((self.usual.path.clone(), "the state home that it shares"));
        }
        let checkout = self.settled.clone().err()?;
        Some((checkout, "the checkout that it was made from, whose settings it shares,"))
    }

    /// The settings of the checkout around a `.beads` that is a submodule without settings of its own: a commit of the
    /// project can turn it into one, and must not change who the user is.
    pub fn hidden_by_submodule(&self) -> Option<PathBuf> {
        let is_own = self.around.root.as_ref().is_some_and(|root| root.ends_with(crate::store::BEADS_DIR));
        let own = self.around.common.as_ref().filter(|_| is_own)?;
        let is_outer = |dir: &&Path| own.starts_with(dir.join("modules")) && below::is_control(dir);
        let outer = place_of(own.ancestors().find(is_outer)?).join(CONFIG_NAME);
        (outer.exists() && !place_of(own).join(CONFIG_NAME).exists()).then_some(outer)
    }

    /// The parent checkout of this workspace.
    pub fn parent(&self) -> Option<PathBuf> {
        match self.pointer.as_ref().filter(|_| self.around.common.is_some())? {
            PointerState::Known(pointer) => pointer.parent.clone(),
            PointerState::Lost(_) | PointerState::Unknown { .. } => None,
        }
    }

    /// The root of the working copy, and the directory shared by all checkouts of its repository.
    pub fn directories(&self) -> (Option<&Path>, Option<&Path>) {
        (self.around.root.as_deref(), self.around.common.as_deref())
    }

    /// A file that calls this a workspace of a repository which does not know it: ignored until that repository does.
    pub fn unknown_pointer(&self) -> Option<(&Path, &Pointer)> {
        match self.pointer.as_ref()? {
            PointerState::Unknown { file, pointer } => Some((file, pointer)),
            PointerState::Known(_) | PointerState::Lost(_) => None,
        }
    }

    /// The uncommitted directory shared by all checkouts of a repository, whatever `state.mode` and `BD_STATE_DIR` say:
    /// settings, hooks and the log of writes concern only the repository, and a contributor's routing must not depend
    /// on a variable. A workspace uses that of its parent checkout, wherever their claims are.
    pub fn settings_home(&self) -> PathBuf {
        self.settled.clone().unwrap_or_else(|_| self.usual.path.clone())
    }

    fn settled_in(&self, env: &Env, parents: usize) -> Result<PathBuf, PathBuf> {
        let home = || self.usual.path.clone();
        let pointer = match &self.pointer {
            Some(PointerState::Known(pointer) | PointerState::Lost(pointer)) if self.around.stranded.is_none() => {
                pointer
            }
            _ => return Ok(home()),
        };
        match self.in_parent(pointer).filter(|_| parents > 0) {
            Some(there) => Site::below(&there, env, parents - 1).settled,
            // It is stored with the repository, so the settings are there too.
            None if is_with_repository(&pointer.home) => Ok(home()),
            None => Err(pointer.parent.clone().unwrap_or_else(|| pointer.home.clone())),
        }
    }

    /// For a checkout that is not the main one: the same `.beads` in the main one.
    fn in_main_checkout(&self, common: &Path) -> Option<PathBuf> {
        let main = below::is_control(common).then(|| root_of(common))?;
        let root = self.around.root.as_ref()?;
        let inside = self.beads.strip_prefix(root).ok().filter(|_| *root != main)?;
        Some(main.join(inside))
    }

    /// The same `.beads` in a workspace's parent checkout, if that is still the same repository.
    fn in_parent(&self, pointer: &Pointer) -> Option<PathBuf> {
        let root = self.around.root.as_deref().or_else(|| self.beads.parent())?;
        let there = pointer.parent.as_ref()?.join(self.beads.strip_prefix(root).ok()?);
        let id = |beads: &Path, common: Option<PathBuf>| {
            let directory = common.map_or_else(|| beads.join("run"), |common| place_of(&common));
            read_text(&directory, REPO_ID_NAME)
        };
        let own = id(&self.beads, self.around.common.clone());
        own.is_none_or(|own| id(&there, vcs::common_dir(&there)) == Some(own)).then_some(there)
    }
}

/// A working copy whose repository is not where this file says. Without the repository the user's settings for it are
/// unknown, such as where private issues go, so nothing is written.
pub(crate) fn stranded(lead: Option<PathBuf>) -> Option<ConfigError> {
    let message = "leads to a repository that is not there; if it was moved, repair the link (`git worktree repair` in the \
                   moved repository, or edit this file)";
    lead.map(|path| ConfigError::whole(path, message, ConfigFault::Broken))
}

/// The environment names this state home.
pub(crate) fn is_named(home: &Path, env: &Env) -> bool {
    let real = super::paths::real;
    env.var(STATE_DIR).is_some_and(|named| real(&env.path(&named)) == real(home))
}

/// A directory named by the user, with links followed. In a repository links are not followed.
fn resolved(path: PathBuf) -> PathBuf {
    match sys::path::link(&path) {
        Ok(_) => super::paths::real(&path),
        Err(_) => path,
    }
}

/// Personal settings that someone has committed: they are not personal, and are ignored.
pub(crate) fn committed_settings(beads: &Path, env: &Env) -> Option<PathBuf> {
    let file = beads.join("run").join(CONFIG_NAME);
    if !file.exists() {
        return None;
    }
    let vcs = vcs::open(beads);
    let root = super::paths::real(vcs.root());
    let real = super::paths::real(&file);
    let inside = real.strip_prefix(&root).ok()?;
    match vcs.committed(inside, env) {
        Ok(None) => None,
        Err(_) if !vcs.is_versioned() => None,
        // If unknown, treat it as committed.
        Ok(Some(_)) | Err(_) => Some(file),
    }
}

/// The state home belongs to one repository: it is in the directory that checkouts share, or in `.beads`.
fn is_with_repository(home: &Path) -> bool {
    let above = home.parent().unwrap_or(home);
    below::is_control(home)
        || above.extension().is_some_and(|end| end == "git")
        || above.file_name().is_some_and(|name| name == crate::store::BEADS_DIR)
        || vcs::is_bare(above)
}
