//! The text of a ledger, divided into lines.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::line::{Damage, Line, MAX_LINE, line_id};
use super::text::{BOM, Text};
use crate::model::json::{Dialect, DialectEvidence};
use crate::model::record::Record;
use crate::model::time::Instant;
use crate::sys::fs::FsError;
use crate::sys::log::Log;

/// A larger ledger is refused.
pub const MAX_LEDGER: u64 = 1 << 30;
/// The content of a ledger whose last issue was removed on purpose: not an empty file, which would look like a lost
/// one.
pub(super) const EMPTIED: &[u8] = b"\n";

/// The bytes of a ledger and the positions of its lines. The file may be read only on first use.
#[derive(Debug, Clone, Default)]
pub struct Document {
    text: OnceLock<Text>,
    unread: Option<Arc<Log>>,
    /// Why the file could not be read on first use. The document has no lines then; callers that answer from it check
    /// this first.
    failed: OnceLock<FsError>,
    places: Places,
}

/// How many ids are looked up line by line before an index pays off.
const MANY: usize = 8;

/// An index of a document that answers many lookups.
#[derive(Debug, Default)]
struct Places {
    lookups: AtomicUsize,
    /// The lines that have an id, sorted by id; those with the same id in file order.
    by_id: OnceLock<Vec<u32>>,
    conflicts: OnceLock<Vec<Range<usize>>>,
    dialect: OnceLock<Dialect>,
}

impl Clone for Places {
    fn clone(&self) -> Self {
        Places::default()
    }
}

impl Document {
    pub fn new(bytes: Vec<u8>) -> Self {
        Document { text: OnceLock::from(Text::of(bytes)), ..Document::default() }
    }

    /// A file that is read as a whole only if more than single lines are needed.
    pub(super) fn unread(file: Log) -> Self {
        Document { unread: Some(Arc::new(file)), ..Document::default() }
    }

    fn whole(&self) -> &Text {
        self.text.get_or_init(|| match self.unread.as_deref().map(Log::unchanged) {
            Some(Ok(bytes)) => Text::of(bytes),
            Some(Err(error)) => {
                let _ = self.failed.set(error);
                Text::default()
            }
            None => Text::default(),
        })
    }

    /// Why the file could not be read, if it could not.
    pub fn failure(&self) -> Option<&FsError> {
        self.failed.get()
    }

    /// Reads the file unless that was done; if that fails, single lines can still be read.
    pub fn read_whole(&self) {
        if let (None, Some(file)) = (self.text.get(), &self.unread)
            && let Ok(bytes) = file.unchanged()
        {
            let _ = self.text.set(Text::of(bytes));
        }
    }

    /// Some bytes of the file, read alone if the rest is not loaded; `None` if the file is shorter.
    pub fn part(&self, from: u64, length: usize) -> Option<Cow<'_, [u8]>> {
        match (self.text.get(), &self.unread) {
            (None, Some(file)) => {
                let bytes = file.read(from, length as u64);
                let bytes = bytes.map_err(|error| self.failed.set(error)).ok()?;
                (bytes.len() == length).then_some(Cow::Owned(bytes))
            }
            _ => {
                let from = usize::try_from(from).ok()?;
                self.bytes().get(from..from.checked_add(length)?).map(Cow::Borrowed)
            }
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.whole().bytes
    }

    fn lines(&self) -> &[Range<u32>] {
        &self.whole().lines
    }

    pub fn len(&self) -> usize {
        self.lines().len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines().is_empty()
    }

    pub fn has_bom(&self) -> bool {
        self.bytes().starts_with(BOM)
    }

    /// The position of a line in the file, without its line feed.
    pub fn span(&self, n: usize) -> Range<usize> {
        let line = self.lines().get(n).cloned().unwrap_or_default();
        line.start as usize..line.end as usize
    }

    /// The bytes of a line without its line feed; a carriage return belongs to them.
    pub fn raw(&self, n: usize) -> &[u8] {
        let Text { bytes, lines, planned, .. } = self.whole();
        if !planned.is_empty()
            && let Some(text) = planned.get(&n)
        {
            return text.as_bytes();
        }
        let line = lines.get(n).cloned().unwrap_or_default();
        &bytes[line.start as usize..line.end as usize]
    }

    /// The content of a line in the file, ignoring planned edits; `None` if the line is only planned.
    pub fn text_in_file(&self, n: usize) -> Option<&[u8]> {
        let raw = &self.bytes()[self.span(n)];
        let is_new = raw.is_empty() && self.whole().planned.contains_key(&n);
        (!is_new).then(|| raw.strip_suffix(b"\r").unwrap_or(raw))
    }

    /// Gives a line new text that is not written yet, or adds a line after the last one, so that further edits can be
    /// planned. Returns its number.
    pub(super) fn plan(&mut self, line: Option<usize>, text: String) -> usize {
        self.whole();
        let whole = self.text.get_mut().expect("it was just read");
        let n = line.unwrap_or(whole.lines.len());
        whole.planned.insert(n, text);
        if line.is_none() {
            let end = whole.bytes.len() as u32;
            whole.lines.push(end..end);
            if let Some(mut by_id) = self.places.by_id.take() {
                let id = self.id(n);
                let at = by_id.partition_point(|other| self.id(*other as usize) <= id);
                by_id.insert(at, n as u32);
                self.places.by_id = OnceLock::from(by_id);
            }
        }
        n
    }

    /// The bytes of a line without any line end.
    pub fn text(&self, n: usize) -> &[u8] {
        let raw = self.raw(n);
        raw.strip_suffix(b"\r").unwrap_or(raw)
    }

    /// The same as a text of its own.
    pub fn line_text(&self, n: usize) -> String {
        String::from_utf8_lossy(self.text(n)).into_owned()
    }

    pub fn line(&self, n: usize) -> Line<'_> {
        Line::read(self.text(n), MAX_LINE)
    }

    pub fn record(&self, n: usize) -> Option<Record<'_>> {
        match self.line(n) {
            Line::Issue(record) => Some(record),
            _ => None,
        }
    }

    /// The id on a line, found without parsing where possible. A damaged line may have one too.
    pub fn id(&self, n: usize) -> Option<Cow<'_, str>> {
        match self.whole().id(n) {
            Some(id) => std::str::from_utf8(id).ok().map(Cow::Borrowed),
            None => line_id(self.text(n)),
        }
    }

    /// Whether the last byte is a line feed, or the file is empty.
    pub fn ends_well(&self) -> bool {
        self.bytes().last().is_none_or(|byte| *byte == b'\n')
    }

    /// The last line, if it is truncated: no line feed and no valid record.
    pub fn torn(&self) -> Option<(usize, Damage)> {
        if self.ends_well() {
            return None;
        }
        let n = self.lines().len().checked_sub(1)?;
        match self.line(n) {
            Line::Damaged(Damage::Marker) => None,
            Line::Damaged(damage) => Some((n, damage)),
            _ => None,
        }
    }

    /// The ranges of lines between conflict markers, including the markers.
    pub fn conflicts(&self) -> &[Range<usize>] {
        self.places.conflicts.get_or_init(|| self.marked())
    }

    fn marked(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut open: Option<usize> = None;
        for n in self.whole().markers.iter().map(|n| *n as usize) {
            match (self.text(n)[0], open) {
                (b'<', None) => open = Some(n),
                (b'>', Some(start)) => {
                    found.push(start..n + 1);
                    open = None;
                }
                (_, Some(_)) => {}
                (_, None) => found.push(n..n + 1),
            }
        }
        found.extend(open.map(|start| start..self.len()));
        found
    }

    /// The lines that hold an issue with this id, in file order.
    pub fn find(&self, id: &str) -> Vec<usize> {
        let mut found = self.lines_naming(id);
        found.retain(|n| self.holds(*n, id));
        found
    }

    /// Whether a line is an issue with this id.
    fn holds(&self, n: usize, id: &str) -> bool {
        self.record(n).is_some_and(|record| record.string("id").as_deref() == Some(id))
    }

    /// Whether any line has this id, even a damaged one: a new id must differ from it.
    pub fn has_id(&self, id: &str) -> bool {
        !self.lines_naming(id).is_empty()
    }

    /// The lines that seem to have this id, in file order.
    fn lines_naming(&self, id: &str) -> Vec<usize> {
        let (places, whole) = (&self.places, self.whole());
        if whole.is_ascending && whole.planned.is_empty() {
            let at = |n: usize| whole.id(n).unwrap_or_default();
            let first = partition_point(self.len(), |n| at(n) < id.as_bytes());
            return (first..self.len()).take_while(|n| at(*n) == id.as_bytes()).collect();
        }
        if places.by_id.get().is_none() && places.lookups.fetch_add(1, Ordering::Relaxed) < MANY {
            let names_it = |n: &usize| match whole.id(*n) {
                Some(found) => found == id.as_bytes(),
                None => self.id(*n).is_some_and(|found| found == id),
            };
            return (0..self.len()).filter(names_it).collect();
        }
        let by_id = places.by_id.get_or_init(|| {
            let mut lines: Vec<u32> =
                (0..self.lines().len() as u32).filter(|n| self.id(*n as usize).is_some()).collect();
            // Most ledgers are already sorted.
            lines.sort_by(|a, b| self.id(*a as usize).cmp(&self.id(*b as usize)));
            lines
        });
        let first = by_id.partition_point(|n| self.id(*n as usize).is_some_and(|found| *found < *id));
        let same = by_id[first..].iter().map(|n| *n as usize);
        same.take_while(|n| self.id(*n).is_some_and(|found| found == id)).collect()
    }

    /// The line to show and to edit, if several have one id: the latest `updated_at`, then the greatest bytes.
    pub fn effective(&self, id: &str) -> Option<usize> {
        self.latest(self.find(id))
    }

    /// The line that counts for an issue.
    pub fn effective_line(&self, id: &str) -> Option<String> {
        self.effective(id).map(|n| self.line_text(n))
    }

    fn latest(&self, lines: Vec<usize>) -> Option<usize> {
        lines.into_iter().max_by(|a, b| self.age(*a).cmp(&self.age(*b)))
    }

    fn age(&self, n: usize) -> (Option<Instant>, &[u8]) {
        (self.record(n).and_then(|record| record.time("updated_at")), self.text(n))
    }

    /// The lines that seem to have a wanted id, by id, found in one pass, in file order.
    pub fn naming(&self, is_wanted: impl Fn(&str) -> bool) -> HashMap<String, Vec<usize>> {
        let mut found: HashMap<String, Vec<usize>> = HashMap::new();
        for n in 0..self.len() {
            if let Some(id) = self.id(n).filter(|id| is_wanted(id)) {
                found.entry(id.into_owned()).or_default().push(n);
            }
        }
        found
    }

    /// The lines of many ids, found in one pass, in file order.
    pub fn find_among(&self, ids: &BTreeSet<String>) -> HashMap<String, Vec<usize>> {
        let mut found = self.naming(|id| ids.contains(id));
        found.retain(|id, lines| {
            lines.retain(|n| self.holds(*n, id));
            !lines.is_empty()
        });
        found
    }

    /// Of the lines that seem to have an id, the effective one.
    pub fn effective_of(&self, id: &str, mut lines: Vec<usize>) -> Option<usize> {
        lines.retain(|n| self.holds(*n, id));
        self.latest(lines)
    }

    /// [`Document::effective`] for many ids.
    pub fn effective_among(&self, ids: &BTreeSet<String>) -> HashMap<String, usize> {
        let named = self.naming(|id| ids.contains(id)).into_iter();
        named.filter_map(|(id, lines)| self.effective_of(&id, lines).map(|line| (id, line))).collect()
    }

    /// All ids, found without parsing; including those of damaged lines, so that a new id never equals one.
    pub fn ids(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).filter_map(|n| self.id(n))
    }

    /// The same as bytes, which is cheaper still.
    pub fn raw_ids(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let whole = self.whole();
        let slow = |n| line_id(self.text(n)).map(|id| Cow::Owned(id.into_owned().into_bytes()));
        (0..self.len()).filter_map(move |n| whole.id(n).map(Cow::Borrowed).or_else(|| slow(n)))
    }

    pub fn is_sorted(&self) -> bool {
        if self.whole().is_ascending {
            return true;
        }
        let mut last: Option<Cow<'_, str>> = None;
        for id in self.ids() {
            if last.as_ref().is_some_and(|last| *last > id) {
                return false;
            }
            last = Some(id);
        }
        true
    }

    /// The line before which a new one keeps the order of ids; after the last line with an id if there is none.
    pub(super) fn place_for(&self, id: &str) -> usize {
        let whole = self.whole();
        if whole.is_ascending {
            return partition_point(self.len(), |n| whole.id(n).unwrap_or_default() <= id.as_bytes());
        }
        let behind = |n: &usize| self.id(*n).is_some_and(|other| *other > *id);
        let last = || (0..self.len()).rfind(|n| self.id(*n).is_some());
        (0..self.len()).find(behind).unwrap_or_else(|| last().map_or(self.len(), |n| n + 1))
    }

    /// The usual style of this file, for lines that do not show it themselves.
    pub fn dialect(&self) -> Dialect {
        *self.places.dialect.get_or_init(|| self.usual_dialect())
    }

    fn usual_dialect(&self) -> Dialect {
        let evidence = (0..self.len().min(400)).map(|n| DialectEvidence::of(self.text(n)));
        let (mut html, mut raw, mut spaced, mut compact) = (0, 0, 0, 0);
        for line in evidence {
            match line.html {
                Some(true) => html += 1,
                Some(false) => raw += 1,
                None => {}
            }
            if line.spaced { spaced += 1 } else { compact += 1 }
        }
        Dialect { html: html > raw, spaced: spaced > compact }
    }

    /// The dialect of one line.
    pub fn dialect_of(&self, n: usize) -> Dialect {
        self.dialect_of_text(self.text(n))
    }

    /// The dialect for a line that may be written into this file.
    pub fn dialect_of_text(&self, text: impl AsRef<[u8]>) -> Dialect {
        let evidence = DialectEvidence::of(text);
        // Only a line without evidence needs a look at the others.
        evidence.or(if evidence.html.is_none() { self.dialect() } else { Dialect::default() })
    }

    /// The line end that new lines get: that of the first line.
    pub fn line_end(&self) -> &'static [u8] {
        if !self.is_empty() && self.raw(0).ends_with(b"\r") { b"\r\n" } else { b"\n" }
    }
}

/// The first of `0..len` for which `comes_before` is false; it must be true for all before.
fn partition_point(len: usize, comes_before: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (0, len);
    while from < to {
        let middle = from + (to - from) / 2;
        if comes_before(middle) { from = middle + 1 } else { to = middle }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        Document::new(text.as_bytes().to_vec())
    }

    #[test]
    fn lines_and_ends() {
        let doc = document("\u{feff}{\"id\":\"a\"}\r\n\n{\"id\":\"b\"}");
        let texts: Vec<_> = (0..doc.len()).map(|n| doc.text(n)).collect();
        assert_eq!(texts, [&br#"{"id":"a"}"#[..], b"", br#"{"id":"b"}"#]);
        assert!(doc.has_bom() && !doc.ends_well() && doc.torn().is_none() && doc.is_sorted());
        assert_eq!(doc.line_end(), b"\r\n");
        assert!(document("{\"id\":\"a\"}\n{\"id\":\"b").torn().is_some());
        assert!(document("").is_empty());
    }

    #[test]
    fn conflict_regions() {
        let doc = document("{\"id\":\"a\"}\n<<<<<<< x\n{\"id\":\"b\"}\n=======\n>>>>>>> y\n{\"id\":\"c\"}\n");
        let one = |from: usize, to: usize| std::iter::once(from..to).collect::<Vec<_>>();
        assert_eq!(doc.conflicts(), one(1, 5));
        assert_eq!(document("<<<<<<< x\n{}\n").conflicts(), one(0, 2));
        assert_eq!(document("a\n=======\nb\n").conflicts(), one(1, 2));
    }

    #[test]
    fn the_latest_copy_is_effective() {
        let doc = document(concat!(
            "{\"id\":\"a\",\"updated_at\":\"2025-01-02T00:00:00Z\"}\n",
            "{\"id\":\"a\",\"updated_at\":\"2025-01-01T00:00:00Z\"}\n",
            "{\"x\":1,\"id\":\"a\"}\n",
        ));
        assert_eq!((doc.find("a"), doc.effective("a")), (vec![0, 1, 2], Some(0)));
        assert_eq!(doc.effective("b"), None);
    }

    #[test]
    fn lookups_find_the_same_however_many_there_are() {
        // Unsorted, with copies, a damaged line and one that begins with another key.
        let text = "{\"id\":\"c\"}\n{\"id\":\"a\",\"n\":1}\n\n{\"id\":\"b\",\n{\"x\":1,\"id\":\"a\"}\n<<<<<<< x\n{\"id\":\"\\u0061\"}\n";
        let doc = document(text);
        for round in 0..3 * MANY {
            assert_eq!(doc.find("a"), [1, 4, 6], "{round}");
            assert_eq!(doc.find("b"), Vec::<usize>::new(), "{round}: it cannot be read");
            assert!(doc.has_id("b") && doc.has_id("c") && !doc.has_id("aa") && !doc.has_id(""), "{round}");
        }
        assert!(doc.places.by_id.get().is_some());
    }
}
