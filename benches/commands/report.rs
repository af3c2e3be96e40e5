//! Figures as tables of Markdown, ready for `docs/benchmarks.md`.

use std::fmt::Write as _;
use std::process::Command;

use super::subject::{Subject, TASKS, Work};

/// What was measured of one task with one program.
#[derive(Clone, Default)]
pub struct Figures {
    /// In milliseconds, sorted.
    pub times: Vec<f64>,
    /// In millions.
    pub instructions: Option<f64>,
    /// In megabytes.
    pub peak: Option<f64>,
}

impl Figures {
    pub fn median(&self) -> Option<f64> {
        self.times.get(self.times.len() / 2).copied()
    }
}

/// All figures of one size: per task, per program.
pub struct Sized {
    pub size: usize,
    pub figures: Vec<Vec<Figures>>,
}

/// A figure with three digits that mean something.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

fn ratio(one: Option<f64>, other: Option<f64>) -> String {
    number(one.zip(other).map(|(one, other)| one / other))
}

fn row(out: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

fn head(out: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<String> = cells.into_iter().collect();
    let line = format!("|---|{}", "---:|".repeat(cells.len() - 1));
    row(out, cells);
    let _ = writeln!(out, "{line}");
}

/// When, on which machine, with which programs.
pub fn about(subjects: &[Subject], runs: &str) -> String {
    let said = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned()).filter(|text| !text.is_empty())
    };
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|found| found.1.to_owned()));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let or = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    let mut out = String::new();
    let date = or(said("date", &["-u", "+%Y-%m-%d"]));
    let disk = said("stat", &["-f", "-c", "%T", env!("CARGO_TARGET_TMPDIR")]);
    let _ = writeln!(
        out,
        "{date}, {} ({cores} cores), {}, {}, {}.",
        or(cpu),
        or(said("uname", &["-sr"])),
        or(disk),
        or(said("rustc", &["--version"]))
    );
    let versions = subjects.iter().filter_map(|one| Some(format!("{}: {}", one.name, one.version()?)));
    let _ = writeln!(out, "{}. {runs}", versions.collect::<Vec<_>>().join("; "));
    out
}

/// One size: times, instructions, memory.
pub fn size(sized: &Sized, subjects: &[Subject]) -> String {
    let mut out = format!("\n### {} lines\n\nMilliseconds, median (minimum):\n\n", grouped(sized.size));
    let ours = subjects.iter().position(|one| one.name == "bd").expect("bd is always measured");
    let others = || (0..subjects.len()).filter(move |n| *n != ours);
    let names = subjects.iter().map(|one| one.name.clone());
    let ratios = others().map(|n| match subjects[n].name.as_str() {
        "floor" => "bd / floor".to_owned(),
        name => format!("{name} / bd"),
    });
    head(&mut out, ["command".to_owned()].into_iter().chain(names).chain(ratios));
    for (task, found) in TASKS.iter().zip(&sized.figures) {
        let cell = |one: &Figures| match one.times.first() {
            Some(least) => format!("{} ({})", number(one.median()), number(Some(*least))),
            None => "-".to_owned(),
        };
        let ratios = others().map(|n| match subjects[n].name.as_str() {
            "floor" => ratio(found[ours].median(), found[n].median()),
            _ => ratio(found[n].median(), found[ours].median()),
        });
        row(&mut out, [task.name.to_owned()].into_iter().chain(found.iter().map(cell)).chain(ratios));
    }
    for (title, of) in [
        ("Instructions in millions (callgrind)", (|one: &Figures| one.instructions) as fn(&Figures) -> Option<f64>),
        ("Peak memory in megabytes", |one: &Figures| one.peak),
    ] {
        if sized.figures.iter().flatten().all(|one| of(one).is_none()) {
            continue;
        }
        let _ = writeln!(out, "\n{title}:\n");
        head(&mut out, ["command".to_owned()].into_iter().chain(subjects.iter().map(|one| one.name.clone())));
        for (task, found) in
            TASKS.iter().zip(&sized.figures).filter(|(_, found)| found.iter().any(|one| of(one).is_some()))
        {
            row(&mut out, [task.name.to_owned()].into_iter().chain(found.iter().map(|one| number(of(one)))));
        }
    }
    out
}

/// How the medians of `bd` grow with the ledger, as a table and as bars on a logarithmic scale.
pub fn growth(all: &[Sized], subjects: &[Subject]) -> String {
    let ours = subjects.iter().position(|one| one.name == "bd").expect("bd is always measured");
    let floor = subjects.iter().position(|one| one.name == "floor");
    let mut out = String::from("\n### Growth\n\nMedians of `bd` in milliseconds:\n\n");
    let sizes = all.iter().map(|sized| grouped(sized.size));
    head(&mut out, ["command".to_owned()].into_iter().chain(sizes).chain(["last / first".to_owned()]));
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    for (n, task) in TASKS.iter().enumerate() {
        rows.push((task.name.to_owned(), all.iter().map(|sized| sized.figures[n][ours].median()).collect()));
    }
    for (name, work) in [("floor: read", Work::Read), ("floor: write", Work::Write)] {
        let task = TASKS.iter().position(|task| task.work == work).expect("there are such tasks");
        if let Some(floor) = floor {
            rows.push((name.to_owned(), all.iter().map(|sized| sized.figures[task][floor].median()).collect()));
        }
    }
    for (name, medians) in &rows {
        let last = ratio(medians.last().copied().flatten(), medians.first().copied().flatten());
        row(&mut out, [name.clone()].into_iter().chain(medians.iter().map(|one| number(*one))).chain([last]));
    }
    out.push_str("\nOne `#` more is a quarter more time; 0.1 ms has none.\n\n```\n");
    for (name, medians) in &rows {
        for (sized, median) in all.iter().zip(medians) {
            let Some(median) = median else { continue };
            let bar = "#".repeat(((median / 0.1).max(1.0).ln() / 1.25f64.ln()).round() as usize);
            let _ = writeln!(out, "{name:<20} {:>9} {:>9} ms {bar}", grouped(sized.size), number(Some(*median)));
        }
    }
    out.push_str("```\n");
    out
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|part| std::str::from_utf8(part).expect("digits")).collect();
    parts.join(",")
}
