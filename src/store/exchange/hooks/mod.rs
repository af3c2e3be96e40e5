//! The hooks of the primary's git repository: installed beside existing ones, and removable without a trace. They
//! include the registration of the merge driver, which hg and jj have too.
//!
//! Where git's hooks directory is not committed (`.git/hooks`, an ignored one, one outside of any working copy), our
//! hook takes the name, and the previous hook is renamed and runs after it. Where the directory is committed, its files
//! are not touched: `core.hooksPath` points to `<state home>/hooks`, which passes every hook on.

mod block;
mod driver;
mod files;
mod health;
mod script;
mod site;
mod status;

use std::path::{Path, PathBuf};

use crate::store::error::{HookError, as_store};
use crate::store::project::home_contents::manifests;
use crate::store::project::settings::{ConfigError, ConfigFault};
use crate::store::project::{mark, paths};
use crate::store::state::directory::prepare;
use crate::store::state::installed::{DRIVER, HOOKS, Manifest, Redirection};
use crate::store::{Project, Result, Snapshot, StoreError};
use crate::sys::{Env, below, process};
use crate::vcs;
use files::{put, put_config, read, remove, sum};
use script::{Next, Owner};
use site::{ASIDE, CHECKED, Place, aside};
use status::status;

pub use driver::DriverStatus;

pub use health::DriverProblem;

pub use status::{HookState, HooksStatus};

/// The first version whose merges compare a status by its own time. An older one can reopen a closed issue.
pub const MERGES_STATES: &str = "2.1";

/// In the state home: our hooks for a repository that commits its own.
const HOOKS_NAME: &str = "hooks";

/// Client-side hooks: for these, a hook that does nothing equals no hook.
const CLIENT: [&str; 12] = [
    "applypatch-msg",
    "commit-msg",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-merge-commit",
    "pre-rebase",
    "prepare-commit-msg",
];
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksChange {
    pub changed: bool,
    pub status: HooksStatus,
}

/// What to install.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HooksRequest {
    pub hooks: bool,
    pub driver: bool,
    /// Put the driver's attribute into the committed `.gitattributes`.
    pub shared: bool,
}

impl Project {
    fn hooks_place(&self) -> Result<Place> {
        let member = self.repos.primary_member();
        let env = &self.host.env;
        let (root, common) = vcs::git_dirs(member.repo.root()).map_err(|error| as_store(error, "bd hooks"))?;
        let named = vcs::hooks_path(&root, env).map_err(|error| as_store(error, "bd hooks"))?;
        let directory = paths::real(&root.join(&named));
        Ok(Place { home: member.site.settings_home(), root, common, named, directory })
    }

    /// Where git looks for hooks, and which of those the original wrote.
    pub fn old_hooks(&self) -> Option<(PathBuf, Vec<String>)> {
        let place = self.hooks_place().ok()?;
        let names = old_hooks(&place.directory);
        (!names.is_empty()).then_some((place.directory, names))
    }

    /// Whether the user asked for the hooks that run here: a hook in a directory that several repositories share does
    /// not show that.
    pub fn wants_hooks(&self) -> Result<bool> {
        let place = self.hooks_place()?;
        let own = [&place.common, &place.root].iter().any(|own| place.directory.starts_with(paths::real(own)));
        Ok(own || HOOKS.read(&place.home).is_some())
    }

    /// Marks the state home as the user's if it records an installation elsewhere.
    fn mark_installation(&self, home: &Path) -> Result<()> {
        if !manifests(home).is_empty() && !mark::is_own(home, &self.host.env) {
            mark::make(home, &self.host.env, self.lock_wait)?;
        }
        Ok(())
    }

    /// Refuses a hooks directory outside the repository that a link or the repository's own settings lead to. One that
    /// the user's settings name is fine.
    fn refuse_strange_directory(&self, place: &Place) -> Result<()> {
        let named = paths::plain(&place.root.join(&place.named));
        let own = [&place.root, &place.common].map(|own| paths::real(own));
        let is_own = |path: &Path| own.iter().any(|own| path.starts_with(own));
        if is_own(&place.directory) {
            return Ok(());
        }
        if is_own(&named) {
            return Err(HookError::LeadsOut { path: named, target: place.directory.clone() }.into());
        }
        // An unpacked archive can bring the repository's own settings with it.
        let env = &self.host.env;
        let setting = vcs::setting(&place.root, "core.hooksPath", env).map_err(|e| as_store(e, "bd hooks"))?;
        if setting.is_some() && !mark::is_own(&place.home, env) && !self.trusts_hooks(&place.root)? {
            let programs = vec![format!("core.hooksPath = {}", place.directory.display())];
            return Err(StoreError::UntrustedPrograms { root: place.root.clone(), programs });
        }
        Ok(())
    }

    fn put_in(&self, place: &Place) -> Result<()> {
        let env = &self.host.env;
        let driver_made_home = DRIVER.read(&place.home).is_some_and(|known| known.made_home);
        let made_home = !place.home.exists() || driver_made_home;
        prepare(&place.home)?;
        let bd = process::own_path();
        if !is_committed(place, env) {
            let made_directory = !place.directory.exists();
            let directory = place.directory.clone();
            // Another repository that shares this directory installed them: once is enough.
            let shared = CHECKED.iter().all(|name| is_ours(&directory.join(name)));
            let manifest = Manifest { directory, made_directory, made_home, shared, settings: None };
            HOOKS.write(&place.home, &manifest)?;
            self.mark_installation(&place.home)?;
            if shared {
                return Ok(());
            }
            below::make_missing(&place.directory)?;
            let old = old_hooks(&place.directory);
            for name in CHECKED {
                let path = place.directory.join(name);
                if path.symlink_metadata().is_ok() {
                    files::stand_aside(&path, &aside(&path))?;
                }
                let next = if old.iter().any(|old| old == name) { Next::Nothing } else { Next::Aside };
                put(&path, &script::text(name, bd.as_deref(), next))?;
            }
            for name in old.iter().filter(|name| !CHECKED.contains(&name.as_str())) {
                below::rename(&place.directory, name, &format!("{name}{ASIDE}"))?;
            }
            return Ok(());
        }
        let hooks = place.named.display().to_string();
        let directory = place.home.join(HOOKS_NAME);
        let config = place.common.join("config");
        let previous = vcs::setting(&place.root, "core.hooksPath", env).map_err(|e| as_store(e, "bd hooks"))?;
        let before = String::from_utf8(read(&config).unwrap_or_default()).ok();
        let mut redirection = Redirection { hooks: hooks.clone(), previous, before, after: String::new() };
        let manifest = |redirection: &Redirection| {
            let settings = Some(redirection.clone());
            let directory = directory.clone();
            HOOKS.write(&place.home, &Manifest { directory, made_directory: true, made_home, shared: false, settings })
        };
        manifest(&redirection)?;
        below::make(&place.home, HOOKS_NAME)?;
        let found = below::names(&place.directory, "").unwrap_or_default().into_iter();
        let found = found.filter(|name| place.directory.join(name).is_file());
        let mut names: Vec<String> = found.filter(|name| !name.contains('.') && !name.starts_with('_')).collect();
        names.extend(CHECKED.iter().chain(&CLIENT).map(|name| (*name).to_owned()));
        names.sort();
        names.dedup();
        let old = old_hooks(&place.directory);
        for name in names.iter().filter(|name| !old.contains(name) || CHECKED.contains(&name.as_str())) {
            let next = if old.contains(name) { Next::Nothing } else { Next::In(&hooks) };
            put(&directory.join(name), &script::text(name, bd.as_deref(), next))?;
        }
        let ours = directory.display().to_string();
        vcs::set_setting(&place.root, "core.hooksPath", Some(&ours), env).map_err(|e| as_store(e, "bd hooks"))?;
        redirection.after = sum(&read(&config).unwrap_or_default());
        manifest(&redirection)?;
        if self.hooks_place()?.directory != paths::real(&directory) {
            return Err(HookError::Overruled.into());
        }
        Ok(())
    }

    fn take_out(&self, place: &Place, manifest: &Manifest) -> Result<Vec<String>> {
        let mut remarks = Vec::new();
        if manifest.shared {
            HOOKS.remove(&place.home, manifest.made_home)?;
            return Ok(vec![format!(
                "the hooks in {} stay: another repository put them in",
                manifest.directory.display()
            )]);
        }
        let ours = hooks_in(manifest);
        // Check all before changing any.
        for path in &ours {
            if read(path).is_some_and(|bytes| script::owner(&bytes) == Owner::Edited) {
                return Err(HookError::Edited { path: path.clone() }.into());
            }
        }
        if let Some(settings) = &manifest.settings {
            self.restore_settings(place, manifest, settings, &mut remarks)?;
        }
        for path in &ours {
            let (current, is_ours) = (read(path), is_ours(path));
            let before = aside(path);
            let has_former = manifest.settings.is_none() && before.symlink_metadata().is_ok();
            if is_ours || current.is_none() && path.symlink_metadata().is_err() {
                if has_former {
                    let (directory, _) = below::parted(path);
                    let name = |path: &Path| below::parted(path).1.to_string_lossy().into_owned();
                    below::rename(directory, &name(&before), &name(path))?;
                } else if is_ours {
                    remove(path)?;
                }
                continue;
            }
            if has_former && read(&before) == current {
                remove(&before)?;
            } else if has_former {
                remarks.push(format!("{} stays: another program replaced the hook since", before.display()));
            }
            remarks.push(format!("{} is not ours any more and stays", path.display()));
        }
        if manifest.made_directory {
            let (above, name) = below::parted(&manifest.directory);
            let _ = below::remove_empty(above, name);
        }
        HOOKS.remove(&place.home, manifest.made_home)?;
        Ok(remarks)
    }

    /// Restores the repository's settings byte for byte, unless they were otherwise changed meanwhile.
    fn restore_settings(
        &self,
        place: &Place,
        manifest: &Manifest,
        settings: &Redirection,
        remarks: &mut Vec<String>,
    ) -> Result<()> {
        let env = &self.host.env;
        let config = place.common.join("config");
        let current = vcs::setting(&place.root, "core.hooksPath", env).map_err(|e| as_store(e, "bd hooks"))?;
        if current.as_deref() != Some(&*manifest.directory.display().to_string()) {
            remarks.push("core.hooksPath leads elsewhere by now and stays".to_owned());
            return Ok(());
        }
        match &settings.before {
            Some(before) if sum(&read(&config).unwrap_or_default()) == settings.after => {
                Ok(put_config(&config, before)?)
            }
            _ => vcs::set_setting(&place.root, "core.hooksPath", settings.previous.as_deref(), env)
                .map_err(|e| as_store(e, "bd hooks")),
        }
    }
}

impl Snapshot {
    /// The installed hooks, what runs after them, and whether something has replaced them since.
    pub fn hooks_status(&self) -> Result<HooksStatus> {
        let driver = self.driver_status()?;
        let place = match self.hooks_place() {
            Ok(place) => place,
            Err(error) => match self.driver_place() {
                // No hooks of ours, but a merge tool.
                Some(place) if matches!(error, StoreError::NotGit { .. }) => {
                    let remark =
                        format!("{} gets the merge tool alone: the leak check is in hooks of git", place.tool.name);
                    let installed = driver.state != "absent";
                    let (directory, hooks, remarks) = (place.tool.root, Vec::new(), vec![remark]);
                    return Ok(HooksStatus { installed, directory, hooks, remarks, driver });
                }
                _ => return Err(error),
            },
        };
        Ok(status(&place, HOOKS.read(&place.home).as_ref(), driver))
    }

    /// Refuses to install or remove files elsewhere that the state home names, unless it is known to be this user's.
    fn refuse_strange_manifests(&self) -> Result<()> {
        let home = self.driver_place().map(|place| place.home).or_else(|| Some(self.hooks_place().ok()?.home));
        let Some(home) = home else { return Ok(()) };
        match manifests(&home).first().filter(|_| !mark::is_own(&home, &self.host.env)) {
            Some(what) => {
                let message = format!("{what}, and is not known to be yours");
                Err(ConfigError::whole(home, message, ConfigFault::Unmarked).into())
            }
            None => Ok(()),
        }
    }

    /// Installs the hooks. Intact ones stay; replaced or deleted ones are installed again.
    pub fn install_hooks(&self, request: HooksRequest) -> Result<HooksChange> {
        self.refuse_strange_manifests()?;
        let elsewhere = self.driver_place().is_some_and(|place| !place.tool.runs_scripts());
        let driver = request.driver && self.install_driver(request.shared)?;
        // Where our hooks do not apply, only the merge tool is installed.
        let hooks = if request.hooks && !(elsewhere && request.driver) {
            self.install_checks().inspect_err(|_| {
                if let Some(place) = self.driver_place().filter(|_| driver) {
                    let known = DRIVER.read(&place.home);
                    let _ = known.map(|known| self.take_out_driver(&place, &known));
                }
            })?
        } else {
            false
        };
        Ok(HooksChange { changed: driver || hooks, status: self.hooks_status()? })
    }

    /// Installs only the hooks; `false` if they already are.
    fn install_checks(&self) -> Result<bool> {
        let place = self.hooks_place()?;
        self.refuse_strange_directory(&place)?;
        let known = HOOKS.read(&place.home);
        let now = status(&place, known.as_ref(), self.driver_status()?);
        let in_place =
            now.installed && now.remarks.is_empty() && now.hooks.iter().all(|hook| hook.state == "installed");
        if in_place && old_hooks(&place.directory).is_empty() {
            return Ok(false);
        }
        if let Some(known) = known {
            self.take_out(&place, &known)?;
        }
        let place = self.hooks_place()?;
        if let Err(error) = self.put_in(&place) {
            if let Some(half) = HOOKS.read(&place.home) {
                let _ = self.take_out(&self.hooks_place()?, &half);
            }
            return Err(error);
        }
        Ok(true)
    }

    /// Removes the hooks and the merge driver, and restores what was there before.
    pub fn uninstall_hooks(&self) -> Result<HooksChange> {
        self.refuse_strange_manifests()?;
        let mut remarks = Vec::new();
        let driver = self.driver_place();
        let registered = driver.as_ref().and_then(|place| DRIVER.read(&place.home));
        // In reverse order of installation, so that the settings are restored byte for byte.
        match self.hooks_place() {
            Ok(place) => match HOOKS.read(&place.home) {
                Some(manifest) => remarks.extend(self.take_out(&place, &manifest)?),
                None if registered.is_none() => return Err(HookError::NotInstalled.into()),
                None => {}
            },
            Err(error) if driver.is_none() => return Err(error),
            Err(_) if registered.is_none() => return Err(HookError::NotInstalled.into()),
            Err(_) => {}
        }
        if let (Some(place), Some(registered)) = (driver, registered) {
            remarks.extend(self.take_out_driver(&place, &registered)?);
        }
        let mut status = self.hooks_status()?;
        status.remarks = remarks;
        Ok(HooksChange { changed: true, status })
    }
}

/// The directory is in a working copy that would commit files put there.
fn is_committed(place: &Place, env: &Env) -> bool {
    let in_git = place.directory.starts_with(&place.common);
    let Some(root) = vcs::root(&place.directory).map(|root| paths::real(&root)) else { return false };
    if in_git || place.directory.starts_with(root.join(".git")) {
        return false;
    }
    let files = CHECKED.iter().map(|name| place.directory.join(name));
    files.flat_map(|file| [aside(&file), file]).any(|file| vcs::is_ignored(&file, env) != Some(true))
}

fn is_ours(path: &Path) -> bool {
    read(path).is_some_and(|bytes| script::owner(&bytes) == Owner::Ours)
}

/// Whether a hook is, byte for byte, what this very program installs. Anybody can write our mark and a right checksum.
pub(in crate::store) fn is_installed_text(path: &Path) -> bool {
    let (Some(name), Some(bytes)) = (path.file_name().and_then(|name| name.to_str()), read(path)) else { return false };
    let bd = process::own_path();
    [Next::Aside, Next::Nothing].iter().any(|next| script::text(name, bd.as_deref(), *next).as_bytes() == bytes)
}

/// The programs that our hooks run next in a push, each with a checksum of its content: agreeing to hooks covers these.
pub(in crate::store) fn run_next(root: &Path, env: &Env) -> Vec<String> {
    let Ok(directory) = vcs::hooks_path(root, env).map(|named| root.join(named)) else { return Vec::new() };
    let next = |name: &&str| {
        let own = read(&directory.join(name)).filter(|bytes| script::owner(bytes) != Owner::Foreign)?;
        let path = script::previous(&own, &directory, root)?;
        let bytes = read(&path)?;
        Some(format!("hook {name}, then {} ({})", path.display(), &sum(&bytes)[..16]))
    };
    ["pre-push", "reference-transaction"].iter().filter_map(next).collect()
}

/// The hooks in a directory that the original wrote, by name.
fn old_hooks(directory: &Path) -> Vec<String> {
    let names = CHECKED.iter().chain(&CLIENT);
    let is_old = |name: &&&str| read(&directory.join(name)).is_some_and(|bytes| script::is_originals(&bytes));
    names.filter(is_old).map(|name| (*name).to_owned()).collect()
}

/// The files that an installation created or renamed, whether or not they still exist.
fn hooks_in(manifest: &Manifest) -> Vec<PathBuf> {
    if manifest.settings.is_none() {
        let moved = CLIENT.iter().filter(|name| aside(&manifest.directory.join(name)).exists());
        return CHECKED.iter().chain(moved).map(|name| manifest.directory.join(name)).collect();
    }
    let found = below::names(&manifest.directory, "").unwrap_or_default();
    found.iter().map(|name| manifest.directory.join(name)).collect()
}
