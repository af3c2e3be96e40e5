//! `bd sync` in a loop on a clone in which three others write, while another clone writes and syncs too.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::effort::pick;
use crate::support::programs::have;
use crate::sync::world::{Desk, Way, World, by_id, describe};

const WRITERS: usize = 3;

/// Between two writes of one writer: no one types faster, and otherwise the ledger outgrows what is being tested.
const BETWEEN_WRITES: Duration = Duration::from_millis(20);

/// Ends the loops of other threads, also when this one panics.
struct Ender<'a>(&'a AtomicBool);

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn git() {
    if have(&["git"]) {
        syncs_under_writers(Way::Git, pick(60, 90, 1_000));
    }
}

#[test]
fn jj() {
    if have(&["git", "jj"]) {
        syncs_under_writers(Way::JjBeside, pick(12, 24, 1_000));
    }
}

#[test]
fn hg() {
    if have(&["hg"]) {
        syncs_under_writers(Way::Hg, pick(24, 24, 1_000));
    }
}

/// An acknowledged write: the id and a word that must be in its line.
type Written = (String, String);

/// `None` if the ledger was busy.
fn write(desk: &Desk, shared: &str, word: String, note: bool) -> Option<Written> {
    let args = if note { vec!["note", shared, &word] } else { vec!["add", &word] };
    let output = desk.run(&args);
    match output.status.code() {
        Some(0) => {
            let said = String::from_utf8(output.stdout).unwrap();
            let id = if note { shared.to_owned() } else { said.trim().rsplit(' ').next().unwrap().to_owned() };
            Some((id, word))
        }
        Some(6) => None,
        _ => panic!("bd {args:?}: {}", describe(&output)),
    }
}

fn syncs_under_writers(way: Way, goal: usize) {
    let world = World::new();
    let desks = world.clones(&[way, way]);
    let [here, there] = desks.as_slice() else { unreachable!("two clones") };
    let shared: Vec<String> = (0..4)
        .map(|n| here.ok(&["add", &format!("Shared {n}")]).trim().rsplit(' ').next().unwrap().to_owned())
        .collect();
    here.sync();
    there.sync();
    let (end, acknowledged, busy) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let (met, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let budget = Duration::from_secs(pick(600, 600, 1_800));
    let start = Instant::now();
    let (written, elsewhere, syncs, outrun) = thread::scope(|scope| {
        let (end, acknowledged, busy, met, done, shared) = (&end, &acknowledged, &busy, &met, &done, &shared);
        // Until there are enough writes, and a sync had to merge while they went on.
        let go_on = move || {
            let enough = acknowledged.load(Ordering::Relaxed) >= goal && met.load(Ordering::Relaxed) > 0;
            !enough && start.elapsed() < budget && !end.load(Ordering::Relaxed)
        };
        let writers: Vec<_> = (0..WRITERS)
            .map(|n| {
                scope.spawn(move || {
                    let _ender = PanicEnds(end);
                    let mut written = Vec::new();
                    for count in 0.. {
                        if !go_on() {
                            break;
                        }
                        match write(here, &shared[count % shared.len()], format!("w{n}x{count}y"), count % 2 == 1) {
                            Some(done) => {
                                written.push(done);
                                acknowledged.fetch_add(1, Ordering::Relaxed);
                            }
                            None => drop(busy.fetch_add(1, Ordering::Relaxed)),
                        }
                        thread::sleep(BETWEEN_WRITES);
                    }
                    written
                })
            })
            .collect();
        let other = scope.spawn(move || {
            let _ender = PanicEnds(end);
            let mut written = Vec::new();
            for count in 0.. {
                if !go_on() {
                    break;
                }
                written.extend(write(there, &shared[count % shared.len()], format!("other{count}y"), count % 3 == 2));
                if count % 5 == 4 {
                    sync(there);
                    // Otherwise the slower one would never get to push.
                    let before = done.load(Ordering::Relaxed);
                    while go_on() && done.load(Ordering::Relaxed) == before {
                        thread::sleep(Duration::from_millis(5));
                    }
                }
            }
            written
        });
        let _ender = Ender(end);
        let (mut syncs, mut outrun) = (0, 0);
        while go_on() {
            let (report, is_done) = sync(here);
            syncs += 1;
            done.fetch_add(1, Ordering::Relaxed);
            outrun += usize::from(!is_done);
            met.fetch_add(
                usize::from(report["integrated"] == "merged" || report["integrated"] == "rebased"),
                Ordering::Relaxed,
            );
        }
        let written: Vec<Written> =
            writers.into_iter().flat_map(|thread| thread.join().expect("writers end well")).collect();
        (written, other.join().expect("the other clone ends well"), syncs, outrun)
    });
    let (took, received) = (start.elapsed(), met.load(Ordering::Relaxed));
    for desk in [there, here, there, here] {
        desk.sync();
    }
    assert!(here.bytes() == there.bytes(), "the ledgers differ");
    let lines = by_id(&here.bytes());
    let is_gone = |(id, word): &&Written| {
        // In JSON the end of a line is two characters, of which the second is a letter.
        let text = lines.get(id).map(|line| line.to_string().replace("\\n", " ")).unwrap_or_default();
        !text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word)
    };
    let lost: Vec<&Written> = written.iter().chain(&elsewhere).filter(is_gone).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert_eq!((here.dirty(), there.dirty()), (String::new(), String::new()));
    assert!(written.len() >= goal, "{} writes in {took:?}", written.len());
    assert!(received > 0, "none of {syncs} syncs met the {} writes of the other clone", elsewhere.len());
    println!(
        "load in {way:?}: {} writes by {WRITERS} writers and {} in the other clone, 0 lost, during {syncs} syncs ({received} \
         merged or rebased, {outrun} busy); {} writes were told busy, {:.1} s",
        written.len(),
        elsewhere.len(),
        busy.load(Ordering::Relaxed),
        took.as_secs_f64()
    );
}

/// Ends the loops of the others if this thread panics.
struct PanicEnds<'a>(&'a AtomicBool);

impl Drop for PanicEnds<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// The report of a sync, and whether it was done: the repository may be busy, or the other clone may outrun it until it
/// gives up.
fn sync(desk: &Desk) -> (serde_json::Value, bool) {
    let output = desk.run(&["sync", "--json"]);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 6)), "{}: bd sync: {}", desk.name, describe(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (report["repos"][0].clone(), code == Some(0))
}
