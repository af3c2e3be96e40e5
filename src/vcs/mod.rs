//! What version control knows: who the user is, where a working copy begins, what was committed last; and committing files.
//!
//! Reading goes through files alone, and no program is started: git is read with gix, the few files of jj, hg and sl by
//! hand. The program of the VCS runs where it alone knows: to change its files ([`commit`], [`init_git`], [`set_setting`]), to
//! say what is staged or in a range of commits ([`changes`]), and what it ignores.

mod commit;
mod facts;
mod files;
mod git;
mod hg;
mod history;
mod hooks;
mod jj;

use std::path::{Path, PathBuf};

pub use commit::{CommitError, Committed, commit};
pub use facts::{Facts, Remote, facts};
pub use git::{branches_holding, committed_size, init as init_git, user_name};
pub use history::{Changed, HistoryError, Span, changes};
pub use hooks::{git_dirs, hooks_path, is_ignored, set_setting, setting};

/// A version control system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    Git,
    Jj,
    Hg,
    Sl,
    #[default]
    None,
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Git => "git",
            Kind::Jj => "jj",
            Kind::Hg => "hg",
            Kind::Sl => "sl",
            Kind::None => "none",
        })
    }
}

/// The markers of working copies. Where jj and git share a directory, jj is the one in use.
const MARKERS: [(&str, Kind); 4] = [(".jj", Kind::Jj), (".git", Kind::Git), (".hg", Kind::Hg), (".sl", Kind::Sl)];

/// The nearest working copy at or above a path.
fn place(path: &Path) -> Option<(Kind, PathBuf)> {
    let marked = |dir: &Path| MARKERS.iter().find(|(name, _)| dir.join(name).exists()).map(|(_, kind)| *kind);
    path.ancestors().find_map(|dir| Some((marked(dir)?, dir.to_owned())))
}

/// Which version control a path is under.
pub fn kind(path: &Path) -> Kind {
    place(path).map_or(Kind::None, |(kind, _)| kind)
}

/// The directory that holds `.git`, `.jj`, `.hg` or `.sl`, at or above a path.
pub fn root(path: &Path) -> Option<PathBuf> {
    place(path).map(|(_, root)| root)
}

/// The directory that all checkouts of one repository share, for telling whether two paths belong to one family. Where jj
/// keeps its commits in git, it is git's.
pub fn common_dir(path: &Path) -> Option<PathBuf> {
    let (kind, root) = place(path)?;
    match kind {
        Kind::Git => git::common_dir(&root.join(".git")),
        Kind::Jj => jj::common_dir(&root.join(".jj")).or_else(|| git::common_dir(&root.join(".git"))),
        Kind::Hg => hg::common_dir(&root.join(".hg")),
        Kind::Sl => hg::common_dir(&root.join(".sl")),
        Kind::None => None,
    }
}

/// The file in which git, and jj on top of it, keep the patterns of what this clone does not want to commit.
pub fn exclude_file(path: &Path) -> Option<PathBuf> {
    let common = matches!(kind(path), Kind::Git | Kind::Jj).then(|| common_dir(path))??;
    common.join("HEAD").exists().then(|| common.join("info/exclude"))
}

/// A version control program is rewriting the working copy right now.
pub fn is_busy(path: &Path) -> bool {
    let Some(root) = root(path) else { return false };
    let mut locks = vec![root.join(".hg/wlock"), root.join(".jj/working_copy/working_copy.lock")];
    locks.extend(git::own_dir(&root.join(".git")).map(|dir| dir.join("index.lock")));
    // A lock of hg is a link that may lead nowhere.
    locks.iter().any(|lock| std::fs::symlink_metadata(lock).is_ok())
}
