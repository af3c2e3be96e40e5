//! A version of a file as pieces of bytes that are in memory anyway, and its lines that hold a text.
//!
//! Most versions are kept as deltas, and thousands of versions of a large file have nearly all bytes in common. So a version
//! is not put together: it is a list of pieces, and a delta makes another list of it. What is sought is looked for once in
//! the bytes of each object that is kept whole, and once in what each delta inserts. An occurrence in a version lies inside
//! of a piece, where it is known already, or across a joint, where a few bytes are looked at.

use std::rc::Rc;

use memchr::memmem::Finder;

use super::delta::{Delta, Instruction, MOST};

/// With more pieces than this a version is put together after all.
const PIECES: usize = 1024;
/// No honest delta makes so many pieces.
const TOO_MANY: usize = 1 << 20;

/// A text to look for: not empty, and without a line feed.
pub struct Sought<'a> {
    finder: Finder<'a>,
}

impl<'a> Sought<'a> {
    pub fn new(text: &'a [u8]) -> Option<Self> {
        (!text.is_empty() && !text.contains(&b'\n')).then(|| Sought { finder: Finder::new(text) })
    }

    fn len(&self) -> usize {
        self.finder.needle().len()
    }

    /// Where it begins, also where one occurrence lies over another: a piece may hold only the second.
    fn all(&self, bytes: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = self.finder.find(&bytes[from..]) {
            found.push(from + at);
            from += at + 1;
        }
        found
    }
}

/// Bytes in memory, and where in them the text is.
struct Source {
    bytes: Vec<u8>,
    found: Vec<usize>,
}

impl Source {
    fn new(bytes: Vec<u8>, sought: &Sought<'_>) -> Rc<Self> {
        let found = sought.all(&bytes);
        Rc::new(Source { bytes, found })
    }
}

struct Piece {
    source: Rc<Source>,
    start: usize,
    len: usize,
    /// Where in the version it stands.
    at: usize,
}

impl Piece {
    fn bytes(&self) -> &[u8] {
        &self.source.bytes[self.start..self.start + self.len]
    }

    fn end(&self) -> usize {
        self.at + self.len
    }
}

/// No piece is empty, and each stands where the one before it ends.
#[derive(Default)]
pub struct Rope {
    pieces: Vec<Piece>,
    len: usize,
}

impl Rope {
    pub fn whole(bytes: Vec<u8>, sought: &Sought<'_>) -> Self {
        let mut rope = Rope::default();
        rope.push(&Source::new(bytes, sought), 0, usize::MAX);
        rope
    }

    /// The version that a delta makes of this one; `None` if the delta is not for it, or is damaged.
    pub fn changed(&self, delta: &[u8], sought: &Sought<'_>) -> Option<Self> {
        let delta = Delta::read(delta).filter(|delta| delta.base == self.len)?;
        let mut inserted = Vec::new();
        for instruction in delta.instructions() {
            if let Instruction::Insert(bytes) = instruction? {
                inserted.extend_from_slice(bytes);
            }
        }
        let inserted = Source::new(inserted, sought);
        let mut rope = Rope::default();
        let mut used = 0;
        for instruction in delta.instructions() {
            match instruction? {
                Instruction::Insert(bytes) => {
                    rope.push(&inserted, used, bytes.len());
                    used += bytes.len();
                }
                Instruction::Copy { from, len } => self.copy(from, len, &mut rope)?,
            }
            if rope.len > delta.result || rope.pieces.len() > TOO_MANY {
                return None;
            }
        }
        if rope.len != delta.result {
            return None;
        }
        Some(if rope.pieces.len() > PIECES { Rope::whole(rope.bytes(0, rope.len), sought) } else { rope })
    }

    fn copy(&self, from: usize, len: usize, to: &mut Rope) -> Option<()> {
        let end = from.checked_add(len).filter(|end| *end <= self.len && *end <= MOST)?;
        let first = self.pieces.partition_point(|piece| piece.end() <= from);
        for piece in self.pieces[first..].iter().take_while(|piece| piece.at < end) {
            let skipped = from.saturating_sub(piece.at);
            to.push(&piece.source, piece.start + skipped, piece.end().min(end) - piece.at - skipped);
        }
        Some(())
    }

    /// What goes on where the last piece ends makes that one longer.
    fn push(&mut self, source: &Rc<Source>, start: usize, len: usize) {
        let len = len.min(source.bytes.len() - start);
        match self.pieces.last_mut() {
            _ if len == 0 => {}
            Some(last) if last.start + last.len == start && Rc::ptr_eq(&last.source, source) => last.len += len,
            _ => self.pieces.push(Piece { source: Rc::clone(source), start, len, at: self.len }),
        }
        self.len += len;
    }

    /// The bytes between two places.
    fn bytes(&self, from: usize, to: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(to - from);
        let first = self.pieces.partition_point(|piece| piece.end() <= from);
        for piece in self.pieces[first..].iter().take_while(|piece| piece.at < to) {
            let end = piece.end().min(to) - piece.at;
            bytes.extend_from_slice(&piece.bytes()[from.saturating_sub(piece.at)..end]);
        }
        bytes
    }

    /// The lines that hold the text, without their ends, in order.
    pub fn lines(&self, sought: &Sought<'_>) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        // What is before this belongs to lines that were looked at.
        let mut from = 0;
        for (n, piece) in self.pieces.iter().enumerate() {
            while from < piece.end()
                && let Some(at) = self.next(n, from, sought)
            {
                let (start, end) = (self.line_start(n, at), self.line_end(n, at));
                lines.push(self.bytes(start, end));
                from = end + 1;
            }
        }
        lines
    }

    /// The first occurrence that begins in a piece, and not before some place.
    fn next(&self, n: usize, from: usize, sought: &Sought<'_>) -> Option<usize> {
        let piece = &self.pieces[n];
        let start = piece.start + from.saturating_sub(piece.at);
        let found = &piece.source.found;
        let inside = found.get(found.partition_point(|at| *at < start));
        if let Some(inside) = inside.filter(|at| **at + sought.len() <= piece.start + piece.len) {
            return Some(piece.at + inside - piece.start);
        }
        // One that begins in the last bytes goes on in the next pieces.
        let before = (piece.len.min(sought.len() - 1)).min(piece.end() - from.max(piece.at));
        let start = piece.end() - before;
        let end = (piece.end() + sought.len() - 1).min(self.len);
        if before == 0 || end - start < sought.len() {
            return None;
        }
        sought.finder.find(&self.bytes(start, end)).map(|found| start + found)
    }

    fn line_start(&self, n: usize, at: usize) -> usize {
        let here = &self.pieces[n];
        if let Some(found) = memchr::memrchr(b'\n', &here.bytes()[..at - here.at]) {
            return here.at + found + 1;
        }
        let mut before = self.pieces[..n].iter().rev();
        before.find_map(|piece| Some(piece.at + memchr::memrchr(b'\n', piece.bytes())? + 1)).unwrap_or(0)
    }

    fn line_end(&self, n: usize, at: usize) -> usize {
        let here = &self.pieces[n];
        if let Some(found) = memchr::memchr(b'\n', &here.bytes()[at - here.at..]) {
            return at + found;
        }
        let mut after = self.pieces[n + 1..].iter();
        after.find_map(|piece| Some(piece.at + memchr::memchr(b'\n', piece.bytes())?)).unwrap_or(self.len)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::delta::tests::written;
    use super::*;
    use crate::vcs::archive::lines_holding;

    /// A delta in which every number is taken modulo what is allowed.
    #[derive(Debug, Clone)]
    enum Part {
        Copy(usize, usize),
        Insert(Vec<u8>),
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(proptest::sample::select(b"aab\n".to_vec()), 0..40)
    }

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            (any::<usize>(), any::<usize>()).prop_map(|(from, len)| Part::Copy(from, len)),
            text().prop_map(Part::Insert),
        ]
    }

    /// The delta, and what it makes of a text.
    fn apply(base: &[u8], parts: &[Part]) -> (Vec<u8>, Vec<u8>) {
        let mut result = Vec::new();
        let mut said = Vec::new();
        for part in parts {
            match part {
                Part::Copy(from, len) if !base.is_empty() => {
                    let from = from % base.len();
                    let len = 1 + len % (base.len() - from);
                    result.extend_from_slice(&base[from..from + len]);
                    said.push(Instruction::Copy { from, len });
                }
                Part::Insert(bytes) if !bytes.is_empty() => {
                    result.extend_from_slice(bytes);
                    said.push(Instruction::Insert(bytes));
                }
                _ => {}
            }
        }
        (written(base.len(), result.len(), &said), result)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_rope_is_the_text_that_it_stands_for(
            base in text(),
            chain in proptest::collection::vec(proptest::collection::vec(part(), 0..8), 0..6),
            pattern in proptest::sample::select(vec!["a", "aa", "ab", "aba", "aaaa", "abaab", "bb", "aabaabaa"]),
        ) {
            let sought = Sought::new(pattern.as_bytes()).unwrap();
            let mut rope = Rope::whole(base.clone(), &sought);
            let mut text = base;
            for parts in chain {
                let (delta, next) = apply(&text, &parts);
                prop_assert!(Rope::whole(text.clone(), &sought).changed(&delta[..delta.len() - 1], &sought).is_none());
                rope = rope.changed(&delta, &sought).unwrap();
                text = next;
                prop_assert_eq!(rope.bytes(0, rope.len), text.clone());
                prop_assert_eq!(rope.lines(&sought), lines_holding(&text, pattern.as_bytes()));
            }
        }

        #[test]
        fn a_delta_of_any_bytes_is_refused_or_obeyed(base in text(), delta in proptest::collection::vec(any::<u8>(), 0..30)) {
            let sought = Sought::new(b"a").unwrap();
            let mut bytes = written(base.len(), 3, &[]);
            bytes.extend(delta);
            if let Some(rope) = Rope::whole(base, &sought).changed(&bytes, &sought) {
                prop_assert_eq!(rope.bytes(0, rope.len).len(), 3);
            }
        }
    }

    #[test]
    fn many_pieces_are_put_together() {
        let sought = Sought::new(b"xy").unwrap();
        let base = b"xxyy\n".repeat(1000);
        let parts: Vec<Part> = (0..2000).map(|n| Part::Copy(4999 - n * 2, 2)).collect();
        let (delta, text) = apply(&base, &parts);
        let rope = Rope::whole(base, &sought).changed(&delta, &sought).unwrap();
        assert_eq!(rope.pieces.len(), 1);
        assert_eq!(rope.lines(&sought), lines_holding(&text, b"xy"));
    }

    #[test]
    fn what_cannot_be_sought() {
        assert!(Sought::new(b"").is_none());
        assert!(Sought::new(b"a\nb").is_none());
        let sought = Sought::new(b"a").unwrap();
        assert!(Rope::whole(Vec::new(), &sought).lines(&sought).is_empty());
        let other = written(9, 0, &[]);
        assert!(Rope::whole(b"a".to_vec(), &sought).changed(&other, &sought).is_none(), "a delta for something else");
    }
}
