//! Many processes file issues into one ledger.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::concurrency::sandbox::{Sandbox, alone, at_once, created, describe};
use crate::support::effort::pick;

#[test]
fn every_add_is_there_once() {
    let _turn = alone();
    let (processes, each) = pick((30, 4), (30, 6), (150, 10));
    let sandbox = Sandbox::on_disk().filled(1_000);
    let size = sandbox.ledger().metadata().unwrap().len();
    assert!((250_000..320_000).contains(&size), "{size}");

    let start = Instant::now();
    let filed: Vec<(String, Duration)> = at_once(processes, |n| {
        let add = |k: usize| {
            let start = Instant::now();
            let output = sandbox.run(&["add", &format!("Process {n}, issue {k}")]);
            let waited = start.elapsed();
            assert!(output.status.success() && output.stderr.is_empty(), "{}", describe(&output));
            (created(&output.stdout).unwrap_or_else(|| panic!("{}", describe(&output))), waited)
        };
        (0..each).map(add).collect::<Vec<_>>()
    })
    .concat();
    let took = start.elapsed();

    let issues = sandbox.issues();
    let printed: HashSet<&str> = filed.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(printed.len(), processes * each, "an id was printed twice");
    let present: HashSet<&str> = issues.ids().into_iter().filter(|id| id.starts_with("t-")).collect();
    let lost: Vec<_> = printed.difference(&present).collect();
    let unknown: Vec<_> = present.difference(&printed).collect();
    assert!(
        lost.is_empty() && unknown.is_empty(),
        "printed and lost: {lost:?}; present and never printed: {unknown:?}"
    );
    assert_eq!(issues.ids().len(), 1_000 + processes * each);
    assert_eq!(sandbox.leftovers(), [""; 0]);

    let mut waits: Vec<Duration> = filed.into_iter().map(|(_, waited)| waited).collect();
    waits.sort();
    let at = |percent: usize| waits[(waits.len() - 1) * percent / 100].as_millis();
    println!(
        "adds: {processes} processes x {each} into {} KB: {} of {} present once in {:.1} s; wait p50 {} ms, p99 {} ms, max {} ms",
        size / 1_000,
        present.len(),
        processes * each,
        took.as_secs_f64(),
        at(50),
        at(99),
        at(100),
    );
}
