//! `kill -9` of `bd sync` at random moments: the next sync finishes what was begun, and nothing is lost.

use std::fs;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::support::dice::Dice;
use crate::support::effort::pick;
use crate::support::process;
use crate::support::programs::have;
use crate::support::wait::until;
use crate::sync::world::{Way, World, by_id};

#[test]
fn git() {
    if have(&["git"]) {
        killed_syncs(Way::Git, pick(10, 16, 300));
    }
}

#[test]
fn jj() {
    if have(&["git", "jj"]) {
        killed_syncs(Way::JjBeside, pick(2, 3, 300));
    }
}

#[test]
fn hg() {
    if have(&["hg"]) {
        killed_syncs(Way::Hg, pick(2, 2, 100));
    }
}

fn killed_syncs(way: Way, kills: usize) {
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64;
    let mut random = Dice(seed);
    let world = World::new();
    let desks = world.clones(&[way, way]);
    let [here, there] = desks.as_slice() else { unreachable!("two clones") };
    fs::write(here.root.join("code"), "half done\n").unwrap();
    let begun = Instant::now();
    let (mut made, mut finished, mut recovered, mut usual) = (Vec::new(), 0, 0, Duration::from_millis(300));
    let mut tries = 0;
    // A round in which the sync was over before the kill shows nothing: at least one must have been in time.
    while tries < kills || (finished == tries && tries < kills * 20) {
        let n = tries;
        tries += 1;
        for desk in [there, here] {
            let said = desk.ok(&["add", &format!("{} {n}", desk.name)]);
            made.push(said.trim().rsplit(' ').next().unwrap().to_owned());
        }
        there.sync();
        let mut child = here.bd(&["sync"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(random.below(usual.as_micros() as usize) as u64));
        finished += usize::from(child.try_wait().unwrap().is_some());
        let _ = child.kill();
        child.wait().unwrap();
        // Work goes on before the next sync.
        let said = here.ok(&["add", &format!("after {n}")]);
        made.push(said.trim().rsplit(' ').next().unwrap().to_owned());
        let start = Instant::now();
        let report = here.sync();
        usual = (usual * 3 + start.elapsed()) / 4;
        assert_eq!(report["pushed"], true, "seed {seed}: {report}");
        // A program started by the killed one may still be running.
        until("it is over", || process::working_in(&here.root).is_empty());
        assert_eq!(fs::read_to_string(here.root.join("code")).unwrap(), "half done\n", "seed {seed}");
        let missing = || -> Vec<String> {
            let lines = by_id(&here.bytes());
            made.iter().filter(|id| !lines.contains_key(*id)).cloned().collect()
        };
        if !missing().is_empty() {
            // A program started by the killed one continued, without our lock, and wrote its version of the ledger over
            // later writes. Like everything that other programs remove, these are reported and restored.
            assert!(
                String::from_utf8_lossy(&here.run(&["list"]).stderr).contains("bd recover"),
                "seed {seed}: not told"
            );
            here.ok(&["recover"]);
            here.sync();
            recovered += 1;
        }
        let lost = missing();
        assert!(lost.is_empty(), "seed {seed}: lost after kill {n}: {lost:?}");
        unfinished(here);
    }
    there.sync();
    assert!(here.bytes() == there.bytes(), "seed {seed}: the ledgers differ");
    assert!(finished < tries, "no sync was killed");
    println!(
        "kills in {way:?}: {tries} kill -9 of bd sync ({finished} came too late), {} issues, 0 lost ({recovered} times one had \
         to be recovered), every next sync pushed, {:.1} s",
        made.len(),
        begun.elapsed().as_secs_f64()
    );
}

/// Nothing is half done, and nothing but the person's own file is changed.
fn unfinished(desk: &crate::sync::world::Desk) {
    match desk.way {
        Way::Hg => {
            assert_eq!(desk.sh("hg status"), "M code\n");
            assert_eq!(desk.sh("hg log -r 'head()' -T x"), "x", "one head");
            assert_eq!(desk.sh("hg log -r 'parents()' -T x"), "x", "no merge is open");
        }
        Way::Jj | Way::JjBeside => {
            assert_eq!(desk.sh("jj diff --summary"), "M code\n");
            assert_eq!(desk.sh("jj log --no-graph -r 'conflicts() | divergent()' -T commit_id"), "");
        }
        Way::Git | Way::Worktree => {
            assert_eq!(desk.sh("git status --porcelain"), " M code\n");
            let list = desk.sh("ls .git; find .git -name '*.lock'");
            assert!(!list.contains("MERGE_HEAD") && !list.contains(".lock"), "{list}");
        }
    }
}
