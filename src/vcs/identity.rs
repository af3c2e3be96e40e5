//! Decides whether two working copies belong to one project: whether commits pushed from one can reach the other's
//! remotes, or have already.

use std::collections::BTreeSet;
use std::path::Path;

use super::address::Address;
use super::{Kind, common_dir, facts, git, kind, layout, root};
use crate::sys::Env;
use crate::vcs::files::real;

/// The location of a working copy and its remotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    places: BTreeSet<Address>,
    remotes: BTreeSet<Address>,
}

impl Identity {
    /// From version control's settings alone, with addresses rewritten as these say.
    pub fn of(path: &Path, env: &Env) -> Self {
        let Some(root) = root(path) else { return Identity::default() };
        let places = [Some(real(&root)), common_dir(path)].into_iter().flatten().map(Address::Directory).collect();
        let remotes = facts(path, env).addresses.iter().filter_map(|text| Address::parse(text, &root)).collect();
        Identity { places, remotes }
    }

    /// Whether a remote of one is a remote or the location of the other.
    pub fn meets(&self, other: &Identity) -> bool {
        let shared = |one: &BTreeSet<Address>, other: &BTreeSet<Address>| one.intersection(other).next().is_some();
        shared(&self.remotes, &other.remotes)
            || shared(&self.remotes, &other.places)
            || shared(&self.places, &other.remotes)
            || shared(&self.places, &other.places)
    }

    /// Whether an address, as [`recorded`](Self::recorded) writes it, is one of the remotes.
    pub fn has_remote(&self, text: &str) -> bool {
        self.remotes.iter().any(|remote| remote.recorded() == text)
    }

    /// The remotes, in a form that may be stored.
    pub fn recorded(&self) -> Vec<String> {
        self.remotes.iter().map(Address::recorded).collect()
    }

    /// A remote on a server, as text: a path means nothing on another machine.
    pub fn server(&self) -> Option<String> {
        self.remotes.iter().find(|remote| matches!(remote, Address::Server { .. })).map(Address::to_string)
    }
}

/// Whether two working copies belong to one project: a remote of one is the other or one of its remotes, or a branch of
/// the other begins with a commit of the one.
pub fn is_same_project(one: &Path, other: &Path, env: &Env) -> bool {
    Identity::of(one, env).meets(&Identity::of(other, env))
        || first_commits(other, false).iter().any(|commit| has_commit(one, commit))
        || super::is_shallow(one) && first_commits(one, false).iter().any(|commit| has_commit(other, commit))
}

/// Whether an address leads to a remote of a working copy, or to that itself, in any form that git would make of it.
pub fn is_own_remote(path: &Path, address: &str, env: &Env) -> bool {
    let Some(root) = root(path) else { return false };
    let dot_git = match kind(path) {
        Kind::Jj => layout::jj::git_behind(&root).ok(),
        _ => Some(root.join(".git")),
    };
    let own = Identity::of(path, env);
    let is_named = facts(path, env).remotes.iter().any(|remote| remote.name == address);
    let forms = dot_git.map_or_else(Vec::new, |dot_git| git::address_forms(&dot_git, address, env));
    let mut addresses = forms.iter().filter_map(|text| Address::parse(text, &root));
    is_named || addresses.any(|address| own.remotes.contains(&address) || own.places.contains(&address))
}

/// The commits without a parent, the oldest first: of branches, and with `with_remotes` of remotes too. In a shallow
/// clone, those at its edge. From files alone.
fn first_commits(path: &Path, with_remotes: bool) -> Vec<String> {
    match (kind(path), common_dir(path)) {
        (Kind::Git | Kind::Jj, Some(common)) => git::first_commits(&common, with_remotes),
        (Kind::Hg | Kind::Sl, Some(common)) => layout::hg::first_commit(&common).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The first commit, the same in all full clones.
pub fn first_commit(path: &Path) -> Option<String> {
    if super::is_shallow(path) { None } else { first_commits(path, true).into_iter().next() }
}

/// Whether the history of a repository begins with a commit, in a branch or in the last known state of its remotes.
pub fn begins_with(path: &Path, id: &str) -> bool {
    has_commit(path, id) && first_commits(path, true).iter().any(|commit| commit == id)
}

/// Whether a repository has a commit that is the first of another.
pub fn has_commit(path: &Path, id: &str) -> bool {
    match (kind(path), common_dir(path)) {
        (Kind::Git | Kind::Jj, Some(common)) => git::has_commit(&common, id),
        (Kind::Hg | Kind::Sl, Some(common)) => layout::hg::first_commit(&common).as_deref() == Some(id),
        _ => false,
    }
}
