//! The files that commits change. git lists the commits and the staged files; trees and blobs are read with gix.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::object::tree::EntryKind;

use super::commit::git_at;
use super::hooks::checked;
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::error::not_a_range;
use crate::vcs::files::path_of;
use crate::vcs::history::Repository;
use crate::vcs::{Changed, HistoryError, Span, SyncError};

/// Lists from git are read up to this size, and longer ones are refused.
const MAX_LIST: usize = 256 << 20;
/// A larger file is listed but not read.
const MAX_BLOB: u64 = 256 << 20;
/// At most this many tree entries are compared for one commit.
const MAX_ENTRIES: usize = 10_000_000;

/// A changed file: its path, the parents' versions, the new version.
type Difference = (Vec<u8>, Vec<ObjectId>, ObjectId);

pub(super) fn changes(
    repository: &Repository<'_>,
    span: Span<'_>,
    each: &mut dyn FnMut(Changed),
) -> Result<(), SyncError> {
    match span {
        Span::Staged => staged(repository, each)?,
        Span::Commits(ids) => commits(repository, ids, each)?,
        Span::Range(text) if text.starts_with('-') || !text.contains("..") || text.contains("...") => {
            return Err(not_a_range(text, "a range of commits"));
        }
        Span::Range(_) | Span::Push { .. } => range(repository, span, each)?,
    }
    Ok(())
}

fn staged(repository: &Repository<'_>, each: &mut dyn FnMut(Changed)) -> Result<(), HistoryError> {
    let objects = open(repository)?;
    let list = index_against_head(repository, "--raw")?;
    let mut fields = list.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    while let (Some(meta), Some(path)) = (fields.next(), fields.next()) {
        let words: Vec<&[u8]> = meta.split(|byte| *byte == b' ').collect();
        let [_, mode, old, new, ..] = words.as_slice() else { continue };
        let id = |hex: &[u8]| ObjectId::from_hex(hex).ok().filter(|id| !id.is_null());
        // Removed, unmerged, or a submodule: no file that would be committed.
        let Some(new) = id(new).filter(|_| *mode != b"160000") else { continue };
        let old: Vec<ObjectId> = id(old).into_iter().collect();
        each(changed(&objects, None, path, &old, new)?);
    }
    Ok(())
}

/// The names of all staged files, including removals and submodules.
pub(crate) fn staged_paths(repository: &Repository<'_>) -> Result<Vec<PathBuf>, HistoryError> {
    let list = index_against_head(repository, "--name-only")?;
    Ok(list.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(path_of).collect())
}

/// The same beside a jj repository, which marks new files in the index as to be added later.
pub(crate) fn staged_beside(root: &Path, env: &Env) -> Result<Vec<PathBuf>, HistoryError> {
    let repository = Repository { root, git_dir: root.join(".git"), env };
    let list = index_against_head(&repository, "--ita-invisible-in-index")?;
    let fields: Vec<&[u8]> = list.split(|byte| *byte == 0).collect();
    let entries = || fields.chunks_exact(2).map(|pair| (pair[0].last().copied().unwrap_or_default(), path_of(pair[1])));
    // jj gives git a commit with all versions of a conflict, and puts them into the index.
    let unmerged: BTreeSet<PathBuf> = entries().filter(|(status, _)| *status == b'U').map(|(_, path)| path).collect();
    let is_jjs = |status: u8, path: &Path| {
        let first = path.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        unmerged.contains(path)
            || (status == b'D' && (first.starts_with(".jjconflict-") || first == "JJ-CONFLICT-README"))
    };
    Ok(entries().filter(|(status, path)| !is_jjs(*status, path)).map(|(_, path)| path).collect())
}

/// The difference between the index and the last commit, as git lists it.
fn index_against_head(repository: &Repository<'_>, form: &str) -> Result<Vec<u8>, HistoryError> {
    let born = program(repository).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).run()?.status.success();
    let base = if born { "HEAD".to_owned() } else { ObjectId::empty_tree(gix::hash::Kind::Sha1).to_string() };
    let flags = ["diff-index", "--cached", form, "-z", "--no-renames", "--no-abbrev", "--end-of-options"];
    let mut query = program(repository).args(flags).arg(base).arg("--");
    // During a commit git uses a separate index for the content to commit.
    let env = repository.env;
    if let Some(index) = env.var_os("GIT_INDEX_FILE") {
        query = query.var("GIT_INDEX_FILE", env.cwd().join(index));
    }
    listed("git diff-index", query)
}

pub(crate) fn range(
    repository: &Repository<'_>,
    span: Span<'_>,
    each: &mut dyn FnMut(Changed),
) -> Result<(), HistoryError> {
    let objects = open(repository)?;
    let query = || program(repository).args(["rev-list", "--parents", "--topo-order", "--reverse"]);
    let lists = match span {
        Span::Staged | Span::Commits(_) => Vec::new(),
        // A variable of a script may be empty.
        Span::Range(text) if text.starts_with("..") => {
            return Err(HistoryError::NotARange { text: text.to_owned(), what: "a range with a beginning" });
        }
        Span::Range(text) => vec![query().arg("--end-of-options").arg(text).arg("--")],
        Span::Push { remote, refs } => {
            for line in refs.lines() {
                without_commit(&objects, line, each)?;
            }
            let pushed = refs.lines().filter_map(|line| pushed(&objects, line));
            let one = |revisions: Vec<String>| {
                let known = format!("--remotes={remote}");
                query().args(["--not", &known, "--not", "--end-of-options"]).args(revisions).arg("--")
            };
            pushed.map(one).collect()
        }
    };
    let failed = |error| HistoryError::object(repository.git_dir.display(), error);
    let cut = objects.shallow_commits().map_err(failed)?;
    for query in lists {
        let list = match (listed("git rev-list", query), span) {
            (Err(HistoryError::Failed { .. }), Span::Range(text)) if !names_commits(repository, text)? => {
                return Err(HistoryError::NotARange {
                    text: text.to_owned(),
                    what: "a range of commits that are here",
                });
            }
            (list, _) => list?,
        };
        for line in list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let ids: Vec<ObjectId> =
                line.split(|byte| *byte == b' ').filter_map(|hex| ObjectId::from_hex(hex).ok()).collect();
            let Some((commit, parents)) = ids.split_first() else { continue };
            // The commits before it in the range are not here.
            if let (Span::Range(text), true) = (span, cut.as_ref().is_some_and(|cut| cut.contains(commit))) {
                let what = "a range that this shallow clone has in full; run `git fetch --unshallow`";
                return Err(HistoryError::NotARange { text: text.to_owned(), what });
            }
            for (path, old, new) in differences(&objects, *commit, parents)? {
                each(changed(&objects, Some(commit.to_string()), &path, &old, new)?);
            }
        }
    }
    Ok(())
}

/// Whether both ends of a range are commits of this repository.
fn names_commits(repository: &Repository<'_>, range: &str) -> Result<bool, HistoryError> {
    let (from, to) = range.split_once("..").unwrap_or((range, ""));
    for end in [from, to] {
        let end = if end.is_empty() { "HEAD" } else { end };
        let query = program(repository).args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        if !query.arg(format!("{end}^{{commit}}")).run()?.status.success() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same for only these commits.
pub(crate) fn commits(
    repository: &Repository<'_>,
    ids: &[String],
    each: &mut dyn FnMut(Changed),
) -> Result<(), HistoryError> {
    let objects = open(repository)?;
    for id in ids {
        let commit = ObjectId::from_hex(id.as_bytes()).map_err(|error| HistoryError::object(id, error))?;
        let found = objects.find_commit(commit).map_err(|error| HistoryError::object(id, error))?;
        let parents: Vec<ObjectId> = found.parent_ids().map(gix::Id::detach).collect();
        for (path, old, new) in differences(&objects, commit, &parents)? {
            each(changed(&objects, Some(id.clone()), &path, &old, new)?);
        }
    }
    Ok(())
}

/// Objects in a line of the pre-push hook that are in no commit: a tag can name a tree or a file.
fn without_commit(objects: &gix::Repository, line: &str, each: &mut dyn FnMut(Changed)) -> Result<(), HistoryError> {
    let words: Vec<&str> = line.split(' ').collect();
    let [name, local, ..] = words.as_slice() else { return Ok(()) };
    let Some(id) = ObjectId::from_hex(local.as_bytes()).ok().filter(|id| !id.is_null()) else { return Ok(()) };
    let found = objects.find_object(id).map_err(|error| HistoryError::object(id, error))?;
    let found = found.peel_tags_to_end().map_err(|error| HistoryError::object(id, error))?;
    let files = match found.kind {
        gix::object::Kind::Tree => compare(objects, None, found.id)?,
        gix::object::Kind::Blob => vec![(name.as_bytes().to_vec(), Vec::new(), found.id)],
        gix::object::Kind::Commit | gix::object::Kind::Tag => Vec::new(),
    };
    for (path, old, new) in files {
        each(changed(objects, None, &path, &old, new)?);
    }
    Ok(())
}

/// The commits in a line of the pre-push hook: the new one, without those that the remote reports.
fn pushed(objects: &gix::Repository, line: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = line.split(' ').collect();
    let [_, local, _, remote] = words.as_slice() else { return None };
    let id = |hex: &str| ObjectId::from_hex(hex.as_bytes()).ok().filter(|id| !id.is_null());
    let mut revisions = vec![id(local)?.to_string()];
    // A commit that was not fetched yet cannot be compared.
    revisions.extend(id(remote).filter(|id| objects.find_header(*id).is_ok()).map(|id| format!("^{id}")));
    Some(revisions)
}

fn program<'a>(repository: &Repository<'a>) -> Program<'a> {
    let is_elsewhere = repository.git_dir != repository.root.join(".git");
    git_at(repository.root, is_elsewhere.then_some(&*repository.git_dir), repository.env)
}

fn listed(name: &'static str, program: Program<'_>) -> Result<Vec<u8>, HistoryError> {
    let output = checked(name, program.keeping(MAX_LIST).run()?)?;
    if output.stdout.len() >= MAX_LIST {
        return Err(HistoryError::TooMuch { program: name });
    }
    Ok(output.stdout)
}

fn open(repository: &Repository<'_>) -> Result<gix::Repository, HistoryError> {
    // As they are stored, which is how they are sent.
    let opened = crate::vcs::layout::opened::as_stored(&repository.git_dir);
    opened.map_err(|error| HistoryError::object(repository.git_dir.display(), error))
}

/// The files of a commit that differ from one of its parents.
fn differences(
    objects: &gix::Repository,
    commit: ObjectId,
    parents: &[ObjectId],
) -> Result<Vec<Difference>, HistoryError> {
    let tree = |id: ObjectId| {
        let found = objects.find_commit(id).map_err(|error| HistoryError::object(id, error))?;
        found.tree_id().map(gix::Id::detach).map_err(|error| HistoryError::object(id, error))
    };
    let new = tree(commit)?;
    let Some((first, others)) = parents.split_first() else { return compare(objects, None, new) };
    // The parents of the oldest commits in a shallow clone are missing: everything in such a commit counts as new.
    let mut found = compare(objects, tree(*first).ok(), new)?;
    for parent in others {
        let against: HashMap<_, _> =
            compare(objects, tree(*parent).ok(), new)?.into_iter().map(|(path, old, _)| (path, old)).collect();
        found.retain_mut(|(path, old, _)| against.get(path).map(|more| old.extend(more)).is_some());
    }
    Ok(found)
}

fn compare(objects: &gix::Repository, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Difference>, HistoryError> {
    let mut found = Vec::new();
    let mut work = vec![(Vec::new(), old, new)];
    let mut seen = 0;
    while let Some((prefix, old, new)) = work.pop() {
        let entries = |id: ObjectId| {
            let tree = objects.find_tree(id).map_err(|error| HistoryError::object(id, error))?;
            let entry = |entry: Result<gix::object::tree::EntryRef<'_, '_>, _>| {
                let entry = entry.map_err(|error| HistoryError::object(id, error))?;
                Ok((entry.filename().to_vec(), (entry.kind(), entry.object_id())))
            };
            tree.iter().map(entry).collect::<Result<Vec<(Vec<u8>, (EntryKind, ObjectId))>, HistoryError>>()
        };
        let before: HashMap<Vec<u8>, (EntryKind, ObjectId)> = match old {
            Some(old) => entries(old)?.into_iter().collect(),
            None => HashMap::new(),
        };
        for (name, (kind, id)) in entries(new)? {
            seen += 1;
            if seen > MAX_ENTRIES {
                return Err(HistoryError::TooMuch { program: "a commit" });
            }
            let was = before.get(&name).copied();
            if was.is_some_and(|(_, known)| known == id) {
                continue;
            }
            let path = [prefix.as_slice(), &name].concat();
            match kind {
                EntryKind::Tree => {
                    let was = was.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id);
                    work.push(([path.as_slice(), b"/"].concat(), was, id));
                }
                EntryKind::Commit => {}
                EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link => {
                    let is_file = |kind| !matches!(kind, EntryKind::Tree | EntryKind::Commit);
                    let was = was.filter(|(kind, _)| is_file(*kind)).map(|(_, id)| id);
                    found.push((path, was.into_iter().collect(), id));
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

fn changed(
    objects: &gix::Repository,
    commit: Option<String>,
    path: &[u8],
    old: &[ObjectId],
    new: ObjectId,
) -> Result<Changed, HistoryError> {
    let blob = |id: ObjectId| -> Result<Option<Vec<u8>>, HistoryError> {
        let size = objects.find_header(id).map_err(|error| HistoryError::object(id, error))?.size();
        if size > MAX_BLOB {
            return Ok(None);
        }
        let mut blob = objects.find_blob(id).map_err(|error| HistoryError::object(id, error))?;
        Ok(Some(blob.take_data()))
    };
    // An old version that is missing, as in a partial clone, hides nothing that is new.
    let old = old.iter().filter_map(|id| blob(*id).ok().flatten()).collect();
    Ok(Changed { commit, path: path_of(path), old, new: blob(new)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_tree_is_known_without_a_repository() {
        assert_eq!(ObjectId::empty_tree(gix::hash::Kind::Sha1).to_string(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
    }
}
