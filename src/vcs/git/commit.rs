//! Commits with the program `git`.
//!
//! Filters of `.gitattributes` stay on, because a file that is meant to be encrypted must not be committed in plain
//! text.

use std::path::{Path, PathBuf};

use super::config;
use super::gate;
use crate::sys::Env;
use crate::sys::process::{Output, Program};
use crate::vcs::CommitError;
use crate::vcs::commit::{Committed, Order, checked, failed, patiently};
use crate::vcs::files::path_of;
use crate::vcs::gate::Verdict;
use crate::vcs::layout::git::own_dir;

/// Files in git's directory that show an unfinished operation.
const UNFINISHED: [(&str, &str); 7] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert of several commits"),
    ("BISECT_LOG", "a bisection"),
];

/// Makes a directory a git repository.
pub fn init(directory: &Path, env: &Env) -> Result<(), CommitError> {
    checked("git init", git(directory, env).args(["init", "--quiet"]).run()?).map(drop)
}

/// The unfinished operation of the user, if there is one.
pub(crate) fn unfinished(root: &Path) -> Option<&'static str> {
    let dot_git = root.join(".git");
    let own = own_dir(&dot_git).unwrap_or(dot_git);
    UNFINISHED.iter().find(|(name, _)| own.join(name).exists()).map(|(_, what)| *what)
}

/// Commits the working-tree state of these files and nothing else: other staged files stay staged.
pub(super) fn commit(order: &Order) -> Result<Committed, CommitError> {
    if let Some(what) = unfinished(order.root) {
        return Err(CommitError::Unfinished { root: order.root.to_owned(), what: what.to_owned() });
    }
    let status = status(order)?;
    if status.unmerged {
        return Err(CommitError::Unfinished { root: order.root.to_owned(), what: "a merge".to_owned() });
    }
    if let Some(path) = status.ignored {
        return Err(CommitError::Ignored { path: order.root.join(path) });
    }
    if !status.changed {
        return match overlooked(order.root, order.files, order.env)? {
            Some((path, flag)) => Err(CommitError::Overlooked { path: order.root.join(path), flag }),
            None => Ok(Committed::NothingToCommit),
        };
    }
    let identity = identity(order);
    let run = |arguments: &[&str], paths: &[PathBuf]| {
        patiently(order, || {
            let program = git(order.root, order.env).arg("--literal-pathspecs").args(&identity).args(arguments);
            let output = program.arg("--").args(paths).run()?;
            Ok(if is_locked(&output) { None } else { Some(output) })
        })
    };
    if !status.untracked.is_empty() {
        // A commit of single paths only takes paths that are in the index.
        checked("git add", run(&["add", "--intent-to-add"], &status.untracked)?)?;
    }
    let message = format!("--message={}", order.message);
    let done = run(&["commit", "--quiet", "--only", "--no-verify", "--no-post-rewrite", &message], order.files);
    match done {
        Ok(output) if output.status.success() => Ok(Committed::Done),
        refused => {
            if !status.untracked.is_empty() {
                let _ = run(&["rm", "--cached", "--force", "--quiet"], &status.untracked);
            }
            let output = refused?;
            // Staged, and then reverted in the working tree: the status is not empty, but there is nothing to commit.
            let same = run(&["diff", "--quiet", "HEAD"], order.files)?.status.success();
            if same { Ok(Committed::NothingToCommit) } else { Err(failed("git commit", &output)) }
        }
    }
}

/// The program, with settings that keep a repository from naming programs.
pub(super) fn git<'a>(directory: &Path, env: &'a Env) -> Program<'a> {
    git_at(directory, None, env)
}

/// The same for a repository outside its working copy, if that is given.
pub(super) fn git_at<'a>(directory: &Path, git_dir: Option<&Path>, env: &'a Env) -> Program<'a> {
    with_settings(directory, git_dir, env, |_| true)
}

/// The same to read and write the repository's own settings. That runs no other program, so no setting needs agreement.
pub(super) fn git_config<'a>(directory: &Path, env: &'a Env) -> Program<'a> {
    let verdict = gate::around(directory).map(|(_, git)| gate::judge_links(&git, env)).unwrap_or_default();
    behind(verdict, directory, None, env, |_| false).arg("config")
}

/// The same for talking to a remote, with the user's means of access and authentication.
pub(super) fn git_for_network<'a>(
    directory: &Path,
    git_dir: Option<&Path>,
    env: &'a Env,
    with_hooks: bool,
) -> Program<'a> {
    let is_left_out =
        |setting: &str| setting.starts_with("core.sshCommand") || (with_hooks && setting.starts_with("core.hooksPath"));
    with_settings(directory, git_dir, env, |setting| !is_left_out(setting))
}

fn with_settings<'a>(
    directory: &Path,
    git_dir: Option<&Path>,
    env: &'a Env,
    wanted: impl Fn(&str) -> bool,
) -> Program<'a> {
    let place = git_dir.map(|git_dir| (directory, git_dir.to_owned())).or_else(|| gate::around(directory));
    let verdict = place.map(|(root, git)| gate::judge(root, &git, env)).unwrap_or_default();
    behind(verdict, directory, git_dir, env, wanted)
}

/// The only place where git is started in a repository: behind its gate.
fn behind<'a>(
    verdict: Verdict,
    directory: &Path,
    git_dir: Option<&Path>,
    env: &'a Env,
    wanted: impl Fn(&str) -> bool,
) -> Program<'a> {
    let found = gate::around(directory).filter(|_| git_dir.is_none());
    let root = gate::real(found.as_ref().map_or(directory, |(root, _)| root));
    let program = Program::new("git", env, verdict.clearance(&root, env)).at(directory);
    let program = match git_dir {
        Some(git_dir) => program.var("GIT_DIR", git_dir),
        // git must find the judged repository: it does not look further up.
        None => found
            .and(root.parent())
            .into_iter()
            .fold(program, |program, above| program.var("GIT_CEILING_DIRECTORIES", above)),
    };
    let program = program.var("GIT_OPTIONAL_LOCKS", "0").var("GIT_TERMINAL_PROMPT", "0");
    let program = program.var("GIT_EDITOR", ":").var("GIT_SEQUENCE_EDITOR", ":").var("GIT_PAGER", "cat");
    // The user decides where the user's settings are.
    let user = ["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"];
    let program = user.into_iter().fold(program, Program::passing);
    let settings = gate::ALWAYS.iter().filter(|setting| wanted(setting)).chain(&verdict.overrides);
    settings.fold(program, |program, setting| program.arg("-c").arg(setting))
}

/// Settings that provide an identity where none is configured.
pub(super) fn identity(order: &Order) -> Vec<String> {
    let (name, email) = config::identity(&order.root.join(".git"), order.env);
    let name = (!name).then(|| format!("user.name={}", order.author));
    let email = (!email).then(|| "user.email=".to_owned());
    name.into_iter().chain(email).flat_map(|setting| ["-c".to_owned(), setting]).collect()
}

/// Whether git found another process's lock: on the index, or on a ref.
pub(super) fn is_locked(output: &Output) -> bool {
    !output.status.success() && String::from_utf8_lossy(&output.stderr).contains(".lock': File exists")
}

/// A file whose changes git was told to ignore, and how: git neither commits them nor protects them when it overwrites
/// the file.
pub(super) fn overlooked(
    root: &Path,
    files: &[PathBuf],
    env: &Env,
) -> Result<Option<(PathBuf, &'static str)>, CommitError> {
    let program = git(root, env).args(["--literal-pathspecs", "ls-files", "-v", "-z", "--"]).args(files);
    let output = checked("git ls-files", program.run()?)?;
    let flag = |letter: u8| match letter {
        b'S' | b's' => Some("skip-worktree"),
        letter if letter.is_ascii_lowercase() => Some("assume-unchanged"),
        _ => None,
    };
    let entries = output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 2);
    // A file that is not checked out has no changes.
    let there = |path: &PathBuf| root.join(path).exists();
    Ok(entries.filter_map(|entry| Some((path_of(&entry[2..]), flag(entry[0])?))).find(|(path, _)| there(path)))
}

#[derive(Default)]
struct Status {
    changed: bool,
    unmerged: bool,
    untracked: Vec<PathBuf>,
    ignored: Option<PathBuf>,
}

fn status(order: &Order) -> Result<Status, CommitError> {
    let flags = ["--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching", "--"];
    let program = git(order.root, order.env).args(["--literal-pathspecs", "status"]).args(flags).args(order.files);
    let output = checked("git status", program.run()?)?;
    let mut status = Status::default();
    for entry in output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 3) {
        let (code, path) = (&entry[..2], path_of(&entry[3..]));
        match code {
            b"!!" => status.ignored = Some(path),
            b"??" => status.untracked.push(path),
            b"AA" | b"DD" => status.unmerged = true,
            _ if code.contains(&b'U') => status.unmerged = true,
            _ => {}
        }
        status.changed |= code != b"!!";
    }
    Ok(status)
}
