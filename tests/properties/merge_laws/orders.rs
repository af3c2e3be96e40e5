//! Three sides with a common base give the same bytes in whatever order they are merged.
//!
//! The drafts are exactly as wide as the law: no deletion, no layout of another tool, and every long text is either changed by
//! two sides at most, or by each side in its own place.

use std::fmt;

use beads::internal::ledger;

use super::dice::Dice;
use super::drafts::{Draft, Scope};
use super::{Verdict, equal, law};

struct Case {
    base: String,
    sides: [String; 3],
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, two, three] = &self.sides;
        write!(f, "base:\n{}1:\n{one}2:\n{two}3:\n{three}", self.base)
    }
}

/// The lines of a file, sorted.
fn file(mut drafts: Vec<(String, Draft)>) -> String {
    drafts.sort_by(|a, b| a.0.cmp(&b.0));
    drafts.iter().map(|(_, draft)| draft.line() + "\n").collect()
}

fn case(dice: &mut Dice) -> Case {
    let id = |n: usize| format!("t-{n}");
    let base: Vec<(String, Draft)> = (0..dice.roll(4)).map(|n| (id(n), Draft::new(&id(n), dice))).collect();
    let mut sides = [base.clone(), base.clone(), base.clone()];
    // Which two sides change a text anywhere; else each has its own place.
    let left_out = dice.roll(4);
    for (n, side) in sides.iter_mut().enumerate() {
        for (_, draft) in side.iter_mut() {
            if dice.percent(25) {
                continue;
            }
            let second = 1 + dice.roll(4) as u32 + if dice.percent(10) { 86_400 } else { 0 };
            if left_out == 3 {
                draft.rewrite_line(n * 3, dice);
            } else if n != left_out {
                draft.rewrite_line(dice.roll(8), dice);
                if dice.percent(50) {
                    draft.append_note(dice);
                }
            }
            *draft = draft.edited(dice, second, Scope::Orderly);
        }
        for _ in 0..dice.roll(2) {
            let id = format!("n-{n}{}", dice.roll(3));
            if !side.iter().any(|(known, _)| *known == id) {
                side.push((id.clone(), Draft::new(&id, dice)));
            }
        }
    }
    Case { base: file(base), sides: sides.map(file) }
}

fn merge(base: &str, ours: &str, theirs: &str) -> String {
    let merged = ledger::merge(base.as_bytes(), ours.as_bytes(), theirs.as_bytes());
    String::from_utf8(merged.bytes).expect("text")
}

fn all_orders(case: &Case) -> Verdict {
    let [a, b, c] = &case.sides;
    let merge = |one: &str, other: &str| merge(&case.base, one, other);
    let first = merge(&merge(a, b), c);
    for (x, y, z) in [(a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)] {
        equal("another order", &merge(&merge(x, y), z), &first)?;
        equal("grouped otherwise", &merge(x, &merge(y, z)), &first)?;
    }
    Ok(())
}

#[test]
fn three_sides_in_every_order() {
    law("ledgers: three sides, every order", 20, case, all_orders);
}
