//! The pager for long output: from `BD_PAGER`, else `PAGER`, else `less`.
//!
//! Only the environment chooses it, never a setting, which may come from a stranger's repository.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGPIPE};

use super::Env;
use super::process::{Clearance, Program, exists};

/// A shell's exit codes if it could not start the program.
const NOT_STARTED: [i32; 2] = [126, 127];

#[derive(Debug)]
pub struct Pager {
    child: Child,
    input: Option<ChildStdin>,
    name: String,
    /// The number of bytes written to it.
    given: u64,
}

/// Why the text was not shown.
#[derive(Debug, thiserror::Error)]
pub enum NoPager {
    #[error("cannot start the pager {0:?}")]
    Missing(String),
    #[error("the pager {name:?} ended with {status}")]
    Failed { name: String, status: ExitStatus },
}

impl Pager {
    /// Starts the user's pager; `None` if none is wanted.
    pub fn start(env: &Env) -> Result<Option<Self>, NoPager> {
        let named = ["BD_PAGER", "PAGER"].into_iter().find_map(|name| env.raw_var(name)).map(str::trim);
        let (mut command, name) = match named {
            Some("" | "cat") => return Ok(None),
            Some(text) => {
                // A shell splits the command; only the first word is checked here.
                let first = text.split_whitespace().next().unwrap_or_default();
                let is_word = first.chars().all(|c| c.is_alphanumeric() || "-_./+".contains(c));
                if is_word && !exists(first, env) {
                    return Err(NoPager::Missing(first.to_owned()));
                }
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(text);
                (shell, text.to_owned())
            }
            None => match Program::new("less", env, Clearance::given()).find() {
                Some(path) => (Command::new(path), "less".to_owned()),
                None => return Ok(None),
            },
        };
        // Keep colours, leave the text on the screen, and do not page what fits.
        for (variable, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if env.raw_var(variable).is_none() {
                command.env(variable, value);
            }
        }
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(|_| NoPager::Missing(name.clone()))?;
        // An interrupt belongs to the pager, which has the terminal.
        let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        Ok(Some(Pager { input: child.stdin.take(), child, name, given: 0 }))
    }

    pub fn write(&mut self, text: &str) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Ok(()) };
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            match input.write(rest) {
                Ok(taken) => {
                    self.given += taken as u64;
                    rest = &rest[taken..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the reader quits. A pager that fails has shown something if it read something.
    pub fn wait(mut self) -> Result<(), NoPager> {
        let left = self.input.take().map(Left::of);
        let Ok(status) = self.child.wait() else { return Ok(()) };
        if status.code().is_some_and(|code| NOT_STARTED.contains(&code)) {
            return Err(NoPager::Missing(self.name));
        }
        // A shell reports a signal in its exit code.
        let signal = status.signal().or(status.code().map(|code| code - 128));
        let is_good = status.success() || signal == Some(SIGPIPE);
        if is_good || left.and_then(Left::count).is_some_and(|left| left < self.given) {
            return Ok(());
        }
        Err(NoPager::Failed { name: self.name, status })
    }
}

/// The bytes left in a pipe, counted when its reader is gone.
struct Left(Option<File>);

impl Left {
    /// Closes the writing end, so that the reader sees the end of the text.
    fn of(input: ChildStdin) -> Self {
        // Without /proc the count is unknown.
        Left(File::open(format!("/proc/self/fd/{}", input.as_raw_fd())).ok())
    }

    fn count(self) -> Option<u64> {
        io::copy(&mut self.0?, &mut io::sink()).ok()
    }
}
