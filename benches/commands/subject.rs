//! The programs that are measured beside each other, and what is asked of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::ledger;

/// A program with a repo and a home of its own.
pub struct Subject {
    pub name: String,
    pub program: PathBuf,
    kind: Kind,
    place: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Reads the file, or splices one line.
    Floor,
    Bd,
    /// Another program with commands of the same names.
    Peer,
}

/// What one command is given, and what happens before it without being measured.
pub struct Task {
    pub name: &'static str,
    args: &'static [&'static str],
    pub work: Work,
}

impl Task {
    /// It changes nothing, and needs no preparation.
    pub fn only_looks(&self) -> bool {
        matches!(self.work, Work::Start | Work::Read)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    Start,
    Read,
    /// Without the image of the cache.
    Cold,
    /// Right after a write.
    After,
    Write,
}

/// `ID` stands for an open issue, another one each time; `N` for the number of the run.
pub const TASKS: [Task; 14] = [
    Task { name: "--version", args: &["--version"], work: Work::Start },
    Task { name: "ready", args: &["ready", "--json", "--limit", "20"], work: Work::Read },
    Task { name: "list", args: &["list", "--json", "--limit", "50"], work: Work::Read },
    Task { name: "show", args: &["show", "ID", "--json"], work: Work::Read },
    Task { name: "search", args: &["search", ledger::RARE, "--json"], work: Work::Read },
    Task { name: "blocked", args: &["blocked", "--json"], work: Work::Read },
    Task { name: "stats", args: &["stats", "--json"], work: Work::Read },
    Task { name: "count", args: &["count", "--json"], work: Work::Read },
    Task { name: "list all", args: &["list", "--all", "--json"], work: Work::Read },
    Task { name: "cold ready", args: &["ready", "--json", "--limit", "20"], work: Work::Cold },
    Task { name: "ready after a write", args: &["ready", "--json", "--limit", "20"], work: Work::After },
    Task { name: "create", args: &["create", "A new issue N", "--priority", "1"], work: Work::Write },
    Task { name: "update", args: &["update", "ID", "--title", "Another title N"], work: Work::Write },
    Task { name: "close", args: &["close", "ID"], work: Work::Write },
];

impl Subject {
    /// Makes the repo of a program, with a ledger of this size.
    pub fn new(root: &Path, name: &str, program: &Path, kind: Kind, size: usize) -> Self {
        let place = root.join(name);
        let own = Subject { name: name.to_owned(), program: program.to_owned(), kind, place };
        std::fs::create_dir_all(own.repo()).unwrap();
        let git = own.command(Path::new("git"), &["init", "-q"]).status();
        assert!(git.is_ok_and(|status| status.success()), "git init failed");
        if kind == Kind::Peer {
            let _ = own.command(program, &["init", "--prefix", "bd"]).status();
        }
        let has_ours = own.repo().join(".beads/beads.jsonl").exists();
        let ledger = if kind == Kind::Peer && !has_ours { "issues.jsonl" } else { "beads.jsonl" };
        ledger::write(&own.place, ledger, &[("repo", size)]);
        if kind == Kind::Peer {
            // Those with a database take the file in; which of the two works depends on the program.
            for args in [&["sync", "--import-only"][..], &["import", "-i", ".beads/issues.jsonl"]] {
                let _ = own.command(program, args).status();
            }
        }
        own
    }

    fn repo(&self) -> PathBuf {
        self.place.join("repo")
    }

    fn command(&self, program: &Path, args: &[impl AsRef<std::ffi::OsStr>]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.repo()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.place.join("home"));
        command.env("BD_ACTOR", "ann").env("TZ", "UTC").env("GIT_CONFIG_NOSYSTEM", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The arguments of one run; `None` if it cannot be asked for this.
    fn args(&self, task: &Task, turn: usize) -> Option<Vec<String>> {
        let ledger = self.repo().join(".beads/beads.jsonl").display().to_string();
        match (self.kind, task.work) {
            (Kind::Floor, Work::Start) | (Kind::Peer, Work::Cold) => None,
            (Kind::Floor, Work::Write) => Some(vec!["splice".to_owned(), ledger]),
            (Kind::Floor, _) => Some(vec!["read".to_owned(), ledger]),
            _ => Some(
                task.args.iter().map(|arg| arg.replace("ID", &open(turn)).replace('N', &turn.to_string())).collect(),
            ),
        }
    }

    /// What comes before a run and is not measured.
    fn prepare(&self, task: &Task, turn: usize) {
        match (self.kind, task.work) {
            (Kind::Floor, _) => {}
            (_, Work::Cold) => drop(std::fs::remove_dir_all(self.place.join("home/.cache"))),
            (_, Work::After) => {
                let _ =
                    self.command(&self.program, &["update", &open(turn), "--title", &format!("Title {turn}")]).status();
            }
            _ => {}
        }
    }

    /// The time of one run in milliseconds; `None` if it failed.
    pub fn time(&self, task: &Task, turn: usize) -> Option<f64> {
        let args = self.args(task, turn)?;
        self.prepare(task, turn);
        let mut command = self.command(&self.program, &args);
        let start = Instant::now();
        let status = command.status();
        let taken = start.elapsed().as_secs_f64() * 1e3;
        status.is_ok_and(|status| status.success()).then_some(taken)
    }

    /// The instructions of one run, in millions, by callgrind.
    pub fn instructions(&self, task: &Task, turn: usize) -> Option<f64> {
        if self.kind == Kind::Floor {
            return None;
        }
        let mut args = vec!["--tool=callgrind".to_owned(), "--callgrind-out-file=/dev/null".to_owned()];
        args.push(self.program.display().to_string());
        args.extend(self.args(task, turn)?);
        self.prepare(task, turn);
        let output = self.command(Path::new("valgrind"), &args).stderr(Stdio::piped()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let count = text.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse::<f64>().ok());
        count.filter(|_| output.status.success()).map(|count| count / 1e6)
    }

    /// The peak memory of one run, in megabytes. A small program starts it: Linux counts the memory of whoever does.
    pub fn peak(&self, task: &Task, turn: usize, floor: &Path) -> Option<f64> {
        let mut args = vec!["peak".to_owned(), self.program.display().to_string()];
        args.extend(self.args(task, turn)?);
        self.prepare(task, turn);
        let output = self.command(floor, &args).stdout(Stdio::piped()).output().ok()?;
        let kilobytes = String::from_utf8_lossy(&output.stdout).trim().parse::<f64>().ok()?;
        output.status.success().then_some(kilobytes / 1024.0)
    }

    /// What it says of its version.
    pub fn version(&self) -> Option<String> {
        let output = self.command(&self.program, &["--version"]).stdout(Stdio::piped()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (self.kind != Kind::Floor).then(|| text.lines().next().unwrap_or_default().to_owned())
    }
}

/// An open issue for each turn.
fn open(turn: usize) -> String {
    ledger::id(ledger::free(turn))
}
