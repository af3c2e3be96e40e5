//! The past of hg and sl: one `log` lists the commits, and another those that name the file.
//!
//! A commit that does not name the file has the version of its parent. A merge does not name a file that it took from
//! one of its parents; so its version is read unless both parents have that of one commit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::call::{Client, is_node};
use super::commits;
use super::texts::{Place, Texts};
use crate::vcs::SyncError;
use crate::vcs::archive::{Archive, Commit, Likeness, Node, Past, Steps, Trail, Version, newest_first, steps};
use crate::vcs::files::path_of;

/// A repository to read.
pub(super) struct HgArchive<'a> {
    client: Client<'a>,
    texts: Texts,
    /// Commits as `log` reported them.
    logged: HashMap<String, Commit>,
}

impl<'a> HgArchive<'a> {
    pub(super) fn new(client: Client<'a>) -> Self {
        HgArchive { client, texts: Texts::default(), logged: HashMap::new() }
    }
}

impl Archive for HgArchive<'_> {
    fn tips(&mut self) -> Result<Vec<String>, SyncError> {
        self.client.nodes("p1()+p2()")
    }

    fn resolve(&mut self, revision: &str) -> Result<Option<Commit>, SyncError> {
        commits::resolve(&self.client, revision)
    }

    fn commit(&mut self, id: &str) -> Result<Commit, SyncError> {
        let known = self.logged.get(id).cloned();
        let found = if known.is_some() { known } else { commits::resolve(&self.client, id)? };
        found.ok_or_else(|| commits::no_commit(id))
    }

    /// Stores the commits for callers that need more than their places.
    fn ancestors(&mut self, from: &[String]) -> Result<Vec<Node>, SyncError> {
        let logged = commits::below(&self.client, from)?;
        let nodes = logged.iter().map(Node::from).collect();
        self.logged.extend(logged.into_iter().map(|commit| (commit.id.clone(), commit)));
        Ok(newest_first(nodes))
    }

    fn version(&mut self, file: &Path, commit: &str) -> Result<Option<Version>, SyncError> {
        if !is_node(commit) {
            return Err(commits::no_commit(commit));
        }
        let place = Place { commit: commit.to_owned(), file: file.to_owned() };
        self.texts.version(&self.client, place)
    }

    fn steps(&mut self, file: &Trail, from: &[String]) -> Result<Steps, SyncError> {
        let commits = self.ancestors(from)?;
        let line = commits.iter().map(|commit| (commit.id.clone(), commit.parents.clone())).collect();
        let mut walk = Walk { archive: self, from, line, known: HashMap::new() };
        steps(commits, from, file, &mut walk)
    }

    fn text(&mut self, version: &Version) -> Result<Vec<u8>, SyncError> {
        self.texts.text(&self.client, version)
    }
}

/// Some commits with their ancestors, and their versions of a file under each of its names.
struct Walk<'w, 'a> {
    archive: &'w mut HgArchive<'a>,
    from: &'w [String],
    /// Each commit with its parents, children first.
    line: Vec<(String, Vec<String>)>,
    known: HashMap<PathBuf, HashMap<String, Option<Version>>>,
}

impl Walk<'_, '_> {
    /// Finds the version in each commit under a name.
    fn learn(&mut self, name: &Path) -> Result<(), SyncError> {
        let named = commits::naming_below(&self.archive.client, self.from, name)?;
        let numbers: HashMap<&str, usize> =
            self.line.iter().enumerate().map(|(number, (id, _))| (id.as_str(), number)).collect();
        // The commit that made each one's version, parents first; `None` where the file did not exist.
        let mut made: Vec<Option<usize>> = vec![None; self.line.len()];
        for (number, (id, parents)) in self.line.iter().enumerate().rev() {
            let mut before = parents.iter().map(|parent| numbers.get(parent.as_str()).and_then(|at| made[*at]));
            let first = before.next().flatten();
            let is_own = named.contains(id) || before.any(|other| other != first);
            made[number] = if is_own { Some(number) } else { first };
        }
        let mut versions: HashMap<usize, Version> = HashMap::new();
        for number in (0..made.len()).filter(|number| made[*number] == Some(*number)) {
            let place = Place { commit: self.line[number].0.clone(), file: name.to_owned() };
            let version = self.archive.texts.version(&self.archive.client, place)?;
            versions.extend(version.map(|version| (number, version)));
        }
        let version = |maker: &Option<usize>| maker.and_then(|maker| versions.get(&maker).cloned());
        let found = self.line.iter().zip(&made).map(|((id, _), maker)| (id.clone(), version(maker))).collect();
        self.known.insert(name.to_owned(), found);
        Ok(())
    }
}

impl Past for Walk<'_, '_> {
    fn version(&mut self, commit: &str, path: &Path) -> Result<Option<Version>, SyncError> {
        if !self.known.contains_key(path) {
            self.learn(path)?;
        }
        Ok(self.known.get(path).and_then(|known| known.get(commit)).cloned().flatten())
    }

    /// The source that hg recorded at `hg mv` and `hg cp`, else the file with the most common lines. Only a removed
    /// file qualifies, or one beside it.
    fn former_name(
        &mut self,
        child: &str,
        parent: &str,
        path: &Path,
        beside: &[PathBuf],
    ) -> Result<Option<PathBuf>, SyncError> {
        let client = &self.archive.client;
        let (from, to) = (format!("--rev={parent}"), format!("--rev={child}"));
        let command = ["status", "--added", "--removed", "--copies", "--print0", &from, &to];
        let (mut candidates, copied_from) = changes(&client.must(&[], &command, &[])?.stdout, path);
        for other in beside {
            if Past::version(self, parent, other)?.is_some() {
                candidates.push(other.clone());
            }
        }
        if let Some(source) = copied_from.filter(|source| candidates.contains(source)) {
            return Ok(Some(source));
        }
        candidates.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
        if candidates.is_empty() {
            return Ok(None);
        }
        let Some(version) = Past::version(self, child, path)? else { return Ok(None) };
        let text = self.archive.text(&version)?;
        let mut likeness = Likeness::of(&text);
        for file in candidates {
            if let Some(bytes) = self.archive.client.cat(parent, &file)? {
                likeness.see(file, &bytes);
            }
        }
        Ok(likeness.name())
    }
}

/// The removed files, and the source from which the new one was copied. A source follows its copy, without a letter.
fn changes(status: &[u8], came: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let (mut removed, mut source, mut last) = (Vec::new(), None, PathBuf::new());
    for entry in status.split(|byte| *byte == 0).filter(|entry| entry.len() > 2) {
        let path = path_of(&entry[2..]);
        match entry[0] {
            b'R' => removed.push(path),
            b' ' if last == came => source = Some(path),
            b' ' => {}
            _ => last = path,
        }
    }
    (removed, source)
}
