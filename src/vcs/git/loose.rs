//! Commits that only a linked worktree refers to: through its own refs, or through the log of its `HEAD`.
//!
//! git keeps `refs/worktree/`, `refs/bisect/` and `refs/rewritten/`, and the log of `HEAD`, for each worktree alone,
//! and deletes them with it. A commit that was made on no branch may be nowhere else. Steps of a rebase are left out:
//! the result of a rebase is on a branch, and each step comes from commits that the log of the branch still has.
//! Objects other than commits are ignored.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::objects::must;
use super::upstream::{ask, ask_at, commit};
use crate::sys::Env;
use crate::sys::process::Program;
use crate::vcs::SyncError;
use crate::vcs::checkouts::Loose;
use crate::vcs::files;
use crate::vcs::layout::git::common_dir;
use crate::vcs::layout::git_worktrees::admin_dir;

/// The refs that every worktree has separately.
const OWN_REFS: [&str; 3] = ["refs/worktree", "refs/bisect", "refs/rewritten"];
/// The refs for commits of worktrees that were removed by force, each under its own id.
const KEPT: &str = "refs/beads/kept";
const LOG: &str = "the reflog";

/// Commits, with the refs or logs that name them.
type Known = HashMap<String, String>;

/// The last commit of every line of history that disappears with a worktree, except the commit of its `HEAD`.
pub(super) fn loose(root: &Path, env: &Env) -> Result<Vec<Loose>, SyncError> {
    let dot_git = root.join(".git");
    let Some((admin, common)) = admin_dir(root).zip(common_dir(&dot_git)).filter(|(admin, common)| admin != common)
    else {
        return Ok(Vec::new());
    };
    let known = match common.join("reftable").exists() {
        true => from_git(root, env)?,
        false => read(&admin),
    };
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let mut input: String = known.keys().map(|id| format!("{id}\n")).collect();
    input.extend(commit(root, "HEAD", env)?.map(|head| format!("^{head}\n")));
    // The refs and logs that stay: those of the repository and of the main worktree.
    let program = ask_at(root, Some(&common), env).args(["rev-list", "--parents", "--ignore-missing", "--stdin"]);
    let program = program.args(["--single-worktree", "--not", "--all", "--reflog"]).input(input.into_bytes());
    let printed = must("git rev-list", program)?.stdout;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let parents: HashSet<&str> = printed.lines().flat_map(|line| line.split(' ').skip(1)).collect();
    let last = printed.lines().filter_map(|line| line.split(' ').next()).filter(|id| !parents.contains(id));
    let mut found: Vec<Loose> = last
        .map(|id| {
            let known_to = known.get(id).map_or(LOG, String::as_str).to_owned();
            Loose { id: id.to_owned(), known_to }
        })
        .collect();
    found.sort_by(|a, b| (a.known_to == LOG, &a.id).cmp(&(b.known_to == LOG, &b.id)));
    Ok(found)
}

/// Gives such commits a permanent name.
pub(crate) fn keep(root: &Path, env: &Env) -> Result<(), SyncError> {
    for one in loose(root, env)? {
        let program = ask(root, env).args(["update-ref", "--no-deref", "--end-of-options"]);
        must("git update-ref", program.arg(format!("{KEPT}/{}", one.id)).arg(&one.id))?;
    }
    Ok(())
}

/// From the files of a worktree.
fn read(admin: &Path) -> Known {
    let log = files::bytes(&admin.join("logs/HEAD")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log).into_owned();
    let entries = log.lines().filter_map(|line| {
        let (head, message) = line.split_once('\t').unwrap_or((line, ""));
        Some((head.split(' ').nth(1)?, message))
    });
    let mut known = logged(entries);
    for name in OWN_REFS {
        refs_below(&admin.join(name), name, &mut known);
    }
    known
}

fn refs_below(directory: &Path, name: &str, known: &mut Known) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let (path, name): (PathBuf, String) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => refs_below(&path, &name, known),
            false => {
                let text = files::text(&path).unwrap_or_default();
                note(known, text.trim(), name);
            }
        }
    }
}

/// From git, where refs are stored in another format.
fn from_git(root: &Path, env: &Env) -> Result<Known, SyncError> {
    let text = |program: Program<'_>, name| -> Result<String, SyncError> {
        Ok(String::from_utf8_lossy(&must(name, program)?.stdout).into_owned())
    };
    let walk =
        ask(root, env).args(["rev-list", "--walk-reflogs", "--ignore-missing", "--format=%H%x09%gs", "HEAD", "--"]);
    let log = if commit(root, "HEAD", env)?.is_some() { text(walk, "git rev-list")? } else { String::new() };
    let entries = log.lines().filter_map(|line| line.split_once('\t'));
    let mut known = logged(entries);
    let list = ask(root, env).args(["for-each-ref", "--format=%(objectname) %(refname)"]).args(OWN_REFS);
    for line in text(list, "git for-each-ref")?.lines() {
        if let Some((id, name)) = line.split_once(' ') {
            note(&mut known, id, name.to_owned());
        }
    }
    Ok(known)
}

fn logged<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Known {
    let mut known = Known::new();
    for (id, _) in entries.filter(|(_, message)| !message.starts_with("rebase")) {
        note(&mut known, id, LOG.to_owned());
    }
    known
}

/// Adds a commit; ignores a symbolic ref or an empty value.
fn note(known: &mut Known, id: &str, name: String) {
    let is_id =
        id.len() >= 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) && !id.bytes().all(|byte| byte == b'0');
    if is_id {
        known.insert(id.to_owned(), name);
    }
}
