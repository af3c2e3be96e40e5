//! What the committed settings want of this machine and the user has not agreed to yet: a place outside of the repository for
//! workspaces, and a command to run in them. `bd config trust` agrees to both. Nothing warns of them before they are needed.

use std::path::{Path, PathBuf};

use super::project::outside;
use super::settings::{Origin, OutsidePath};
use super::{Store, family, place, read_trust};
use crate::vcs;

const PLACE: &str = "workspace.path";
pub const SETUP: &str = "workspace.setup";

/// A command that the committed settings of a project name.
pub fn command(root: &Path, key: &'static str, text: &str) -> OutsidePath {
    let root = place::real(root);
    // What a user agrees to, the workspaces of the repository may do too.
    let root = family::parent(&root).and_then(|_| family::counterpart(&root)).unwrap_or(root);
    let repository = vcs::common_dir(&root).unwrap_or_else(|| root.clone());
    OutsidePath { repository, root, key, text: text.to_owned(), resolved: PathBuf::new() }
}

impl Store {
    /// What is not agreed to.
    pub fn unagreed(&self) -> Vec<OutsidePath> {
        let shared = |key: &str| self.settings.text(key).filter(|(_, origin)| *origin == Origin::Shared);
        let root = &self.project.root;
        let place = shared(PLACE).and_then(|(text, _)| {
            let path = self.project.path_of(text, &self.host.env);
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
