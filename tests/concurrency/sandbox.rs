//! A repo of its own for each test, the binary under test in a clean environment, and the ledger read back without any of
//! the code under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::support::effort::is_full;
pub use crate::support::ledger::Issues;
use crate::support::ledger::described;
use crate::support::place;
pub use crate::support::user::describe;
use crate::support::user::{BD, User};

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
        let line = |n: usize| described(&format!("s-{n:05}"), &format!("Seed {n}"), &text);
        fs::write(self.ledger(), (0..count).map(line).collect::<String>()).unwrap();
        self
    }

    /// Makes repos beside the first one, under git too, and joins them to it by the user's settings. Gives their ledgers.
    pub fn join(&self, names: &[&str]) -> Vec<PathBuf> {
        let made = names.iter().map(|name| {
            let root = self.dir.path().join(name);
            fs::create_dir(&root).unwrap();
            self.git_in(&root, &["init", "-q"]);
            let output = self.program(BD).args(["init", "--prefix", "t"]).current_dir(&root).output().unwrap();
            assert!(output.status.success(), "{name}: {}", describe(&output));
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

    /// Ann, as whom everything runs.
    pub fn user(&self) -> User {
        User::at(self.home()).with_places().with("BD_ACTOR", "ann").with("LC_ALL", "C")
    }

    /// A program in the repo.
    pub fn program(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        self.user().command(name, &self.repo())
    }

    /// However busy the machine is, no process gives up waiting for the others.
    pub fn bd(&self, args: &[&str]) -> Command {
        let mut command = self.program(BD);
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
        self.git_in(&self.repo(), args);
    }

    /// Runs git in another directory, and gives what it printed.
    pub fn git_in(&self, directory: &Path, args: &[&str]) -> String {
        self.user().named("ann").git(directory, args)
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

/// The id in the complete success line of `bd add`; a truncated line is not an acknowledgement.
pub fn created(stdout: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(stdout).ok()?.strip_prefix("Created issue: ")?;
    line.strip_suffix('\n').map(str::to_owned)
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
