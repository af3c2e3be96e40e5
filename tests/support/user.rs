//! A user of a machine without any settings. Whatever a test starts, `bd`, git, hg, jj or a shell, it starts as such a user: with
//! a home of their own, and nothing of the caller's environment but the `PATH`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use beads::internal::sys::Env;

use super::programs::quick_hg;

/// The program under test.
pub const BD: &str = env!("CARGO_BIN_EXE_bd");

/// Settings that keep git from running on in a directory that is to go.
const GIT_SETTINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gitconfig");

#[derive(Debug, Clone)]
pub struct User {
    home: PathBuf,
    vars: Vec<(String, OsString)>,
}

impl User {
    /// Whose home this is. Their time is UTC.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        let user = User { home: home.into(), vars: Vec::new() };
        let (home, path) = (user.home.clone(), std::env::var_os("PATH").unwrap_or_default());
        let user = user.with("PATH", path).with("HOME", home).with("TZ", "UTC");
        user.with("GIT_CONFIG_NOSYSTEM", "1").with("GIT_CONFIG_GLOBAL", GIT_SETTINGS)
    }

    /// Who writes into the `.gitconfig` of their home, or has it read.
    pub fn with_gitconfig_at_home(mut self) -> Self {
        self.vars.retain(|(name, _)| name != "GIT_CONFIG_GLOBAL");
        self
    }

    /// Who has settings in `config` below the home, state in `state`, and so on.
    pub fn with_places(self) -> Self {
        let home = self.home.clone();
        let place = |user: User, name: &str| user.with(format!("XDG_{name}_HOME"), home.join(name.to_lowercase()));
        ["CONFIG", "STATE", "CACHE", "DATA"].into_iter().fold(self, place)
    }

    /// Who commits under this name, whatever version control it is.
    pub fn named(self, name: &str) -> Self {
        let mail = format!("{}@example.org", name.to_lowercase());
        let author = self.with("GIT_AUTHOR_NAME", name).with("GIT_AUTHOR_EMAIL", &mail);
        let committer = author.with("GIT_COMMITTER_NAME", name).with("GIT_COMMITTER_EMAIL", &mail);
        committer.with("HGUSER", name).with("JJ_USER", name).with("JJ_EMAIL", mail)
    }

    /// At the moment of the command with this number, from 0, of a test: one second later than the one before, with a seed of its
    /// own. The first is at 09:00:00 on Monday, 5 January 2026.
    pub fn in_turn(self, n: u64) -> Self {
        self.with("BD_TEST_NOW", moment(n)).with("BD_TEST_SEED", (n + 1).to_string())
    }

    pub fn with(mut self, name: impl Into<String>, value: impl AsRef<OsStr>) -> Self {
        let name = name.into();
        self.vars.retain(|(known, _)| *known != name);
        self.vars.push((name, value.as_ref().to_owned()));
        self
    }

    /// A program in a directory.
    pub fn command(&self, program: impl AsRef<OsStr>, directory: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.vars.iter().cloned()).current_dir(directory).stdin(Stdio::null());
        command
    }

    /// Runs git; what it printed if it succeeded.
    pub fn try_git(&self, directory: &Path, args: &[&str]) -> Option<String> {
        let output = self.command("git", directory).args(args).output().expect("git is installed");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs git, which must succeed.
    #[track_caller]
    pub fn git(&self, directory: &Path, args: &[&str]) -> String {
        let output = self.command("git", directory).args(args).output().expect("git is installed");
        assert!(output.status.success(), "git {}: {}", args.join(" "), describe(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs a script up to its first command that fails. Whether none does, and what it printed.
    pub fn try_sh(&self, directory: &Path, script: &str) -> (bool, String) {
        let mut shell = self.command("/bin/sh", directory);
        shell.args(["-e", "-c", script]).env("LC_ALL", "C.UTF-8").env("HGPLAIN", "1");
        quick_hg(&mut shell);
        let output = shell.output().expect("a shell");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.success() {
            true => (true, text(&output.stdout)),
            false => (false, format!("{}\nstderr: {}", text(&output.stdout), text(&output.stderr))),
        }
    }

    /// Runs a script, which must succeed, and gives what it printed.
    #[track_caller]
    pub fn sh(&self, directory: &Path, script: &str) -> String {
        let (done, said) = self.try_sh(directory, script);
        assert!(done, "{script}\n{said}");
        said
    }

    /// What the library sees if it works for them in a directory.
    pub fn env(&self, directory: &Path) -> Env {
        self.vars.iter().fold(Env::default().at(directory.to_owned()), |env, (name, value)| env.with(name, value))
    }
}

/// The time of the command with this number.
pub fn moment(n: u64) -> String {
    format!("2026-01-05T{:02}:{:02}:{:02}Z", 9 + n / 3600, n / 60 % 60, n % 60)
}

/// How a program ended and what it said, for a person.
pub fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    format!("{}, stdout {:?}, stderr {:?}", output.status, text(&output.stdout), text(&output.stderr))
}
