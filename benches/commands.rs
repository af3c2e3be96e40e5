//! What commands cost, as ratios: to reading the ledger file, and to starting the program at all.
//!
//! `cargo bench` prints one table for ledgers of 100 to 100,000 issues. `BD_BENCH_SIZES=100,1000` chooses sizes,
//! `BD_BENCH_RUNS=9` how often each command runs; the smallest time counts, because a busy machine only ever adds to it.
//! A second table sets five repos of 2,000 issues beside one of 10,000; `BD_BENCH_REPOS=0` leaves it out.
//! With `BD_BENCH_INSTRUCTIONS=1` and valgrind present the table counts instructions instead of time, which is stable.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const BD: &str = env!("CARGO_BIN_EXE_bd");

/// A small generator of its own, so that every run measures the same ledger.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn words(&mut self, count: u64) -> String {
        const WORDS: [&str; 16] = [
            "parser", "cache", "ledger", "merge", "branch", "token", "agent", "commit", "deploy", "login", "retry",
            "queue", "index", "review", "flaky", "release",
        ];
        (0..count).map(|_| WORDS[self.below(16) as usize]).collect::<Vec<_>>().join(" ")
    }
}

/// Makes a repo with `count` issues of about 750 bytes, 60 % closed, under one dependency each.
fn repo(root: &Path, count: usize) -> PathBuf {
    repos(root, &[(&count.to_string(), count)]).remove(0)
}

/// Makes repos that share their issues: each edge may lead to any issue filed before, in whichever repo.
fn repos(root: &Path, parts: &[(&str, usize)]) -> Vec<PathBuf> {
    let mut lines = lines(parts.iter().map(|(_, count)| count).sum());
    let mut made = Vec::new();
    for (name, count) in parts {
        let dir = root.join(name);
        std::fs::create_dir_all(dir.join(".beads")).unwrap();
        let mut mine: Vec<(String, String)> = lines.drain(..count).collect();
        mine.sort();
        let text: String = mine.into_iter().map(|(_, line)| line + "\n").collect();
        std::fs::write(dir.join(".beads/beads.jsonl"), text).unwrap();
        made.push(dir);
    }
    made
}

/// Issues with their ids, in the order in which they were filed.
fn lines(count: usize) -> Vec<(String, String)> {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ count as u64);
    let id = |n: u64| format!("bd-{:08}", n * 7919 % 100_000_000);
    (0..count as u64)
        .map(|n| {
            let closed = dice.below(10) < 6;
            let mut line = format!(
                r#"{{"id":"{}","title":"{}","description":"{}","status":"{}","priority":{},"issue_type":"{}","created_at":"2025-{:02}-11T10:00:00Z","created_by":"ann","updated_at":"2026-01-11T10:00:00Z""#,
                id(n),
                dice.words(6),
                dice.words(60),
                if closed { "closed" } else { "open" },
                dice.below(5),
                ["task", "bug", "feature", "epic", "chore"][dice.below(5) as usize],
                dice.below(12) + 1,
            );
            if closed {
                line.push_str(r#","closed_at":"2026-02-01T10:00:00Z""#);
            }
            if dice.below(10) < 3 {
                line.push_str(&format!(r#","labels":["{}"]"#, dice.words(1)));
            }
            if dice.below(10) < 7 && n > 0 {
                let kind = ["blocks", "blocks", "parent-child", "related"][dice.below(4) as usize];
                let target = id(dice.below(n));
                line.push_str(&format!(
                    r#","dependencies":[{{"issue_id":"{}","depends_on_id":"{target}","type":"{kind}","created_at":"2025-01-01T10:00:00Z","created_by":"ann"}}]"#,
                    id(n)
                ));
            }
            line.push('}');
            (id(n), line)
        })
        .collect()
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(BD);
    command.args(args).current_dir(dir).env("BD_ACTOR", "ann").stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The smallest cost of several runs, in microseconds or thousands of instructions.
fn cost(dir: &Path, args: &[&str], runs: usize, instructions: bool) -> f64 {
    if instructions {
        return counted(dir, args);
    }
    let once = || {
        let start = Instant::now();
        assert!(command(dir, args).status().unwrap().success(), "bd {args:?} failed");
        start.elapsed()
    };
    (0..runs).map(|_| once()).min().unwrap_or(Duration::ZERO).as_secs_f64() * 1e6
}

fn counted(dir: &Path, args: &[&str]) -> f64 {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", BD]).args(args);
    let output = command.current_dir(dir).env("BD_ACTOR", "ann").output().expect("valgrind runs");
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("Collected :")).expect("callgrind counts");
    line.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok()).expect("a count") / 1e3
}

/// The floor: reading the file's bytes in this process.
fn read_floor(dir: &Path, runs: usize) -> f64 {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(std::fs::read(dir.join(".beads/beads.jsonl")).unwrap());
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
    for round in 0..10 {
        let path = dirs[round % dirs.len()].join(".beads/beads.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let beside = path.with_file_name("new");
        std::fs::write(&beside, text.replacen("\"title\":\"", &format!("\"title\":\"{round} "), 1)).unwrap();
        std::fs::rename(&beside, &path).unwrap();
        let start = Instant::now();
        let refresh = store.refresh().unwrap();
        edited = edited.min(start.elapsed().as_secs_f64() * 1e9);
        assert_eq!((refresh.parsed, refresh.changed), (1, 1));
    }
    (unchanged, edited)
}

/// Five repos beside one that holds as many issues as all of them.
fn several(root: &Path, runs: usize, instructions: bool) {
    const REPOS: usize = 5;
    const EACH: usize = 2_000;
    let names = ["app", "r1", "r2", "r3", "r4"];
    let many = repos(&root.join("many"), &names.map(|name| (name, EACH)));
    let one = repos(&root.join("one"), &[("app", REPOS * EACH)]);
    // The personal settings of a directory without version control; they need no trust.
    let personal = many[0].join(".beads/run");
    std::fs::create_dir_all(&personal).unwrap();
    let others: Vec<String> = names[1..].iter().map(|name| format!("../{name}")).collect();
    std::fs::write(personal.join("config.toml"), format!("[repos]\nadditional = {others:?}\n")).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    let unit = if instructions { "k instr" } else { "µs" };
    println!("\n{:<34} {:>12} {:>12} {:>8}", format!("several repos, {unit}"), "5 x 2000", "1 x 10000", "ratio");
    let line = |what: &str, many: f64, one: f64| {
        println!("{what:<34} {many:>12.1} {one:>12.1} {:>8.2}", many / one);
    };
    let commands: [(&str, &[&str]); 5] = [
        ("bd ready", &["ready"]),
        ("bd list", &["list"]),
        ("bd show ID", &["show", "bd-00000000"]),
        ("bd add", &["add", "A new issue", "-p", "1"]),
        ("bd note ID", &["note", "bd-00000000", "seen again"]),
    ];
    for (name, args) in commands {
        line(name, cost(&many[0], args, runs, instructions), cost(&one[0], args, runs, instructions));
    }
    if !instructions {
        let ((many_poll, many_edit), (one_poll, one_edit)) = (polls(&many), polls(&one));
        line("library: unchanged poll", many_poll / 1e3, one_poll / 1e3);
        line("library: the same for each repo", many_poll / 1e3 / REPOS as f64, one_poll / 1e3);
        line("library: one changed line", many_edit / 1e3, one_edit / 1e3);
    }
}

fn main() {
    // `cargo test --benches` passes --test: there is nothing to test here.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let setting = |name: &str| std::env::var(name).ok();
    let sizes = setting("BD_BENCH_SIZES").unwrap_or_else(|| "100,1000,10000,100000".into());
    let runs: usize = setting("BD_BENCH_RUNS").and_then(|text| text.parse().ok()).unwrap_or(7);
    let instructions = setting("BD_BENCH_INSTRUCTIONS").is_some_and(|value| value == "1");
    let root = tempfile::tempdir().unwrap();
    let unit = if instructions { "k instr" } else { "µs" };
    println!("{:>8} {:<24} {:>12} {:>14} {:>12}", "issues", "what", unit, "x bd --version", "x read file");
    for size in sizes.split(',').filter_map(|text| text.trim().parse::<usize>().ok()) {
        let dir = repo(root.path(), size);
        // Stamps younger than the racy window would make the first polls compare bytes.
        std::thread::sleep(Duration::from_millis(100));
        let start = cost(&dir, &["--version"], runs, instructions);
        let floor = read_floor(&dir, runs);
        let line = |what: &str, value: f64, comparable: bool| {
            let ratio = if comparable { format!("{:.1}", value / start) } else { "-".into() };
            let reads = if instructions { "-".into() } else { format!("{:.1}", value / floor) };
            println!("{size:>8} {what:<24} {value:>12.1} {ratio:>14} {reads:>12}");
        };
        line("read the file", floor, false);
        line("bd --version", start, true);
        if !instructions {
            let (hydrate, poll) = library(&dir, runs.min(3));
            line("library: hydrate", hydrate, false);
            line("library: unchanged poll", poll, false);
        }
        let commands: [(&str, &[&str]); 7] = [
            ("bd ready", &["ready"]),
            ("bd list", &["list"]),
            ("bd list --all --json", &["list", "--all", "--json"]),
            ("bd show ID", &["show", "bd-00000000"]),
            ("bd search", &["search", "flaky", "parser", "-n", "5"]),
            ("bd add", &["add", "A new issue", "-p", "1"]),
            ("bd note ID", &["note", "bd-00000000", "seen again"]),
        ];
        for (name, args) in commands {
            line(name, cost(&dir, args, runs, instructions), true);
        }
    }
    if setting("BD_BENCH_REPOS").is_none_or(|value| value != "0") {
        several(root.path(), runs, instructions);
    }
}
