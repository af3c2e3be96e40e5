//! The bytes of a ledger, scanned once: the positions of its lines, their leading ids, and conflict markers.

use std::collections::HashMap;
use std::ops::Range;

use super::line::{is_marker, leading_id_span};

pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// The text of a ledger.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    pub lines: Vec<Range<u32>>,
    /// The positions of leading ids: start and length, which is 0 for lines that begin otherwise.
    pub ids: Vec<(u32, u32)>,
    /// Whether every line of the file begins with its id, and they are sorted.
    pub is_ascending: bool,
    /// The lines that are conflict markers.
    pub markers: Vec<u32>,
    /// New text of lines that is not written yet. New lines come after the last one and have no position in the bytes.
    pub planned: HashMap<usize, String>,
}

impl Text {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let many = bytes.len() / 512 + 1;
        let (mut lines, mut ids, mut markers) = (Vec::with_capacity(many), Vec::with_capacity(many), Vec::new());
        let (mut is_ascending, mut last) = (true, &bytes[..0]);
        // Collects every fact about a line while it is in the CPU cache.
        let mut note = |from: usize, to: usize| {
            let line = &bytes[from..to];
            if is_marker(line) {
                markers.push(lines.len() as u32);
            }
            lines.push(from as u32..to as u32);
            let id = leading_id_span(line);
            let found = id.clone().map_or(&bytes[..0], |id| &line[id]);
            is_ascending &= !found.is_empty() && last <= found;
            last = found;
            ids.push(id.map_or((0, 0), |id| ((from + id.start) as u32, id.len() as u32)));
        };
        let mut from = start;
        for end in memchr::memchr_iter(b'\n', &bytes[start..]) {
            note(from, start + end);
            from = start + end + 1;
        }
        if from < bytes.len() {
            note(from, bytes.len());
        }
        Text { lines, ids, is_ascending, markers, planned: HashMap::new(), bytes }
    }

    pub(super) fn id(&self, n: usize) -> Option<&[u8]> {
        let (start, length) = *self.ids.get(n).filter(|(_, length)| *length > 0)?;
        self.bytes.get(start as usize..(start + length) as usize)
    }
}
