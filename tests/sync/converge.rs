//! Clones that edit, delete, claim, go offline, merge, rebase and cherry-pick end with the same bytes.

use std::ops::Range;
use std::time::Instant;

use crate::support::effort::{is_full, pick};
use crate::support::programs::have;
use crate::sync::story::{Tally, tell};
use crate::sync::world::Way;

/// The seeds that `BD_SEEDS` names: `7..8` is the seventh alone.
fn asked() -> Option<Range<u64>> {
    let text = std::env::var("BD_SEEDS").ok()?;
    let (first, end) = text.split_once("..").expect("BD_SEEDS is a range such as 7..8");
    Some(first.parse().expect("a number")..end.parse().expect("a number"))
}

fn stories(name: &str, seeds: u64, operations: usize, ways: impl Fn(u64) -> Vec<Way>) {
    let seeds = asked().unwrap_or(0..seeds);
    let (start, count, mut total) = (Instant::now(), seeds.end - seeds.start, Tally::default());
    for seed in seeds {
        total.add(&tell(seed, &ways(seed), operations));
        if is_full() {
            eprintln!("{name}: seed {seed} done after {:.0} s", start.elapsed().as_secs_f64());
        }
    }
    let Tally { operations: turns, refused, syncs, merges, by_hand, issues, tombstones } = total;
    println!(
        "{name}: {count} seeds x {} clones x {operations} operations: {turns} turns ({refused} edits refused), {syncs} syncs \
         ({merges} of them merged or rebased), {by_hand} acts by hand; {issues} issues, {tombstones} tombstones; all ledgers \
         the same, 0 lost, 0 back from the dead, {:.1} s",
        ways(0).len(),
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn git() {
    if have(&["git"]) {
        let (seeds, operations) = pick((2, 15), (5, 20), (100, 200));
        stories("git", seeds, operations, |_| vec![Way::Git; 5]);
    }
}

#[test]
fn jj() {
    if have(&["git", "jj"]) {
        let (seeds, operations) = pick((1, 6), (1, 12), (20, 200));
        stories("jj", seeds, operations, |seed| {
            (0..5).map(|n| if (n + seed) % 2 == 0 { Way::Jj } else { Way::JjBeside }).collect()
        });
    }
}

#[test]
fn hg() {
    if have(&["hg"]) {
        // hg takes seconds for a sync: fewer clones in the shorter forms.
        let (seeds, operations, clones) = pick((1, 4, 2), (1, 6, 3), (20, 200, 5));
        stories("hg", seeds, operations, |_| vec![Way::Hg; clones]);
    }
}

#[test]
fn git_and_jj_together() {
    if have(&["git", "jj"]) {
        let (seeds, operations) = pick((1, 8), (1, 12), (20, 200));
        stories("mixed", seeds, operations, |_| vec![Way::Git, Way::Git, Way::Jj, Way::JjBeside, Way::Worktree]);
    }
}
