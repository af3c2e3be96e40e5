//! Globs and typed paths, relative to the working directory, made relative to the root of the repository.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use crate::model::glob::{self, Glob, GlobError};
use crate::ops::{OpError, ReservationError, Result, here};
use crate::store::{Store, real_path};

/// The root of the checkout, and the current directory in it.
pub(crate) fn standpoint(store: &Store) -> (PathBuf, PathBuf) {
    let root = here::root(store);
    let cwd = real_path(store.host().env.cwd());
    let base = cwd.strip_prefix(&root).map(Path::to_owned).unwrap_or_default();
    (root, base)
}

pub(crate) fn anchored_all(store: &Store, typed: &[String]) -> Result<Vec<Glob>> {
    let (root, base) = standpoint(store);
    let mut globs: Vec<Glob> = Vec::new();
    for typed in typed {
        let glob = anchored(typed, &root, &base, store.host().env.cwd())?;
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    Ok(globs)
}

/// A typed glob, relative to the root. If a file with exactly that name exists, it is meant literally.
pub(crate) fn anchored(typed: &str, root: &Path, base: &Path, cwd: &Path) -> Result<Glob> {
    let wrong = |source| OpError::from(ReservationError::Glob { typed: typed.to_owned(), source });
    if typed.is_empty() {
        return Err(wrong(GlobError::Empty));
    }
    if cwd.join(typed).symlink_metadata().is_ok() {
        let path = plain(typed, root, base)?;
        let text = if path.is_empty() { "**".to_owned() } else { glob::escape(&path) };
        return Glob::parse(&text).map_err(wrong);
    }
    let outside = || OpError::from(ReservationError::Outside { typed: typed.to_owned(), root: root.to_owned() });
    let (mut base, mut rest) = (base.to_owned(), typed);
    if typed.starts_with('/') {
        let escaped = glob::escape(&root.to_string_lossy());
        let below = [escaped.as_str(), &root.to_string_lossy()].into_iter().find_map(|root| typed.strip_prefix(root));
        rest = below.and_then(|below| below.strip_prefix('/')).ok_or_else(outside)?;
        base = PathBuf::new();
    }
    loop {
        if let Some(below) = rest.strip_prefix("./") {
            rest = below.trim_start_matches('/');
        } else if let Some(below) = rest.strip_prefix("../").or((rest == "..").then_some("")) {
            if !base.pop() {
                return Err(outside());
            }
            rest = below.trim_start_matches('/');
        } else {
            break;
        }
    }
    let base = glob::escape(&base.to_string_lossy());
    let text = match (base.as_str(), rest) {
        ("", "" | ".") => "**".to_owned(),
        ("", rest) => rest.to_owned(),
        (base, rest) => format!("{base}/{rest}"),
    };
    Glob::parse(&text).map_err(wrong)
}

/// A typed path, relative to the root; empty for the root itself. Links are not followed: version control treats a link
/// as a file.
pub(crate) fn plain(typed: &str, root: &Path, base: &Path) -> Result<String> {
    let outside = || OpError::from(ReservationError::Outside { typed: typed.to_owned(), root: root.to_owned() });
    let joined = root.join(base).join(typed);
    let mut names: Vec<&OsStr> = Vec::new();
    for component in joined.components() {
        match component {
            Component::Normal(name) => names.push(name),
            Component::ParentDir => {
                names.pop().ok_or_else(outside)?;
            }
            _ => {}
        }
    }
    let path: PathBuf = std::iter::once(OsStr::new("/")).chain(names).collect();
    let inside = path.strip_prefix(root).map(Path::to_owned).or_else(|_| {
        // The path of the root may contain a link.
        let (parent, name) = (path.parent().ok_or_else(outside)?, path.file_name().ok_or_else(outside)?);
        real_path(parent).join(name).strip_prefix(root).map(Path::to_owned).map_err(|_| outside())
    })?;
    Ok(inside.to_string_lossy().into_owned())
}
