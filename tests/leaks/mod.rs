//! Nothing leaks: random sequences of commands by a contributor, then everything in the project's working copy is committed,
//! and no commit of any branch may hold a private issue, a private text, or a path of the contributor's machine.
//!
//! A short form runs in every test run; the full one is
//!
//! ```sh
//! BD_PROOF=full cargo test --release --test stories leaks:: -- --nocapture
//! ```

mod contributor;
mod neighbours;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::dice::Dice;
use contributor::Contributor;
use neighbours::{Neighbours, Seen};

use crate::support::effort::pick;

const COMMANDS: usize = 30;

#[test]
fn no_sequence_of_commands_leaks() {
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    let sequences: u64 = pick(5, 12, 2_000);
    let first: u64 = std::env::var("BD_LEAK_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut ran, mut refused, mut proposed, mut beside, mut commits, mut public) = (0, 0, 0, 0, 0, 0);
    // The 40th once found a leak that no other one does.
    let seeds = (first..first + sequences).chain((first + sequences <= 40).then_some(40));
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let mut contributor = Contributor::new(seed);
        for _ in 0..COMMANDS {
            contributor.step(&mut dice);
        }
        let seen = contributor.commit_and_inspect();
        ran += contributor.ran;
        refused += contributor.refused;
        proposed += contributor.proposed.len();
        beside += contributor.beside;
        commits += seen.commits;
        public += seen.lines;
    }
    println!(
        "leaks: {sequences} sequences of {COMMANDS} commands, {ran} succeeded, {refused} were refused, {proposed} issues proposed, \
         {beside} remarks beside issues of the project; \
         {commits} commits with {public} lines of proposals inspected, nothing private in them"
    );
    // The sequences must actually exercise these cases.
    assert!(proposed > 0 && beside > 0 && public > 0 && refused > 0 && ran > refused, "the dice are loaded");
}

/// Totals of the sequences.
#[derive(Default)]
struct Sum {
    ran: usize,
    refused: usize,
    objects: usize,
    proposals: usize,
    did: BTreeMap<&'static str, usize>,
}

impl Sum {
    fn add(&mut self, neighbours: Neighbours, seen: Seen) {
        self.ran += neighbours.ran;
        self.refused += neighbours.refused;
        self.objects += seen.objects;
        self.proposals += seen.proposals;
        for (what, count) in neighbours.did {
            *self.did.entry(what).or_insert(0) += count;
        }
    }
}

fn one_sequence(seed: u64) -> (Neighbours, Seen) {
    let mut dice = Dice::new(seed);
    let mut neighbours = Neighbours::new(seed);
    for _ in 0..2 * COMMANDS {
        neighbours.step(&mut dice);
    }
    let seen = neighbours.push_and_inspect();
    (neighbours, seen)
}

/// Three projects on one planning repo, in workspaces of every kind and every mode of the state home: other spellings of remotes,
/// pulled settings and directories of other version control, moved repositories, forged proposals, issues moved into the planning
/// repo, checkpoints with snapshots, claims on the remotes. Every object of the servers is read, and every ref beside branches.
#[test]
fn nothing_gets_to_a_server_that_was_not_proposed_there() {
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    let sequences: u64 = pick(5, 10, 2_000);
    let first: u64 = std::env::var("BD_LEAK_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    // The full form takes an hour on one core, and says where it is.
    let (next, all) = (AtomicU64::new(first), Mutex::new(Sum::default()));
    std::thread::scope(|scope| {
        for _ in 0..pick(1, 1, std::thread::available_parallelism().map_or(1, usize::from)) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + sequences {
                        return;
                    }
                    let (neighbours, seen) = one_sequence(seed);
                    all.lock().unwrap().add(neighbours, seen);
                    if (seed + 1 - first).is_multiple_of(100) {
                        println!("neighbours: {} sequences", seed + 1 - first);
                    }
                }
            });
        }
    });
    let Sum { ran, refused, objects, proposals, did } = all.into_inner().unwrap();
    println!(
        "neighbours: {sequences} sequences of {} commands, {ran} succeeded, {refused} were refused ({did:?}); {objects} objects on the \
         servers read, with {proposals} lines of proposals, nothing private in them",
        2 * COMMANDS
    );
    let kinds = [
        "proposed",
        "snapshots",
        "claimed",
        "synced",
        "remotes",
        "forged",
        "settings",
        "moved",
        "workspaces",
        "markers",
        "migrated",
    ];
    // The short forms are too short to show every kind.
    let missing: Vec<&&str> = kinds.iter().filter(|kind| !did.contains_key(**kind)).collect();
    assert!(missing.len() <= pick(1, 1, 0) && proposals > 0 && ran > refused, "the dice are loaded: no {missing:?}");
}
