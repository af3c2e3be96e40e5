//! What the library costs, and five repos beside one that holds as many issues as all of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::ledger;
use super::measure::Settings;

const BD: &str = env!("CARGO_BIN_EXE_bd");

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BD);
    command.args(args).current_dir(dir).env("BD_ACTOR", "ann").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The smallest time of several runs, in microseconds.
fn cost(dir: &Path, args: &[&str], runs: usize) -> f64 {
    let once = || {
        let start = Instant::now();
        assert!(command(dir, args).status().unwrap().success(), "bd {args:?} failed");
        start.elapsed()
    };
    (0..runs).map(|_| once()).min().unwrap_or(Duration::ZERO).as_secs_f64() * 1e6
}

/// Hydrating and polling through the library, in microseconds.
fn library(dir: &Path, runs: usize) -> (f64, f64) {
    let timed = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e6
    };
    let mut hydrate = f64::MAX;
    let mut poll = f64::MAX;
    for _ in 0..runs {
        let mut store = beads::internal::store::Store::open(dir).unwrap();
        hydrate = hydrate.min(timed(&mut || assert!(store.refresh().is_ok())));
        for _ in 0..20 {
            poll = poll.min(timed(&mut || assert!(store.refresh().is_ok())));
        }
    }
    (hydrate, poll)
}

/// Polls until the stamps have settled, then gives the smallest mean of many unchanged polls, and the smallest time of one
/// after which one line of one file had changed; both in nanoseconds.
fn polls(dirs: &[PathBuf]) -> (f64, f64) {
    let mut store = beads::internal::store::Store::open(&dirs[0]).unwrap();
    store.refresh().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    store.refresh().unwrap();
    let batch = |store: &mut beads::internal::store::Store| {
        const POLLS: u32 = 500;
        let start = Instant::now();
        for _ in 0..POLLS {
            assert_eq!(store.refresh().unwrap(), beads::internal::store::Refresh::default());
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(POLLS)
    };
    let unchanged = (0..10).map(|_| batch(&mut store)).fold(f64::MAX, f64::min);
    let mut edited = f64::MAX;
    for round in 0..=10 {
        let path = dirs[round % dirs.len()].join(".beads/beads.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let beside = path.with_file_name("new");
        std::fs::write(&beside, text.replacen("\"title\":\"", &format!("\"title\":\"{round} "), 1)).unwrap();
        std::fs::rename(&beside, &path).unwrap();
        let start = Instant::now();
        let refresh = store.refresh().unwrap();
        // The first change replaces the image by an index in memory.
        if round > 0 {
            edited = edited.min(start.elapsed().as_secs_f64() * 1e9);
            assert_eq!((refresh.parsed, refresh.changed), (1, 1));
        }
    }
    (unchanged, edited)
}

/// Five repos beside one that holds as many issues as all of them.
fn several(root: &Path, runs: usize) {
    const REPOS: usize = 5;
    const EACH: usize = 2_000;
    let names = ["app", "r1", "r2", "r3", "r4"];
    let many = ledger::write(&root.join("many"), "beads.jsonl", &names.map(|name| (name, EACH)));
    let one = ledger::write(&root.join("one"), "beads.jsonl", &[("app", REPOS * EACH)]);
    // The personal settings of a directory without version control; they need no trust.
    let personal = many[0].join(".beads/run");
    std::fs::create_dir_all(&personal).unwrap();
    let others: Vec<String> = names[1..].iter().map(|name| format!("../{name}")).collect();
    std::fs::write(personal.join("config.toml"), format!("[repos]\nadditional = {others:?}\n")).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    println!(
        "\n### Several repos\n\nMicroseconds, smallest:\n\n| | 5 x 2,000 | 1 x 10,000 | ratio |\n|---|---:|---:|---:|"
    );
    let line = |what: &str, many: f64, one: f64| {
        println!("| {what} | {many:.1} | {one:.1} | {:.2} |", many / one);
    };
    let commands: [(&str, &[&str]); 5] = [
        ("bd ready", &["ready"]),
        ("bd list", &["list"]),
        ("bd show ID", &["show", "bd-00000000"]),
        ("bd add", &["add", "A new issue", "-p", "1"]),
        ("bd note ID", &["note", "bd-00000000", "seen again"]),
    ];
    for (name, args) in commands {
        line(name, cost(&many[0], args, runs), cost(&one[0], args, runs));
    }
    let ((many_poll, many_edit), (one_poll, one_edit)) = (polls(&many), polls(&one));
    line("library: unchanged poll", many_poll / 1e3, one_poll / 1e3);
    line("library: the same for each repo", many_poll / 1e3 / REPOS as f64, one_poll / 1e3);
    line("library: one changed line", many_edit / 1e3, one_edit / 1e3);
}

/// Prints both tables.
pub fn run(settings: &Settings) {
    let root = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    println!("\n### The library\n\nMicroseconds, smallest:\n\n| lines | hydrate | unchanged poll |\n|---:|---:|---:|");
    for &size in &settings.sizes {
        let dir = ledger::write(root.path(), "beads.jsonl", &[(&size.to_string(), size)]).remove(0);
        // Stamps younger than the racy window would make the first polls compare bytes.
        std::thread::sleep(Duration::from_millis(100));
        let (hydrate, poll) = library(&dir, settings.runs(size).min(3));
        println!("| {size} | {hydrate:.0} | {poll:.1} |");
    }
    several(root.path(), settings.runs(10_000));
}
