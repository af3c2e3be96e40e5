//! A repo of its own for each test, the binary under test in a clean environment, and the ledger read back without any of
//! the code under test.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;

use crate::support::effort::is_full;
use crate::support::place;

/// In the full form, whose figures are kept, one test at a time has the machine to itself. Otherwise they run side by side: none
/// of them may depend on a quiet machine.
pub fn alone() -> Option<MutexGuard<'static, ()>> {
    static TURN: Mutex<()> = Mutex::new(());
    is_full().then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A repo under git with an empty ledger, in a directory that goes away with it.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self::at(place::in_memory("sandbox"))
    }

    /// The same on the disk: for what is promised of a disk.
    pub fn on_disk() -> Self {
        Self::at(place::on_disk("sandbox"))
    }

    fn at(dir: tempfile::TempDir) -> Self {
        let sandbox = Sandbox { dir };
        fs::create_dir(sandbox.home()).unwrap();
        fs::create_dir(sandbox.repo()).unwrap();
        sandbox.git(&["init", "-q"]);
        sandbox.ok(&["init", "--prefix", "t"]);
        sandbox
    }

    /// With issues `s-00000..`, about 280 bytes each.
    pub fn with_issues(count: usize) -> Self {
        Sandbox::new().filled(count)
    }

    /// Puts so many issues into the ledger.
    pub fn filled(self, count: usize) -> Self {
        let text = "words that make a line as long as those of a real ledger. ".repeat(2);
        let line = |n: usize| {
            format!(
                "{{\"id\":\"s-{n:05}\",\"title\":\"Seed {n}\",\"description\":\"{text}\",\"status\":\"open\",\"priority\":2,\
                 \"issue_type\":\"task\",\"created_at\":\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"2026-01-01T00:00:00.000Z\"}}\n"
            )
        };
        fs::write(self.ledger(), (0..count).map(line).collect::<String>()).unwrap();
        self
    }

    /// Makes repos beside the first one, under git too, and joins them to it by the user's settings. Gives their ledgers.
    pub fn join(&self, names: &[&str]) -> Vec<PathBuf> {
        let made = names.iter().map(|name| {
            let root = self.dir.path().join(name);
            fs::create_dir(&root).unwrap();
            for (program, args) in
                [("git", &["init", "-q"][..]), (env!("CARGO_BIN_EXE_bd"), &["init", "--prefix", "t"])]
            {
                let output = self.program(program).args(args).current_dir(&root).output().unwrap();
                assert!(output.status.success(), "{program} in {name}: {}", describe(&output));
            }
            root
        });
        let roots: Vec<PathBuf> = made.collect();
        let settings = self.home().join("config/beads");
        fs::create_dir_all(&settings).unwrap();
        fs::write(settings.join("config.toml"), format!("[repos]\nadditional = {roots:?}\n")).unwrap();
        roots.into_iter().map(|root| root.join(".beads/beads.jsonl")).collect()
    }

    /// Commits everything, and makes further checkouts of the repo, each on a branch of its own. Gives all of them, the first one
    /// included.
    pub fn checkouts(&self, count: usize) -> Vec<PathBuf> {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "ledger"]);
        let mut all = vec![self.repo()];
        for n in 1..count {
            let path = self.dir.path().join(format!("checkout-{n}"));
            self.git(&["worktree", "add", "-q", "-b", &format!("branch-{n}"), path.to_str().unwrap()]);
            all.push(path);
        }
        all
    }

    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    pub fn beads(&self) -> PathBuf {
        self.repo().join(".beads")
    }

    pub fn ledger(&self) -> PathBuf {
        self.beads().join("beads.jsonl")
    }

    /// A program in the repo, with nothing of the caller's environment but `PATH`.
    pub fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(name);
        command.env_clear().current_dir(self.repo()).stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home()).env("XDG_CONFIG_HOME", self.home().join("config"));
        command.env("XDG_STATE_HOME", self.home().join("state")).env("XDG_CACHE_HOME", self.home().join("cache"));
        command
            .env("GIT_CONFIG_GLOBAL", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gitconfig"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("BD_ACTOR", "ann").env("LC_ALL", "C").env("TZ", "UTC");
        command
    }

    /// However busy the machine is, no process gives up waiting for the others.
    pub fn bd(&self, args: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_bd"));
        command.args(["--lock-timeout", "600"]).args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.bd(args).output().unwrap()
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "bd {}: {}", args.join(" "), describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.com"];
        let output = self.program("git").args(identity).args(args).output().expect("git is installed");
        assert!(output.status.success(), "git {}: {}", args.join(" "), describe(&output));
    }

    /// Files an issue and returns its id.
    pub fn add(&self, title: &str) -> String {
        let output = self.run(&["add", title]);
        created(&output.stdout).unwrap_or_else(|| panic!("bd add {title}: {}", describe(&output)))
    }

    /// The ledger as it is now; fails if it is not a whole, sorted ledger without doubles.
    pub fn issues(&self) -> Issues {
        let issues = Issues::read(&self.ledger());
        assert!(issues.ids().is_sorted(), "the ledger is not sorted by id");
        issues
    }

    /// Names in `.beads` that `bd init` did not put there.
    pub fn leftovers(&self) -> Vec<String> {
        let known = [".gitattributes", ".gitignore", "beads.jsonl", "config.toml", "metadata.json"];
        let names = fs::read_dir(self.beads()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !known.contains(&name.as_str())).collect()
    }
}

/// The content of a ledger, read only with a JSON parser.
pub struct Issues {
    lines: Vec<Value>,
}

impl Issues {
    pub fn read(path: &Path) -> Self {
        Self::parse(&fs::read(path).unwrap()).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
    }

    /// Every line is an object with an id of its own, and the last one is complete.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        if !text.is_empty() && !text.ends_with('\n') {
            return Err("the last line has no end".into());
        }
        let lines: Vec<Value> = text
            .lines()
            .enumerate()
            .map(|(n, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}: {line}", n + 1)))
            .collect::<Result<_, _>>()?;
        let mut seen = HashSet::new();
        for line in &lines {
            let id = line["id"].as_str().ok_or_else(|| format!("a line without an id: {line}"))?;
            if !seen.insert(id) {
                return Err(format!("{id} stands there twice"));
            }
        }
        Ok(Issues { lines })
    }

    pub fn ids(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line["id"].as_str()).collect()
    }

    pub fn titles(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line["title"].as_str()).collect()
    }

    pub fn get(&self, id: &str) -> &Value {
        self.lines.iter().find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id} is not in the ledger"))
    }
}

/// The id in the complete success line of `bd add`; a truncated line is not an acknowledgement.
pub fn created(stdout: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(stdout).ok()?.strip_prefix("Created issue: ")?;
    line.strip_suffix('\n').map(str::to_owned)
}

pub fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    format!("{}, stdout {:?}, stderr {:?}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Tells a loop in another thread to end, also when this one panics.
pub struct Ender<'a>(pub &'a AtomicBool);

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a function in `count` threads that start at the same moment.
pub fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let barrier = Barrier::new(count);
    let start = |n| {
        barrier.wait();
        work(n)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|n| scope.spawn(move || start(n))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    })
}
