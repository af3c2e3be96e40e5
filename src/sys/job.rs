//! A program that runs in the foreground for as long as it likes, with our streams, while we look after something else.
//!
//! Signals that ask us to end go to the program; what becomes of it decides what becomes of us.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::fs::FsError;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    Signal(i32),
}

impl Ended {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Code(code),
            (None, signal) => Ended::Signal(signal.unwrap_or(0)),
        }
    }

    pub fn is_success(self) -> bool {
        self == Ended::Code(0)
    }

    /// The code that a shell would give.
    pub fn code(self) -> u8 {
        match self {
            Ended::Code(code) => u8::try_from(code).unwrap_or(1),
            Ended::Signal(signal) => u8::try_from(128 + signal).unwrap_or(255),
        }
    }
}

enum Event {
    Over,
    Asked(i32),
}

/// A running program.
#[derive(Debug)]
pub struct Job {
    child: Child,
    events: Receiver<Event>,
}

impl Job {
    /// Starts a program with our streams. With `apart` what it prints goes to standard error, so that our own output stays readable.
    pub fn start(
        program: &OsString,
        arguments: &[OsString],
        directory: &Path,
        vars: &[(String, String)],
        apart: bool,
    ) -> Result<Self, FsError> {
        let failed = |e| FsError::new("run", Path::new(program), e);
        let (send, events) = mpsc::channel();
        // Before the program is there: a signal in between must not end us and leave it alone.
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
        let asked = send.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if asked.send(Event::Asked(signal)).is_err() {
                    break;
                }
            }
        });
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).envs(vars.iter().map(|(key, value)| (key, value)));
        if apart {
            command.stdout(Stdio::from(std::io::stderr()));
        }
        let child = command.spawn().map_err(failed)?;
        let pid = Pid::from_child(&child);
        // Its number is not free for others before it is reaped, and that is done by the one who asks for its end.
        std::thread::spawn(move || {
            let _ = super::fs::retry(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
            let _ = send.send(Event::Over);
        });
        Ok(Job { child, events })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end, at most so long. Signals that ask for our end are passed on meanwhile.
    pub fn wait(&mut self, most: Duration) -> Result<Option<Ended>, FsError> {
        let until = std::time::Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(std::time::Instant::now());
            match self.events.recv_timeout(left) {
                Ok(Event::Over) | Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().map_err(|e| FsError::new("wait for", "the program", e))?;
                    return Ok(Some(Ended::of(status)));
                }
                Ok(Event::Asked(signal)) => self.pass_on(signal),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
            }
        }
    }

    fn pass_on(&self, signal: i32) {
        let signal = match signal {
            SIGHUP => Signal::HUP,
            SIGINT => Signal::INT,
            _ => Signal::TERM,
        };
        // It may be over by now.
        let _ = kill_process(Pid::from_child(&self.child), signal);
    }

    /// Ends it: politely, and by force if it takes longer than this.
    pub fn end(&mut self, patience: Duration) -> Result<Ended, FsError> {
        let pid = Pid::from_child(&self.child);
        let _ = kill_process(pid, Signal::TERM);
        if let Some(ended) = self.wait(patience)? {
            return Ok(ended);
        }
        let _ = kill_process(pid, Signal::KILL);
        loop {
            if let Some(ended) = self.wait(Duration::from_secs(60))? {
                return Ok(ended);
            }
        }
    }
}
