//! The benchmark of `docs/benchmarks.md` in its shortest form, so that it still works when someone needs its figures.

#[path = "../../benches/commands/ledger.rs"]
mod ledger;
#[path = "../../benches/commands/measure.rs"]
#[expect(dead_code, reason = "the benchmark itself reads its settings from the environment")]
mod measure;
#[path = "../../benches/commands/report.rs"]
mod report;
#[path = "../../benches/commands/subject.rs"]
mod subject;

use std::path::PathBuf;

use crate::support::programs::have;
use crate::support::user::BD;

#[test]
fn every_command_is_measured_with_every_program() {
    if !have(&["cc", "git"]) {
        return;
    }
    let bd = PathBuf::from(BD);
    let settings = measure::Settings {
        sizes: vec![60, 120],
        runs: Some(2),
        old: Some(bd.display().to_string()),
        peers: vec![("peer".to_owned(), bd)],
        instructions: false,
        library: false,
    };
    let mut report = String::new();
    measure::run(&settings, &mut |text| report.push_str(text));
    assert!(
        report.contains("; old: bd version ") && report.contains("Runs of each command, by size: 2, 2."),
        "{report}"
    );
    let (tables, growth) = report.split_once("### Growth").expect("the report ends with the growth");
    let parts: Vec<&str> = tables.split("### ").skip(1).collect();
    assert_eq!(parts.len(), 2, "{report}");
    for (part, title) in parts.iter().zip(["60 lines", "120 lines"]) {
        assert!(part.starts_with(title), "{report}");
        let (times, memory) = part.split_once("Peak memory").expect("the memory follows the times");
        assert!(times.contains("| command | floor | bd | old | peer | bd / floor | old / bd | peer / bd |"), "{times}");
        for task in &subject::TASKS {
            // There is no lower bound for startup alone, and only our own cache can be removed.
            let missing = match task.work {
                subject::Work::Start => vec![0, 4],
                subject::Work::Cold => vec![3, 6],
                _ => Vec::new(),
            };
            let cells = cells(times, task.name);
            let holes: Vec<usize> = (0..cells.len()).filter(|n| cells[*n] == "-").collect();
            assert_eq!((cells.len(), holes), (7, missing), "{}: {report}", task.name);
            assert!(cells[1].split(' ').next().unwrap().parse::<f64>().unwrap() > 0.0, "{report}");
            assert!(self::cells(memory, task.name)[1].parse::<f64>().unwrap() > 1.0, "{report}");
        }
    }
    for name in subject::TASKS.iter().map(|task| task.name).chain(["floor: read", "floor: write"]) {
        assert!(!cells(growth, name).contains(&"-"), "{growth}");
        let bars = growth.lines().filter(|line| line.get(..20).is_some_and(|start| start.trim_end() == name));
        assert_eq!(bars.count(), 2, "{growth}");
    }
}

/// The cells after the name of a row.
fn cells<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let start = format!("| {name} | ");
    let row =
        table.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no {name} in {table}"));
    row.trim_end_matches(" |").split(" | ").collect()
}
