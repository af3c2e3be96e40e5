//! Stores texts that share most of their lines, each line once.
//!
//! Two versions of a ledger differ in a few lines. Thousands of them fit into the memory for a hundred whole ones, and
//! a shared line is searched once.

use std::collections::HashMap;
use std::sync::Arc;

/// A text: its lines, by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text(Vec<u32>);

/// All lines of all texts, with their ends.
#[derive(Debug, Default)]
pub(super) struct Lines {
    numbers: HashMap<Arc<[u8]>, u32>,
    all: Vec<Arc<[u8]>>,
    /// The memory in use, roughly.
    held: usize,
}

/// The memory for a line besides its bytes, roughly.
const OVERHEAD: usize = 64;

impl Lines {
    /// Stores a text; `None` if it does not fit into `room` bytes.
    pub(super) fn keep(&mut self, text: &[u8], room: usize) -> Option<Text> {
        if self.held + text.len() > room && self.held + self.cost(text) > room {
            return None;
        }
        let numbers: Option<Vec<u32>> = lines(text).map(|line| self.number(line)).collect();
        let text = Text(numbers?);
        self.held += text.0.len() * size_of::<u32>();
        Some(text)
    }

    fn cost(&self, text: &[u8]) -> usize {
        let new = |line: &[u8]| if self.numbers.contains_key(line) { 0 } else { line.len() + OVERHEAD };
        lines(text).map(|line| new(line) + size_of::<u32>()).sum()
    }

    fn number(&mut self, line: &[u8]) -> Option<u32> {
        if let Some(number) = self.numbers.get(line) {
            return Some(*number);
        }
        let number = u32::try_from(self.all.len()).ok()?;
        let line: Arc<[u8]> = line.into();
        self.held += line.len() + OVERHEAD;
        self.all.push(Arc::clone(&line));
        self.numbers.insert(line, number);
        Some(number)
    }

    pub(super) fn bytes(&self, text: &Text) -> Vec<u8> {
        text.0.iter().map(|number| self.line(*number)).collect::<Vec<_>>().concat()
    }

    fn line(&self, number: u32) -> &[u8] {
        self.all.get(number as usize).map_or(&[], |line| line)
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        let mut lines = Lines::default();
        let texts: [&[u8]; 8] =
            [b"", b"\n", b"a", b"a\n", b"a\nb\n\nab", b"b\na\r\n\n\n", b"\xff\0\n", b"ab\nab\nab\n"];
        let kept: Vec<Text> = texts.iter().map(|text| lines.keep(text, usize::MAX).expect("room")).collect();
        for (text, kept) in texts.iter().zip(&kept) {
            assert_eq!(lines.bytes(kept), *text);
        }
    }

    #[test]
    fn what_is_there_already_costs_little() {
        let mut lines = Lines::default();
        let line = b"a line of some length\n";
        lines.keep(line, 10_000).expect("room for a line");
        let text = line.repeat(1000);
        lines.keep(&text, 10_000).expect("a thousand numbers");
        assert_eq!(lines.keep(&[&text, [b'x'; 10_000].as_slice()].concat(), 10_000), None);
        let before = lines.held;
        assert!(lines.keep(&text, 10_000).is_some() && lines.held < before + 5000);
        assert_eq!(lines.keep(&text, 10_000), None, "full");
    }
}
