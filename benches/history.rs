//! What asking the past of a ledger costs, as ratios to `git log` over the same file in the same run.
//!
//! `cargo bench --bench history` makes a repository with 10,000 issues and 2,000 commits that each change one to three of
//! them, prunes some now and then, and renames the ledger once. It is measured with the last 100 commits loose, and again
//! after `git gc`. Each command is measured without the index of the past (`BD_NO_IMAGE=1`), once while it makes one, and with
//! it; the index is in a cache directory of the bench. `bd log ID` is also measured right after one more commit. A second
//! repository has 50,000 commits of code, of which one in a thousand touches a small ledger. `BD_BENCH_ISSUES`,
//! `BD_BENCH_COMMITS` and `BD_BENCH_CODE` choose other sizes (0 leaves a repository out), `BD_BENCH_RUNS` how often each
//! question is asked; the smallest time counts. Making the repositories takes minutes; `BD_BENCH_DIR` names one that is there
//! already, with such a ledger.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const BD: &str = env!("CARGO_BIN_EXE_bd");
const OLD: &str = ".beads/issues.jsonl";
const LEDGER: &str = ".beads/beads.jsonl";
const ISSUE: &str = "bd-00000000";
const LOOSE: usize = 100;

/// Commands that read the past.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("bd log ID", &["log", ISSUE]),
    ("bd blame ID", &["blame", ISSUE]),
    ("bd diff HEAD~50..", &["diff", "HEAD~50.."]),
    ("bd changelog, 50 commits", &["changelog", "--since", "HEAD~50"]),
    ("bd show ID --at HEAD~50", &["show", ISSUE, "--at", "HEAD~50"]),
    ("bd changelog, all", &["changelog", "--since", "2020-01-01"]),
    ("bd log -n 0", &["log", "-n", "0"]),
];

/// A small generator of its own, so that every run measures the same history.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }

    fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 16] = [
            "parser", "cache", "ledger", "merge", "branch", "token", "agent", "commit", "deploy", "login", "retry",
            "queue", "index", "review", "flaky", "release",
        ];
        (0..count).map(|_| WORDS[self.below(16)]).collect::<Vec<_>>().join(" ")
    }
}

fn git(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(args).current_dir(dir).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

fn must(mut command: Command) {
    assert!(command.stdout(Stdio::null()).status().unwrap().success(), "{command:?} failed");
}

/// A ledger that changes.
struct History {
    dice: Dice,
    lines: BTreeMap<String, String>,
    commits: usize,
}

impl History {
    fn new(issues: usize) -> Self {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ issues as u64);
        let lines = (0..issues).map(|n| {
            let id = format!("bd-{:08}", n * 7919 % 100_000_000);
            let line = format!(
                r#"{{"id":"{id}","title":"{}","description":"{}","status":"open","priority":{},"issue_type":"task","created_at":"2025-01-11T10:00:00Z","updated_at":"2026-01-11T10:00:00Z""#,
                dice.words(6),
                dice.words(45),
                dice.below(5),
            );
            (id, line)
        });
        let lines = lines.collect();
        History { dice, lines, commits: 0 }
    }

    /// One to three issues get a comment or a new title; every hundredth commit prunes a few.
    fn change(&mut self) {
        let ids: Vec<String> = self.lines.keys().cloned().collect();
        for _ in 0..=self.dice.below(3) {
            let id = &ids[self.dice.below(ids.len())];
            let note = format!(r#","note_{}":"{}""#, self.commits, self.dice.words(8));
            self.lines.get_mut(id).unwrap().push_str(&note);
        }
        if self.commits % 50 == 1 {
            self.lines.get_mut(ISSUE).unwrap().push_str(&format!(r#","seen_{}":true"#, self.commits));
        }
        if self.commits % 100 == 99 {
            let first = 1 + self.dice.below(ids.len() - 10);
            ids[first..first + 5].iter().for_each(|id| drop(self.lines.remove(id)));
        }
    }

    /// Adds commits with `git fast-import`; `files` are others that change, and the ledger changes once in `every`.
    fn import(&mut self, dir: &Path, commits: usize, rename_at: usize, files: usize, every: usize, unpack: &str) {
        let mut command = git(dir, &["-c", unpack, "fast-import", "--quiet"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut out = BufWriter::new(child.stdin.take().unwrap());
        let first = self.commits;
        for _ in 0..commits {
            let time = 1_700_000_000 + self.commits * 60;
            writeln!(out, "commit refs/heads/main\ncommitter Ann <ann@example.org> {time} +0000\ndata 1\nx").unwrap();
            // Within one run the branch goes on by itself.
            if self.commits == first && first > 0 {
                writeln!(out, "from refs/heads/main^0").unwrap();
            }
            if self.commits == rename_at && rename_at > 0 {
                writeln!(out, "R {OLD} {LEDGER}").unwrap();
            }
            if files > 0 {
                let file = self.dice.below(files);
                let text = self.dice.words(40);
                writeln!(out, "M 100644 inline src/part{}/file{file}\ndata {}\n{text}", file % 20, text.len()).unwrap();
            }
            if self.commits.is_multiple_of(every) {
                self.change();
                let name = if self.commits < rename_at { OLD } else { LEDGER };
                let bytes: usize = self.lines.values().map(|line| line.len() + 2).sum();
                writeln!(out, "M 100644 inline {name}\ndata {bytes}").unwrap();
                self.lines.values().for_each(|line| writeln!(out, "{line}}}").unwrap());
            }
            self.commits += 1;
        }
        out.flush().unwrap();
        drop(out);
        assert!(child.wait().unwrap().success(), "git fast-import failed");
        must(git(dir, &["reset", "-q", "--hard", "main"]));
    }
}

/// The smallest time of several runs, in milliseconds.
fn best(runs: usize, mut work: impl FnMut()) -> f64 {
    let once = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(once).fold(f64::MAX, f64::min)
}

fn measure(what: &str, dir: &Path, runs: usize) {
    let floor = best(runs, || must(git(dir, &["log", "--format=%H", "--", LEDGER])));
    let line = |name: &str, value: f64| println!("{what:<16} {name:<36} {value:>10.1} {:>10.2}", value / floor);
    line("git log -- LEDGER", floor);
    let env = beads::internal::sys::Env::default();
    let opened = beads::internal::vcs::open(dir);
    let mut found = None;
    let steps = best(runs, || {
        let mut archive = opened.archive(&env).unwrap();
        let tips = archive.tips().unwrap();
        found = Some(archive.steps(&beads::internal::vcs::Trail::of(Path::new(LEDGER)), &tips).unwrap());
    });
    let found = found.unwrap();
    line(&format!("library: {} steps", found.all.len()), steps);
    let versions: Vec<_> = found.all.iter().filter_map(|step| step.after.clone()).collect();
    let mut told = Vec::new();
    let lines = best(runs, || {
        let mut archive = opened.archive(&env).unwrap();
        told = archive.lines_with(&versions, format!("\"{ISSUE}\"").as_bytes()).unwrap();
    });
    assert!(told.len() == versions.len() && told.iter().all(|lines| lines.len() == 1), "each version has the issue");
    line("library: lines with ID", lines);
    for (name, args) in COMMANDS {
        let cache = tempfile::tempdir().unwrap();
        let run = |without: &str| {
            let mut command = Command::new(BD);
            command.args(args).current_dir(dir).env("XDG_CACHE_HOME", cache.path()).env("BD_NO_IMAGE", without);
            assert!(command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success(), "{name} failed");
        };
        line(&format!("{name}, no index"), best(1, || run("1")));
        line(&format!("{name}, new index"), best(1, || run("0")));
        line(name, best(runs, || run("0")));
    }
}

/// What the first question costs after a commit of one changed line.
fn measure_growing(what: &str, dir: &Path, runs: usize) {
    let cache = tempfile::tempdir().unwrap();
    let ask = || {
        let mut command = Command::new(BD);
        command.args(["log", ISSUE]).current_dir(dir).env("XDG_CACHE_HOME", cache.path());
        must(command);
    };
    ask();
    let grown = |n: usize| {
        let ledger = dir.join(LEDGER);
        let text = std::fs::read_to_string(&ledger).unwrap();
        let (rest, end) = text.rsplit_once('}').unwrap();
        std::fs::write(&ledger, format!("{rest},\"more_{n}\":1}}{end}")).unwrap();
        must(git(dir, &["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "commit", "-qam", "more"]));
        best(1, ask)
    };
    let after = (0..runs).map(grown).fold(f64::MAX, f64::min);
    let floor = best(runs, || must(git(dir, &["log", "--format=%H", "--", LEDGER])));
    println!("{what:<16} {:<36} {after:>10.1} {:>10.2}", "bd log ID after a commit", after / floor);
}

fn main() {
    // `cargo test --benches` passes --test: there is nothing to test here.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let setting =
        |name: &str, usual: usize| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (issues, commits) = (setting("BD_BENCH_ISSUES", 10_000), setting("BD_BENCH_COMMITS", 2_000));
    let (code, runs) = (setting("BD_BENCH_CODE", 50_000), setting("BD_BENCH_RUNS", 5));
    let root = tempfile::tempdir().unwrap();
    let there = std::env::var_os("BD_BENCH_DIR");
    println!("{:<16} {:<36} {:>10} {:>10}", "repository", "what", "ms", "x git log");
    if let Some(there) = there {
        return measure("as it is", Path::new(&there), runs);
    }
    let packed = "fastimport.unpackLimit=1";
    if commits > LOOSE {
        let dir = root.path().join("ledger");
        must(git(root.path(), &["init", "-q", "-b", "main", "ledger"]));
        let mut history = History::new(issues);
        history.import(&dir, commits - LOOSE, commits / 3, 0, 1, packed);
        must(git(&dir, &["gc", "-q"]));
        history.import(&dir, LOOSE, commits / 3, 0, 1, "fastimport.unpackLimit=1000000");
        measure("100 loose", &dir, runs);
        must(git(&dir, &["gc", "-q"]));
        measure("all packed", &dir, runs);
        measure_growing("all packed", &dir, runs);
    }
    if code > 0 {
        let dir = root.path().join("code");
        must(git(root.path(), &["init", "-q", "-b", "main", "code"]));
        History::new(200).import(&dir, code, 0, 2_000, 1_000, packed);
        must(git(&dir, &["gc", "-q"]));
        measure("code", &dir, runs);
    }
}
