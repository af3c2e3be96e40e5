//! The laws on single issues with random edits.

use std::fmt;

use beads::internal::model::json::Dialect;
use beads::internal::model::merge::merge_issue;

use super::dice::{Dice, words};
use super::drafts::{Draft, Scope, quoted, time};
use super::reading::{Reading, conserves, tells_only_losses};
use super::{ensure, equal, law};

/// The common version and three that grew from it.
struct Case {
    base: Option<String>,
    sides: [String; 3],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three] = &self.sides;
        write!(f, "base: {}\n   1: {one}\n   2: {two}\n   3: {three}", self.base.as_deref().unwrap_or("none"))
    }
}

fn case(dice: &mut Dice) -> Case {
    let base = Draft::new("t", dice);
    let mut side = || {
        let second = 1 + dice.roll(4) as u32;
        // A clock a day ahead, now and then.
        let second = if dice.percent(10) { second + 86_400 } else { second };
        base.edited(dice, second, Scope::All).line()
    };
    let sides = [side(), side(), side()];
    Case { base: (!dice.percent(10)).then(|| base.line()), sides }
}

impl Case {
    fn merge(&self, ours: &str, theirs: &str) -> String {
        merge_issue(self.base.as_deref(), ours, theirs, Dialect::default()).expect("records").line
    }
}

#[test]
fn the_sides_can_be_swapped() {
    law("issues: sides swapped", 1, case, |case| {
        let [a, b, _] = &case.sides;
        equal("sides swapped", &case.merge(a, b), &case.merge(b, a))
    });
}

#[test]
fn merging_again_changes_nothing() {
    law("issues: merged again", 2, case, |case| {
        let [a, b, _] = &case.sides;
        let merged = case.merge(a, b);
        for side in [a, b, &merged] {
            equal("merged again", &case.merge(&merged, side), &merged)?;
            equal("merged again", &case.merge(side, &merged), &merged)?;
        }
        Ok(())
    });
}

#[test]
fn a_side_that_changed_nothing_gives_the_other() {
    law("issues: identities", 3, case, |case| {
        let [a, ..] = &case.sides;
        equal("twice the same", &case.merge(a, a), a)?;
        let Some(base) = &case.base else { return Ok(()) };
        equal("only theirs", &case.merge(base, a), a)?;
        equal("only ours", &case.merge(a, base), a)
    });
}

#[test]
fn nothing_is_lost_and_nothing_is_made_up() {
    law("issues: conservation", 4, case, |case| {
        let [a, b, _] = &case.sides;
        let merged = case.merge(a, b);
        let base = case.base.as_deref().map(Reading::of);
        let [ours, theirs, result] = [a, b, &merged].map(|line| Reading::of(line));
        conserves(base.as_ref(), &ours, &theirs, &result).map_err(|why| format!("{why}\nmerged: {merged}"))?;
        tells_only_losses(base.as_ref(), &ours, &theirs, &result).map_err(|why| format!("{why}\nmerged: {merged}"))?;
        let known: std::collections::BTreeSet<&str> = words(a).union(&words(b)).copied().collect();
        ensure(words(&merged).is_subset(&known), || format!("a word that no side has\nmerged: {merged}"))
    });
}

#[test]
fn nothing_is_lost_whatever_the_order_of_three() {
    law("issues: three sides, nothing lost", 5, case, |case| {
        let [a, b, c] = &case.sides;
        let before = case.base.as_deref().map(words).unwrap_or_default();
        for (x, y, z) in [(a, b, c), (a, c, b), (b, c, a)] {
            let merged = case.merge(&case.merge(x, y), z);
            for side in [a, b, c] {
                // Comments and fields that a careless tool dropped are its removals.
                let lost: Vec<_> =
                    words(side).difference(&before).filter(|w| !words(&merged).contains(*w)).copied().collect();
                ensure(lost.is_empty(), || format!("{lost:?} of {side} is lost\nmerged: {merged}"))?;
            }
        }
        Ok(())
    });
}

/// A clock that is a day ahead wins once; the next edit by anyone who has seen it comes after it.
#[test]
fn a_fast_clock_does_not_win_for_ever() {
    let make = |dice: &mut Dice| {
        let base = Draft::new("t", dice);
        let (mut fast, mut slow) = (base.clone(), base.clone());
        fast.set("title", quoted("fast"));
        fast.set("updated_at", quoted(&time(86_400 + dice.roll(60) as u32)));
        slow.set("title", quoted("slow"));
        slow.set("priority", "9");
        slow.set("updated_at", quoted(&time(dice.roll(60) as u32 + 1)));
        Case { base: Some(base.line()), sides: [fast.line(), slow.line(), dice.word()] }
    };
    law("issues: clocks a day apart", 6, make, |case| {
        let [fast, slow, word] = &case.sides;
        let merged = case.merge(fast, slow);
        let read = Reading::of(&merged);
        ensure(read.text("title").as_deref() == Some("fast"), || format!("title in {merged}"))?;
        ensure(read.text("priority").as_deref() == Some("9"), || format!("priority in {merged}"))?;
        // An edit of the result: its time is that of the line and a little more.
        let seen = read.text("updated_at").expect("a time");
        let later = merged.replacen(r#""title":"fast""#, &format!(r#""title":"{word}""#), 1).replacen(
            &format!(r#""updated_at":"{seen}""#),
            &format!(r#""updated_at":"{}.001Z""#, seen.trim_end_matches('Z')),
            1,
        );
        for (one, other) in [(&later, fast), (fast, &later), (&later, slow), (slow, &later)] {
            let again = Reading::of(&case.merge(one, other));
            ensure(again.text("title").as_ref() == Some(word), || format!("{later}\nmerged with {other}"))?;
            ensure(again.text("priority").as_deref() == Some("9"), || format!("priority of {later}"))?;
        }
        Ok(())
    });
}
