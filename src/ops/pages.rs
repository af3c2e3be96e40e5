//! Installing manual pages in a directory of the user.

use std::path::{Path, PathBuf};

use super::{OpError, Result};
use crate::store::StoreError;
use crate::sys::{Env, below};

/// Directories that `man` always searches.
const ALWAYS: [&str; 3] = ["/usr/man", "/usr/share/man", "/usr/local/share/man"];

/// The installed pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledPages {
    pub directory: PathBuf,
    /// Set if `man` does not search there: what to do about it.
    pub unseen: Option<String>,
}

/// Writes pages (name and text) to the user's directory for `man`, or to another.
pub fn install_pages(env: &Env, directory: Option<PathBuf>, pages: &[(String, String)]) -> Result<InstalledPages> {
    let data = || env.var("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let usual =
        || data().or_else(|| env.home().map(|home| home.join(".local/share"))).map(|data| data.join("man/man1"));
    let directory = directory
        .or_else(usual)
        .ok_or_else(|| OpError::Usage("HOME is not set; name a directory with --dir".into()))?;
    below::make_own(&directory).map_err(StoreError::from)?;
    for (name, text) in pages {
        below::put(&directory, name, text.as_bytes()).map_err(StoreError::from)?;
    }
    let unseen = unseen(&directory, env.var("MANPATH").as_deref(), env.var("PATH").as_deref(), env.home().as_deref());
    Ok(InstalledPages { directory, unseen })
}

/// What to do if `man` does not search a directory. It searches the directories in MANPATH; without that, or where
/// MANPATH has an empty entry, also those beside the directories in PATH.
fn unseen(directory: &Path, named: Option<&str>, programs: Option<&str>, home: Option<&Path>) -> Option<String> {
    let root = directory.parent().filter(|_| directory.ends_with("man1"));
    let Some(root) = root else {
        return Some(format!(
            "man reads only directories called man1; run `man -l {}`",
            directory.join("bd.1").display()
        ));
    };
    let named: Vec<&str> = named.map(|text| text.split(':').collect()).unwrap_or_default();
    let is_named = named.iter().any(|entry| !entry.is_empty() && Path::new(entry) == root);
    let beside = |program: &str| {
        let program = Path::new(program);
        let above = program.parent().unwrap_or(program);
        ["man", "share/man"].iter().any(|man| above.join(man) == root || program.join(man) == root)
    };
    let looks_beside = named.is_empty() || named.contains(&"");
    let is_beside = programs.unwrap_or_default().split(':').filter(|entry| !entry.is_empty()).any(beside);
    let is_usual = ALWAYS.iter().any(|usual| Path::new(usual) == root) || is_beside;
    if is_named || looks_beside && is_usual {
        return None;
    }
    let below_home = home.and_then(|home| root.strip_prefix(home).ok());
    let root = below_home.map_or_else(|| root.to_owned(), |below| Path::new("$HOME").join(below));
    Some(format!(
        "man does not look there; add `export MANPATH=\"{}:$MANPATH\"` to your shell's profile",
        root.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn man_finds_pages_by_its_own_path_or_beside_programs() {
        let own = Path::new("/home/ann/.local/share/man/man1");
        let path = Some("/usr/bin:/home/ann/.local/bin");
        let home = Some(Path::new("/home/ann"));
        assert_eq!(unseen(own, None, path, home), None);
        assert_eq!(unseen(own, Some("/home/ann/.local/share/man"), None, home), None);
        assert_eq!(unseen(own, Some("/opt/man:"), path, home), None, "an empty entry stands for what is usual");
        for (named, path) in [(None, Some("/usr/bin")), (None, None), (Some("/opt/man"), path)] {
            let text = unseen(own, named, path, home).unwrap();
            assert!(text.contains("export MANPATH=\"$HOME/.local/share/man:$MANPATH\""), "{text}");
        }
        assert_eq!(unseen(Path::new("/usr/local/share/man/man1"), None, None, home), None);
        assert!(unseen(Path::new("/tmp/pages"), None, path, home).unwrap().contains("man -l /tmp/pages/bd.1"));
    }
}
