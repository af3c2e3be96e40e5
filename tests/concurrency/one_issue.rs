//! Many processes add to one issue. Nothing that was acknowledged may be missing, not even for a moment.

use std::fs;
use std::time::Instant;

use crate::concurrency::sandbox::{Sandbox, alone, at_once, describe};
use crate::support::effort::pick;

#[test]
fn no_label_and_no_note_is_lost() {
    let _turn = alone();
    let (processes, each) = pick((8, 10), (8, 15), (16, 250));
    let sandbox = Sandbox::on_disk();
    let id = sandbox.add("Shared");

    let start = Instant::now();
    at_once(processes, |n| {
        for k in 0..each {
            let word = format!("w{n}-{k}-end");
            let output =
                sandbox.run(&if k % 2 == 0 { vec!["label", "add", &id, &word] } else { vec!["note", &id, &word] });
            assert!(output.status.success() && output.stderr.is_empty(), "{}", describe(&output));
            let now = fs::read_to_string(sandbox.ledger()).unwrap();
            assert!(now.contains(&word), "{word} was acknowledged and is not in the ledger");
        }
    });
    let took = start.elapsed();

    let issues = sandbox.issues();
    let issue = issues.get(&id);
    let labels: Vec<&str> = issue["labels"].as_array().unwrap().iter().map(|label| label.as_str().unwrap()).collect();
    let notes: Vec<&str> = issue["notes"].as_str().unwrap().lines().collect();
    for n in 0..processes {
        for k in 0..each {
            let word = format!("w{n}-{k}-end");
            let found = if k % 2 == 0 { &labels } else { &notes };
            assert_eq!(found.iter().filter(|text| ***text == word).count(), 1, "{word}");
        }
    }
    assert_eq!(sandbox.leftovers(), [""; 0]);
    println!(
        "one issue: {processes} processes x {each}: {} labels and {} note lines of {} writes in {:.1} s",
        labels.len(),
        notes.iter().filter(|line| !line.is_empty()).count(),
        processes * each,
        took.as_secs_f64(),
    );
}
