//! Things that the files of a repository want from this machine without the user's agreement.
//!
//! From the committed settings: a place outside of the repository for workspaces, and a command to run in them.
//! `bd trust` agrees to both; no warning appears before they are needed. From the state home: settings without
//! this user's mark (`mark.rs`); `bd trust` makes them the user's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::home_contents::{make_first, word};
use super::repos::outside;
use super::settings::{ConfigError, ConfigFault, Origin};
use super::trust::OutsidePath;
use super::{family, paths};
use crate::store::{HomeContents, Project, Result, read_trust};
use crate::sys::{below, fs};
use crate::vcs;

const PLACE: &str = "workspace.path";
pub const SETUP: &str = "workspace.setup";

/// A command in the committed settings of a project.
pub fn command(root: &Path, key: &'static str, text: &str) -> OutsidePath {
    let root = paths::real(root);
    // The workspaces of a repository share its agreements.
    let root = family::parent(&root).and_then(|_| family::counterpart(&root)).unwrap_or(root);
    let repository = vcs::common_dir(&root).unwrap_or_else(|| root.clone());
    OutsidePath { repository, root, key, text: text.to_owned(), resolved: PathBuf::new() }
}

impl Project {
    /// Refuses while a settings file cannot be used: which repos are private, and where a write belongs, is unknown then.
    pub fn refuse_broken(&self) -> Result<()> {
        self.settings.broken.first().map_or(Ok(()), |error| Err(error.clone().into()))
    }

    /// Refuses while a file of the state home would decide something and is not known to be this user's.
    pub fn refuse_unmarked(&self) -> Result<()> {
        let found = self.settings.broken.iter().find(|error| error.fault != ConfigFault::Broken);
        found.map_or(Ok(()), |error| Err(error.clone().into()))
    }

    /// Marks the personal settings as this user's, before a deciding one is added.
    pub fn mark_personal(&self) -> Result<()> {
        self.refuse_unmarked()?;
        let home = self.settings.files.personal.parent().unwrap_or(Path::new("."));
        if make_first(home, &self.host.env, self.lock_wait)? {
            return Ok(());
        }
        let contents = word(home, &self.host.env).contents.join("; ");
        Err(ConfigError::whole(home, format!("holds {contents}, and is not known to be yours"), ConfigFault::Unmarked)
            .into())
    }

    /// The files in the state homes of the project that count only if they are this user's.
    pub fn home_contents(&self) -> Vec<HomeContents> {
        let members = self.repos.members.iter();
        let homes: BTreeSet<PathBuf> = members.map(|member| member.site.settings_home()).collect();
        let words = homes.iter().map(|home| word(home, &self.host.env));
        words.filter(|word| !word.contents.is_empty()).collect()
    }

    /// Whether to ask the actor if the personal settings are theirs: the files belong to the same user and are among
    /// version control's own files, where a commit puts nothing.
    pub fn may_ask_for_marks(&self) -> bool {
        let home = self.settings.files.personal.parent().unwrap_or(Path::new("."));
        let common = vcs::common_dir(self.repo.beads()).map(|common| paths::real(&common));
        self.settings.is_unmarked()
            && common.is_some_and(|common| paths::real(home).starts_with(common))
            && [home, &self.settings.files.personal].into_iter().all(|path| fs::owner(path) == Some(fs::user()))
    }

    /// Everything without agreement.
    pub fn unagreed(&self) -> Vec<OutsidePath> {
        let shared = |key: &str| self.settings.text(key).filter(|(_, origin)| *origin == Origin::Shared);
        let root = &self.repos.root;
        let place = shared(PLACE).and_then(|(text, _)| {
            let path = self.repos.path_of(text, &self.host.env);
            outside(root, PLACE, text, &path)
        });
        let setup = shared(SETUP).filter(|(text, _)| !text.trim().is_empty());
        let setup = setup.map(|(text, _)| command(root, SETUP, text));
        let wishes: Vec<OutsidePath> = place.into_iter().chain(setup).collect();
        if wishes.is_empty() {
            return wishes;
        }
        let trust = read_trust(&self.host.env);
        wishes.into_iter().filter(|wish| !trust.covers(wish)).collect()
    }
}

/// A project's text for agents, `.beads/PRIME.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectText {
    pub path: PathBuf,
    pub text: String,
    /// The user has agreed to exactly this text.
    pub known: bool,
}

/// The name of that file in `.beads`.
const PROJECT_TEXT: &str = "PRIME.md";

fn text_wish(root: &Path, text: &str) -> OutsidePath {
    command(root, PROJECT_TEXT, &blake3::hash(text.as_bytes()).to_string())
}

impl Project {
    /// The text for agents; `None` if there is no readable one.
    pub fn project_text(&self) -> Option<ProjectText> {
        let beads = self.repo.beads();
        let text = below::text(beads, PROJECT_TEXT).ok().flatten().filter(|text| !text.trim().is_empty())?;
        let known = read_trust(&self.host.env).covers(&text_wish(&self.repos.root, &text));
        Some(ProjectText { path: beads.join(PROJECT_TEXT), text, known })
    }

    /// Records the user's agreement to it.
    pub fn trust_project_text(&self, text: &ProjectText) -> Result<()> {
        let wish = text_wish(&self.repos.root, &text.text);
        Ok(read_trust(&self.host.env).add(&[wish], self.lock_wait, &self.host.entropy)?)
    }
}
