//! Stores files of a checkout in git for a snapshot: byte for byte, ignoring filters and settings.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::hooks::checked;
use super::work_tree::{Items, WorkTree};
use crate::vcs::SyncError;
use crate::vcs::snapshot::{look, unusable};

/// The result for one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hashed {
    Id(String),
    Gone,
    Unreadable,
}

impl WorkTree<'_> {
    /// Stores files, or only computes their ids. A missing file is tried again: many programs replace a file by
    /// removing it first.
    pub(super) fn hashed(&self, paths: &[&Path], flags: &[&str]) -> Result<Vec<Hashed>, SyncError> {
        let mut all = self.hashed_once(paths, flags)?;
        for _ in 0..3 {
            let back = |at: &usize| all[*at] == Hashed::Gone && look(self.root, paths[*at]).is_some();
            let again: Vec<usize> = (0..paths.len()).filter(back).collect();
            let paths: Vec<&Path> = again.iter().map(|at| paths[*at]).collect();
            let found = self.hashed_once(&paths, flags)?;
            again.into_iter().zip(found).for_each(|(at, hashed)| all[at] = hashed);
        }
        Ok(all)
    }

    fn hashed_once(&self, paths: &[&Path], flags: &[&str]) -> Result<Vec<Hashed>, SyncError> {
        let mut all = Vec::new();
        while all.len() < paths.len() {
            let names = paths[all.len()..].iter().flat_map(|path| quoted(path.as_os_str()));
            let program = self.git().arg("hash-object").args(flags).args(["--no-filters", "--stdin-paths"]);
            let output = program.input(names.collect()).run()?;
            let ids = String::from_utf8_lossy(&output.stdout);
            all.extend(ids.lines().map(|id| Hashed::Id(id.to_owned())));
            if output.status.success() {
                break;
            }
            // git stops at the first unreadable file.
            let printed = String::from_utf8_lossy(&output.stderr);
            let reports = |words: &[&str]| words.iter().any(|word| printed.contains(word));
            if reports(&["could not open"]) && reports(&["No such file or directory", "Not a directory"]) {
                all.push(Hashed::Gone);
            } else if reports(&["could not open", "read error while indexing", "short read while indexing"]) {
                all.push(Hashed::Unreadable);
            } else {
                checked("git hash-object", output)?;
            }
        }
        if all.len() == paths.len() {
            return Ok(all);
        }
        Err(unusable(self.root, std::io::Error::other("git did not say what it stored of each file")))
    }

    pub(super) fn has(&self, id: &str) -> Result<bool, SyncError> {
        Ok(self.git().args(["cat-file", "-e", id]).run()?.status.success())
    }

    /// git would read the target of a link, so it gets files with the links' texts.
    pub(super) fn links(&self, links: BTreeMap<PathBuf, PathBuf>, scratch: &Path) -> Result<Items, SyncError> {
        let targets: Vec<&PathBuf> = links.values().collect::<BTreeSet<_>>().into_iter().collect();
        let mut names = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let name = scratch.join(format!("link-{number}"));
            std::fs::write(&name, target.as_os_str().as_bytes()).map_err(|source| unusable(&name, source))?;
            names.push(name);
        }
        let paths: Vec<&Path> = names.iter().map(PathBuf::as_path).collect();
        let ids = self.hashed(&paths, &["-w"])?;
        let ids: BTreeMap<&PathBuf, Hashed> = targets.into_iter().zip(ids).collect();
        let mut stored = Items::new();
        for (path, target) in &links {
            match ids.get(target) {
                Some(Hashed::Id(id)) => drop(stored.insert(path.clone(), ("120000", id.clone()))),
                _ => return Err(unusable(scratch, std::io::Error::other("git cannot read what was written there"))),
            }
        }
        Ok(stored)
    }
}

/// A name as a line that can hold any byte.
fn quoted(name: &OsStr) -> Vec<u8> {
    let bytes = name.as_bytes().iter().map(|byte| format!("\\{byte:03o}")).collect::<String>();
    format!("\"{bytes}\"\n").into_bytes()
}
