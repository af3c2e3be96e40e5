//! The text of a document after edits, as pieces, so that unchanged parts are not copied.

use std::ops::Range;

use super::document::Document;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A range of the document.
    Kept(Range<usize>),
    New(Vec<u8>),
}

impl Piece {
    fn of<'a>(&'a self, document: &'a Document) -> &'a [u8] {
        match self {
            Piece::Kept(range) => &document.bytes()[range.clone()],
            Piece::New(text) => text,
        }
    }
}

/// A text as a sequence of pieces.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'d> {
    old: &'d Document,
    all: Vec<Piece>,
    /// The lines on which issues were placed, by their ids.
    placed: Vec<(String, usize)>,
}

impl<'d> Pieces<'d> {
    pub(super) fn of(old: &'d Document) -> Self {
        Pieces { old, all: Vec::new(), placed: Vec::new() }
    }

    pub(super) fn keep(&mut self, range: Range<usize>) {
        match self.all.last_mut() {
            _ if range.is_empty() => {}
            Some(Piece::Kept(last)) if last.end == range.start => last.end = range.end,
            _ => self.all.push(Piece::Kept(range)),
        }
    }

    pub(super) fn add(&mut self, text: &[u8], end: &[u8]) {
        self.all.push(Piece::New([text, end].concat()));
    }

    /// Records the line of the new text that an issue is on.
    pub(super) fn place(&mut self, id: &str, line: usize) {
        self.placed.push((id.to_owned(), line));
    }

    pub(super) fn line_of(&self, id: &str) -> Option<usize> {
        self.placed.iter().find(|(placed, _)| placed == id).map(|(_, line)| *line)
    }

    pub(super) fn all(&self) -> &[Piece] {
        &self.all
    }

    pub(super) fn slices(&self) -> Vec<&[u8]> {
        self.all.iter().map(|piece| piece.of(self.old)).collect()
    }

    pub(super) fn len(&self) -> u64 {
        self.slices().iter().map(|slice| slice.len() as u64).sum()
    }

    /// The pieces joined into a document.
    pub(super) fn joined(&self) -> Document {
        Document::new(self.slices().concat())
    }

    /// Whether the text equals the document.
    pub(super) fn is_unchanged(&self) -> bool {
        let mut rest = self.old.bytes();
        self.len() == rest.len() as u64
            && self.all.iter().zip(self.slices()).all(|(piece, slice)| {
                let (start, after) = rest.split_at(slice.len());
                let at = self.old.bytes().len() - rest.len();
                rest = after;
                // Most of it is a kept piece at its old place, which needs no comparison.
                matches!(piece, Piece::Kept(range) if range.start == at) || start == slice
            })
    }
}
