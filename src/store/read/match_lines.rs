//! Matches the lines of two versions of a file.

use std::collections::HashMap;

/// Two versions of a file, as seen by the matching.
pub(in crate::store) struct Versions<S, O, N> {
    pub old_len: usize,
    pub new_len: usize,
    /// Whether an old line and a new one are equal; this decides, hashes only find candidates.
    pub same: S,
    pub old_hash: O,
    pub new_hash: N,
}

impl<S, O, N> Versions<S, O, N>
where
    S: Fn(usize, usize) -> bool,
    O: Fn(usize) -> u64,
    N: Fn(usize) -> u64,
{
    /// For each new line the equal old line, if any; no old line is used twice. Equal beginnings and ends cost one
    /// comparison per line; only lines in between are hashed.
    pub fn origins(&self) -> Vec<Option<usize>> {
        let (old, new) = (self.old_len, self.new_len);
        let shorter = old.min(new);
        let head = (0..shorter).take_while(|n| (self.same)(*n, *n)).count();
        let tail = (0..shorter - head).take_while(|n| (self.same)(old - 1 - n, new - 1 - n)).count();
        let mut origins: Vec<Option<usize>> = (0..head).map(Some).collect();
        let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
        for n in (head..old - tail).rev() {
            by_hash.entry((self.old_hash)(n)).or_default().push(n);
        }
        for n in head..new - tail {
            let candidates = by_hash.get_mut(&(self.new_hash)(n));
            origins.push(candidates.and_then(|found| {
                let at = found.iter().rposition(|from| (self.same)(*from, n))?;
                Some(found.remove(at))
            }));
        }
        origins.extend((old - tail..old).map(Some));
        origins
    }
}

#[cfg(test)]
mod tests {
    use super::super::match_lines::*;

    #[test]
    fn lines_find_their_origin() {
        let origins = |old: &str, new: &str| {
            let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
            Versions {
                old_len: old.len(),
                new_len: new.len(),
                same: |a: usize, b: usize| old[a] == new[b],
                // A poor hash: the comparison must decide.
                old_hash: |n: usize| u64::from(old[n]) % 2,
                new_hash: |n: usize| u64::from(new[n]) % 2,
            }
            .origins()
        };
        assert_eq!(origins("abc", "axc"), [Some(0), None, Some(2)]);
        assert_eq!(origins("abc", "cab"), [Some(2), Some(0), Some(1)]);
        assert_eq!(origins("aa", "aaa"), [Some(0), Some(1), None]);
        assert_eq!(origins("ab", ""), []);
        assert_eq!(origins("", "a"), [None]);
    }
}
