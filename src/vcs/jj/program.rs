//! The program `jj`, as the adapter calls it.
//!
//! Queries do not touch the working copy. A change is first made beside the operation log (`--no-integrate-operation`):
//! it is invisible, and a wrong one is simply forgotten. Only [`Repo::adopt`] makes a chain of changes take effect.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{config, gate};
use crate::sys::Env;
use crate::sys::lock::is_held;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::CommitError;
use crate::vcs::SyncError;
use crate::vcs::commit::failed;
use crate::vcs::network::passing_git;

/// No pager, no colours, and no file system monitor that a repository could name.
const SETTINGS: [&str; 3] = ["--no-pager", "--color=never", "--config=fsmonitor.backend=none"];

/// The variables with which programs find their keys for signing commits.
pub(super) const SIGNERS: [&str; 3] = ["GNUPGHOME", "GPG_TTY", "SSH_AUTH_SOCK"];

/// The size limit for files from a commit.
const FILE: usize = 256 << 20;
const NETWORK: Duration = Duration::from_secs(120);
const LONG: Duration = Duration::from_secs(600);

/// The locations of the user's git settings, which jj reads too.
const GIT: [&str; 3] = ["GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"];

/// Settings of git for this run alone.
const GIT_SETTINGS: [(&str, &str, &str, &str); 3] = [
    ("GIT_CONFIG_KEY_0", "core.hooksPath", "GIT_CONFIG_VALUE_0", "/dev/null"),
    ("GIT_CONFIG_KEY_1", "core.fsmonitor", "GIT_CONFIG_VALUE_1", "false"),
    ("GIT_CONFIG_KEY_2", "protocol.ext.allow", "GIT_CONFIG_VALUE_2", "never"),
];

/// One state of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Operation(String);

/// A working copy to query and to change.
pub(super) struct Repo<'a> {
    pub root: &'a Path,
    pub env: &'a Env,
    settings: Vec<String>,
}

impl<'a> Repo<'a> {
    pub(super) fn new(root: &'a Path, env: &'a Env) -> Self {
        Repo { root, env, settings: Vec::new() }
    }

    /// Sets an identity for the case that none is configured.
    pub(super) fn by(self, author: &str) -> Self {
        let settings = identity(self.root, author, self.env);
        Repo { settings, ..self }
    }

    /// Queries the newest state, or a given one. Unrecorded changes in the working copy do not count.
    pub(super) fn ask(&self, at: Option<&Operation>, arguments: &[&str]) -> Result<Vec<u8>, SyncError> {
        let output = self.look(at, arguments)?;
        if output.status.success() { Ok(output.stdout) } else { Err(error(arguments, &output)) }
    }

    /// The same as text.
    pub(super) fn output(&self, at: Option<&Operation>, arguments: &[&str]) -> Result<String, SyncError> {
        Ok(String::from_utf8_lossy(&self.ask(at, arguments)?).into_owned())
    }

    /// The names that a list has, one in each line, as JSON.
    pub(super) fn names<T: FromIterator<String>>(&self, arguments: &[&str]) -> Result<T, SyncError> {
        let output = self.output(None, &[arguments, &["--template=json(name) ++ \"\\n\""]].concat())?;
        Ok(output.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    fn look(&self, at: Option<&Operation>, arguments: &[&str]) -> Result<Output, SyncError> {
        self.run(self.program().keeping(FILE).arg(place(at)).args(arguments))
    }

    /// Makes a change on top of a state, beside the operation log.
    pub(super) fn change(&self, at: &Operation, arguments: &[&str]) -> Result<Operation, SyncError> {
        let program = self.program().arg("--no-integrate-operation").arg(place(Some(at)));
        let output = self.run(program.args(&self.settings).args(arguments))?;
        let printed = String::from_utf8_lossy(&output.stderr);
        let made = printed.lines().find_map(|line| {
            let id = line.strip_prefix("Operation left uncommitted")?.rsplit(' ').next()?;
            (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Operation(id.to_owned()))
        });
        match made {
            _ if !output.status.success() => Err(error(arguments, &output)),
            Some(operation) => Ok(operation),
            None if printed.contains("Nothing changed") => Ok(at.clone()),
            None => Err(error(arguments, &output)),
        }
    }

    /// Records the working copy, and returns the resulting state.
    pub(super) fn snapshot(&self) -> Result<Operation, SyncError> {
        let lock = self.lock();
        if is_held(&lock) {
            return Err(SyncError::Busy { root: self.root.to_owned() });
        }
        self.act(&["util", "snapshot"])?;
        self.newest()
    }

    /// The current state.
    pub(super) fn newest(&self) -> Result<Operation, SyncError> {
        let id = self.output(None, &["operation", "log", "--no-graph", "--limit=1", "--template=id"])?;
        Ok(Operation(id.trim().to_owned()))
    }

    /// Adopts a chain of changes, and updates the files of the working copy. Edits since the snapshot are kept.
    pub(super) fn adopt(&self, operation: &Operation) -> Result<(), SyncError> {
        let output =
            self.run(self.program().args(["operation", "integrate", "--ignore-working-copy", &operation.0]))?;
        if !output.status.success() {
            return Err(error(&["operation integrate"], &output));
        }
        self.catch_up()
    }

    /// Updates the working copy to the newest state.
    pub(super) fn catch_up(&self) -> Result<(), SyncError> {
        self.act(&["workspace", "update-stale"])
    }

    /// A command that may record and update the working copy.
    fn act(&self, arguments: &[&str]) -> Result<(), SyncError> {
        let output = self.run(self.program().args(&self.settings).args(arguments))?;
        if output.status.success() { Ok(()) } else { Err(error(arguments, &output)) }
    }

    /// The same for a large working copy, with a last argument that is never an option. Returns jj's output.
    pub(super) fn act_on(&self, arguments: &[&str], last: Option<&OsStr>) -> Result<Vec<u8>, SyncError> {
        let program = self.program().limit(LONG).keeping(FILE).args(arguments);
        let output = self.run(match last {
            Some(last) => program.arg("--").arg(last),
            None => program,
        })?;
        if output.status.success() { Ok(output.stdout) } else { Err(error(arguments, &output)) }
    }

    /// A command that uses a network. The user's git hooks do not run.
    pub(super) fn exchange(&self, at: Option<&Operation>, arguments: &[&str]) -> Result<Output, SyncError> {
        let program = passing_git(self.program()).limit(NETWORK);
        let program = program.var("GIT_TERMINAL_PROMPT", "0").var("GIT_CONFIG_COUNT", "3");
        let program = program.var("GIT_ALLOW_PROTOCOL", "https:ssh:file:git:http");
        let program = GIT_SETTINGS
            .iter()
            .fold(program, |program, (key, name, value, setting)| program.var(key, *name).var(value, *setting));
        self.run(program.arg(place(at)).args(arguments))
    }

    /// A file in a commit.
    pub(super) fn file(
        &self,
        at: Option<&Operation>,
        revision: &str,
        file: &Path,
    ) -> Result<Option<Vec<u8>>, SyncError> {
        let Some(name) = name(file) else { return Ok(None) };
        let revision = format!("--revision={revision}");
        let output = self.look(at, &["file", "show", &revision, "--", &name])?;
        if output.status.success() && !output.stdout.is_empty() {
            return Ok(Some(output.stdout));
        }
        // The file does not exist, is empty, or is a directory; for any other problem, this fails too.
        let listed = self.ask(at, &["file", "list", &revision, "--", &name])?;
        match output.status.success() {
            _ if listed.is_empty() => Ok(None),
            true => Ok(Some(Vec::new())),
            false => Err(error(&["file show"], &output)),
        }
    }

    /// The output of a template for each commit of a set, parents first.
    pub(super) fn log(&self, at: Option<&Operation>, revisions: &str, template: &str) -> Result<String, SyncError> {
        let (revisions, template) = (format!("--revisions={revisions}"), format!("--template={template}"));
        self.output(at, &["log", "--no-graph", "--reversed", &revisions, &template])
    }

    pub(super) fn ids(&self, at: Option<&Operation>, revisions: &str) -> Result<Vec<String>, SyncError> {
        let printed = self.log(at, revisions, "commit_id ++ \"\\n\"")?;
        Ok(printed.lines().map(str::to_owned).collect())
    }

    pub(super) fn count(&self, at: Option<&Operation>, revisions: &str) -> Result<usize, SyncError> {
        self.log(at, revisions, "\".\"").map(|printed| printed.len())
    }

    fn program(&self) -> Program<'a> {
        GIT.into_iter().chain(SIGNERS).fold(jj(self.root, self.env), Program::passing)
    }

    fn run(&self, program: Program<'_>) -> Result<Output, SyncError> {
        program.run().map_err(|error| match error {
            RunError::TimedOut { .. } if is_held(&self.lock()) => SyncError::Busy { root: self.root.to_owned() },
            error => error.into(),
        })
    }

    fn lock(&self) -> PathBuf {
        self.root.join(".jj/working_copy/working_copy.lock")
    }
}

/// The program in a working copy, with the user's own settings: the only place where jj is started, behind its gate.
pub(super) fn jj<'a>(root: &Path, env: &'a Env) -> Program<'a> {
    let real = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let program = Program::new("jj", env, gate::judge(root, env).clearance(&real, env)).at(root).args(SETTINGS);
    ["JJ_CONFIG", "JJ_USER", "JJ_EMAIL"].into_iter().fold(program, Program::passing)
}

fn place(at: Option<&Operation>) -> String {
    at.map_or_else(|| "--ignore-working-copy".to_owned(), |operation| format!("--at-operation={}", operation.0))
}

/// The error for a failed jj command.
pub(super) fn error(arguments: &[&str], output: &Output) -> SyncError {
    let command = arguments.iter().take_while(|word| !word.starts_with('-')).copied().collect::<Vec<_>>().join(" ");
    match failed(&format!("jj {command}"), output) {
        CommitError::Failed { program, status, printed } => SyncError::Failed { program, status, printed },
        other => other.into(),
    }
}

/// Settings that provide an identity where none is configured.
pub(super) fn identity(root: &Path, author: &str, env: &Env) -> Vec<String> {
    let (name, email) = config::identity(&root.join(".jj"), env);
    let name = (!name).then(|| format!("--config=user.name={}", toml::Value::from(author)));
    let email = (!email).then(|| "--config=user.email=\"\"".to_owned());
    name.into_iter().chain(email).collect()
}

/// A path as a jj expression for this file alone.
pub(super) fn name(file: &Path) -> Option<String> {
    Some(format!("root-file:{}", quoted(file.to_str()?)))
}

/// A text as a literal in jj's languages.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
