//! Whether two working copies are of one project: what is sent from one can arrive where the other comes from, or went there
//! already.

use std::collections::BTreeSet;
use std::path::Path;

use super::address::Address;
use super::{Kind, common_dir, facts, git, kind, layout, root};
use crate::sys::Env;
use crate::vcs::files::real;

/// Where a working copy is and where its commits come from or go to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    places: BTreeSet<Address>,
    remotes: BTreeSet<Address>,
}

impl Identity {
    /// From the settings of version control alone, with what they put in the place of an address.
    pub fn of(path: &Path, env: &Env) -> Self {
        let Some(root) = root(path) else { return Identity::default() };
        let places = [Some(real(&root)), common_dir(path)].into_iter().flatten().map(Address::Directory).collect();
        let remotes = facts(path, env).addresses.iter().filter_map(|text| Address::parse(text, &root)).collect();
        Identity { places, remotes }
    }

    /// A remote of one is a remote or the place of the other.
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

    /// The remotes, as they may be kept.
    pub fn recorded(&self) -> Vec<String> {
        self.remotes.iter().map(Address::recorded).collect()
    }

    /// A remote on a server, as text: a path says nothing on another machine.
    pub fn server(&self) -> Option<String> {
        self.remotes.iter().find(|remote| matches!(remote, Address::Server { .. })).map(Address::to_string)
    }
}

/// Two working copies are of one project: one has a remote in which the other is or has its own, or a branch of the other begins
/// with a commit of the one.
pub fn is_same_project(one: &Path, other: &Path, env: &Env) -> bool {
    Identity::of(one, env).meets(&Identity::of(other, env))
        || first_commits(other, false).iter().any(|commit| has_commit(one, commit))
        || super::is_shallow(one) && first_commits(one, false).iter().any(|commit| has_commit(other, commit))
}

/// The commits without a parent that branches begin with, the oldest first; also those of remotes, or not. Where a clone was made
/// without older commits, those at its edge. From files alone.
fn first_commits(path: &Path, with_remotes: bool) -> Vec<String> {
    match (kind(path), common_dir(path)) {
        (Kind::Git | Kind::Jj, Some(common)) => git::first_commits(&common, with_remotes),
        (Kind::Hg | Kind::Sl, Some(common)) => layout::hg::first_commit(&common).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The first commit that all full clones know.
pub fn first_commit(path: &Path) -> Option<String> {
    if super::is_shallow(path) { None } else { first_commits(path, true).into_iter().next() }
}

/// Whether the history of a repository begins with a commit, in a branch or in what it knows of its remotes.
pub fn begins_with(path: &Path, id: &str) -> bool {
    has_commit(path, id) && first_commits(path, true).iter().any(|commit| commit == id)
}

/// Whether a repository holds a commit that is the first of another.
pub fn has_commit(path: &Path, id: &str) -> bool {
    match (kind(path), common_dir(path)) {
        (Kind::Git | Kind::Jj, Some(common)) => git::has_commit(&common, id),
        (Kind::Hg | Kind::Sl, Some(common)) => layout::hg::first_commit(&common).as_deref() == Some(id),
        _ => false,
    }
}
