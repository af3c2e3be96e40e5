//! Proves the laws of the merge (`docs/format.md`, section 12): on every small input, on many random issues and ledgers, on
//! three sides in every order, and on ledgers that were really merged.
//!
//! The levels of effort try 500, 2,000 and 100,000 cases of a law. Every case has its own seed, made from the law's seed and
//! its number, so a run is the same run everywhere. A failure prints all of it with the inputs.

mod dice;
mod drafts;
mod files;
mod issues;
mod ledgers;
mod orders;
mod reading;
mod recorded;
mod small;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use dice::Dice;

use crate::support::effort::pick;

/// The description of a violated law.
type Verdict = Result<(), String>;

/// Tries a law: `make` throws a case, `check` looks whether the law holds for it.
fn law<C: Display>(name: &str, seed: u64, make: impl Fn(&mut Dice) -> C, check: impl Fn(&C) -> Verdict) {
    let count = pick(150, 500, 100_000);
    for n in 0..count {
        let case = make(&mut Dice::new(seed, n));
        let verdict = catch_unwind(AssertUnwindSafe(|| check(&case))).unwrap_or_else(|_| Err("it panicked".into()));
        if let Err(why) = verdict {
            panic!("{name}: seed {seed}, case {n}: {why}\n{case}");
        }
    }
    println!("{name}: {count} cases, seed {seed}");
}

/// Fails with the first line that differs unless both are equal.
fn equal(what: &str, got: &str, expected: &str) -> Verdict {
    if got == expected {
        return Ok(());
    }
    let (mut one, mut other) = (got.split('\n'), expected.split('\n'));
    loop {
        let pair = (one.next(), other.next());
        if pair.0 != pair.1 {
            let [got, expected] = [pair.0, pair.1].map(|line| line.unwrap_or("(nothing)"));
            return Err(format!("{what}\n     got: {got}\nexpected: {expected}"));
        }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}
