//! Paths of repos: as people write them, and as answers show them.

use std::path::{Component, Path, PathBuf};

use crate::sys::fs::FsError;
use crate::sys::{Env, below};
use crate::{sys, vcs};

/// The path that a setting means: `~` is the home directory, relative paths start at the project's root.
pub fn expand(text: &str, root: &Path, env: &Env) -> PathBuf {
    let from_home = text == "~" || text.starts_with("~/");
    if from_home { env.path(text) } else { root.join(text) }
}

/// The path without `.`, `..` and links, as far as it exists.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = sys::path::real(path) {
        return real;
    }
    // A missing path contains no links: only its existing part is resolved.
    let plain = plain(path);
    let above = plain.ancestors().skip(1).find_map(|dir| Some((dir, sys::path::real(dir).ok()?)));
    match above {
        Some((dir, real)) => real.join(plain.strip_prefix(dir).unwrap_or(Path::new(""))),
        None => plain,
    }
}

/// The path without `.` and `..`; links stay.
pub fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// The name of a repo in answers: `.` for the project's own, relative to the root for one inside it, `~/…` for one in
/// the home directory, else relative to the root with `..`.
pub fn display(repo: &Path, root: &Path, env: &Env) -> String {
    if repo == root {
        return ".".to_owned();
    }
    if let Ok(inside) = repo.strip_prefix(root) {
        return inside.display().to_string();
    }
    let home = env.home().map(|home| real(&home)).filter(|home| home.parent().is_some());
    if let Some(below) = home.as_deref().and_then(|home| repo.strip_prefix(home).ok()) {
        return if below.as_os_str().is_empty() { "~".to_owned() } else { format!("~/{}", below.display()) };
    }
    from(repo, root).display().to_string()
}

/// A path relative to a directory, with `..` first.
pub fn from(path: &Path, directory: &Path) -> PathBuf {
    let shared = path.components().zip(directory.components()).take_while(|(a, b)| a == b).count();
    let up = directory.components().count() - shared;
    let mut seen: PathBuf = std::iter::repeat_n("..", up).collect();
    seen.extend(path.components().skip(shared));
    seen
}

/// Reads a file that a person named. In the working copy around a directory it is opened like every file of a
/// repository, which may come from strangers: no link, no pipe. Elsewhere the person decides, and it may be a pipe.
pub fn read_named(path: &Path, directory: &Path, limit: u64) -> Result<Vec<u8>, FsError> {
    match inside_working_copy(path, directory) {
        Some((root, inside)) => match below::read(&root, inside, limit) {
            Ok(contents) => Ok(contents.bytes),
            Err(FsError { source, .. }) => Err(FsError { action: "read", path: path.to_owned(), source }),
        },
        None => below::read_any(path, limit),
    }
}

/// Writes a file that a person named, in the same way.
pub fn write_named(path: &Path, directory: &Path, bytes: &[u8]) -> Result<(), FsError> {
    match inside_working_copy(path, directory) {
        Some((root, inside)) => below::put(&root, inside, bytes).map_err(|FsError { source, .. }| FsError {
            action: "write",
            path: path.to_owned(),
            source,
        }),
        None => below::write_any(path, bytes),
    }
}

/// The top of the working copy around a directory, and a file's path below it, if the file is in it.
fn inside_working_copy(path: &Path, directory: &Path) -> Option<(PathBuf, PathBuf)> {
    let has_ledger = |dir: &&Path| dir.join(crate::store::BEADS_DIR).is_dir();
    let directory = &plain(directory);
    let root = vcs::root(directory).or_else(|| directory.ancestors().find(has_ledger).map(Path::to_owned))?;
    let named = plain(path);
    let inside = named.strip_prefix(&root).ok()?;
    let first = inside.components().next().map(|first| Path::new(first.as_os_str()));
    match first.filter(|first| below::is_control(first)) {
        // A person who names a file of version control means it.
        Some(control) => Some((real(&root).join(control), inside.strip_prefix(control).ok()?.to_owned())),
        None => Some((real(&root), inside.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::super::paths::*;

    #[test]
    fn repos_have_short_names() {
        let env = Env::default();
        let shown = |repo: &str| display(Path::new(repo), Path::new("/srv/work/app"), &env);
        assert_eq!(shown("/srv/work/app"), ".");
        assert_eq!(shown("/srv/work/app/phases/one"), "phases/one");
        assert_eq!(shown("/srv/work/plan"), "../plan");
        assert_eq!(shown("/opt/plan"), "../../../opt/plan");
    }

    #[test]
    fn a_path_that_does_not_exist_is_still_made_plain() {
        assert_eq!(real(Path::new("/no/such/../x/./y")), Path::new("/no/x/y"));
    }
}
