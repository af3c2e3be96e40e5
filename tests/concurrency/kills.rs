//! Writers that are killed (SIGKILL) at random moments. An acknowledged write is one whose success line arrived in the
//! pipe, whether or not its process lived on.

use std::collections::HashMap;
use std::io::Read as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::concurrency::sandbox::{Sandbox, alone, at_once, created};
use crate::support::dice::Dice;
use crate::support::effort::pick;

const WRITERS: usize = 8;
const ISSUES: usize = 4;

/// A writer's attempt, and whether it was acknowledged.
struct Attempt {
    word: String,
    note: bool,
    killed: bool,
    acknowledged: bool,
}

#[test]
fn nothing_acknowledged_is_lost() {
    let _turn = alone();
    let (kills, writes) = pick((30, 100), (40, 200), (500, 10_000));
    let budget = Duration::from_secs(pick(600, 600, 900));
    let sandbox = Sandbox::on_disk().filled(200);
    let shared: Vec<String> = (0..ISSUES).map(|n| sandbox.add(&format!("Shared {n}"))).collect();
    let (killed, acknowledged) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;

    let start = Instant::now();
    let attempts: Vec<Attempt> = at_once(WRITERS, |n| {
        let mut random = Dice(seed.wrapping_add(n as u64));
        let mut attempts = Vec::new();
        // A kill is only of use inside the life of a process: its length is learnt from those that are left alone.
        let mut usual = Duration::from_millis(8);
        while (killed.load(Ordering::Relaxed) < kills || acknowledged.load(Ordering::Relaxed) < writes)
            && start.elapsed() < budget
        {
            let word = format!("w{n}-{}-end", attempts.len());
            let note = attempts.len() % 2 == 1;
            let id = &shared[random.below(ISSUES)];
            let args = if note { vec!["note", id, &word] } else { vec!["add", &word] };
            let chance = pick(4, 6, 12);
            let kill = random.below(chance) == 0 && killed.load(Ordering::Relaxed) < kills;
            let begun = Instant::now();
            let mut child = sandbox.bd(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            if kill {
                // Half of them early (0..8 ms, in an uncontended write), half over the usual time under load.
                let span = if random.below(2) == 0 { Duration::from_millis(8) } else { usual };
                thread::sleep(Duration::from_nanos(random.next() % (span.as_nanos() as u64 + 1)));
                child.kill().unwrap();
                killed.fetch_add(1, Ordering::Relaxed);
            }
            let mut stdout = Vec::new();
            child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
            let status = child.wait().unwrap();
            let done = if note { stdout.ends_with(format!("{id}\n").as_bytes()) } else { created(&stdout).is_some() };
            if !kill {
                assert!(status.success() && done, "{args:?} was not killed and failed: {status}");
                usual = (usual * 3 + begun.elapsed()) / 4;
            }
            acknowledged.fetch_add(usize::from(done), Ordering::Relaxed);
            attempts.push(Attempt { word, note, killed: kill, acknowledged: done });
        }
        attempts
    })
    .into_iter()
    .flatten()
    .collect();
    let took = start.elapsed();
    let orphans = sandbox.leftovers().len();
    sandbox.add("The next write");

    let issues = sandbox.issues();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let notes = shared.iter().flat_map(|id| issues.get(id)["notes"].as_str().unwrap_or_default().lines());
    notes.chain(issues.titles()).for_each(|word| *counts.entry(word).or_default() += 1);
    let count = |attempt: &Attempt| counts.get(attempt.word.as_str()).copied().unwrap_or_default();
    let lost: Vec<&str> =
        attempts.iter().filter(|a| a.acknowledged && count(a) == 0).map(|a| a.word.as_str()).collect();
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?} (seed {seed})");
    let doubled: Vec<&str> = attempts.iter().filter(|a| count(a) > 1).map(|a| a.word.as_str()).collect();
    assert!(doubled.is_empty(), "written twice: {doubled:?} (seed {seed})");
    assert_eq!(issues.ids().iter().filter(|id| id.starts_with("s-")).count(), 200, "seed issues were lost");
    assert_eq!(sandbox.leftovers(), [""; 0], "the next write removes what killed writers left");

    let total = attempts.iter().filter(|a| a.acknowledged).count();
    let fate = |acknowledged: bool, present: bool| {
        let of_killed = attempts.iter().filter(|a| a.killed);
        of_killed.filter(|a| a.acknowledged == acknowledged && (count(a) == 1) == present).count()
    };
    println!(
        "kills: {} kill -9, {total} acknowledged writes ({} notes), 0 lost, 0 unparseable lines, 0 doubles, {orphans} orphan \
         temporary files before the next write and 0 after it, {:.1} s; of the killed {} had not written, {} had written and \
         not said so, {} had said so",
        killed.load(Ordering::Relaxed),
        attempts.iter().filter(|a| a.acknowledged && a.note).count(),
        took.as_secs_f64(),
        fate(false, false),
        fate(false, true),
        fate(true, true),
    );
    assert!(killed.load(Ordering::Relaxed) >= kills && total >= writes, "the time was not enough for {kills} kills");
}
