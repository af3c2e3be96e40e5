//! A16: clones that edit, delete, claim, go offline, merge, rebase and cherry-pick come to the same bytes.

use std::time::Instant;

use crate::story::{Tally, tell};
use crate::world::{Way, alone, full, have};

fn stories(name: &str, seeds: u64, operations: usize, ways: impl Fn(u64) -> Vec<Way>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("BD_SEED") {
        Some(one) => one..one + 1,
        None => 0..number("BD_SEEDS").unwrap_or(seeds),
    };
    let (start, count, mut total) = (Instant::now(), seeds.end - seeds.start, Tally::default());
    for seed in seeds {
        total.add(&tell(seed, &ways(seed), operations));
    }
    let Tally { operations: turns, refused, syncs, merges, by_hand, issues, tombstones } = total;
    println!(
        "{name}: {count} seeds x 5 clones x {operations} operations: {turns} turns ({refused} edits refused), {syncs} syncs \
         ({merges} of them merged or rebased), {by_hand} acts by hand; {issues} issues, {tombstones} tombstones; all ledgers \
         the same, 0 lost, 0 back from the dead, {:.1} s",
        start.elapsed().as_secs_f64()
    );
}

#[test]
fn git() {
    let _turn = alone();
    if have(&["git"]) {
        let (seeds, operations) = if full() { (100, 200) } else { (10, 20) };
        stories("git", seeds, operations, |_| vec![Way::Git; 5]);
    }
}

#[test]
fn jj() {
    let _turn = alone();
    if have(&["git", "jj"]) {
        let (seeds, operations) = if full() { (20, 200) } else { (2, 12) };
        stories("jj", seeds, operations, |seed| {
            (0..5).map(|n| if (n + seed) % 2 == 0 { Way::Jj } else { Way::JjBeside }).collect()
        });
    }
}

#[test]
fn hg() {
    let _turn = alone();
    if have(&["hg"]) {
        let (seeds, operations) = if full() { (20, 200) } else { (1, 10) };
        stories("hg", seeds, operations, |_| vec![Way::Hg; 5]);
    }
}

#[test]
fn git_and_jj_together() {
    let _turn = alone();
    if have(&["git", "jj"]) {
        let (seeds, operations) = if full() { (20, 200) } else { (2, 12) };
        stories("mixed", seeds, operations, |_| vec![Way::Git, Way::Git, Way::Jj, Way::JjBeside, Way::Worktree]);
    }
}
