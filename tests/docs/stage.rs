//! A home in which the commands of one page run, one shell each, and see nothing of this machine's settings.
//!
//! The working directory is carried from command to command. The clock advances by one second per command and randomness
//! is seeded, so that ids are the same in every run.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use crate::support::programs::have;
use crate::support::user::{BD, User, moment};
use crate::support::wait::PATIENCE;

pub struct Stage {
    root: tempfile::TempDir,
    cwd: PathBuf,
    commands: u64,
}

const GIT_CONFIG: &str = "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n";

impl Stage {
    /// `None`, with a word about it, if a program is not installed.
    pub fn set() -> Option<Self> {
        if !have(&["bash", "git"]) {
            return None;
        }
        let root = crate::support::place::in_memory("bd-docs-");
        let home = root.path().canonicalize().unwrap().join("home");
        std::fs::create_dir_all(&home).unwrap();
        std::fs::create_dir(root.path().join("tmp")).unwrap();
        std::fs::write(home.join(".gitconfig"), GIT_CONFIG).unwrap();
        Some(Stage { root, cwd: home, commands: 0 })
    }

    fn path(&self, below: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(below)
    }

    /// The home, which the first command runs in.
    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Runs one line of shell. Gives what a terminal would show, with `~` for the home, and `[exit N]` if it failed.
    pub fn run(&mut self, line: &str) -> String {
        match self.run_within(line, PATIENCE) {
            (Some(0), text) => text,
            (Some(code), text) => format!("{text}[exit {code}]\n"),
            (None, text) => panic!("$ {line}\nended by a signal\n{text}"),
        }
    }

    /// The exit code, unless a signal ended it, and what it showed.
    fn run_within(&mut self, line: &str, patience: Duration) -> (Option<i32>, String) {
        let here = self.path("cwd");
        // One pipe for both streams: they come in the order in which they were written.
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = self.next_user().command("bash", &self.cwd);
        command.args(["--norc", "--noprofile", "-c"]);
        command.arg(format!("trap 'pwd >\"{}\"' EXIT\n{line}\n", here.display()));
        command.process_group(0).stdout(writer.try_clone().unwrap()).stderr(writer);
        let mut child = command.spawn().unwrap();
        drop(command);
        let group = Pid::from_child(&child);
        let (ended, end) = channel::<()>();
        // A command that never ends is ended, with all that it has started.
        let guard = std::thread::spawn(move || {
            if end.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                kill_process_group(group, Signal::KILL).unwrap();
            }
        });
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        drop(ended);
        guard.join().unwrap();
        let status = child.wait().unwrap();
        let mut text = String::from_utf8(bytes).unwrap_or_else(|_| panic!("$ {line}\nprints what is not UTF-8"));
        text = text.replace(self.home().to_str().unwrap(), "~");
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if status.code().is_some() {
            self.cwd = PathBuf::from(std::fs::read_to_string(&here).unwrap().trim_end_matches('\n'));
        }
        (status.code(), text)
    }

    /// Who runs the next line: `bd` is on the path.
    fn next_user(&mut self) -> User {
        let n = self.commands;
        self.commands += 1;
        let built = Path::new(BD).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&path))).unwrap();
        let user = User::at(self.home()).with_gitconfig_at_home().in_turn(n).with("PATH", path);
        let user = user.with("TMPDIR", self.path("tmp")).with("LC_ALL", "C.UTF-8").with("TERM", "dumb");
        user.with("GIT_AUTHOR_DATE", moment(n)).with("GIT_COMMITTER_DATE", moment(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_what_a_terminal_would() {
        let Some(mut stage) = Stage::set() else { return };
        assert_eq!(stage.run("echo one; echo two >&2; echo three"), "one\ntwo\nthree\n");
        assert_eq!(stage.run("echo $HOME; printf x; exit 3"), "~\nx\n[exit 3]\n");
        assert_eq!(stage.run("bd --version | cut -d' ' -f1"), "bd\n");
        assert_eq!(stage.run("env | cut -d= -f1 | grep -c CARGO"), "0\n[exit 1]\n");
    }

    #[test]
    fn a_line_that_never_ends_is_ended_with_all_that_it_started() {
        let Some(mut stage) = Stage::set() else { return };
        assert_eq!(stage.run_within("sleep 10000 | cat", Duration::ZERO), (None, String::new()));
        assert_eq!(stage.run("pwd"), "~\n");
    }

    #[test]
    fn the_working_directory_is_carried_on() {
        let Some(mut stage) = Stage::set() else { return };
        assert_eq!(stage.run("mkdir -p a/b && cd a/b"), "");
        assert_eq!(stage.run("pwd; (cd ..; pwd)"), "~/a/b\n~/a\n");
        assert_eq!(stage.run("cd nowhere 2>/dev/null"), "[exit 1]\n");
        assert_eq!(stage.run("pwd"), "~/a/b\n");
    }

    #[test]
    fn ids_are_the_same_in_every_run() {
        let ids = || {
            let mut stage = Stage::set()?;
            Some([stage.run("bd init -q"), stage.run("bd q One"), stage.run("bd q One")])
        };
        let first = ids();
        assert_eq!(first, ids());
        assert!(first.is_none_or(|[_, one, two]| one != two && one.starts_with("home-")));
    }
}
