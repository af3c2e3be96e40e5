//! Clones of one repository, each with a home of its own, and the programs that work in them.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use beads::internal::store::{Config, Store};
use beads::internal::sys::Host;
use serde_json::Value;

use crate::support::fixture;
pub use crate::support::ledger::by_id;
pub use crate::support::user::describe;
use crate::support::user::{BD, User};

/// How a clone is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Git,
    /// The ledger is written in a linked worktree, on a branch that follows the same one.
    Worktree,
    /// jj with a `.git` beside it.
    JjBeside,
    Jj,
    Hg,
}

/// A directory with a server and clones of it. It stays when a test fails.
pub struct World {
    dir: Option<tempfile::TempDir>,
    root: PathBuf,
}

impl World {
    pub fn new() -> Self {
        let dir = crate::support::place::in_memory("sync");
        let root = dir.path().canonicalize().unwrap();
        World { dir: Some(dir), root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// A server with a first commit that holds a ledger, and clones of it.
    pub fn clones(&self, ways: &[Way]) -> Vec<Desk> {
        self.server("server", ways[0] == Way::Hg);
        ways.iter().enumerate().map(|(n, way)| self.clone("server", &format!("c{n}"), *way)).collect()
    }

    pub fn server(&self, name: &str, hg: bool) {
        let server = self.path(name);
        fs::create_dir(&server).unwrap();
        fixture::copy(if hg { "hg server" } else { "git server" }, &server, |server| {
            Self::new().make_server(server, hg)
        });
    }

    fn make_server(&self, server: &Path, hg: bool) {
        let first = Desk::new(self, "first", "first");
        let text = server.to_str().unwrap();
        if hg {
            first.sh(&format!("hg init \"{text}\"; hg init ."));
        } else {
            first.sh(&format!(
                "git init -q --bare -b main \"{text}\"; git init -q -b main .; git remote add origin \"{text}\""
            ));
        }
        first.ok(&["init", "--prefix", "t"]);
        fs::write(first.root.join("code"), "1\n").unwrap();
        // An empty ledger is a ledger: without it no clone would have one in common with the others.
        if !first.ledger().exists() {
            fs::write(first.ledger(), "").unwrap();
        }
        if hg {
            first.sh(&format!("hg addremove -q; hg commit -q -m first; hg push -q \"{text}\""));
        } else {
            first.sh("git add -A; git commit -q -m first; git push -q -u origin main 2>&1");
        }
    }

    pub fn clone(&self, server: &str, name: &str, way: Way) -> Desk {
        let mut desk = Desk::new(self, name, name);
        fs::remove_dir(&desk.root).unwrap();
        let (from, to) = (self.path(server), desk.root.clone());
        let (from, to) = (format!("\"{}\"", from.display()), format!("\"{}\"", to.display()));
        let script = match way {
            Way::Git => format!("git clone -q {from} {to} 2>&1"),
            Way::Worktree => format!(
                "git clone -q {from} {to}-main 2>&1; cd {to}-main; git worktree add -q --track -b side {to} origin/main 2>&1
                 git config push.default upstream"
            ),
            Way::JjBeside => format!("jj git clone --colocate {from} {to} 2>&1"),
            Way::Jj => format!("jj git clone --no-colocate {from} {to} 2>&1"),
            Way::Hg => format!("hg clone -q {from} {to}"),
        };
        desk.user.sh(&self.root, &script);
        desk.way = way;
        desk
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if let (true, Some(dir)) = (std::thread::panicking(), self.dir.take()) {
            // Memory is cleared when the tests are over.
            let kept = crate::support::place::on_disk("kept").keep();
            let _ = Command::new("cp").arg("-RPp").arg(dir.path().join(".")).arg(&kept).status();
            let _ = writeln!(std::io::stderr(), "kept: {}", kept.display());
        }
    }
}

/// One clone and the person who works in it.
pub struct Desk {
    pub name: String,
    pub root: PathBuf,
    pub way: Way,
    home: PathBuf,
    user: User,
}

impl Desk {
    fn new(world: &World, name: &str, actor: &str) -> Self {
        let (root, home) = (world.path(name), world.path(&format!("{name}-home")));
        fs::create_dir(&root).unwrap();
        fs::create_dir_all(&home).unwrap();
        let jj = format!("[user]\nname = '{actor}'\nemail = '{actor}@example.org'\n");
        fs::write(home.join(".jjconfig.toml"), jj).unwrap();
        fs::write(home.join(".hgrc"), format!("[ui]\nusername = {actor}\n")).unwrap();
        let git = format!("[user]\nname = {actor}\nemail = {actor}@example.org\n[init]\ndefaultBranch = main\n");
        fs::write(home.join(".gitconfig"), git).unwrap();
        let user = User::at(&home).with_gitconfig_at_home().with_places().with("BD_ACTOR", actor);
        let user = user.with("LC_ALL", "C.UTF-8").with("HGPLAIN", "1").with("GIT_EDITOR", "true");
        Desk { name: actor.to_owned(), root, way: Way::Git, home, user }
    }

    /// The same person, in another directory.
    pub fn at(&self, root: PathBuf, way: Way) -> Self {
        Desk { name: self.name.clone(), root, way, home: self.home.clone(), user: self.user.clone() }
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn ledger(&self) -> PathBuf {
        self.root.join(".beads/beads.jsonl")
    }

    pub fn bytes(&self) -> Vec<u8> {
        fs::read(self.ledger()).unwrap()
    }

    pub fn program(&self, name: &str) -> Command {
        self.user.command(name, &self.root)
    }

    pub fn bd(&self, args: &[&str]) -> Command {
        let mut command = self.program(BD);
        command.args(args);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.bd(args).output().unwrap()
    }

    /// Runs a command that must succeed, and returns what it printed.
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{}: bd {}: {}", self.name, args.join(" "), describe(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Whether a script succeeds, and what it printed.
    pub fn try_sh(&self, script: &str) -> (bool, String) {
        self.user.try_sh(&self.root, script)
    }

    pub fn sh(&self, script: &str) -> String {
        self.user.sh(&self.root, script)
    }

    /// The library, as this person.
    pub fn store(&self) -> Store {
        let host = Host { env: self.user.env(&self.root), ..Host::real() };
        Store::open_with(Config { host, ..Config::at(self.root.clone()) }).unwrap()
    }

    /// `bd sync`, which must succeed: what became of the only working copy.
    pub fn sync(&self) -> Value {
        // People commit code too, and it is sent as well.
        let output = self.run(&["sync", "--with-code", "--json"]);
        assert!(output.status.success(), "{} ({:?}): bd sync: {}", self.name, self.way, describe(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        report["repos"][0].clone()
    }

    /// Changes that version control reports as uncommitted.
    pub fn dirty(&self) -> String {
        match self.way {
            Way::Git | Way::Worktree => self.sh("git status --porcelain --untracked-files=all"),
            Way::Hg => self.sh("hg status"),
            Way::Jj | Way::JjBeside => {
                self.sh("jj diff --summary; jj log --no-graph -r 'conflicts() | divergent()' -T commit_id")
            }
        }
    }

    /// The commits of this clone, and what it knows of the server's.
    pub fn heads(&self) -> String {
        match self.way {
            Way::Git | Way::Worktree => self.sh("git rev-parse HEAD @{upstream}"),
            Way::Hg => self.sh("hg log -r 'head() + .' -T '{node} {phase}\\n'"),
            Way::Jj | Way::JjBeside => {
                self.sh("jj log --no-graph -r '@ | main | main@origin' -T 'commit_id ++ \"\\n\"'")
            }
        }
    }
}
