//! Ignored files that a job needs nevertheless: `.worktreeinclude`, `workspace.copy` and `--copy`.
//!
//! Only files ignored in the parent are copied, never over an existing file, never through a link and never out of the
//! workspace. A link is copied as a link if it stays inside.

use std::path::{Component, Path, PathBuf};

use super::WorkspaceError;
use crate::model::size;
use crate::ops::Result;
use crate::store::{Store, StoreError};
use crate::sys::{below, fs as files, tree};
use crate::vcs::Patterns;
use crate::{sys, vcs};

/// The list of patterns in the root of a working copy.
const NAME: &str = ".worktreeinclude";
const LONGEST: u64 = 1 << 20;
/// How many names to record; beyond that, only their number.
const NAMED: usize = 100;
/// Never copied: the files of version control, and state that belongs to a checkout.
const LEFT: [&str; 5] = [".git", ".jj", ".hg", ".sl", ".beads/run"];

/// What is to be copied.
pub(super) fn patterns(store: &Store, parent: &Path, given: &[String]) -> Result<Patterns> {
    let mut patterns = Patterns::default();
    match below::read(parent, NAME, LONGEST) {
        Ok(contents) => patterns.add(&contents.bytes),
        Err(error) if error.is_missing() => {}
        Err(error) => return Err(StoreError::from(error).into()),
    }
    let configured = store.settings().list("workspace.copy").into_iter().map(|(text, _)| text.to_owned());
    configured.chain(given.iter().cloned()).for_each(|line| patterns.add(line.as_bytes()));
    Ok(patterns)
}

/// Copies them, and returns their names.
pub(super) fn copy(store: &Store, parent: &Path, to: &Path, patterns: &Patterns) -> Result<Vec<String>> {
    if patterns.is_empty() {
        return Ok(Vec::new());
    }
    let wanted = wanted(store, parent, patterns)?;
    let limit = size::parse(store.settings().word("workspace.copy_limit")).unwrap_or(u64::MAX);
    let bytes = wanted.iter().map(|(_, bytes)| bytes).sum();
    if bytes > limit {
        return Err(WorkspaceError::TooMuchToCopy { bytes, limit, files: wanted.len() }.into());
    }
    let mut copied: Vec<String> = Vec::new();
    let step = store.activity().begin("copying ignored files");
    for (done, (path, _)) in wanted.iter().enumerate() {
        step.at(done as u64, wanted.len() as u64);
        if copy_one(parent, to, path).map_err(StoreError::from)? {
            copied.push(path.display().to_string());
        }
    }
    let more = copied.len().saturating_sub(NAMED);
    if more > 0 {
        copied.truncate(NAMED);
        copied.push(format!("and {more} more"));
    }
    Ok(copied)
}

/// The ignored files that match, each with its length.
fn wanted(store: &Store, parent: &Path, patterns: &Patterns) -> Result<Vec<(PathBuf, u64)>> {
    let ignored = vcs::open(parent).ignored(&store.host().env).map_err(StoreError::from)?;
    let mut found = Vec::new();
    for top in tree::tops(ignored) {
        let Ok(meta) = sys::path::look(&parent.join(&top)) else { continue };
        if !meta.is_dir() {
            if patterns.mean(&top) && !is_left(&top) {
                found.push((top, if meta.is_file() { meta.len() } else { 0 }));
            }
            continue;
        }
        let each = &mut |path: &Path, meta: &sys::path::Metadata| {
            let path = top.join(path);
            if !meta.is_dir() && patterns.mean(&path) {
                found.push((path, if meta.is_file() { meta.len() } else { 0 }));
            }
            Ok(())
        };
        tree::walk(&parent.join(&top), &mut |path, _| !is_left(&top.join(path)), each).map_err(StoreError::from)?;
    }
    found.sort();
    Ok(found)
}

fn is_left(path: &Path) -> bool {
    LEFT.iter().any(|left| {
        let left = Path::new(left);
        path.starts_with(left)
            || (left.components().count() == 1 && path.components().any(|part| part.as_os_str() == left))
    })
}

/// Whether a file was copied.
fn copy_one(parent: &Path, to: &Path, path: &Path) -> std::result::Result<bool, files::FsError> {
    let (from, target) = (parent.join(path), to.join(path));
    let Ok(meta) = sys::path::look(&from) else { return Ok(false) };
    if meta.is_symlink() && !sys::path::link(&from).is_ok_and(|link| stays_inside(path, &link)) {
        return Ok(false);
    }
    if !tree::make_way(to, path)? || sys::path::is_there(&target) {
        return Ok(false);
    }
    tree::copy_one(&from, &target, &meta)
}

/// A link whose target is below the root.
fn stays_inside(path: &Path, link: &Path) -> bool {
    let mut depth: isize = path.components().count() as isize - 1;
    for part in link.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
        if depth < 0 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::include::*;

    #[test]
    fn a_link_stays_inside_or_is_left_out() {
        for (path, link, inside) in [
            ("a", "b", true),
            ("a/b", "../c", true),
            ("a/b", "../../c", false),
            ("a", "/etc/passwd", false),
            ("a", "..", false),
            ("a/b/c", "../../x/../../..", false),
        ] {
            assert_eq!(stays_inside(Path::new(path), Path::new(link)), inside, "{path} -> {link}");
        }
    }

    #[test]
    fn what_is_not_for_others_is_left() {
        for left in [".git/config", "vendor/x/.git/HEAD", ".beads/run/leases.jsonl", ".jj/repo"] {
            assert!(is_left(Path::new(left)), "{left}");
        }
        for other in [".env", ".beads/run2", "run/x", ".gitignore", "a/.beads/config.toml"] {
            assert!(!is_left(Path::new(other)), "{other}");
        }
    }
}
