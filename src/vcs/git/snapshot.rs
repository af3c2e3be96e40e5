//! Snapshots in a git repository: commits below `refs/beads/checkpoints/`, on top of the commit that is checked out.
//!
//! The user's index is only read. git stores each file as it is, without filters or line-end conversion, and a separate
//! index makes a tree of them; so a snapshot never runs a filter, and `git diff` against one shows the raw bytes. The
//! refs belong to the whole repository: they stay when a worktree is removed, protect the objects from garbage
//! collection, are not pushed by an ordinary push (`--mirror` sends them), and show up in `git log --all`. Every file
//! is read once, whether or not it has changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gix::objs::tree::EntryKind;

use super::blobs::Hashed;
use super::hooks::checked;
use super::index;
use super::objects::{line, write_commit};
use super::trees::{Trees, odd};
use super::upstream::id;
use super::work_tree::{Items, Known, WorkTree};
use crate::sys::path::private_scratch;
use crate::vcs::files::path_of;
use crate::vcs::snapshot::{Fresh, LeftOut, Snapshot, Why, check_key, look, marker, unusable};
use crate::vcs::{Kind, SyncError};

/// The message of every snapshot. Its commit is in the project's repository, where `git push --mirror` sends it: what
/// people write about it is stored elsewhere.
const MESSAGE: &str = "bd snapshot";

impl WorkTree<'_> {
    fn check(&self, key: &str) -> Result<(), SyncError> {
        check_key(key, if self.dot_git.is_some() { Kind::Jj } else { Kind::Git })
    }

    /// The content of git's index and `HEAD`.
    pub(crate) fn known(&self) -> Result<Known, SyncError> {
        let mut known = Known::default();
        let list = self.ask("git ls-files", self.git().args(["ls-files", "-z", "-t", "--stage"]))?;
        for entry in list.split(|byte| *byte == 0) {
            let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else { continue };
            let (words, path) = (String::from_utf8_lossy(&entry[..tab]), path_of(&entry[tab + 1..]));
            let words: Vec<&str> = words.split(' ').collect();
            let [tag, mode, id, _] = words.as_slice() else { continue };
            let found = look(self.root, &path);
            match *mode {
                "160000" if found.as_ref().is_none_or(|found| found.is_dir()) => {
                    drop(known.submodules.insert(path, (*id).to_owned()))
                }
                _ if *tag == "S" && found.is_none() => drop(known.absent.insert(path)),
                _ => drop(known.tracked.insert(path)),
            }
        }
        let head = self.git().args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).run()?;
        match head.status.code() {
            Some(1) => {}
            _ => known.parents.push(line(&checked("git rev-parse", head)?.stdout)),
        }
        Ok(known)
    }

    pub(crate) fn take(&self, key: &str, limit: u64, known: &Known) -> Result<Snapshot, SyncError> {
        self.check(key)?;
        // Beside the refs: a user who can write those can write this.
        let common = self.common()?;
        let scratch = tempfile::Builder::new().prefix("bd-snapshot-").tempdir_in(&common);
        let scratch = scratch.map_err(|source| unusable(&common, source))?;
        let index = scratch.path().join("index");
        let (items, mut left_out) = self.items(known, limit, scratch.path())?;
        let list: Vec<u8> = items
            .iter()
            .flat_map(|(path, (mode, id))| {
                [format!("{mode} {id} 0\t").as_bytes(), path.as_os_str().as_bytes(), b"\0"].concat()
            })
            .collect();
        let own = || self.git().var("GIT_INDEX_FILE", &index);
        self.ask("git update-index", own().args(["update-index", "-z", "--replace", "--index-info"]).input(list))?;
        let tree = line(&self.ask("git write-tree", own().arg("write-tree"))?);
        let staged = self.keep_staged(key, known.parents.first(), &items, scratch.path())?;
        let parents: Vec<String> = known.parents.iter().cloned().chain(staged.commit).collect();
        let name = write_commit(self.git(), &tree, &parents, MESSAGE)?;
        let mut files = self.differing(known, &items, &name)?;
        files.extend(staged.files);
        files.sort();
        files.dedup();
        left_out.extend(staged.left_out);
        // The null id: the ref must not exist yet.
        let none = "0".repeat(name.len());
        let flags = ["update-ref", "-m", "bd: snapshot", "--no-deref", "--end-of-options"];
        self.ask("git update-ref", self.git().args(flags).args([ref_name(key), name.clone(), none]))?;
        Ok(Snapshot { name, files, base: known.parents.first().cloned(), left_out })
    }

    /// Stores all files as they are.
    fn items(&self, known: &Known, limit: u64, scratch: &Path) -> Result<(Items, Vec<LeftOut>), SyncError> {
        let mut left_out = Vec::new();
        let (mut files, mut links, mut large) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for path in known.tracked.iter().chain(&self.untracked(known, scratch, &mut left_out)?) {
            let Some(found) = look(self.root, path) else { continue };
            let mode = if found.permissions().mode() & 0o100 != 0 { "100755" } else { "100644" };
            if let Some(repository) = marker(path) {
                // jj's own directory, with git behind it.
                if repository == Path::new(".jj") {
                    continue;
                }
                left_out.push(LeftOut { path: repository, why: Why::Repository });
            } else if found.is_symlink() && path.ends_with(".gitmodules") {
                // git does not accept such a link in an index.
                left_out.push(LeftOut { path: path.clone(), why: Why::Special });
            } else if found.is_symlink() {
                let target = std::fs::read_link(self.root.join(path));
                links.extend(target.ok().map(|target| (path.clone(), target)));
            } else if found.is_file() && found.len() > limit {
                large.insert(path.clone(), (mode, found.len()));
            } else if found.is_file() {
                files.insert(path.clone(), mode);
            }
        }
        let mut items = Items::new();
        let paths: Vec<&Path> = files.keys().map(PathBuf::as_path).collect();
        for ((path, mode), id) in files.iter().zip(self.hashed(&paths, &["-w"])?) {
            match id {
                Hashed::Id(id) => drop(items.insert(path.clone(), (*mode, id))),
                Hashed::Gone => {}
                Hashed::Unreadable => left_out.push(LeftOut { path: path.clone(), why: Why::Unreadable }),
            }
        }
        for (path, (mode, bytes)) in large {
            // This is cheap if the repository has it already.
            match self.hashed(&[&path], &[])?.pop() {
                Some(Hashed::Id(id)) if self.has(&id)? => drop(items.insert(path, (mode, id))),
                _ => left_out.push(LeftOut { path, why: Why::TooLarge(bytes) }),
            }
        }
        items.extend(self.links(links, scratch)?);
        for (path, commit) in &known.submodules {
            if look(self.root, path).is_some_and(|found| found.is_dir()) {
                items.insert(path.clone(), ("160000", commit.clone()));
                let is_empty = |dir: PathBuf| std::fs::read_dir(dir).is_ok_and(|mut all| all.next().is_none());
                if !is_empty(self.root.join(path)) {
                    left_out.push(LeftOut { path: path.clone(), why: Why::Repository });
                }
            }
        }
        left_out.sort_by(|a, b| a.path.cmp(&b.path));
        left_out.dedup();
        Ok((items, left_out))
    }

    /// Untracked files that are ignored. A directory means everything in it.
    pub(crate) fn ignored(&self) -> Result<Vec<PathBuf>, SyncError> {
        let scratch = private_scratch("bd-index-").map_err(|source| unusable(self.root, source))?;
        let flags = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        let program = match self.dot_git {
            Some(_) => self.git().var("GIT_INDEX_FILE", scratch.path().join("none")),
            None => self.git(),
        };
        let list = self.ask("git ls-files", program.args(flags))?;
        let names = list.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let paths = names.map(|name| path_of(name.strip_suffix(b"/").unwrap_or(name)));
        // jj hides its own directory from git in this way.
        Ok(paths.filter(|path| !path.starts_with(".jj")).collect())
    }

    /// Untracked files that are not ignored. A directory that is a repository means everything in it.
    fn untracked(
        &self,
        known: &Known,
        scratch: &Path,
        left_out: &mut Vec<LeftOut>,
    ) -> Result<BTreeSet<PathBuf>, SyncError> {
        let flags = ["ls-files", "-z", "--others", "--exclude-standard"];
        // git's index means nothing to other programs that keep their commits in git.
        let program = match self.dot_git {
            Some(_) => self.git().var("GIT_INDEX_FILE", scratch.join("none")),
            None => self.git(),
        };
        let list = self.ask("git ls-files", program.args(flags))?;
        let mut found = BTreeSet::new();
        for name in list.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            match name.strip_suffix(b"/") {
                Some(directory) => left_out.push(LeftOut { path: path_of(directory), why: Why::Repository }),
                None => drop(found.insert(path_of(name))),
            }
        }
        found.retain(|path| !known.tracked.contains(path));
        Ok(found)
    }

    /// The files that differ from the commit below. If a filter or another line end makes the bytes differ, git's index
    /// tells whether the file was changed.
    fn differing(&self, known: &Known, items: &Items, commit: &str) -> Result<Vec<PathBuf>, SyncError> {
        let Some(base) = known.parents.first() else { return Ok(items.keys().cloned().collect()) };
        let flags = ["diff-tree", "-r", "-z", "--no-renames", "--raw", "--end-of-options"];
        let raw = self.ask("git diff-tree", self.git().args(flags).args([base.as_str(), commit]).arg("--"))?;
        let mut changed = names(&raw);
        if self.dot_git.is_none() && changed.iter().any(|(letter, _)| *letter == b'M') {
            let empty = gix::ObjectId::empty_tree(gix::hash::Kind::Sha1).to_string();
            let flags = ["diff-index", "-z", "--no-renames", "--raw", "--end-of-options"];
            let program = self.git().var("GIT_ATTR_SOURCE", empty).args(flags).args([base.as_str(), "--"]);
            let touched: HashSet<PathBuf> =
                names(&self.ask("git diff-index", program)?).into_iter().map(|(_, path)| path).collect();
            changed.retain(|(letter, path)| *letter != b'M' || touched.contains(path));
        }
        // jj does not check out submodules.
        changed
            .retain(|(letter, path)| !known.absent.contains(path) && (*letter != SUBMODULE || self.dot_git.is_none()));
        Ok(changed.into_iter().map(|(_, path)| path).collect())
    }

    /// Returns the directory of staged content, relative to the restored one.
    pub(crate) fn restore(&self, key: &str, to: &Path) -> Result<Option<PathBuf>, SyncError> {
        self.check(key)?;
        let name = format!("{}^{{commit}}", ref_name(key));
        let found = self.git().args(["rev-parse", "--verify", "--quiet", "--end-of-options"]).arg(name).run()?;
        if !found.status.success() {
            return Err(SyncError::NoSnapshot { key: key.to_owned(), root: self.root.to_owned() });
        }
        let trees = Trees::open(self.dot_git.as_deref().unwrap_or(self.root))?;
        let commit = id(&found.stdout)?;
        let tree = trees.of(commit)?;
        let mut staged = None;
        Fresh::fill(to, |to| {
            // Links come last, so that no file can be written through one.
            let mut links = Vec::new();
            let mut open = vec![(PathBuf::new(), tree)];
            while let Some((directory, tree)) = open.pop() {
                for entry in trees.entries(tree)? {
                    if entry.filename.contains(&b'/') {
                        return Err(odd(tree).into());
                    }
                    let path = directory.join(OsStr::from_bytes(&entry.filename));
                    match entry.mode.kind() {
                        EntryKind::Tree => open.push((path, entry.oid)),
                        EntryKind::Link => links.push((path, trees.blob(entry.oid)?)),
                        EntryKind::Commit => to.directory(&path)?,
                        EntryKind::Blob => to.file(&path, false, &mut trees.blob(entry.oid)?.as_slice())?,
                        EntryKind::BlobExecutable => to.file(&path, true, &mut trees.blob(entry.oid)?.as_slice())?,
                    }
                }
            }
            links.iter().try_for_each(|(path, target)| to.link(path, &path_of(target)))?;
            staged = index::restore(&trees, key, commit, to)?;
            Ok(())
        })?;
        Ok(staged)
    }

    pub(crate) fn forget(&self, key: &str) -> Result<(), SyncError> {
        self.check(key)?;
        let flags = ["update-ref", "--no-deref", "-d", "--end-of-options"];
        self.ask("git update-ref", self.git().args(flags).arg(ref_name(key))).map(drop)
    }
}

fn ref_name(key: &str) -> String {
    format!("refs/beads/checkpoints/{key}")
}

/// The letter for a path that was a submodule.
const SUBMODULE: u8 = b'S';

/// Each letter and path of a raw diff.
fn names(raw: &[u8]) -> Vec<(u8, PathBuf)> {
    let mut fields = raw.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
        let letter = meta.iter().rposition(|byte| *byte == b' ').and_then(|at| meta.get(at + 1));
        let letter = if meta.starts_with(b":160000 ") { Some(&SUBMODULE) } else { letter };
        found.extend(letter.map(|letter| (*letter, path_of(path))));
    }
    found
}
