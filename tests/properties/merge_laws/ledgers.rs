//! The laws on whole ledgers: issues, other lines, copies and damage.

use std::collections::BTreeSet;
use std::fmt;

use beads::internal::ledger;

use super::dice::{Dice, words};
use super::files::{Contents, Sheet};
use super::reading::{Reading, conserves};
use super::{Verdict, ensure, equal, law};

struct Case {
    base: String,
    sides: [String; 3],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three] = &self.sides;
        write!(f, "base: {:?}\n   1: {one:?}\n   2: {two:?}\n   3: {three:?}", self.base)
    }
}

fn case(dice: &mut Dice) -> Case {
    let base = Sheet::new(dice);
    let mut side = || base.edited(dice).text();
    let sides = [side(), side(), side()];
    let base = if dice.percent(10) { String::new() } else { base.text() };
    Case { base, sides }
}

pub fn merge(base: &str, ours: &str, theirs: &str) -> String {
    let merged = ledger::merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    String::from_utf8(merged.bytes).expect("text")
}

#[test]
fn the_sides_can_be_swapped() {
    law("ledgers: sides swapped", 10, case, |case| {
        let [a, b, _] = &case.sides;
        equal("sides swapped", &merge(&case.base, a, b), &merge(&case.base, b, a))
    });
}

#[test]
fn merging_again_changes_nothing() {
    law("ledgers: merged again", 11, case, |case| {
        let [a, b, _] = &case.sides;
        let merged = merge(&case.base, a, b);
        for side in [a, b, &merged] {
            equal("merged again", &merge(&case.base, &merged, side), &merged)?;
        }
        Ok(())
    });
}

#[test]
fn a_side_that_changed_nothing_gives_the_other() {
    law("ledgers: identities", 12, case, |case| {
        let [a, ..] = &case.sides;
        equal("twice the same", &merge(&case.base, a, a), a)?;
        equal("only theirs", &merge(&case.base, &case.base, a), a)?;
        equal("only ours", &merge(&case.base, a, &case.base), a)
    });
}

#[test]
fn nothing_is_lost() {
    law("ledgers: conservation", 13, case, |case| {
        let [a, b, _] = &case.sides;
        let merged = merge(&case.base, a, b);
        conserved(&case.base, a, b, &merged).map_err(|why| format!("{why}\nmerged: {merged:?}"))
    });
}

#[test]
fn nothing_is_lost_whatever_the_order_of_three() {
    law("ledgers: three sides, nothing lost", 14, case, |case| {
        let [a, b, c] = &case.sides;
        let before = words(&case.base);
        for (x, y, z) in [(a, b, c), (a, c, b), (b, c, a)] {
            let merged = merge(&case.base, &merge(&case.base, x, y), z);
            let there = words(&merged);
            for side in [a, b, c] {
                let lost: Vec<_> =
                    words(side).difference(&before).filter(|word| !there.contains(*word)).copied().collect();
                ensure(lost.is_empty(), || format!("{lost:?} is lost\nmerged: {merged:?}"))?;
            }
        }
        Ok(())
    });
}

/// Whether two sets of lines say the same about one issue.
fn same(one: &[String], other: &[String]) -> bool {
    match (one, other) {
        ([one], [other]) => Reading::of(one).says() == Reading::of(other).says(),
        _ => one == other,
    }
}

pub fn conserved(base: &str, ours: &str, theirs: &str, merged: &str) -> Verdict {
    // A side that changed nothing gives the other one as it is, copies and all.
    if ours == theirs || theirs == base {
        return equal("only ours changed", merged, ours);
    }
    if ours == base {
        return equal("only theirs changed", merged, theirs);
    }
    let [before, a, b, got] = [base, ours, theirs, merged].map(Contents::of);
    for (id, lines) in &got.issues {
        ensure(lines.len() == 1, || format!("{id} stands there {} times", lines.len()))?;
        let is_known = a.issues.contains_key(id) || b.issues.contains_key(id);
        ensure(is_known, || format!("{id} comes from nowhere"))?;
    }
    for id in a.issues.keys().chain(b.issues.keys()) {
        let none = Vec::new();
        let of = |contents: &Contents| contents.issues.get(id).unwrap_or(&none).clone();
        let (then, one, other) = (of(&before), of(&a), of(&b));
        match (one.as_slice(), other.as_slice(), got.issues.get(id)) {
            ([], left, found) | (left, [], found) => {
                // A line that is cut off was not removed.
                let removed = !then.is_empty() && same(&then, left) && !is_torn(id, &a) && !is_torn(id, &b);
                ensure(!removed || found.is_none(), || format!("{id} was removed and is back"))?;
                let kept = removed || found.is_some() || then.len() > 1 || left.len() > 1;
                ensure(kept, || format!("{id} is missing"))?;
            }
            (_, _, None) => return Err(format!("{id} is missing")),
            ([one], [other], Some(found)) if then.len() < 2 => {
                let readings = [one, other, &found[0]].map(|line| Reading::of(line));
                let base = then.first().map(|line| Reading::of(line));
                conserves(base.as_ref(), &readings[0], &readings[1], &readings[2])
                    .map_err(|why| format!("{id}: {why}"))?;
            }
            _ => {}
        }
    }
    let number = |contents: &Contents, line: &String| contents.opaque.get(line).copied().unwrap_or(0);
    let lines: BTreeSet<&String> = a.opaque.keys().chain(b.opaque.keys()).chain(got.opaque.keys()).collect();
    for line in lines {
        let [then, one, other, now] = [&before, &a, &b, &got].map(|contents| number(contents, line));
        let expected = match (one == then, other == then) {
            (true, _) => other,
            (_, true) => one,
            _ => one.max(other),
        };
        ensure(now == expected, || format!("{line:?} is there {now} times, expected {expected}"))?;
    }
    let known = words(base);
    for side in [ours, theirs] {
        let lost: Vec<_> =
            words(side).difference(&known).filter(|word| !words(merged).contains(*word)).copied().collect();
        ensure(lost.is_empty(), || format!("{lost:?} is lost"))?;
    }
    Ok(())
}

/// Whether a side holds the beginning of a line of this issue.
fn is_torn(id: &str, side: &Contents) -> bool {
    side.opaque.keys().any(|line| [":", ": "].iter().any(|colon| line.starts_with(&format!("{{\"id\"{colon}\"{id}\""))))
}
