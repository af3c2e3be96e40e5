//! Running `bd` under strace, and reading what strace wrote.

use std::collections::HashMap;
use std::fs;
use std::process::{Child, Command, Output, Stdio};

use crate::concurrency::sandbox::Sandbox;
use crate::support::user::BD;

/// One system call. Descriptors are followed by their path in angle brackets.
#[derive(Debug, Clone)]
pub struct Call {
    pub name: String,
    pub args: String,
    pub result: String,
    /// Which one of the calls of this name it is, from 1.
    pub nth: usize,
}

impl Call {
    pub fn text(&self) -> String {
        format!("{}({}) = {}", self.name, self.args, self.result)
    }

    /// It names a path in this text, as an argument or as the path of a descriptor.
    pub fn mentions(&self, path: &str) -> bool {
        self.args.contains(path)
    }

    pub fn succeeded(&self) -> bool {
        !self.result.starts_with('-') && !self.result.starts_with('?')
    }

    pub fn was_injected(&self) -> bool {
        self.result.ends_with("(INJECTED)")
    }

    /// It starts a program or a process; the first program is `bd` itself, and threads are none.
    pub fn starts_process(&self) -> bool {
        match self.name.as_str() {
            "execve" => self.nth > 1,
            "execveat" | "fork" | "vfork" => true,
            "clone" | "clone3" => !self.args.contains("CLONE_THREAD"),
            _ => false,
        }
    }

    /// Calls for memory touch neither a file nor another process. Their number is random.
    pub fn is_of_memory(&self) -> bool {
        ["brk", "mmap", "munmap", "mremap", "mprotect", "madvise"].contains(&self.name.as_str())
    }

    /// Bytes go to a file.
    pub fn writes(&self) -> bool {
        ["write", "writev"].contains(&self.name.as_str())
    }

    /// A write to standard output: where a command says that it is done.
    pub fn speaks(&self) -> bool {
        self.name == "write" && self.args.starts_with("1<")
    }

    /// A sync of the directory that holds the ledger.
    pub fn syncs_directory(&self) -> bool {
        self.name == "fsync" && self.args.ends_with("/.beads>")
    }
}

pub struct Trace {
    pub output: Output,
    pub calls: Vec<Call>,
}

impl Trace {
    /// Where the program first looks at the repo: what comes before is the loader's.
    pub fn first_look(&self, sandbox: &Sandbox) -> usize {
        let repo = sandbox.repo().display().to_string();
        self.calls.iter().position(|call| call.name != "execve" && call.mentions(&format!("\"{repo}"))).unwrap()
    }
}

/// Whether strace is missing or not allowed to trace. Reports that, and fails where nothing may be left out.
pub fn is_missing() -> bool {
    let problem = match Command::new("strace").args(["-o", "/dev/null", "true"]).output() {
        Ok(output) if output.status.success() => return false,
        Ok(_) => "tracing is not permitted",
        Err(_) => "strace is missing",
    };
    !crate::support::programs::skip(problem)
}

/// Runs a command of `bd` to its end. `options` are strace's, such as `-e inject=…`.
pub fn run(sandbox: &Sandbox, options: &[String], args: &[&str]) -> Trace {
    let running = start(sandbox, options, args);
    let (output, log) = running.end();
    Trace { output, calls: parse(&log) }
}

/// A running command. Even if its result is not needed, its end is waited for.
pub struct Running {
    child: Option<Child>,
    log: tempfile::NamedTempFile,
}

impl Running {
    pub fn finish(self) -> Output {
        self.end().0
    }

    fn end(mut self) -> (Output, String) {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        (output, self.log())
    }

    /// The output of strace so far; a delayed call is marked `DELAYED` once it is made.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log.path()).unwrap()).into_owned()
    }

    pub fn is_over(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Waits for the end, and says whether it was a failure.
    pub fn gave_up(&mut self) -> bool {
        !self.child.as_mut().unwrap().wait().unwrap().success()
    }
}

pub fn start(sandbox: &Sandbox, options: &[String], args: &[&str]) -> Running {
    let log = tempfile::NamedTempFile::new_in(sandbox.home()).unwrap();
    let mut command = sandbox.program("strace");
    command.args(["-f", "-y", "-s", "80", "-o"]).arg(log.path()).args(options);
    command.arg(BD).args(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    Running { child: Some(child), log }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }
}

/// Lines are `PID name(args) = result`; a call that another thread interrupts is in two parts.
pub fn parse(log: &str) -> Vec<Call> {
    let mut begun: HashMap<&str, &str> = HashMap::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut calls = Vec::new();
    for line in log.lines() {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(part) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(pid, part);
            continue;
        }
        let whole = match rest.strip_prefix("<... ").and_then(|rest| rest.split_once(" resumed>")) {
            Some((_, end)) => format!("{}{end}", begun.remove(pid).unwrap_or_default()),
            None => rest.to_owned(),
        };
        // Signals and ends of processes have no parenthesis after a bare name.
        let Some((name, rest)) = whole.split_once('(') else { continue };
        let Some((args, result)) = rest.rsplit_once(" = ") else { continue };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let nth = counts.entry(name.to_owned()).and_modify(|n| *n += 1).or_insert(1);
        let args = args.trim_end().strip_suffix(')').unwrap_or(args);
        calls.push(Call { name: name.to_owned(), args: args.to_owned(), result: result.to_owned(), nth: *nth });
    }
    calls
}
