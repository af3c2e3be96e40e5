//! Runs other programs: the user's editor, and version control.
//!
//! A [`Program`] gets only what it is given: its arguments verbatim, no shell, no input by default, and only those
//! environment variables that it needs to find its settings. It has a time limit, and its output is kept up to a limit.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::spawn;
use std::time::{Duration, Instant};

use super::Env;
use super::activity::Step;
use super::child::{GRACE, end};
use super::resident::Resident;
use super::stream::{Stream, listen};

/// How much of each stream is kept; the rest is read and dropped, so that the program never blocks.
const KEPT: usize = 1 << 20;
/// The variables that every program gets.
const PASSED: [&str; 3] = ["HOME", "XDG_CONFIG_HOME", "SSH_AUTH_SOCK"];

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{program} is not installed: no directory of PATH holds it")]
    NotFound { program: String },
    #[error("cannot run {}: {source}", program.display())]
    Start { program: PathBuf, source: std::io::Error },
    /// The program would block on something that is not a regular file.
    #[error("{program} is not run: {} is not a regular file", path.display())]
    Odd { program: String, path: PathBuf },
    #[error("{program} was not started: not trusted in {}: {}", root.display(), settings.join("; "))]
    Untrusted { program: String, root: PathBuf, settings: Vec<String> },
    #[error("{program} did not end within {} seconds", limit.as_secs_f32())]
    TimedOut { program: String, limit: Duration },
}

/// The result of running a program.
#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Permission to start a program. In a repository only the gate of its version control grants it, after a check of what
/// the repository contains; `tests/architecture.rs` lists all other code that does.
#[derive(Debug, Clone)]
pub struct Clearance(Option<Refusal>);

/// Why a program is not started.
#[derive(Debug, Clone)]
pub enum Refusal {
    /// A file that is neither regular nor a directory.
    Odd(PathBuf),
    /// The repository with this root uses settings that its user has not agreed to.
    Untrusted { root: PathBuf, settings: Vec<String> },
}

impl Clearance {
    /// For a program that reads no repository.
    pub fn given() -> Self {
        Clearance(None)
    }

    pub fn unless(refusal: Option<Refusal>) -> Self {
        Clearance(refusal)
    }
}

/// A program with everything it gets.
#[derive(Debug)]
pub struct Program<'a> {
    name: &'a str,
    env: &'a Env,
    directory: PathBuf,
    arguments: Vec<OsString>,
    vars: Vec<(&'a str, OsString)>,
    input: Option<Vec<u8>>,
    limit: Duration,
    kept: usize,
    step: Option<&'a Step>,
    clearance: Clearance,
}

impl<'a> Program<'a> {
    /// A program from `PATH`, in the working directory, with a time limit of half a minute.
    pub fn new(name: &'a str, env: &'a Env, clearance: Clearance) -> Self {
        let directory = env.cwd().to_owned();
        let (arguments, vars) = (Vec::new(), Vec::new());
        Program {
            name,
            env,
            directory,
            arguments,
            vars,
            input: None,
            limit: Duration::from_secs(30),
            kept: KEPT,
            step: None,
            clearance,
        }
    }

    pub fn at(mut self, directory: &Path) -> Self {
        self.directory = directory.to_owned();
        self
    }

    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    pub fn args<T: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    pub fn var(mut self, name: &'a str, value: impl Into<OsString>) -> Self {
        self.vars.push((name, value.into()));
        self
    }

    /// Passes on a variable of the environment, if it is set.
    pub fn passing(self, name: &'a str) -> Self {
        match self.env.var_os(name) {
            Some(value) => self.var(name, value),
            None => self,
        }
    }

    /// Sets the program's standard input.
    pub fn input(mut self, bytes: Vec<u8>) -> Self {
        self.input = Some(bytes);
        self
    }

    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sets how much of each stream is kept. A stream of exactly this length may have been cut.
    pub fn keeping(mut self, bytes: usize) -> Self {
        self.kept = bytes;
        self
    }

    /// Passes on the program's progress: version control counts on standard error, if asked to.
    pub fn counting(mut self, step: &'a Step) -> Self {
        self.step = Some(step);
        self
    }

    /// Runs the program to its end. Any exit status is a result; an error means that there is none.
    pub fn run(&self) -> Result<Output, RunError> {
        let mut child = self.spawn()?;
        let failed = |source| RunError::Start { program: PathBuf::from(self.name), source };
        if let Some((mut pipe, input)) = child.stdin.take().zip(self.input.clone()) {
            // A program may end without reading all input; its status shows whether that matters.
            spawn(move || pipe.write_all(&input));
        }
        let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
        let streams = pipes.into_iter().flatten().map(|pipe| Stream::new(pipe, self.kept));
        let mut streams = streams.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let deadline = Instant::now() + self.limit;
        let mut pause = Duration::from_millis(1);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break status;
            }
            if Instant::now() >= deadline {
                end(&mut child).map_err(failed)?;
                return Err(RunError::TimedOut { program: self.name.to_owned(), limit: self.limit });
            }
            self.tell_count(&streams);
            listen(&mut streams, pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        };
        // All output of the program has arrived. A child that it left running may hold a stream open and write more;
        // wait only a moment.
        let until = Instant::now() + GRACE;
        streams.iter_mut().for_each(Stream::take);
        while !streams.iter().all(Stream::is_over) && Instant::now() < until {
            listen(&mut streams, until.saturating_duration_since(Instant::now()));
        }
        self.tell_count(&streams);
        let mut kept = streams.into_iter().map(|stream| stream.kept);
        let (stdout, stderr) = (kept.next().unwrap_or_default(), kept.next().unwrap_or_default());
        Ok(Output { status, stdout, stderr })
    }

    /// Passes on the last `(n/m)` on standard error.
    fn tell_count(&self, streams: &[Stream]) {
        if let (Some(step), [_, stderr]) = (self.step, streams)
            && let Some((done, total)) = count(&stderr.kept)
        {
            step.at(done, total);
        }
    }

    /// Starts the program to serve many requests.
    pub fn stay(&self) -> Result<Resident, RunError> {
        self.spawn().map(Resident::new)
    }

    /// Starts the program with its streams in pipes.
    fn spawn(&self) -> Result<Child, RunError> {
        let program = self.find().ok_or_else(|| RunError::NotFound { program: self.name.to_owned() })?;
        let name = self.name.to_owned();
        match self.clearance.0.clone() {
            None => {}
            Some(Refusal::Odd(path)) => return Err(RunError::Odd { program: name, path }),
            Some(Refusal::Untrusted { root, settings }) => {
                return Err(RunError::Untrusted { program: name, root, settings });
            }
        }
        self.command(&program).spawn().map_err(|source| RunError::Start { program, source })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(&self.arguments).current_dir(&self.directory).process_group(0);
        command.env_clear().env("LANG", "C.UTF-8");
        command.envs(std::env::join_paths(self.path()).ok().map(|path| ("PATH", path)));
        command.envs(PASSED.iter().filter_map(|name| Some((name, self.env.var_os(name)?))));
        command.envs(self.vars.iter().map(|(name, value)| (name, value)));
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The directories in `PATH`. A relative one would make the program depend on the working directory.
    fn path(&self) -> impl Iterator<Item = PathBuf> {
        let path = self.env.var_os("PATH").unwrap_or(OsStr::new(""));
        std::env::split_paths(path).filter(|directory| directory.is_absolute())
    }

    pub fn find(&self) -> Option<PathBuf> {
        self.path().map(|directory| directory.join(self.name)).find(|file| runs(file))
    }
}

fn runs(file: &Path) -> bool {
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Whether a shell would find a program: a path, or a name in `PATH`.
pub fn exists(program: &str, env: &Env) -> bool {
    if program.contains('/') { runs(Path::new(program)) } else { first_in_path(program, env).is_some() }
}

fn first_in_path(name: &str, env: &Env) -> Option<PathBuf> {
    let path = env.var_os("PATH").unwrap_or(OsStr::new(""));
    std::env::split_paths(path).map(|directory| directory.join(name)).find(|file| runs(file))
}

/// The command with which another program can start this one: its bare name if `PATH` leads to it, else its path.
pub fn own_name(name: &str, env: &Env) -> String {
    let own = own_path();
    let found = first_in_path(name, env).filter(|found| found.is_absolute());
    let same =
        found.and_then(|found| found.canonicalize().ok()).zip(own.as_ref().and_then(|own| own.canonicalize().ok()));
    match own {
        Some(own) if same.is_none_or(|(found, own)| found != own) => own.display().to_string(),
        _ => name.to_owned(),
    }
}

fn count(stderr: &[u8]) -> Option<(u64, u64)> {
    counted(&String::from_utf8_lossy(&stderr[stderr.len().saturating_sub(200)..]))
}

/// The last `(n/m)` in a text.
fn counted(text: &str) -> Option<(u64, u64)> {
    text.rsplit('(').find_map(|part| {
        let (done, rest) = part.split_once('/')?;
        let (total, _) = rest.split_once(')')?;
        Some((done.parse().ok()?, total.parse().ok()?))
    })
}

/// The path of this program.
pub fn own_path() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Makes every later panic, once reported, end the process by a signal instead of an exit code.
pub fn abort_on_panic() {
    let tell = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        tell(panic);
        std::process::abort();
    }));
}

#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    #[error("no editor: set VISUAL, EDITOR or git's core.editor")]
    Unset,
    #[error("cannot start the editor {program:?}: {source}")]
    Start { program: String, source: std::io::Error },
    #[error("the editor {program:?} ended with {status}")]
    Failed { program: String, status: ExitStatus },
}

/// Opens a file in the user's editor and waits: the editor of the environment, else the given one. Both may hold
/// arguments, so a shell splits them; the file's path is passed as an argument and never becomes part of the command
/// text.
pub fn edit(env: &Env, other: Option<String>, file: &Path) -> Result<(), EditorError> {
    let named = |name: &str| env.var(name).filter(|program| !program.trim().is_empty());
    // As git does it.
    let can_show = || std::io::stdin().is_terminal() && env.var("TERM").is_some_and(|term| term != "dumb");
    let usual = || (can_show() && exists("vi", env)).then(|| "vi".to_owned());
    let program = named("VISUAL").or_else(|| named("EDITOR")).or(other).or_else(usual).ok_or(EditorError::Unset)?;
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(format!("{program} \"$1\"")).arg("sh").arg(file);
    let status = command.status().map_err(|source| EditorError::Start { program: program.clone(), source })?;
    if status.success() { Ok(()) } else { Err(EditorError::Failed { program, status }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_counts_is_understood() {
        assert_eq!(counted("Receiving objects: 100% (9/9), done.\rUpdating files:  45% (450/1000)"), Some((450, 1000)));
        assert_eq!(counted("Updating files:  45% (450/1000)\rUpdating files: 46% (46"), Some((450, 1000)));
        assert_eq!(counted("a (b/c) d"), None);
    }
}
