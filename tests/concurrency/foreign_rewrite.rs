//! Another program replaces the ledger while `bd` writes. It takes no lock, so `bd` cannot keep it from overwriting a write
//! of `bd`; what `bd` promises is that it never overwrites a version that it has not read.
//!
//! The foreign program here is a careful one: it reads, appends a line, looks whether the file still is what it read, and
//! swaps its version in. The swap hands it the version that it displaced, so it knows, and confesses, which lines of `bd`
//! it overwrote. Every other line must be there at the end, its own ones without exception.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::concurrency::sandbox::{Ender, Issues, Sandbox, alone, at_once, created, describe};
use crate::support::effort::pick;

#[derive(Default)]
struct Confession {
    /// Lines that the foreign program put in.
    put: Vec<String>,
    /// Ids that it displaced and had not read.
    overwritten: HashSet<String>,
    /// Times it saw in time that the file had changed.
    yielded: usize,
}

#[test]
fn a_version_that_was_not_read_is_never_overwritten() {
    let _turn = alone();
    let (writers, each) = (3, pick(40, 50, 400));
    let sandbox = Sandbox::on_disk().filled(200);
    let (over, put) = (AtomicBool::new(false), AtomicUsize::new(0));
    let start = Instant::now();
    let (filed, foreign) = thread::scope(|scope| {
        let foreign = scope.spawn(|| rewrite(&sandbox, &over, &put));
        let ender = Ender(&over);
        let filed: Vec<String> = at_once(writers, |n| {
            let add = |k: usize| {
                let output = sandbox.run(&["add", &format!("w{n}-{k}-end")]);
                created(&output.stdout).unwrap_or_else(|| panic!("{}", describe(&output)))
            };
            // The foreign program must have come to write, too.
            let shown = || put.load(Ordering::Relaxed) >= 3;
            (0..each * 50).take_while(|k| *k < each || !shown()).map(add).collect::<Vec<_>>()
        })
        .concat();
        drop(ender);
        (filed, foreign.join().unwrap())
    });

    let issues = Issues::read(&sandbox.ledger());
    let present: HashSet<&str> = issues.ids().into_iter().collect();
    let missing: Vec<&String> = filed.iter().filter(|id| !present.contains(id.as_str())).collect();
    let unexplained: Vec<_> = missing.iter().filter(|id| !foreign.overwritten.contains(id.as_str())).collect();
    let gone: Vec<_> = foreign.put.iter().filter(|id| !present.contains(id.as_str())).collect();
    println!(
        "foreign rewrite: {} acknowledged adds by {writers} writers, {} foreign replacements ({} given up in time), {:.1} s: \
         foreign lines lost {}; bd lines overwritten by the foreign program itself {}, otherwise lost {}",
        filed.len(),
        foreign.put.len(),
        foreign.yielded,
        start.elapsed().as_secs_f64(),
        gone.len(),
        missing.len() - unexplained.len(),
        unexplained.len(),
    );
    assert!(!foreign.put.is_empty(), "the foreign program never came to write");
    assert!(gone.is_empty(), "bd overwrote versions that it had not read: {gone:?}");
    assert!(unexplained.is_empty(), "acknowledged and lost: {unexplained:?}");
    assert_eq!(present.iter().filter(|id| id.starts_with("s-")).count(), 200, "seed issues were lost");
    sandbox.add("The next write");
    assert_eq!(sandbox.leftovers(), [""; 0]);
}

fn rewrite(sandbox: &Sandbox, over: &AtomicBool, put: &AtomicUsize) -> Confession {
    let mut confession = Confession::default();
    let (ledger, own) = (sandbox.ledger(), sandbox.repo().join("foreign"));
    while !over.load(Ordering::Relaxed) {
        let read_from = stamp(&ledger);
        let old = fs::read(&ledger).unwrap();
        let id = format!("z-{:06}", confession.put.len());
        fs::write(&own, [&old[..], format!("{{\"id\":\"{id}\",\"title\":\"Foreign\"}}\n").as_bytes()].concat())
            .unwrap();
        if stamp(&ledger) != read_from {
            confession.yielded += 1;
            continue;
        }
        renameat_with(CWD, &own, CWD, &ledger, RenameFlags::EXCHANGE).unwrap();
        let displaced = Issues::read(&own);
        let read = Issues::parse(&old).unwrap();
        let known: HashSet<&str> = read.ids().into_iter().collect();
        confession.overwritten.extend(displaced.ids().into_iter().filter(|id| !known.contains(id)).map(str::to_owned));
        confession.put.push(id);
        put.fetch_add(1, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(1));
    }
    confession
}

fn stamp(path: &Path) -> (u64, u64, i64, i64, i64) {
    let meta = fs::metadata(path).unwrap();
    (meta.ino(), meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ctime_nsec())
}
