//! The gate before git: judges everything of a repository that the program itself would read.
//!
//! These are `config` and `config.worktree` with all files that they include, under any condition; links in its
//! directory; the submodules that git would enter; and the repository behind a remote that is a path, with its hooks,
//! where our flags have no effect. No program is started for this, except to list the sections that this git defines,
//! which runs in no repository. An unreadable file needs agreement, because git may understand it.

mod reach;
mod settings;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) use table::ALWAYS;

use super::config::odd_at;
use crate::sys::Env;
use crate::vcs::gate::Verdict;
use crate::vcs::layout::git::{common_dir, own_dir};

/// Judges the working copy with this root and this `.git`.
pub(crate) fn judge(root: &Path, dot_git: &Path, env: &Env) -> Verdict {
    let mut search = Search { env, seen: BTreeSet::new(), verdict: Verdict::default() };
    search.verdict.odd = odd_at(dot_git, env);
    // Anything that blocks forever cannot be checked.
    if search.verdict.odd.is_none() {
        search.repository(&Place { root, dot_git, name: String::new(), role: Role::Own });
    }
    search.verdict
}

/// The same for commands that only read and write settings: these run nothing, and write in its directory.
pub(super) fn judge_links(dot_git: &Path, env: &Env) -> Verdict {
    let mut verdict = Verdict { odd: odd_at(dot_git, env), ..Verdict::default() };
    let own = own_dir(dot_git).unwrap_or_else(|| dot_git.to_owned());
    let common = common_dir(dot_git).unwrap_or_else(|| own.clone());
    links(&mut verdict, &own, &common);
    verdict
}

fn links(verdict: &mut Verdict, own: &Path, common: &Path) {
    let inside = [real(common), real(own)];
    [common, own].into_iter().for_each(|dir| verdict.links(dir, &inside, is_entered));
}

/// The `.git` that git finds from a directory, with its parent: a command in `directory` can mean no other, since git
/// is told not to look further up.
pub(super) fn around(directory: &Path) -> Option<(&Path, PathBuf)> {
    directory.ancestors().map(|dir| (dir, dir.join(".git"))).find(|(_, git)| git.symlink_metadata().is_ok())
}

/// The relation of a repository to the one that git is started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Own,
    /// git enters it with our flags.
    Submodule,
    /// git starts a second git in it, without our flags.
    Remote,
}

/// One repository to check.
struct Place<'a> {
    root: &'a Path,
    dot_git: &'a Path,
    /// Its name in the findings; empty for the one that git is started in.
    name: String,
    role: Role,
}

impl Place<'_> {
    fn line(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }
}

struct Search<'a> {
    env: &'a Env,
    seen: BTreeSet<(PathBuf, Role)>,
    verdict: Verdict,
}

impl Search<'_> {
    fn repository(&mut self, place: &Place<'_>) {
        let own = own_dir(place.dot_git).unwrap_or_else(|| place.dot_git.to_owned());
        let common = common_dir(place.dot_git).unwrap_or_else(|| own.clone());
        if !self.seen.insert((real(&own), place.role)) {
            return;
        }
        if own == place.dot_git && own.join("commondir").exists() {
            // Only a linked worktree has one, and its `.git` is a file.
            self.verdict.asks.insert(place.line(&format!("commondir leads to {}", common.display())));
        }
        links(&mut self.verdict, &own, &common);
        let named = self.settings(place, &own, &common);
        if place.role == Role::Remote {
            self.hooks(place, &common, &named);
            return;
        }
        if place.role == Role::Own {
            self.old_remotes(place, &common);
            self.path_remotes(place, &named);
        }
        self.submodules(place, &own, &common);
    }
}

/// Objects are written under new names and renamed, so links among them are never written through; hooks are not run,
/// and files of other programs do not matter.
fn is_entered(directory: &Path) -> bool {
    let mut parts = directory.iter().filter_map(|part| part.to_str()).rev();
    match (parts.next(), parts.next()) {
        (Some("hooks" | "beads" | "annex" | "lfs"), _) => false,
        (Some("pack" | "info"), Some("objects")) => true,
        (Some(_), Some("objects")) => false,
        _ => true,
    }
}

pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
