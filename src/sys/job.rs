//! A program that runs in the foreground without a time limit, with our streams, while we do other work.
//!
//! Signals that ask us to end are passed to the program; we end when it does.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
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

    /// It was asked to end, as we are by an interrupt.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Ended::Signal(SIGHUP | SIGINT | SIGTERM))
    }

    /// The exit code that a shell would report.
    pub fn code(self) -> u8 {
        match self {
            Ended::Code(code) => u8::try_from(code).unwrap_or(1),
            Ended::Signal(signal) => u8::try_from(128 + signal).unwrap_or(255),
        }
    }
}

enum Event {
    Over,
    Signal(i32),
}

/// A running program.
#[derive(Debug)]
pub struct Job {
    child: Child,
    events: Receiver<Event>,
    /// Signals go to it and to everything it starts.
    is_group: bool,
    /// It was asked to end.
    is_ending: bool,
}

impl Job {
    /// Starts a program with our streams. With `apart` its output goes to standard error, so that our own stays
    /// readable.
    pub fn start(
        program: &OsString,
        arguments: &[OsString],
        directory: &Path,
        vars: &[(String, String)],
        apart: bool,
    ) -> Result<Self, FsError> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).envs(vars.iter().map(|(key, value)| (key, value)));
        if apart {
            command.stdout(Stdio::from(std::io::stderr()));
        }
        Self::spawn(program, command, false)
    }

    /// Starts a program that has nothing to do with the terminal; its children end with it if it is forced to end.
    pub fn start_group(
        program: &OsString,
        arguments: &[OsString],
        directory: &Path,
        vars: &[(String, String)],
    ) -> Result<Self, FsError> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).envs(vars.iter().map(|(key, value)| (key, value)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Self::spawn(program, command, true)
    }

    fn spawn(program: &OsString, mut command: Command, is_group: bool) -> Result<Self, FsError> {
        let failed = |e| FsError::new("run", Path::new(program), e);
        let (send, events) = mpsc::channel();
        // Before the program starts: a signal in between must not end us and leave it running.
        let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM]).map_err(failed)?;
        let sender = send.clone();
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if sender.send(Event::Signal(signal)).is_err() {
                    break;
                }
            }
        });
        let child = command.spawn().map_err(failed)?;
        let pid = Pid::from_child(&child);
        // Its process id stays reserved until it is reaped, which only happens when its end is asked for.
        std::thread::spawn(move || {
            let _ = super::fs::retry(|| waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
            let _ = send.send(Event::Over);
        });
        Ok(Job { child, events, is_group, is_ending: false })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Waits for its end, at most `most`. Meanwhile passes on signals that ask us to end.
    pub fn wait(&mut self, most: Duration) -> Result<Option<Ended>, FsError> {
        let until = std::time::Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(std::time::Instant::now());
            let event = self.events.recv_timeout(left);
            match event {
                Ok(Event::Over) | Err(RecvTimeoutError::Disconnected) => {
                    self.end_rest();
                    let status = self.child.wait().map_err(|e| FsError::new("wait for", "the program", e))?;
                    return Ok(Some(Ended::of(status)));
                }
                Ok(Event::Signal(signal)) => self.pass_on(signal),
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
        self.signal(signal);
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        // It may have ended by now.
        let _ = if self.is_group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
    }

    /// Ends the remains of a group that failed or was forced to end, before its id can be reused.
    fn end_rest(&self) {
        let flags = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let known = waitid(WaitId::Pid(Pid::from_child(&self.child)), flags).ok().flatten();
        let failed = known.is_some_and(|status| status.exit_status() != Some(0));
        if self.is_group && (failed || self.is_ending) {
            self.signal(Signal::KILL);
        }
    }

    /// Ends it: politely, and by force after `patience`.
    pub fn end(&mut self, patience: Duration) -> Result<Ended, FsError> {
        self.is_ending = true;
        self.signal(Signal::TERM);
        if let Some(ended) = self.wait(patience)? {
            return Ok(ended);
        }
        self.signal(Signal::KILL);
        loop {
            if let Some(ended) = self.wait(Duration::from_secs(60))? {
                return Ok(ended);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, directory: &Path) -> Job {
        Job::start_group(&"/bin/sh".into(), &["-c".into(), script.into()], directory, &[]).unwrap()
    }

    fn pid_in(file: &Path) -> i64 {
        let until = std::time::Instant::now() + Duration::from_secs(120);
        loop {
            match std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok()) {
                Some(pid) => return pid,
                None => assert!(std::time::Instant::now() < until, "it begins"),
            }
        }
    }

    fn is_gone(pid: i64) -> bool {
        let until = std::time::Instant::now() + Duration::from_secs(120);
        let runs = || crate::sys::owner(u32::try_from(pid).unwrap()).is_some();
        while runs() && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
        !runs()
    }

    #[test]
    fn what_a_group_has_started_ends_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut job = shell("sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.1; done'; true", dir.path());
        let inner = pid_in(&dir.path().join("pid"));
        assert_eq!(job.wait(Duration::from_millis(10)).unwrap(), None);
        assert!(!job.end(Duration::from_millis(200)).unwrap().is_success());
        assert!(is_gone(inner), "though it does not listen");
        let mut failing = shell("sleep 300 & echo $! > other; exit 3", dir.path());
        assert_eq!(failing.wait(Duration::from_secs(120)).unwrap(), Some(Ended::Code(3)));
        assert!(is_gone(pid_in(&dir.path().join("other"))), "what a failure leaves behind");
    }
}
