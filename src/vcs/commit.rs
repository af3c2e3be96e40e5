//! Committing: the one thing here that changes a repository.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::sync::list;
use super::{open, place};
use crate::sys::fs::cause;
use crate::sys::process::{Output, RunError};
use crate::sys::{Entropy, Env};

/// How long a held lock is tried again.
const PATIENCE: Duration = Duration::from_millis(400);

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    Done,
    NothingToCommit,
    NoVcs,
}

#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    #[error("{} and {} are not in one working copy", one.display(), other.display())]
    Apart { one: PathBuf, other: PathBuf },
    #[error("cannot commit in {}: another program holds a lock there", root.display())]
    Busy { root: PathBuf },
    #[error("cannot commit in {}: {what} is not finished", root.display())]
    Unfinished { root: PathBuf, what: String },
    #[error("cannot commit in {}: files are staged with git, and jj would unstage them: {}", root.display(), list(files))]
    Staged { root: PathBuf, files: Vec<PathBuf> },
    #[error("git is told to overlook changes of {} ({flag})", path.display())]
    Overlooked { path: PathBuf, flag: &'static str },
    #[error("cannot tell what git is in the middle of in {}: {message}", root.display())]
    Beside { root: PathBuf, message: String },
    #[error("cannot commit {}: version control ignores it", path.display())]
    Ignored { path: PathBuf },
    #[error("cannot commit in {}: the name of a file is not text", root.display())]
    Name { root: PathBuf },
    #[error("cannot reach {}: {}", path.display(), cause(source))]
    Path { path: PathBuf, source: std::io::Error },
    #[error("{program} failed with {status}: {said}")]
    Failed { program: String, status: std::process::ExitStatus, said: String },
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Files of one working copy, relative to its root, and what to commit them with.
pub struct Order<'a> {
    pub root: &'a Path,
    pub files: &'a [PathBuf],
    pub message: &'a str,
    pub author: &'a str,
    pub env: &'a Env,
}

impl Order<'_> {
    pub(super) fn busy(&self) -> CommitError {
        CommitError::Busy { root: self.root.to_owned() }
    }
}

/// Commits exactly these files as they are now, with their version control, and nothing else: what else is changed, staged
/// or half done stays as it is. The author counts only where no identity is configured. The user's and the repository's
/// hooks do not run, and nothing is signed.
pub fn commit(files: &[PathBuf], message: &str, author: &str, env: &Env) -> Result<Committed, CommitError> {
    // Where a file is, and not the way to it: a link may lead into another repository.
    let real = files.iter().map(|file| real(&env.cwd().join(file))).collect::<Result<Vec<_>, _>>()?;
    let Some(first) = real.first() else { return Ok(Committed::NothingToCommit) };
    let Some((_, root)) = place(first) else { return Ok(Committed::NoVcs) };
    let mut inside = Vec::new();
    for file in &real {
        match file.strip_prefix(&root) {
            Ok(path) if place(file).is_some_and(|(_, other)| other == root) => inside.push(path.to_owned()),
            _ => return Err(CommitError::Apart { one: first.clone(), other: file.clone() }),
        }
    }
    let author = if author.trim().is_empty() { "unknown" } else { author };
    open(&root).commit(&Order { root: &root, files: &inside, message, author, env })
}

/// A path without links in its directories. The file itself may be gone, or be a link.
fn real(file: &Path) -> Result<PathBuf, CommitError> {
    let unreachable = |source| CommitError::Path { path: file.to_owned(), source };
    match (file.parent(), file.file_name()) {
        (Some(parent), Some(name)) => Ok(std::fs::canonicalize(parent).map_err(unreachable)?.join(name)),
        _ => std::fs::canonicalize(file).map_err(unreachable),
    }
}

/// Tries again, after short pauses of uneven length, while a lock is held (`None`).
pub(super) fn patiently<T>(
    order: &Order,
    mut attempt: impl FnMut() -> Result<Option<T>, CommitError>,
) -> Result<T, CommitError> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(done) = attempt()? {
            return Ok(done);
        }
        if Instant::now() >= until {
            return Err(order.busy());
        }
        let [uneven] = Entropy::System.bytes::<1>();
        std::thread::sleep(Duration::from_millis(20 + u64::from(uneven) % 31));
    }
}

/// What a program said when it failed, without the rest of a long story.
pub(super) fn failed(program: &str, output: &Output) -> CommitError {
    let said = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
    let said = String::from_utf8_lossy(said);
    let said = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect::<Vec<_>>().join("; ");
    CommitError::Failed { program: program.to_owned(), status: output.status, said }
}
