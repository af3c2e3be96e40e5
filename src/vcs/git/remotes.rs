//! Decides which remote refs prove that another repository has a commit.
//!
//! Any program can write a ref below `refs/remotes/`. It counts only if a remote of that name is configured and leads
//! out of the working copy. A remote that is a local path is queried; one that needs a network is trusted, as git does.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::merged::Pair;
use super::objects::{line, must};
use super::refs::{Ref, at};
use crate::sys::Env;
use crate::vcs::files::real;
use crate::vcs::layout::git::common_dir;
use crate::vcs::{SyncError, files};

/// The location of a remote.
enum Place {
    /// Somewhere that needs a network.
    Far,
    /// A path on this machine.
    Near(PathBuf),
    Nowhere,
}

/// The names of the refs that count. The other repository of the pair is queried directly, so refs of it do not count
/// here.
pub(super) fn counting(pair: &Pair<'_>, own: &[Ref], origin: &Path) -> Result<HashSet<String>, SyncError> {
    let output = pair.git().args(["config", "--null", "--name-only", "--get-regexp", r"^remote\..*\.url$"]).run()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = |key: &str| key.strip_prefix("remote.")?.strip_suffix(".url").map(str::to_owned);
    let mut remotes: Vec<String> = printed.split('\0').filter_map(name).collect();
    // One name may be the beginning of another, up to a slash.
    remotes.sort_by_key(|name| std::cmp::Reverse(name.len()));
    remotes.dedup();
    let mut refs: BTreeMap<&str, Vec<&Ref>> = BTreeMap::new();
    for one in own.iter().filter(|one| one.name.starts_with("refs/remotes/")) {
        let rest = one.name.trim_start_matches("refs/remotes/");
        let is_of = |name: &&String| rest.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if let Some(name) = remotes.iter().find(is_of) {
            refs.entry(name).or_default().push(one);
        }
    }
    let mut counting = HashSet::new();
    for (name, refs) in refs {
        // After rewriting by the settings.
        let query = pair.git().args(["ls-remote", "--get-url", "--end-of-options", name]);
        let url = line(&must("git ls-remote", query)?.stdout);
        match place(&url, pair.root) {
            Place::Far => counting.extend(refs.iter().map(|one| one.name.clone())),
            Place::Near(path) if is_elsewhere(&path, pair, origin) => {
                let there = held(&path, &refs, pair.env);
                counting.extend(refs.iter().filter(|one| there.contains(&one.id)).map(|one| one.name.clone()));
            }
            Place::Near(_) | Place::Nowhere => {}
        }
    }
    Ok(counting)
}

fn place(url: &str, root: &Path) -> Place {
    if let Some(path) = url.strip_prefix("file://") {
        return Place::Near(PathBuf::from(path.strip_prefix("localhost").unwrap_or(path)));
    }
    let before = url.split('/').next().unwrap_or_default();
    match () {
        () if url.is_empty() => Place::Nowhere,
        () if url.contains("://") => Place::Far,
        () if before.contains("::") => Place::Nowhere,
        () if before.contains(':') && !root.join(url).exists() => Place::Far,
        () => Place::Near(root.join(url)),
    }
}

/// The git directory at a path, as git looks for it.
pub(crate) fn repository_at(path: &Path) -> Option<PathBuf> {
    let longer = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let candidates = [path.join(".git"), path.to_owned(), longer(".git/.git"), longer(".git")];
    candidates.iter().filter(|place| place.exists()).find_map(|place| {
        let found = real(&common_dir(place)?);
        (found.join("HEAD").exists() && found.join("objects").is_dir()).then_some(found)
    })
}

/// Whether a repository is neither this one nor the other one of the pair, nor keeps its objects in either.
fn is_elsewhere(path: &Path, pair: &Pair<'_>, origin: &Path) -> bool {
    let Some(found) = repository_at(path) else { return false };
    let root = real(pair.root);
    let borrowed = files::text(&found.join("objects/info/alternates")).unwrap_or_default();
    let borrows = borrowed.lines().any(|line| real(&found.join("objects").join(line)).starts_with(&root));
    let is_own = found.starts_with(&root) || pair.common().is_some_and(|common| real(&common) == found);
    !is_own && !borrows && found != real(&pair.other) && Some(found) != repository_at(origin)
}

/// Those of the commits that the refs of a repository contain now. An unreadable repository has none.
fn held(path: &Path, refs: &[&Ref], env: &Env) -> HashSet<String> {
    let Some(found) = repository_at(path) else { return HashSet::new() };
    let lines = |ids: &HashSet<String>| ids.iter().map(|id| format!("{id}\n")).collect::<String>().into_bytes();
    let ids: HashSet<String> = refs.iter().map(|one| one.id.clone()).collect();
    let query = at(&found, env).args(["cat-file", "--batch-check=%(objectname) %(objecttype)"]).input(lines(&ids));
    let Ok(printed) = must("git cat-file", query) else { return HashSet::new() };
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut there: HashSet<String> =
        printed.lines().filter_map(|line| line.strip_suffix(" commit")).map(str::to_owned).collect();
    let query = at(&found, env).args(["rev-list", "--stdin", "--not", "--all"]).input(lines(&there));
    let Ok(printed) = must("git rev-list", query) else { return HashSet::new() };
    for id in String::from_utf8_lossy(&printed.stdout).lines() {
        there.remove(id);
    }
    there
}
