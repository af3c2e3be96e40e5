//! The past of a jj repository. jj keeps its commits in git, where they are read; only jj can resolve a revision.

use std::collections::BTreeSet;
use std::path::Path;

use super::program::Repo;
use crate::vcs::SyncError;
use crate::vcs::archive::{Archive, Changes, Commit, Naming, Node, Pair, Spot, Steps, Trail, Version};
use crate::vcs::git::GitArchive;

pub struct JjArchive<'a> {
    repo: Repo<'a>,
    git: GitArchive,
}

impl<'a> JjArchive<'a> {
    /// Opens the git repository behind a working copy, starting at the parents of its own commit.
    pub fn open(repo: Repo<'a>, git: &Path) -> Result<Self, SyncError> {
        let mut tips = repo.ids(None, "@-")?;
        // jj's root commit is not in git.
        tips.retain(|id| id.bytes().any(|byte| byte != b'0'));
        Ok(JjArchive { git: GitArchive::open(git, Some(tips), repo.env)?, repo })
    }

    /// The commits of a revset, at most two; none if jj does not understand it.
    fn set(&self, revset: &str) -> Result<Vec<String>, SyncError> {
        let revisions = format!("--revisions={revset}");
        let arguments = ["log", "--no-graph", "--limit=2", &revisions, "--template=commit_id ++ \"\\n\""];
        match self.repo.ask(None, &arguments) {
            Ok(printed) => Ok(String::from_utf8_lossy(&printed).lines().map(str::to_owned).collect()),
            Err(SyncError::Failed { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

impl Archive for JjArchive<'_> {
    fn tips(&mut self) -> Result<Vec<String>, SyncError> {
        self.git.tips()
    }

    /// A change id, a bookmark, any revset. The working copy's commit is the last recorded one.
    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError> {
        // Neither a revset nor a program's argument can contain a NUL.
        if revision.contains('\0') {
            return Ok(None);
        }
        match self.set(revision)?.as_slice() {
            [only] => self.git.resolve(only),
            // jj forgets commits before git does.
            [] if revision.bytes().all(|byte| byte.is_ascii_hexdigit()) => self.git.resolve(revision),
            [] => Ok(None),
            _ => Err(SyncError::Several { revision: revision.to_owned() }),
        }
    }

    fn commit(&mut self, id: &str) -> Result<Commit, SyncError> {
        Archive::commit(&mut self.git, id)
    }

    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Node>, SyncError> {
        self.git.ancestors(from)
    }

    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError> {
        Archive::version(&mut self.git, file, commit)
    }

    fn steps(&mut self, file: &Trail, from: &[String]) -> Result<Steps, SyncError> {
        self.git.steps(file, from)
    }

    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError> {
        self.git.text(version)
    }

    fn lines_with(&mut self, versions: &[Version], text: &[u8]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        self.git.lines_with(versions, text)
    }

    fn changes(
        &mut self,
        pairs: &[Pair],
        naming: Naming,
        of: Option<&BTreeSet<String>>,
    ) -> Result<Vec<Changes>, SyncError> {
        self.git.changes(pairs, naming, of)
    }

    fn lines_at(&mut self, wanted: &[(&Version, &[Spot])]) -> Result<Vec<Vec<Vec<u8>>>, SyncError> {
        self.git.lines_at(wanted)
    }

    fn remembers(&self) -> bool {
        self.git.remembers()
    }
}
