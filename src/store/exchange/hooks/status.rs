//! The state of the hooks: installed, changed, replaced, and what runs after them.

use std::path::PathBuf;

use super::script::Owner;
use super::site::{CHECKED, Place, aside};
use super::{DriverStatus, read, script};
use crate::store::project::paths;
use crate::store::state::installed::Manifest;

/// The state of one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookState {
    pub name: String,
    /// installed, absent, edited, overwritten or missing.
    pub state: &'static str,
    /// The hook that runs after it.
    pub chained: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksStatus {
    pub installed: bool,
    /// Where git looks for hooks now.
    pub directory: PathBuf,
    pub hooks: Vec<HookState>,
    pub remarks: Vec<String>,
    pub driver: DriverStatus,
}

pub(super) fn status(place: &Place, manifest: Option<&Manifest>, driver: DriverStatus) -> HooksStatus {
    let mut remarks = Vec::new();
    let directory = place.directory.clone();
    let Some(manifest) = manifest else {
        let absent = |name: &&str| HookState { name: (*name).to_owned(), state: "absent", chained: None };
        let hooks = CHECKED.iter().map(absent).collect();
        return HooksStatus { installed: false, directory, hooks, remarks, driver };
    };
    if paths::real(&manifest.directory) != directory {
        let there = manifest.directory.display();
        remarks.push(format!("git looks for hooks in {} now, and not in {there}, where ours are", directory.display()));
    }
    let hook = |name: &str| {
        let path = manifest.directory.join(name);
        let state = match read(&path).map(|bytes| script::owner(&bytes)) {
            Some(Owner::Ours) => "installed",
            Some(Owner::Edited) => "edited",
            Some(Owner::Foreign) => "overwritten",
            None => "missing",
        };
        let next = match &manifest.settings {
            Some(settings) => place.root.join(&settings.hooks).join(name),
            None => aside(&path),
        };
        let runs = |next: &PathBuf| next.exists() && read(next).is_none_or(|bytes| !script::is_originals(&bytes));
        HookState { name: name.to_owned(), state, chained: Some(next).filter(runs) }
    };
    let hooks = CHECKED.iter().map(|name| hook(name)).collect();
    HooksStatus { installed: true, directory, hooks, remarks, driver }
}
