//! Which word was probably meant.

/// The candidate that a wrong word is nearest to, if one is near: at most three characters off, and less than half of the word.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // Words that are compared in full must not be endless: a plan may come from anywhere.
    let near = candidates.into_iter().filter(|word| word.len() <= 512 && wrong.len() <= 512);
    let found = near.map(|word| (distance(&wrong.to_lowercase(), &word.to_lowercase()), word)).min();
    found.filter(|(distance, _)| *distance <= 3.min(length / 2)).map(|(_, word)| word)
}

/// How many characters have to be changed, added or dropped to make one word of the other.
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, c) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = n + 1;
        for (m, d) in other.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[m + 1];
            row[m + 1] = changed.min(row[m] + 1).min(row[m + 1] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found() {
        let words = ["build", "deploy", "test"];
        assert_eq!(nearest("biuld", words), Some("build"));
        assert_eq!(nearest("Test", words), Some("test"));
        assert_eq!(nearest("zebra", words), None);
        assert_eq!(nearest("x", words), None);
        assert_eq!(nearest("", []), None);
    }
}
