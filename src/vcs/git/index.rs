//! Staged content that differs from the working file: the part of a snapshot that the files do not show.
//!
//! It is a commit beside the one below, made like those of `git stash`: its tree is that of the index, so `git stash
//! apply --index` accepts such a snapshot. For unmerged files, another commit keeps the versions. The index itself is
//! only read. A file that is added with `--intent-to-add` has nothing staged.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::objs::tree::EntryKind;

use super::objects::{line, write_commit};
use super::trees::{Item, Trees, odd};
use super::work_tree::{Items, WorkTree};
use crate::vcs::files::path_of;
use crate::vcs::snapshot::{Fresh, LeftOut, Why};
use crate::vcs::{HistoryError, SyncError};

/// The directory of staged content in a restored snapshot.
const DIRECTORY: &str = ".bd-index";
const STAGED: &str = "staged";
/// The versions of an unmerged file, in the order of git's stages.
const VERSIONS: [&str; 3] = ["base", "ours", "theirs"];
/// The mode of an absent entry.
const NOTHING: &str = "000000";
const SUBMODULE: &str = "160000";

/// One version of a file in the index.
struct Entry {
    path: PathBuf,
    mode: String,
    id: String,
}

/// The saved parts of the index.
#[derive(Default)]
pub(super) struct Kept {
    pub commit: Option<String>,
    /// The files with a saved version.
    pub files: BTreeSet<PathBuf>,
    pub left_out: Vec<LeftOut>,
}

impl WorkTree<'_> {
    /// Saves the index, if it has content that the files do not show.
    pub(super) fn keep_staged(
        &self,
        key: &str,
        base: Option<&String>,
        items: &Items,
        scratch: &Path,
    ) -> Result<Kept, SyncError> {
        // git's index means nothing to other programs that keep their commits in git.
        if self.dot_git.is_some() {
            return Ok(Kept::default());
        }
        let mut staged = self.staged(base)?;
        let mut unmerged = self.unmerged()?;
        let mut left_out = self.without_missing(&mut staged)?;
        left_out.extend(self.without_missing(&mut unmerged)?);
        let differs = |one: &&Entry| match items.get(&one.path) {
            Some((mode, id)) => (*mode, id) != (one.mode.as_str(), &one.id),
            None => one.mode != NOTHING,
        };
        let mut files: BTreeSet<PathBuf> = staged.iter().filter(differs).map(|one| one.path.clone()).collect();
        // The first component of a path is the version.
        files.extend(unmerged.iter().map(|one| one.path.iter().skip(1).collect::<PathBuf>()));
        if files.is_empty() {
            return Ok(Kept { left_out, ..Kept::default() });
        }
        let mut parents: Vec<String> = base.cloned().into_iter().collect();
        if !unmerged.is_empty() {
            let tree = self.tree(None, &unmerged, &scratch.join("unmerged"))?;
            parents.push(write_commit(self.git(), &tree, &[], &unmerged_name(key))?);
        }
        let tree = self.tree(base, &staged, &scratch.join("staged"))?;
        let commit = Some(write_commit(self.git(), &tree, &parents, &index_name(key))?);
        Ok(Kept { commit, files, left_out })
    }

    /// The differences between the index and the commit below.
    fn staged(&self, base: Option<&String>) -> Result<Vec<Entry>, SyncError> {
        let none = ObjectId::empty_tree(gix::hash::Kind::Sha1).to_string();
        let flags = ["diff-index", "-z", "--cached", "--no-renames", "--raw", "--no-abbrev"];
        let flags = flags.iter().chain(&["--ita-invisible-in-index", "--end-of-options"]);
        let raw = self.ask("git diff-index", self.git().args(flags).arg(base.unwrap_or(&none)).arg("--"))?;
        let mut fields = raw.split(|byte| *byte == 0);
        let mut found = Vec::new();
        while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
            let meta = String::from_utf8_lossy(meta);
            let words: Vec<&str> = meta.split(' ').collect();
            match words.as_slice() {
                [_, _, _, _, "U"] => {}
                [_, mode, _, id, _] => found.push(entry(path_of(path), mode, id)),
                _ => {}
            }
        }
        Ok(found)
    }

    /// Every version of the unmerged files, each in the directory of its version.
    fn unmerged(&self) -> Result<Vec<Entry>, SyncError> {
        let list = self.ask("git ls-files", self.git().args(["ls-files", "-z", "--unmerged"]))?;
        let mut found = Vec::new();
        for one in list.split(|byte| *byte == 0) {
            let Some(tab) = one.iter().position(|byte| *byte == b'\t') else { continue };
            let meta = String::from_utf8_lossy(&one[..tab]);
            let words: Vec<&str> = meta.split(' ').collect();
            let [mode, id, stage] = words.as_slice() else { continue };
            let version = stage.parse().ok().and_then(|stage: usize| VERSIONS.get(stage.wrapping_sub(1)));
            found.extend(version.map(|name| entry(Path::new(name).join(path_of(&one[tab + 1..])), mode, id)));
        }
        Ok(found)
    }

    /// Removes entries whose objects the repository lacks, and lists them.
    fn without_missing(&self, entries: &mut Vec<Entry>) -> Result<Vec<LeftOut>, SyncError> {
        let is_stored = |one: &Entry| one.mode != NOTHING && one.mode != SUBMODULE;
        let ids: String = entries.iter().filter(|one| is_stored(one)).map(|one| format!("{}\n", one.id)).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.ask("git cat-file", self.git().args(["cat-file", "--batch-check"]).input(ids.into_bytes()))?;
        let known = String::from_utf8_lossy(&known);
        let missing: BTreeSet<&str> = known.lines().filter_map(|line| line.strip_suffix(" missing")).collect();
        let (lost, kept) =
            std::mem::take(entries).into_iter().partition(|one| is_stored(one) && missing.contains(one.id.as_str()));
        *entries = kept;
        let lost: Vec<Entry> = lost;
        Ok(lost.into_iter().map(|one| LeftOut { path: one.path, why: Why::Unreadable }).collect())
    }

    /// A commit's tree, or an empty one, with these files replaced.
    fn tree(&self, base: Option<&String>, entries: &[Entry], index: &Path) -> Result<String, SyncError> {
        let own = || self.git().var("GIT_INDEX_FILE", index);
        if let Some(base) = base {
            self.ask("git read-tree", own().args(["read-tree", base]))?;
        }
        let list: Vec<u8> = entries
            .iter()
            .flat_map(|one| {
                let meta = format!("{} {} 0\t", one.mode, one.id);
                [meta.as_bytes(), one.path.as_os_str().as_bytes(), b"\0"].concat()
            })
            .collect();
        self.ask("git update-index", own().args(["update-index", "-z", "--replace", "--index-info"]).input(list))?;
        // Objects of the commit may be on a server that is not asked.
        Ok(line(&self.ask("git write-tree", own().args(["write-tree", "--missing-ok"]))?))
    }
}

/// Writes staged content that differs from its file into a directory beside the files; returns that directory.
pub(super) fn restore(trees: &Trees, key: &str, snapshot: ObjectId, to: &Fresh) -> Result<Option<PathBuf>, SyncError> {
    let called =
        |id: &ObjectId, name: String| Ok::<_, HistoryError>(trees.message(*id)?.trim_ascii() == name.as_bytes());
    let Some(index) = trees.parents(snapshot)?.pop() else { return Ok(None) };
    if !called(&index, index_name(key))? {
        return Ok(None);
    }
    let files = trees.of(snapshot)?;
    let (mut base, mut unmerged) = (None, None);
    for parent in trees.parents(index)? {
        let is_unmerged = called(&parent, unmerged_name(key))?;
        *(if is_unmerged { &mut unmerged } else { &mut base }) = Some(trees.of(parent)?);
    }
    let (mut staged, mut all) = (Vec::new(), Vec::new());
    changed(trees, trees.of(index)?, base, Path::new(""), &mut staged)?;
    for (path, item) in staged {
        if trees.item(files, &path)? != Some(item) {
            all.push((Path::new(STAGED).join(path), item));
        }
    }
    if let Some(tree) = unmerged {
        changed(trees, tree, None, Path::new(""), &mut all)?;
    }
    let taken = trees.entries(files)?;
    let mut name = DIRECTORY.to_owned();
    while taken.iter().any(|entry| entry.filename == name.as_str()) {
        name.push('~');
    }
    for (path, (mode, id)) in &all {
        let path = Path::new(&name).join(path);
        match mode.kind() {
            EntryKind::Tree | EntryKind::Commit => to.directory(&path)?,
            EntryKind::Link => to.link(&path, &path_of(&trees.blob(*id)?))?,
            EntryKind::Blob => to.file(&path, false, &mut trees.blob(*id)?.as_slice())?,
            EntryKind::BlobExecutable => to.file(&path, true, &mut trees.blob(*id)?.as_slice())?,
        }
    }
    Ok((!all.is_empty()).then(|| name.into()))
}

/// The files of a tree that differ in another one.
fn changed(
    trees: &Trees,
    tree: ObjectId,
    base: Option<ObjectId>,
    directory: &Path,
    found: &mut Vec<(PathBuf, Item)>,
) -> Result<(), SyncError> {
    let before = base.map_or(Ok(Vec::new()), |base| trees.entries(base))?;
    for entry in trees.entries(tree)? {
        let old = before.iter().find(|old| old.filename == entry.filename);
        if old.is_some_and(|old| (old.mode, old.oid) == (entry.mode, entry.oid)) {
            continue;
        }
        if entry.filename.contains(&b'/') {
            return Err(odd(tree).into());
        }
        let path = directory.join(OsStr::from_bytes(&entry.filename));
        match entry.mode.is_tree() {
            true => changed(trees, entry.oid, old.filter(|old| old.mode.is_tree()).map(|old| old.oid), &path, found)?,
            false => found.push((path, (entry.mode, entry.oid))),
        }
    }
    Ok(())
}

fn entry(path: PathBuf, mode: &str, id: &str) -> Entry {
    Entry { path, mode: mode.to_owned(), id: id.to_owned() }
}

/// A message that no other commit has: the key is in it.
fn index_name(key: &str) -> String {
    format!("bd: the index of {key}")
}

fn unmerged_name(key: &str) -> String {
    format!("bd: what is not merged in {key}")
}
