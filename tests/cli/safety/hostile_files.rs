//! Clones and archives whose files are not files, against every command: no program is run, no byte is read or written outside,
//! nothing hangs, memory stays bounded, and every exit code is a documented one.
//!
//! A table of crafts by a table of repositories by all commands of the help. In the shorter forms each craft meets a part of
//! the commands, a different one each time, and smoke takes every second craft; the full form runs all.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cli::safety::hostile::{READERS, WRITERS};
use crate::support::effort::pick;
use crate::support::harness::{BD, Env};
use crate::support::programs::have;
use crate::support::repos::{issues, sh};

/// No command may show this: it is outside of the repository.
const SECRET: &str = "SECRET-FROM-OUTSIDE";
/// Longer than any command takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(100);
/// Kilobytes of memory that a command may write to: the ledgers here have a few bytes.
const MEMORY: u64 = 200_000;
/// The codes in `docs/exit-codes.md`.
const CODES: [i32; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 70];

/// What replaces a file.
#[derive(Debug, Clone, Copy)]
enum Craft {
    /// A link, as it is written.
    Link(&'static str),
    Pipe,
    Socket,
    Directory,
    /// A file with this text.
    Text(&'static str),
}

/// Paths below the repository, and their replacements. `OUT` leads to the directory outside.
const ANYWHERE: &[(&str, Craft)] = &[
    (".beads/beads.jsonl", Craft::Link("OUT/ledger.jsonl")),
    (".beads/beads.jsonl", Craft::Link("/dev/zero")),
    (".beads/beads.jsonl", Craft::Pipe),
    (".beads/beads.jsonl", Craft::Socket),
    (".beads/beads.jsonl", Craft::Directory),
    (".beads/beads.jsonl", Craft::Text("not JSON; touch pwned\n{\"id\":\"bd-base\",\"title\":\"Base\"}\n")),
    (".beads/issues.jsonl", Craft::Link("OUT/ledger.jsonl")),
    (".beads", Craft::Link("OUT/beads")),
    (".beads", Craft::Link("OUT/nothing")),
    (".beads", Craft::Pipe),
    (".beads", Craft::Socket),
    (".beads", Craft::Text("no directory")),
    (".beads/redirect", Craft::Link("/dev/zero")),
    (".beads/redirect", Craft::Pipe),
    (".beads/redirect", Craft::Text("OUT/beads\n")),
    (".beads/redirect", Craft::Text(".\n")),
    (".beads/config.toml", Craft::Link("OUT/config.toml")),
    (".beads/config.toml", Craft::Link("OUT/nothing")),
    (".beads/config.toml", Craft::Pipe),
    (".beads/config.toml", Craft::Text("issue_prefix = \"a\0b\"\n")),
    (".beads/config.toml", Craft::Text("[workspace]\npath = \".git/hooks\"\n[repos]\nadditional = [\"OUT\"]\n")),
    (".beads/damaged.txt", Craft::Link("OUT/mine")),
    (".beads/metadata.json", Craft::Link("OUT/mine")),
    (".beads/.gitignore", Craft::Link("OUT/mine")),
    (".beads/templates", Craft::Link("OUT/templates")),
    (".beads/templates/feature.toml", Craft::Link("OUT/templates/feature.toml")),
    (".beads/templates/t.toml", Craft::Pipe),
    (".beads/run", Craft::Link("OUT/state")),
    (".beads/run", Craft::Pipe),
    (".beads/run/config.toml", Craft::Link("OUT/config.toml")),
    (".beads/run/config.toml", Craft::Pipe),
    (".beads/run/leases.jsonl", Craft::Link("OUT/ledger.jsonl")),
    (".beads/run/journal.jsonl", Craft::Link("OUT/mine")),
    (".beads/run/undo.jsonl", Craft::Pipe),
    (".beads/run/writes.jsonl", Craft::Link("OUT/mine")),
    (".beads/run/version", Craft::Pipe),
    (".beads/run/version", Craft::Link("OUT/mine")),
    (".beads/run/home", Craft::Text("OUT/state\n")),
    (".beads/run/mail", Craft::Link("OUT/state")),
    (".beads/run/lock", Craft::Link("OUT/state")),
    (".gitattributes", Craft::Link("OUT/mine")),
    (".worktreeinclude", Craft::Pipe),
    ("plan.toml", Craft::Link("OUT/templates/feature.toml")),
    ("out.txt", Craft::Link("OUT/ledger.jsonl")),
    ("out.txt", Craft::Pipe),
    ("a", Craft::Pipe),
];

const IN_HG: &[(&str, Craft)] = &[
    (".hg", Craft::Pipe),
    (".hg/hgrc", Craft::Pipe),
    (".hg/hgrc", Craft::Link("/dev/zero")),
    (".hg/hgrc", Craft::Text("%include OUT/pipe\n[extensions]\nevil = OUT/mine\n")),
    (".hg/requires", Craft::Pipe),
    (".hg/dirstate", Craft::Pipe),
    (".hg/branch", Craft::Pipe),
    (".hg/bookmarks", Craft::Link("/dev/zero")),
    (".hg/sharedpath", Craft::Text("OUT/nothing\n")),
    (".hg/store", Craft::Link("OUT/state")),
    (".hg/store/00changelog.i", Craft::Pipe),
    (".hg/store/fncache", Craft::Pipe),
    (".hg/beads", Craft::Link("OUT/state")),
    (".hg/beads", Craft::Pipe),
    (".hg/beads/config.toml", Craft::Link("OUT/config.toml")),
    (".hg/beads/journal.jsonl", Craft::Pipe),
    (".hg/beads/writes.jsonl", Craft::Pipe),
];

const IN_JJ: &[(&str, Craft)] = &[
    (".jj", Craft::Pipe),
    (".jj/repo", Craft::Text("OUT/nothing")),
    (".jj/repo", Craft::Pipe),
    (".jj/repo/config.toml", Craft::Pipe),
    (".jj/repo/config.toml", Craft::Link("/dev/zero")),
    (".jj/repo/store/type", Craft::Pipe),
    (".jj/repo/store/git_target", Craft::Pipe),
    (".jj/repo/store/git_target", Craft::Text("OUT/nothing")),
    (".jj/repo/op_heads/heads", Craft::Pipe),
    (".jj/working_copy/checkout", Craft::Pipe),
    (".jj/working_copy/tree_state", Craft::Link("/dev/zero")),
    (".git/beads", Craft::Link("OUT/state")),
    (".git/config", Craft::Pipe),
];

const IN_GIT: &[(&str, Craft)] = &[
    (".git/HEAD", Craft::Pipe),
    (".git/HEAD", Craft::Link("/dev/zero")),
    (".git/config", Craft::Pipe),
    (".git/config", Craft::Text("[include]\n\tpath = OUT/pipe\n")),
    (".git/index", Craft::Pipe),
    (".git/packed-refs", Craft::Pipe),
    (".git/refs/heads/main", Craft::Pipe),
    (".git/objects/aa", Craft::Pipe),
    (".git/info", Craft::Link("OUT/state")),
    (".git/info/attributes", Craft::Link("OUT/mine")),
    (".git/info/exclude", Craft::Link("OUT/mine")),
    (".git/hooks", Craft::Link("OUT/state")),
    (".git/beads", Craft::Link("OUT/state")),
    (".git/beads/config.toml", Craft::Link("OUT/config.toml")),
    (".git/beads/hooks.json", Craft::Pipe),
    (".git/beads-id", Craft::Link("OUT/mine")),
    (".git/beads/repo-id", Craft::Pipe),
    (".git", Craft::Pipe),
    (".git", Craft::Text("gitdir: OUT/nothing\n")),
];

/// The user's files outside of the repository, which must not change.
pub fn outside(env: &Env) {
    let out = env.root().join("outside");
    for (name, text) in [
        ("ledger.jsonl", issues(&["out-1"]).replace("OUT-1", SECRET)),
        ("beads/beads.jsonl", issues(&["out-2"]).replace("OUT-2", SECRET)),
        (".beads/beads.jsonl", issues(&["out-3"]).replace("OUT-3", SECRET)),
        ("config.toml", format!("issue_prefix = \"{}\"\n", SECRET.to_lowercase())),
        ("templates/feature.toml", format!("[template]\nname = \"feature\"\ndescription = \"{SECRET}\"\n")),
        ("state/agents.jsonl", format!("{{\"id\":\"ag_1\",\"name\":\"{SECRET}\"}}\n")),
        ("mine", format!("{SECRET}\n")),
    ] {
        let path = out.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    rustix::fs::mkfifoat(rustix::fs::CWD, out.join("pipe"), rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
}

/// Every name, length, inode and time of what is outside.
fn seen(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            found.extend(seen(&path));
        }
        let what = (meta.len(), meta.ino(), meta.mode(), meta.modified().unwrap());
        found.push(format!("{} {what:?}", path.display()));
    }
    found.sort();
    found
}

fn put(env: &Env, below: &str, craft: Craft) {
    let path = env.path(below);
    let out = env.root().join("outside").display().to_string();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(&path).unwrap(),
        Ok(_) => fs::remove_file(&path).unwrap(),
        Err(_) => {}
    }
    match craft {
        Craft::Link(to) => symlink(to.replace("OUT", &out), &path).unwrap(),
        Craft::Pipe => {
            rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        }
        Craft::Socket => drop(UnixListener::bind(&path).unwrap()),
        Craft::Directory => fs::create_dir(&path).unwrap(),
        Craft::Text(text) => fs::write(&path, text.replace("OUT", &out)).unwrap(),
    }
}

/// Everything that a program could be run by says so in this file.
fn ran(env: &Env) -> bool {
    env.root().join("ran").exists()
}

/// An archive without version control, unpacked.
pub fn archive() -> Env {
    let env = Env::new();
    env.given("add Base --id bd-base\nclaim bd-base\nrelease bd-base");
    env
}

/// The same with a packed `.git`, hooks included.
pub fn git_archive() -> Env {
    let env = archive();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    sh(&env, "cd web; git init -q; git add -A; git commit -q -m base; git branch -q other");
    env.given("claim bd-base\nrelease bd-base");
    for hook in ["pre-commit", "post-checkout", "pre-push", "post-commit", "reference-transaction"] {
        env.write(&format!(".git/hooks/{hook}"), format!("#!/bin/sh\ntouch '{}'\n", env.root().join("ran").display()));
    }
    sh(&env, "chmod +x web/.git/hooks/*");
    env
}

pub fn hg_archive() -> Env {
    let env = archive();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    sh(&env, "cd web; hg init; hg add -q .; hg commit -q -m base");
    env.given("claim bd-base\nrelease bd-base");
    let canary = format!("touch '{}'", env.root().join("ran").display());
    let hooks: String =
        ["pre-status", "pre-log", "pre-cat", "precommit", "update"].map(|hook| format!("{hook} = {canary}\n")).concat();
    env.write(".hg/hgrc", format!("[hooks]\n{hooks}"));
    env
}

pub fn jj_archive() -> Env {
    let env = archive();
    fs::remove_dir_all(env.path(".beads/run")).unwrap();
    sh(&env, "cd web; (jj git init --colocate; jj commit -m base; jj bookmark create main -r @-) 2>&1");
    env.given("claim bd-base\nrelease bd-base");
    let canary = format!("touch '{}'", env.root().join("ran").display());
    let settings = format!(
        "[ui]\npager = ['sh', '-c', {canary:?}]\n[aliases]\nlog = ['util', 'exec', '--', 'sh', '-c', {canary:?}]\n"
    );
    env.write(".jj/repo/config.toml", settings);
    env
}

/// Runs one command, looks at all that it must not have done, and gives what it said.
pub fn meets(env: &Env, line: &str, what: &str) -> String {
    let before = seen(&env.root().join("outside"));
    let words = env.root().join("said");
    let file = fs::File::create(&words).unwrap();
    let mut command = env.bd_command("/bin/sh");
    command.args(["-c", &format!("ulimit -d {MEMORY}; exec \"$0\" \"$@\""), BD]).args(line.split(' '));
    command.stdout(file.try_clone().unwrap()).stderr(file).env("EDITOR", "true");
    let start = Instant::now();
    let mut child = command.spawn().unwrap();
    let code = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if start.elapsed() > PATIENCE => {
                child.kill().unwrap();
                panic!("{what}: bd {line} hangs");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let said = String::from_utf8_lossy(&fs::read(&words).unwrap()).into_owned();
    // git treats this code as a failed merge.
    let failed_merge = line.starts_with("merge-driver").then_some(129);
    let is_known = code.is_some_and(|code| CODES.contains(&code) || Some(code) == failed_merge);
    assert!(is_known, "{what}: bd {line}: {code:?}\n{said}");
    let lower = said.to_lowercase();
    assert!(!lower.contains(&SECRET.to_lowercase()), "{what}: bd {line} shows what is outside:\n{said}");
    let steers = |c: char| c.is_control() && !"\n\t".contains(c);
    assert!(!said.contains(steers), "{what}: bd {line} steers the terminal:\n{said:?}");
    assert_eq!(seen(&env.root().join("outside")), before, "{what}: bd {line}\n{said}");
    assert!(!ran(env), "{what}: bd {line} runs a program\n{said}");
    said
}

/// All commands but the one by which a person agrees to paths outside.
fn commands() -> Vec<&'static str> {
    READERS.iter().chain(WRITERS).copied().filter(|line| *line != "config trust").collect()
}

/// A part of the commands against the `n`th craft, another part against the next; all of them at full.
pub fn part(n: usize) -> impl Iterator<Item = &'static str> {
    let step = pick(48, 36, 1);
    commands().into_iter().skip(n % step).step_by(step)
}

fn against(make: impl Fn() -> Env, crafts: &[(&str, Craft)], name: &str) {
    for (n, (below, craft)) in crafts.iter().enumerate().step_by(pick(2, 1, 1)) {
        let env = make();
        outside(&env);
        put(&env, below, *craft);
        let what = format!("{name}: {below} is {craft:?}");
        part(n).for_each(|line| drop(meets(&env, line, &what)));
    }
}

#[test]
fn an_archive_without_version_control() {
    against(archive, ANYWHERE, "archive");
}

#[test]
fn an_archive_with_git() {
    if !have(&["git"]) {
        return;
    }
    against(git_archive, IN_GIT, "git");
    let step = pick(6, 6, 1);
    let some: Vec<_> = ANYWHERE.iter().step_by(step).copied().collect();
    against(git_archive, &some, "git");
}

#[test]
fn an_archive_with_hg() {
    if !have(&["hg"]) {
        return;
    }
    against(hg_archive, IN_HG, "hg");
    let some: Vec<_> = ANYWHERE.iter().step_by(pick(12, 12, 1)).copied().collect();
    against(hg_archive, &some, "hg");
}

#[test]
fn an_archive_with_jj() {
    if !have(&["git", "jj"]) {
        return;
    }
    against(jj_archive, IN_JJ, "jj");
    let some: Vec<_> = ANYWHERE.iter().skip(1).step_by(pick(12, 12, 1)).copied().collect();
    against(jj_archive, &some, "jj");
}

/// The commands that once went through each of these, at every level.
#[test]
fn what_once_went_through() {
    for (below, craft, lines) in [
        (".beads/damaged.txt", Craft::Link("OUT/mine"), &["doctor --fix"][..]),
        (".beads/beads.jsonl", Craft::Link("OUT/ledger.jsonl"), &["list", "add x"]),
        (".beads", Craft::Link("OUT/nothing"), &["init", "add x"]),
        (".beads/redirect", Craft::Link("/dev/zero"), &["list"]),
        (".beads/run", Craft::Link("OUT/state"), &["add x", "claim bd-base", "agent register bob", "agent list"]),
        (".beads/config.toml", Craft::Link("OUT/config.toml"), &["add x", "config list"]),
        (".beads/templates", Craft::Link("OUT/templates"), &["template list --all", "template show feature"]),
        ("out.txt", Craft::Link("OUT/ledger.jsonl"), &["import out.txt", "export -o out.txt"]),
    ] {
        let env = archive();
        outside(&env);
        if below == ".beads/damaged.txt" {
            put(&env, ".beads/beads.jsonl", Craft::Text("touch pwned\n"));
        }
        put(&env, below, craft);
        lines.iter().for_each(|line| drop(meets(&env, line, below)));
    }
}

/// The suite sees what it is meant to see.
#[test]
fn the_look_outside_can_fail() {
    let env = Env::bare();
    outside(&env);
    let before = seen(&env.root().join("outside"));
    fs::write(env.root().join("outside/mine"), format!("{SECRET}\nmore")).unwrap();
    assert_ne!(seen(&env.root().join("outside")), before);
}
