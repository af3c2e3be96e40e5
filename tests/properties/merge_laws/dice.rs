//! A small source of chance whose every throw follows from a seed.

use crate::support::dice::Dice as Chance;

pub struct Dice {
    chance: Chance,
    words: u32,
}

impl Dice {
    pub fn new(seed: u64, case: u64) -> Self {
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (case << 20));
        chance.next();
        Dice { chance, words: 0 }
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.chance.below(sides)
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.roll(items.len())]
    }

    /// A word that nothing else in this case contains: `w7x` is never a part of `w77x`.
    pub fn word(&mut self) -> String {
        self.words += 1;
        format!("w{}x", self.words)
    }
}

/// All words of a text.
pub fn words(text: &str) -> std::collections::BTreeSet<&str> {
    let is_word = |part: &&str| {
        let number = part.strip_prefix('w').and_then(|rest| rest.strip_suffix('x'));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    // `\n` before a word is an escape in JSON.
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric());
    parts.map(|part| part.strip_prefix('n').unwrap_or(part)).filter(is_word).collect()
}
