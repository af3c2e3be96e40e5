//! Recognizes a renamed file by its lines.

use std::path::PathBuf;

use crate::model::lines::origins;

/// The number of lines that two texts share, if that is at least half of the shorter one.
pub(super) fn overlap(one: &[u8], other: &[u8]) -> Option<usize> {
    let (one, other) = (lines(one), lines(other));
    let shortest = one.len().min(other.len());
    let shared = origins(&one, &other).iter().flatten().count();
    (shared > 0 && shared * 2 >= shortest).then_some(shared)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect()
}

/// Finds the former name of a new file among those removed at the same time.
pub(crate) struct Likeness<'a> {
    text: &'a [u8],
    best: Option<(usize, PathBuf)>,
}

impl<'a> Likeness<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Self {
        Likeness { text, best: None }
    }

    /// Adds a removed file. Equal bytes win, then the most common lines, then the first one added.
    pub(crate) fn see(&mut self, name: PathBuf, text: &[u8]) {
        let shared = if text == self.text { Some(usize::MAX) } else { overlap(self.text, text) };
        if let Some(shared) = shared
            && self.best.as_ref().is_none_or(|(best, _)| shared > *best)
        {
            self.best = Some((shared, name));
        }
    }

    pub(crate) fn name(self) -> Option<PathBuf> {
        self.best.map(|(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_shorter_one() {
        assert_eq!(overlap(b"a\nb\n", b"a\nc\n"), Some(1));
        assert_eq!(overlap(b"a\nb\nc\n", b"a\nd\ne\n"), None);
        assert_eq!(overlap(b"a\nb\nc\nd\ne\n", b"a\n"), Some(1), "what was pruned does not count");
        assert_eq!(overlap(b"a\na\n", b"a\nb\n"), Some(1), "a line is shared once");
        assert_eq!((overlap(b"", b""), overlap(b"\n\n", b"\n"), overlap(b"", b"a\n")), (None, None, None));
    }

    #[test]
    fn the_most_alike() {
        let name = |went: &[(&str, &str)]| {
            let mut likeness = Likeness::of(b"a\nb\nc\n");
            went.iter().for_each(|(name, text)| likeness.see(PathBuf::from(name), text.as_bytes()));
            likeness.name()
        };
        assert_eq!(name(&[("1", "a\nx\n"), ("2", "a\nb\nx\n"), ("3", "b\nc\ny\n")]), Some("2".into()));
        assert_eq!(name(&[("1", "a\nb\nc\nd\n"), ("2", "a\nb\nc\n")]), Some("2".into()));
        assert_eq!(name(&[("1", "x\n")]), None);
    }
}
