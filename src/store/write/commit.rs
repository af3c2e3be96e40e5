//! Commits a ledger after a write, where the settings ask for it: in planning repos, which contain nothing else.
//!
//! Only the ledger and the files of `bd init` beside it are committed; other staged files stay staged. If the commit
//! fails, the write remains, and the next write's commit includes it.

use std::path::PathBuf;

use super::Written;
use crate::store::file_names::CONFIG_NAME;
use crate::store::project::paths;
use crate::store::project::warning::Warning;
use crate::store::{Project, Snapshot, Store};
use crate::sys::below;
use crate::vcs;

/// Files that `bd init` puts beside a ledger.
const SET_UP: [&str; 4] = [CONFIG_NAME, "metadata.json", ".gitignore", ".gitattributes"];

impl Project {
    /// Set-up files of a planning repo whose current content is not committed. The repo contains nothing else, so no
    /// one else would commit them.
    pub(in crate::store) fn new_set_up(&self, member: usize) -> Vec<PathBuf> {
        match member != 0 && self.is_planning(member) && !self.repos.share_working_copy(0, member) {
            true => self.uncommitted_set_up(member, &SET_UP),
            false => Vec::new(),
        }
    }

    /// The files, of those named, whose current content version control would accept but has not committed.
    pub(in crate::store) fn uncommitted_set_up(&self, member: usize, names: &[&str]) -> Vec<PathBuf> {
        let beads = self.repos.members[member].repo.beads();
        let vcs = vcs::open(beads);
        let root = paths::real(vcs.root());
        let is_new = |path: &PathBuf| {
            let Ok(inside) = path.strip_prefix(&root) else { return false };
            let Ok(now) = below::read(&root, inside, below::SMALL) else { return false };
            let committed = vcs.committed(inside, &self.host.env);
            committed.is_ok_and(|then| then.as_ref() != Some(&now.bytes))
                && vcs::is_ignored(path, &self.host.env) != Some(true)
        };
        let paths = names.iter().map(|name| paths::real(beads).join(name));
        if vcs.is_versioned() { paths.filter(is_new).collect() } else { Vec::new() }
    }

    /// Whether a repo's ledger is committed after each write.
    pub fn commits(&self, member: usize) -> bool {
        // A commit in the primary's working copy is a commit of the primary, whichever ledger it contains.
        if member == 0 || self.repos.share_working_copy(0, member) {
            return self.settings.flag("commit.primary");
        }
        let is_versioned = vcs::root(self.repos.members[member].repo.root()).is_some();
        is_versioned && self.is_planning(member) && self.settings.flag("commit.planning")
    }
}

impl Store {
    /// Commits the ledgers that were just written, as the settings say.
    pub(in crate::store) fn commit_ledgers(&mut self, written: &[(usize, Vec<Written>)]) {
        self.look_at_issues_again();
        for (source, issues) in written {
            let member = self.sources.member_of(*source);
            let changed: Vec<&Written> = issues.iter().filter(|issue| issue.changed).collect();
            if self.commits(member) && !changed.is_empty() {
                let message = message(&changed);
                let path = self.sources.ledger(*source).path().to_owned();
                // For the others this starts a program per file, so it waits for a sync.
                let set_up = if vcs::open(&path).is_read_directly() { self.new_set_up(member) } else { Vec::new() };
                let paths: Vec<PathBuf> = std::iter::once(path).chain(set_up).collect();
                self.commit_paths(member, &paths, &message);
            }
        }
    }
}

impl Snapshot {
    pub(in crate::store) fn commit_paths(&self, member: usize, paths: &[PathBuf], message: &str) {
        let author = self.actor().to_owned();
        let allowed =
            paths.first().map_or(Ok(()), |path| self.refuse_programs_at(path)).map_err(|error| error.to_string());
        let done = allowed.and_then(|()| {
            vcs::commit(paths, message, &author, &self.host.env).map(drop).map_err(|error| error.to_string())
        });
        if let Err(message) = done {
            let repo = self.name(member).to_owned();
            self.notices.add(Warning::NotCommitted { repo, message });
        }
    }
}

/// One line: what was written, and the title if it was one issue.
fn message(written: &[&Written]) -> String {
    match written {
        [one] => {
            let verb = if one.before.is_none() { "add" } else { "update" };
            let title: String = one.issue().title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("{verb} {}: {title}", one.id)
        }
        many => {
            let ids: Vec<&str> = many.iter().map(|one| one.id.as_str()).collect();
            format!("update {} issues\n\n{}", many.len(), ids.join("\n"))
        }
    }
}
