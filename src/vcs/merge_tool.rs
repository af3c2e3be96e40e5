//! Where git, hg and jj learn which program merges a file.
//!
//! git: `merge.bd.driver` in the repository's own settings, and an attribute of the file. hg: `[merge-tools]` and `[merge-patterns]`
//! in `.hg/hgrc`. jj: `merge-tools.bd` in the repository's settings, for `jj resolve --tool bd`. Settings of git and jj are changed by
//! their own programs.

use std::path::{Path, PathBuf};

pub use super::git::pattern as attribute_pattern;
use super::{HistoryError, Kind, git, jj, place};
use crate::sys::Env;

/// The `merge` attribute of a file and the driver `bd`, as git would find them here. Starts no program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeSetup {
    /// `union`, `bd`, …
    pub attribute: Option<String>,
    /// `merge.bd.driver`
    pub driver: Option<String>,
    /// `merge.beads.driver`, under which the original registers its own.
    pub originals: Option<String>,
}

/// How git would merge a file; `None` where there is no git.
pub fn merge_setup(file: &Path, env: &Env) -> Option<MergeSetup> {
    let (kind, root) = place(file)?;
    let dot_git = root.join(".git");
    let (own, common) = git::own_dir(&dot_git).zip(git::common_dir(&dot_git)).filter(|_| kind == Kind::Git)?;
    let inside = file.strip_prefix(&root).ok()?;
    Some(MergeSetup {
        attribute: git::merge_attribute(&root, &own, &common, inside, env),
        driver: git::config_text(&own, &common, "merge.bd.driver", env),
        originals: git::config_text(&own, &common, "merge.beads.driver", env),
    })
}

/// The settings file that hg reads for this working copy.
pub fn hgrc(root: &Path) -> PathBuf {
    root.join(".hg/hgrc")
}

/// The lines by which hg merges these files, named from the root, with a program.
pub fn hg_lines(program: &str, files: &[PathBuf]) -> Vec<String> {
    let mut lines: Vec<String> = [
        "[merge-tools]",
        &format!("bd.executable = {program}"),
        "bd.args = merge-driver $base $local $other --output $output",
        "bd.premerge = False",
        "bd.gui = False",
        "bd.check = conflicts",
        "[merge-patterns]",
    ]
    .map(str::to_owned)
    .into();
    lines.extend(files.iter().map(|file| format!("{} = bd", hg_pattern(&file.display().to_string()))));
    lines
}

/// A pattern of hg that means this file alone. In a name of hgrc no `=` can stand.
fn hg_pattern(file: &str) -> String {
    if !file.contains(['=', '\n']) && file.trim() == file {
        return format!("path:{file}");
    }
    let escaped = file.bytes().map(|byte| match byte {
        b'/' | b'.' => format!("[{}]", byte as char),
        byte if byte.is_ascii_alphanumeric() || byte >= 0x80 => String::from_utf8_lossy(&[byte]).into_owned(),
        byte => format!("\\x{byte:02x}"),
    });
    format!("re:^{}$", escaped.collect::<String>())
}

/// The program and arguments of jj's merge tool `bd`, as the repository's own settings have them, in one text.
pub fn jj_tool(root: &Path, env: &Env) -> Result<Option<String>, HistoryError> {
    jj::tool(root, env)
}

/// Sets or removes jj's merge tool `bd` in the repository's own settings.
pub fn set_jj_tool(root: &Path, program: Option<&str>, env: &Env) -> Result<(), HistoryError> {
    jj::set_tool(root, program, env)
}

/// The file of jj's settings for this repository.
pub fn jj_settings(root: &Path, env: &Env) -> Result<PathBuf, HistoryError> {
    jj::settings(root, env)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_hg() {
        assert_eq!(hg_pattern(".beads/beads.jsonl"), "path:.beads/beads.jsonl");
        assert_eq!(hg_pattern("a b/x.jsonl"), "path:a b/x.jsonl");
        assert_eq!(hg_pattern("a=b/x.jsonl"), "re:^a\\x3db[/]x[.]jsonl$");
    }
}
