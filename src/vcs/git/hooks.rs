//! Queries git about hooks, ignored files and the repository's own settings.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::commit::{git, git_config, is_locked};
use super::config;
use crate::sys::Env;
use crate::sys::process::{Output, Program};
use crate::vcs::files;
use crate::vcs::layout::git::common_dir;
use crate::vcs::{HistoryError, Kind, SyncError, Versions};

/// A repository may be large, and filters may fetch its files.
const LIMIT: Duration = Duration::from_secs(1800);

/// What git says; a failure is an error.
pub(super) fn must(name: &'static str, root: &Path, program: Program<'_>) -> Result<Output, SyncError> {
    let output = program.limit(LIMIT).run()?;
    match output.status.success() {
        true => Ok(output),
        false if is_locked(&output) => Err(SyncError::Busy { root: root.to_owned() }),
        false => Err(failed(name, &output).into()),
    }
}

/// The output of a failed program, shortened.
pub(super) fn failed(program: &'static str, output: &Output) -> HistoryError {
    let printed = String::from_utf8_lossy(&output.stderr);
    // Progress output does not explain the failure.
    let is_word = |line: &&str| !line.is_empty() && !line.contains("% (");
    let printed = printed.split(['\n', '\r']).map(str::trim).filter(is_word).take(3).collect::<Vec<_>>().join("; ");
    HistoryError::Failed { program, status: output.status, printed }
}

pub(super) fn checked(program: &'static str, output: Output) -> Result<Output, HistoryError> {
    if output.status.success() { Ok(output) } else { Err(failed(program, &output)) }
}

/// Where git looks for hooks, from files alone.
pub fn hooks_path(root: &Path, env: &Env) -> Result<PathBuf, HistoryError> {
    let dot_git = root.join(".git");
    let Some(common) = common_dir(&dot_git) else {
        return Err(HistoryError::NotGit { root: root.to_owned(), kind: Kind::Git });
    };
    let named = config::text(&dot_git, "core.hooksPath", env).filter(|path| !path.is_empty());
    Ok(named.map_or_else(|| common.join("hooks"), |path| env.clone().at(root.to_owned()).path(&path)))
}

/// The hooks that a push runs.
const PUSH: [&str; 2] = ["pre-push", "reference-transaction"];

/// The hooks that a push would run and that are not the user's own, each with a hash of its content. The user's hooks
/// are in a directory that the user's own settings name, outside the repository. If the repository's settings name one,
/// it comes first.
pub(super) fn of_push(root: &Path, env: &Env) -> Result<Vec<String>, SyncError> {
    let directory = root.join(hooks_path(root, env)?);
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let inside = |dir: &Path| real(&directory).starts_with(real(dir));
    let is_in_repository = inside(root) || common_dir(&root.join(".git")).is_some_and(|common| inside(&common));
    let mut lines = Vec::new();
    if !is_in_repository {
        if config::own_text(root, "core.hooksPath").is_none() {
            return Ok(lines);
        }
        lines.push(format!("core.hooksPath = {}", directory.display()));
    }
    for name in PUSH {
        let path = directory.join(name);
        let Ok(found) = std::fs::metadata(&path) else { continue };
        if found.is_file() && found.permissions().mode() & 0o111 != 0 {
            let sum = files::bytes(&path).map(|bytes| blake3::hash(&bytes).to_hex().to_string());
            let sum = sum.as_deref().and_then(|sum| sum.get(..16)).unwrap_or("not readable").to_owned();
            lines.push(format!("hook {name} = {} ({sum})", path.display()));
        }
    }
    Ok(lines)
}

pub fn local_setting(root: &Path, key: &str, env: &Env) -> Result<Option<String>, HistoryError> {
    let output = git_config(root, env).args(["--local", "-z", "--get", key]).run()?;
    match output.status.code() {
        Some(0) => {
            let value = output.stdout.strip_suffix(b"\0").unwrap_or(&output.stdout);
            Ok(Some(String::from_utf8_lossy(value).into_owned()))
        }
        Some(1) => Ok(None),
        _ => Err(failed("git config", &output)),
    }
}

pub fn set_local(root: &Path, key: &str, value: Option<&str>, env: &Env) -> Result<(), HistoryError> {
    let program = git_config(root, env).arg("--local");
    let program = match value {
        Some(value) => program.args(["--replace-all", key, value]),
        None => program.args(["--unset-all", key]),
    };
    checked("git config", program.run()?).map(drop)
}

pub(crate) fn is_ignored(root: &Path, file: &Path, env: &Env) -> Result<bool, HistoryError> {
    let output = git(root, env).args(["check-ignore", "--quiet", "--"]).arg(file).run()?;
    Ok(output.status.success())
}

/// Whether the index has a file; true if git does not answer.
pub(crate) fn is_tracked(root: &Path, file: &Path, env: &Env) -> bool {
    let program = git(root, env).args(["--literal-pathspecs", "ls-files", "-z", "--"]).arg(file);
    program.run().map_or(true, |output| !output.status.success() || !output.stdout.is_empty())
}

/// Whether the index has several versions of a file.
pub(crate) fn is_unmerged(root: &Path, file: &Path, env: &Env) -> bool {
    let program = git(root, env).args(["--literal-pathspecs", "ls-files", "--unmerged", "-z", "--"]).arg(file);
    program.run().is_ok_and(|output| output.status.success() && !output.stdout.is_empty())
}

/// The versions of a conflicted file in the index; `None` unless both sides have one.
pub(crate) fn unmerged(root: &Path, file: &Path, env: &Env) -> Option<Versions> {
    const LIMIT: usize = 1 << 30;
    let stage = |number: u8| {
        let mut name = std::ffi::OsString::from(format!(":{number}:"));
        name.push(file);
        let output = git(root, env).args(["cat-file", "blob"]).arg(name).keeping(LIMIT).run().ok()?;
        (output.status.success() && output.stdout.len() < LIMIT).then_some(output.stdout)
    };
    let (ours, theirs) = (stage(2)?, stage(3)?);
    Some(Versions { base: stage(1), ours: Some(ours), theirs: Some(theirs) })
}
