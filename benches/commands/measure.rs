//! One run over all sizes: the programs take turns, so that a busy moment of the machine meets all of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::report::{self, Figures, Sized};
use super::subject::{Kind, Subject, TASKS, Work};

/// Slower commands are not run under callgrind, which takes fifty times as long.
const TOO_SLOW: f64 = 500.0;

pub struct Settings {
    pub sizes: Vec<usize>,
    /// How often each command runs; by the size if it is not said.
    pub runs: Option<usize>,
    /// Another version of `bd`: a program, or a revision of this repository.
    pub old: Option<String>,
    pub peers: Vec<(String, PathBuf)>,
    pub instructions: bool,
    /// The tables about the library and about several repos, too.
    pub library: bool,
}

impl Settings {
    pub fn from_env() -> Self {
        let setting = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let sizes = setting("BD_BENCH_SIZES").unwrap_or_else(|| "1000,10000,100000".to_owned());
        let sizes = sizes.split(',').map(|text| text.trim().parse().expect("BD_BENCH_SIZES is a list of numbers"));
        let peers = setting("BD_PEERS").unwrap_or_default();
        let peer = |text: &str| {
            let (name, path) = text.split_once('=').expect("BD_PEERS is a list of NAME=PATH");
            (name.to_owned(), PathBuf::from(path))
        };
        Settings {
            sizes: sizes.collect(),
            runs: setting("BD_BENCH_RUNS").map(|text| text.parse().expect("BD_BENCH_RUNS is a number")),
            old: setting("BD_BENCH_OLD"),
            peers: peers.split(',').filter(|text| !text.is_empty()).map(peer).collect(),
            instructions: setting("BD_BENCH_INSTRUCTIONS").is_none_or(|value| value != "0"),
            library: setting("BD_BENCH_LIBRARY").is_some_and(|value| value == "1"),
        }
    }

    pub fn runs(&self, size: usize) -> usize {
        let usual = match size {
            0..=9_999 => 21,
            10_000..=99_999 => 15,
            100_000..=999_999 => 9,
            _ => 5,
        };
        self.runs.unwrap_or(usual).max(1)
    }
}

/// Measures all sizes; `say` gets the report as it grows.
pub fn run(settings: &Settings, say: &mut dyn FnMut(&str)) {
    let work = tempfile::Builder::new().prefix("bench-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let floor = compiled_floor(work.path());
    let mut programs: Vec<(String, PathBuf, Kind)> = Vec::new();
    programs.extend(floor.clone().map(|floor| ("floor".to_owned(), floor, Kind::Floor)));
    programs.push(("bd".to_owned(), PathBuf::from(env!("CARGO_BIN_EXE_bd")), Kind::Bd));
    programs.extend(settings.old.as_ref().map(|old| ("old".to_owned(), built(old), Kind::Bd)));
    programs.extend(settings.peers.iter().map(|(name, path)| (name.clone(), path.clone(), Kind::Peer)));
    let counts = settings.instructions && Command::new("valgrind").arg("--version").output().is_ok();
    let mut all = Vec::new();
    for (n, &size) in settings.sizes.iter().enumerate() {
        let place = work.path().join(size.to_string());
        let made = programs.iter().map(|(name, program, kind)| Subject::new(&place, name, program, *kind, size));
        let subjects: Vec<Subject> = made.collect();
        if n == 0 {
            let runs: Vec<String> = settings.sizes.iter().map(|size| settings.runs(*size).to_string()).collect();
            say(&report::about(&subjects, &format!("Runs of each command, by size: {}.", runs.join(", "))));
        }
        // Stamps younger than the racy window would make the first reads compare bytes.
        std::thread::sleep(std::time::Duration::from_millis(100));
        let runs = settings.runs(size);
        let mut figures = vec![vec![Figures::default(); subjects.len()]; TASKS.len()];
        let mut rest = figures.as_mut_slice();
        // Commands that change nothing take turns as well, so that they can be compared with each other.
        for tasks in TASKS.chunk_by(|one, next| [one, next].iter().all(|task| task.only_looks())) {
            let (group, others) = std::mem::take(&mut rest).split_at_mut(tasks.len());
            rest = others;
            // The first turn is not counted: it fills the caches of the system and of the programs.
            for turn in 0..=runs {
                for (task, found) in tasks.iter().zip(group.iter_mut()) {
                    for (one, found) in subjects.iter().zip(found) {
                        let time = one.time(task, turn);
                        found.times.extend(time.filter(|_| turn > 0));
                    }
                }
            }
            for (task, found) in tasks.iter().zip(group) {
                for (one, found) in subjects.iter().zip(found) {
                    found.times.sort_by(f64::total_cmp);
                    let is_quick = found.median().is_some_and(|median| median < TOO_SLOW);
                    if counts && is_quick && (task.only_looks() || task.work == Work::After) {
                        found.instructions = one.instructions(task, runs + 1);
                    }
                    if let Some(floor) = floor.as_deref().filter(|_| found.median().is_some()) {
                        found.peak = one.peak(task, runs + 2, floor);
                    }
                }
            }
        }
        let sized = Sized { size, figures };
        say(&report::size(&sized, &subjects));
        all.push(sized);
        if n + 1 == settings.sizes.len() {
            say(&report::growth(&all, &subjects));
        }
        drop(subjects);
        std::fs::remove_dir_all(&place).unwrap();
    }
}

/// The floor, if there is a compiler of C; the one that built SQLite is.
fn compiled_floor(work: &Path) -> Option<PathBuf> {
    let floor = work.join("floor");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/commands/floor.c");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let compiled = Command::new(&compiler).args(["-O2", "-o"]).arg(&floor).arg(source).status();
    match compiled {
        Ok(status) if status.success() => Some(floor),
        _ => {
            eprintln!("no floor and no memory: {compiler} does not compile {source}");
            None
        }
    }
}

/// Another version: a program as it is, or a revision that is built once, under `target`.
fn built(old: &str) -> PathBuf {
    if Path::new(old).is_file() {
        return std::path::absolute(old).unwrap();
    }
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bd-{old}"));
    let program = place.join("target/release/bd");
    if !program.is_file() {
        eprintln!("building {old}, once");
        let source = place.join("source");
        std::fs::create_dir_all(&source).unwrap();
        let run = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?} failed");
        let archive = place.join("source.tar");
        let root = env!("CARGO_MANIFEST_DIR");
        run(Command::new("git").args(["-C", root, "archive", "-o"]).arg(&archive).arg(old));
        run(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(&source));
        run(Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
            .args(["build", "--release", "--bin", "bd"])
            .current_dir(&source)
            // Every version is measured as `dist` builds it; older ones have no profile of that name.
            .envs([("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")])
            .env("CARGO_TARGET_DIR", place.join("target")));
    }
    program
}
