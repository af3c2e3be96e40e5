//! Which lines of a text are those of an older one.

use std::collections::HashMap;
use std::hash::Hash;

/// For each new line the old line that it is, if there is one; no old line serves twice. Equal heads and tails cost one comparison
/// a line, only what is between is hashed.
pub fn origins<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (rest, wanted) = (&old[head..], &new[head..]);
    let tail = rest.iter().rev().zip(wanted.iter().rev()).take_while(|(old, new)| old == new).count();
    // The first of equal lines, and for each line the next one that equals it.
    let mut first: HashMap<&T, Option<usize>> = HashMap::new();
    let mut next = vec![None; old.len() - tail];
    for n in (head..old.len() - tail).rev() {
        next[n] = first.insert(&old[n], Some(n)).flatten();
    }
    let mut take = |line: &T| {
        let place = first.get_mut(line)?;
        let found = (*place)?;
        *place = next[found];
        Some(found)
    };
    let mut origins: Vec<Option<usize>> = (0..head).map(Some).collect();
    origins.extend(new[head..new.len() - tail].iter().map(&mut take));
    origins.extend((old.len() - tail..old.len()).map(Some));
    origins
}

/// The old lines that no new line is, of so many.
pub fn gone(origins: &[Option<usize>], old: usize) -> impl Iterator<Item = usize> {
    let mut is_there = vec![false; old];
    origins.iter().flatten().for_each(|from| is_there[*from] = true);
    (0..old).filter(move |n| !is_there[*n])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_find_their_origin() {
        let origins = |old: &str, new: &str| origins(old.as_bytes(), new.as_bytes());
        assert_eq!(origins("abc", "axc"), [Some(0), None, Some(2)]);
        assert_eq!(origins("abc", "cab"), [Some(2), Some(0), Some(1)]);
        assert_eq!(origins("aa", "aaa"), [Some(0), Some(1), None]);
        assert_eq!(origins("xaay", "yaax"), [Some(3), Some(1), Some(2), Some(0)]);
        assert_eq!(origins("ab", ""), []);
        assert_eq!(origins("", "a"), [None]);
        assert_eq!(gone(&origins("abca", "xab"), 4).collect::<Vec<_>>(), [2, 3]);
    }
}
