//! The command that prepares a new workspace: `workspace.setup`, or the requested one.
//!
//! A shell runs it with the user's environment and the variables of the workspace. Its output goes to a file beside the
//! workspace. A command from the committed settings is run only after the user has agreed to it.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::wish::SetupWish;
use super::{WorkspaceError, env};
use crate::model::duration;
use crate::model::workspace::Workspace;
use crate::ops::Result;
use crate::store::{Store, StoreError};
use crate::sys::fs::FsError;
use crate::sys::job::{Ended, Job};

const LOG: &str = "setup.log";
/// How long a command gets to clean up after a timeout.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many bytes of the end of its output are shown.
const TAIL: u64 = 2000;
const TAIL_LINES: usize = 8;
/// Redirects all output to the first argument; the command is the second.
const SCRIPT: &str = "exec >\"$1\" 2>&1; eval \"$2\"";

/// The command for a new workspace.
pub(super) fn command(store: &Store, wish: &SetupWish) -> Result<Option<String>> {
    match wish {
        SetupWish::Nothing => Ok(None),
        SetupWish::Command(command) => Ok(Some(command.clone())),
        SetupWish::Usual => {
            let Some((command, _)) =
                store.settings().text("workspace.setup").filter(|(text, _)| !text.trim().is_empty())
            else {
                return Ok(None);
            };
            let command = command.to_owned();
            if store.unagreed().iter().any(|path| path.key == "workspace.setup") {
                return Err(WorkspaceError::UntrustedSetup { command }.into());
            }
            Ok(Some(command))
        }
    }
}

/// Runs it. Anything but success is an error.
pub(super) fn run(store: &Store, one: &Workspace, command: &str, context: &Path) -> Result<()> {
    let limit = duration::parse(store.settings().word("workspace.setup_timeout")).unwrap_or(i64::MAX);
    let shell = Shell {
        command: command.to_owned(),
        directory: one.directory(),
        vars: env::variables(store, one)?,
        log: context.join(LOG),
        limit,
    };
    match shell.run(store)? {
        None => Ok(()),
        Some(Failed { why, output, .. }) => {
            Err(WorkspaceError::SetupFailed { command: command.to_owned(), why, output }.into())
        }
    }
}

/// A command that a shell runs, without a terminal.
pub(super) struct Shell {
    pub command: String,
    pub directory: PathBuf,
    pub vars: Vec<(String, String)>,
    /// The file for its output.
    pub log: PathBuf,
    /// In nanoseconds.
    pub limit: i64,
}

/// Why a command did not succeed.
pub(super) struct Failed {
    pub why: String,
    /// The end of its output.
    pub output: String,
    /// It was asked to end, as we were perhaps.
    pub is_interrupted: bool,
}

impl Shell {
    pub(super) fn run(&self, store: &Store) -> Result<Option<Failed>> {
        let limit = Duration::from_nanos(self.limit.unsigned_abs());
        let arguments = ["-c".into(), SCRIPT.into(), "sh".into(), self.log.clone().into(), self.command.clone().into()];
        let _step = store.activity().begin(format!("running {}", self.command));
        let started = Job::start_group(&"/bin/sh".into(), &arguments, &self.directory, &self.vars);
        let mut job = started.map_err(StoreError::from)?;
        let ended = job.wait(limit).map_err(StoreError::from)?;
        let is_interrupted = ended.is_some_and(Ended::is_interrupted);
        let why = match ended {
            Some(ended) if ended.is_success() => return Ok(None),
            Some(Ended::Code(code)) => format!("it ended with {code}"),
            Some(Ended::Signal(signal)) => format!("it was ended by signal {signal}"),
            None => {
                job.end(PATIENCE).map_err(StoreError::from)?;
                let limit = duration::text(limit.as_nanos().min(i64::MAX as u128) as i64);
                format!("it did not end within {limit}")
            }
        };
        Ok(Some(Failed { why, output: tail(&self.log).unwrap_or_default(), is_interrupted }))
    }
}

/// The last lines of a file.
fn tail(log: &Path) -> std::result::Result<String, FsError> {
    let failed = |e| FsError::new("read", log, e);
    let mut file = std::fs::File::open(log).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Ok(lines[lines.len().saturating_sub(TAIL_LINES)..].join("; "))
}
