//! Runs `hg` and `sl`.
//!
//! The repository's own settings are skipped, since they can name programs. Those that are harmless and needed are
//! passed as options. With `+strictflags` no argument of a command can be mistaken for a global option such as
//! `--config`; values are in one argument with their option, and files follow `--`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::gate;
use super::hgrc::Settings;
use super::server::{SERVE, Silence, ask, greets};
use crate::sys::Env;
use crate::sys::process::{Output, Program, RunError};
use crate::vcs::commit::failed;
use crate::vcs::files::{self, path_of};
use crate::vcs::gate::Verdict;
use crate::vcs::layout::hg::{common_dir, own_dir, unfinished};
use crate::vcs::network::passing;
use crate::vcs::{CommitError, Kind, SyncError};

/// Files and lists are read up to this size, and longer ones are refused.
const MAX: usize = 256 << 20;
/// A working copy may be large.
const LIMIT: Duration = Duration::from_secs(300);
/// The other side may be far away.
const NETWORK: Duration = Duration::from_secs(120);
/// A hook may run the tests of a project.
const HOOKS: Duration = Duration::from_secs(3600);

/// How many entries of its own directories are checked before it runs.
const LOOKED_AT: usize = 2_000;
/// Options of every command.
const COMMON: [&str; 2] = ["--noninteractive", "--config=ui.timeout=2"];

const TOO_MUCH: &str = "it said more than can be looked at";

pub(super) fn without_answer(why: &str) -> Output {
    Output { status: ExitStatus::default(), stdout: Vec::new(), stderr: why.as_bytes().to_vec() }
}

/// The program for one working copy.
pub(crate) struct Client<'a> {
    pub kind: Kind,
    pub root: PathBuf,
    pub env: &'a Env,
    given: Vec<String>,
}

impl<'a> Client<'a> {
    /// `author` is used if no name is configured.
    pub(crate) fn new(kind: Kind, root: &Path, author: &str, env: &'a Env) -> Self {
        let author = if author.trim().is_empty() { "unknown" } else { author };
        // They replace the repository's own settings.
        let settings = Settings::read(kind, root, env);
        let user = format!("--config=ui.username={}", settings.get("ui", "username").unwrap_or(author));
        let phase = settings.get("phases", "new-commit").map(|phase| format!("--config=phases.new-commit={phase}"));
        Client { kind, root: root.to_owned(), env, given: [Some(user), phase].into_iter().flatten().collect() }
    }

    /// The same for another working copy of the repository.
    pub(crate) fn at(&self, root: PathBuf) -> Self {
        Client { kind: self.kind, root, env: self.env, given: self.given.clone() }
    }

    /// The directory with the program's files for this working copy alone.
    pub(crate) fn own_dir(&self) -> PathBuf {
        own_dir(self.kind, &self.root)
    }

    /// Refuses to start in the middle of another operation.
    pub(crate) fn check_finished(&self) -> Result<(), SyncError> {
        match unfinished(&self.own_dir()) {
            Some(what) => Err(self.unfinished(what)),
            None => Ok(()),
        }
    }

    pub(crate) fn unfinished(&self, what: &str) -> SyncError {
        SyncError::Unfinished { root: self.root.clone(), what: what.to_owned() }
    }

    /// Runs a command; any exit status is a result.
    pub(crate) fn run(&self, settings: &[String], command: &[&str], files: &[OsString]) -> Result<Output, SyncError> {
        match self.ask(settings, command, files)? {
            Some(output) => self.judged(command, output),
            None => self.start(self.program().limit(LIMIT), settings, command, files),
        }
    }

    /// Sends a command to the command server of the working copy; `None` if none is available.
    fn ask(&self, settings: &[String], command: &[&str], files: &[OsString]) -> Result<Option<Output>, SyncError> {
        if self.kind != Kind::Hg {
            return Ok(None);
        }
        let until = Instant::now() + LIMIT;
        let residents = self.env.residents();
        let mut server = match residents.take(&self.root) {
            Some(server) => server,
            None => {
                let program = self.program().input(Vec::new()).args(COMMON).args(SERVE);
                let server = program.stay()?;
                if !greets(&server, until) {
                    return Ok(None);
                }
                server
            }
        };
        let words = COMMON.into_iter().map(OsString::from).chain(self.given.iter().chain(settings).map(OsString::from));
        let words = words.chain(command.iter().map(OsString::from));
        let files = (!files.is_empty()).then(|| std::iter::once("--".into()).chain(files.iter().cloned()));
        let words: Vec<OsString> = words.chain(files.into_iter().flatten()).collect();
        match ask(&mut server, &words, until, MAX) {
            Ok(output) => {
                residents.put(&self.root, server);
                Ok(Some(output))
            }
            Err(Silence::Gone) => Ok(None),
            Err(Silence::Late) => Err(RunError::TimedOut { program: "hg".to_owned(), limit: LIMIT }.into()),
            Err(Silence::Ended) => Err(self.failed(command, &without_answer("it ended in the middle of the work"))),
            Err(Silence::TooMuch) => Err(self.failed(command, &without_answer(TOO_MUCH))),
        }
    }

    /// The same for a command that talks to another side.
    pub(crate) fn call(&self, settings: &[String], command: &[&str]) -> Result<Output, SyncError> {
        self.start(passing(self.program()).limit(NETWORK), settings, command, &[])
    }

    /// The same with the repository's own settings, and with the programs that they name.
    pub(crate) fn call_with_own_settings(&self, settings: &[String], command: &[&str]) -> Result<Output, SyncError> {
        let verdict = gate::judge(self.kind, &self.root, self.env);
        self.start(passing(self.behind(verdict)).limit(HOOKS), settings, command, &[])
    }

    /// The same; failure is an error.
    pub(crate) fn must(&self, settings: &[String], command: &[&str], files: &[OsString]) -> Result<Output, SyncError> {
        let output = self.run(settings, command, files)?;
        if output.status.success() { Ok(output) } else { Err(self.failed(command, &output)) }
    }

    fn program(&self) -> Program<'a> {
        self.behind(gate::links(self.kind, &self.root)).var("HGRCSKIPREPO", "1")
    }

    /// The only place where hg and sl are started: behind the gate.
    fn behind(&self, verdict: Verdict) -> Program<'a> {
        let name = if self.kind == Kind::Sl { "sl" } else { "hg" };
        let root = std::fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let clearance = Verdict { odd: self.odd(), ..verdict }.clearance(&root, self.env);
        let program = Program::new(name, self.env, clearance).at(&self.root).passing("HGRCPATH").keeping(MAX);
        program.var("HGPLAIN", "+strictflags")
    }

    /// A file in its own directories that the program would block on.
    fn odd(&self) -> Option<PathBuf> {
        let own = self.own_dir();
        let mut left = LOOKED_AT;
        let places = [common_dir(&own), Some(own)].into_iter().flatten();
        places.into_iter().find_map(|place| files::odd_in(&place, 1, &mut left))
    }

    fn start(
        &self,
        program: Program<'a>,
        settings: &[String],
        command: &[&str],
        files: &[OsString],
    ) -> Result<Output, SyncError> {
        let program = program.args(COMMON).args(&self.given).args(settings).args(command);
        let program = if files.is_empty() { program } else { program.arg("--").args(files) };
        self.judged(command, program.run()?)
    }

    fn judged(&self, command: &[&str], output: Output) -> Result<Output, SyncError> {
        let printed = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() && printed.contains("lock") && printed.contains("held by") {
            return Err(SyncError::Busy { root: self.root.clone() });
        }
        if output.stdout.len() >= MAX {
            return Err(self.failed(command, &without_answer(TOO_MUCH)));
        }
        Ok(output)
    }

    pub(crate) fn failed(&self, command: &[&str], output: &Output) -> SyncError {
        let name = format!("{} {}", self.kind, command.first().unwrap_or(&""));
        match failed(&name, output) {
            CommitError::Failed { program, status, printed } => SyncError::Failed { program, status, printed },
            other => other.into(),
        }
    }

    /// The full hashes of a set of commits.
    pub(crate) fn nodes(&self, set: &str) -> Result<Vec<String>, SyncError> {
        let output = self.must(&[], &["log", &format!("--rev={set}"), "--template={node}\\n"], &[])?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().filter(|line| is_node(line)).map(str::to_owned).collect())
    }

    /// The number of commits in a set.
    pub(crate) fn count(&self, set: &str) -> Result<usize, SyncError> {
        Ok(self.must(&[], &["log", &format!("--rev={set}"), "--template=x"], &[])?.stdout.len())
    }

    /// A file in a commit. A directory of that name does not count.
    pub(crate) fn cat(&self, revision: &str, file: &Path) -> Result<Option<Vec<u8>>, SyncError> {
        let command = ["cat", &format!("--rev={revision}"), "--template={path}\\0{data}"];
        let output = self.run(&[], &command, &[pattern(file)])?;
        let name = file.as_os_str().as_bytes();
        match output.status.code() {
            Some(0) => {
                Ok(output.stdout.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"\0")).map(<[u8]>::to_vec))
            }
            Some(1) => Ok(None),
            _ => Err(self.failed(&command, &output)),
        }
    }

    /// The tracked files that differ, each with its letter: from the commit here, or from or between the commits in the
    /// options.
    pub(crate) fn status(&self, options: &[&str]) -> Result<Vec<(u8, PathBuf)>, SyncError> {
        let output = self.must(&[], &[&["status", "-mard", "--print0"], options].concat(), &[])?;
        let entries = output.stdout.split(|byte| *byte == 0).filter(|entry| entry.len() > 2);
        Ok(entries.map(|entry| (entry[0], path_of(&entry[2..]))).collect())
    }
}

/// A path that is not read as a pattern.
pub(crate) fn pattern(file: &Path) -> OsString {
    let mut text = OsString::from("path:");
    text.push(file);
    text
}

/// Whether a text is a full hash, which has no other meaning in an expression.
pub(super) fn is_node(text: &str) -> bool {
    text.len() == 40
        && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        && text.bytes().any(|b| b != b'0')
}

/// A pattern for exactly this name, with every special character escaped.
pub(super) fn exactly(name: &str) -> String {
    let bytes: String = name.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("r're:\\A{bytes}\\Z'")
}

/// The commit of a bookmark, in hg's language.
pub(super) fn marked(name: &str) -> String {
    format!("bookmark({})", exactly(name))
}

/// The union of commits, in hg's language; missing ones are left out.
pub(super) fn union(nodes: &[String]) -> String {
    let present: Vec<String> = nodes.iter().map(|node| format!("present({node})")).collect();
    if present.is_empty() { "none()".to_owned() } else { present.join("+") }
}
