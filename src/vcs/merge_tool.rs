//! The registration of a merge program for a file in git, hg and jj.
//!
//! git: `merge.bd.driver` in the repository's own settings, and an attribute of the file. hg: `[merge-tools]` and
//! `[merge-patterns]` in `.hg/hgrc`. jj: `merge-tools.bd` in the repository's settings, for `jj resolve --tool bd`.
//! Settings of git and jj are changed by their own programs.

use std::path::{Path, PathBuf};

use super::{HistoryError, Kind, common_dir, git, jj, layout, place};
use crate::sys::Env;

/// The settings of git.
pub const DRIVER: &str = "merge.bd.driver";
const NAME: &str = "merge.bd.name";

/// The `merge` attribute of a file and the driver `bd`, as git would find them here. Read without starting a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeSetup {
    /// `union`, `bd`, …
    pub attribute: Option<String>,
    /// `merge.bd.driver`
    pub driver: Option<String>,
    /// `merge.beads.driver`, which the original registers.
    pub originals: Option<String>,
}

/// How git would merge a file; `None` without git.
pub fn merge_setup(file: &Path, env: &Env) -> Option<MergeSetup> {
    let (kind, root) = place(file)?;
    let dot_git = root.join(".git");
    layout::git::common_dir(&dot_git).filter(|_| kind == Kind::Git)?;
    Some(MergeSetup {
        attribute: git::merge_attribute(&root, file.strip_prefix(&root).ok()?, env),
        driver: git::config_text(&dot_git, DRIVER, env),
        originals: git::config_text(&dot_git, "merge.beads.driver", env),
    })
}

/// The place where the merge driver `bd` of a working copy is registered.
pub struct MergeTool {
    kind: Kind,
    common: PathBuf,
    pub root: PathBuf,
    /// The name of its version control.
    pub name: &'static str,
}

impl MergeTool {
    /// `None` if none can be registered.
    pub fn of(path: &Path) -> Option<Self> {
        let (kind, root) = place(path).filter(|(kind, _)| matches!(kind, Kind::Git | Kind::Hg | Kind::Jj))?;
        Some(MergeTool { common: common_dir(&root)?, kind, root, name: kind.name() })
    }

    /// Whether it runs hooks, and passes the registered command to a shell: only git does.
    pub fn runs_scripts(&self) -> bool {
        self.kind == Kind::Git
    }

    /// Whether its settings name the files to merge; for jj the tool is named when it is called.
    pub fn names_files(&self) -> bool {
        self.kind != Kind::Jj
    }

    /// The file that lists the files to merge, which may be a committed one; for jj its settings.
    pub fn file(&self, shared: bool, env: &Env) -> Result<PathBuf, HistoryError> {
        match self.kind {
            Kind::Jj => jj::settings(&self.root, env),
            Kind::Hg => Ok(self.root.join(".hg/hgrc")),
            _ if shared => Ok(self.root.join(".gitattributes")),
            _ => Ok(self.common.join("info/attributes")),
        }
    }

    /// The lines of that file for these files, named from the root.
    pub fn lines(&self, command: &str, files: &[PathBuf]) -> Vec<Vec<u8>> {
        match self.kind {
            Kind::Hg => hg_lines(command, files).into_iter().map(String::into_bytes).collect(),
            _ => files.iter().map(|file| [&git::pattern(file)[..], b" merge=bd"].concat()).collect(),
        }
    }

    /// The command that is registered now, from the repository's own settings; for hg it is in the lines.
    pub fn registered(&self, env: &Env) -> Result<Option<String>, HistoryError> {
        match self.kind {
            Kind::Git => git::local_setting(&self.root, DRIVER, env),
            Kind::Jj => jj::tool(&self.root, env),
            _ => Ok(None),
        }
    }

    /// Whether this command is registered.
    pub fn is_registered(&self, current: Option<&str>, wanted: &str) -> bool {
        match self.kind {
            Kind::Git => current == Some(wanted),
            Kind::Jj => current.is_some_and(|current| current.starts_with(&format!("{wanted} merge-driver "))),
            _ => true,
        }
    }

    pub fn register(&self, command: &str, env: &Env) -> Result<(), HistoryError> {
        match self.kind {
            Kind::Git => {
                git::set_local(&self.root, NAME, Some("the ledger of bd, merged issue by issue"), env)?;
                git::set_local(&self.root, DRIVER, Some(command), env)
            }
            Kind::Jj => jj::set_tool(&self.root, Some(command), env),
            _ => Ok(()),
        }
    }

    /// Restores git's earlier setting.
    pub fn unregister(&self, previous: Option<&str>, env: &Env) -> Result<(), HistoryError> {
        match self.kind {
            Kind::Git => {
                git::set_local(&self.root, DRIVER, previous, env)?;
                if previous.is_none() && git::local_setting(&self.root, NAME, env)?.is_some() {
                    git::set_local(&self.root, NAME, None, env)?;
                }
                Ok(())
            }
            Kind::Jj => jj::set_tool(&self.root, None, env),
            _ => Ok(()),
        }
    }
}

/// The lines that make hg merge these files, named from the root, with a program.
fn hg_lines(program: &str, files: &[PathBuf]) -> Vec<String> {
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

/// An hg pattern for this file alone. A name in hgrc cannot contain `=`.
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
