//! Guesses which word was meant.

/// The candidate closest to a wrong word, if one is close: at most three edits, and fewer than half of the word.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // Limits the comparison: a plan may come from anywhere and hold endless words.
    let near = candidates.into_iter().filter(|word| word.len() <= 512 && wrong.len() <= 512);
    let found = near.map(|word| (distance(&wrong.to_lowercase(), &word.to_lowercase()), word)).min();
    found.filter(|(distance, _)| *distance <= 3.min(length / 2)).map(|(_, word)| word)
}

/// The number of characters to change, add, drop or swap with the next to turn one word into the other.
pub fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for n in 0..one.len() {
        let mut row = vec![n + 1];
        for m in 0..other.len() {
            let changed = last[m] + usize::from(one[n] != other[m]);
            let mut cost = changed.min(last[m + 1] + 1).min(row[m] + 1);
            if n > 0 && m > 0 && one[n] == other[m - 1] && one[n - 1] == other[m] {
                cost = cost.min(before[m - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found() {
        let words = ["build", "deploy", "test"];
        assert_eq!(nearest("biuld", words), Some("build"));
        assert_eq!(nearest("Test", words), Some("test"));
        assert_eq!(nearest("bgu", ["bug", "gate"]), Some("bug"), "two letters swapped are one slip");
        assert_eq!(
            (distance("ab", "ba"), distance("", "abc"), distance("abc", ""), distance("kitten", "sitting")),
            (1, 3, 3, 3)
        );
        assert_eq!(nearest("zebra", words), None);
        assert_eq!(nearest("x", words), None);
        assert_eq!(nearest("", []), None);
    }
}
