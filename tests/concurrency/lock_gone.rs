//! `git clean -fdx` and `git status` in a loop while issues are filed. There is no lock file to clean away; a temporary
//! file can be removed, and the write must survive that.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use crate::concurrency::sandbox::{Ender, Sandbox, alone, at_once, created, describe};
use crate::support::effort::pick;

#[test]
fn git_clean_takes_nothing_from_a_writer() {
    let _turn = alone();
    let (processes, each) = pick((8, 8), (10, 12), (40, 100));
    let sandbox = Sandbox::on_disk().filled(200);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);

    let start = Instant::now();
    let over = AtomicBool::new(false);
    let (results, cleaned) = thread::scope(|scope| {
        let cleaner = scope.spawn(|| {
            let mut rounds = 0;
            while !over.load(Ordering::Relaxed) {
                // git itself gives up when a file disappears between its listing and its stat: that does not matter
                // here.
                sandbox.program("git").args(["clean", "-fdxq"]).output().unwrap();
                sandbox.git(&["status", "--porcelain"]);
                rounds += 1;
            }
            rounds
        });
        let ender = Ender(&over);
        let add = |n: usize, k: usize| {
            let title = format!("w{n}-{k}-end");
            (sandbox.run(&["add", &title]), title)
        };
        let results = at_once(processes, |n| (0..each).map(|k| add(n, k)).collect::<Vec<_>>()).concat();
        drop(ender);
        (results, cleaner.join().unwrap())
    });
    let took = start.elapsed();

    let issues = sandbox.issues();
    let (ids, titles): (HashSet<&str>, HashSet<&str>) =
        (issues.ids().into_iter().collect(), issues.titles().into_iter().collect());
    assert_eq!(issues.ids().iter().filter(|id| id.starts_with("s-")).count(), 200, "seed issues were lost");
    let (done, failed): (Vec<_>, Vec<_>) = results.iter().partition(|(output, _)| output.status.success());
    for (output, _) in &done {
        let id = created(&output.stdout).unwrap_or_else(|| panic!("{}", describe(output)));
        assert!(ids.contains(id.as_str()), "{id} was acknowledged and is lost");
    }
    let written = failed.iter().filter(|(_, title)| titles.contains(title.as_str())).count();
    let first = failed.first().map(|(output, _)| describe(output)).unwrap_or_default();
    println!(
        "lock gone: {} adds by {processes} processes during {cleaned} rounds of git clean and git status: {} present, {} failed \
         ({written} of them although they had written), {:.1} s {first}",
        results.len(),
        done.len(),
        failed.len(),
        took.as_secs_f64(),
    );
    assert_eq!(written, 0, "failed, but had written: {first}");
    assert!(failed.is_empty(), "{first}");
    sandbox.add("The next write");
    assert_eq!(sandbox.leftovers(), [""; 0]);
}
