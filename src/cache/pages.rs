//! Tables and indexes of SQLite written as pages, in its file format (<https://sqlite.org/fileformat.html>).
//!
//! Filling tables by statements is most of the work of a first read. Rows that come in order make a tree from the left to the
//! right, and each page is written once. The schema and the first page are SQLite's own; what is here fills trees whose roots are
//! empty. A page of a tree is full when the next cell does not fit.

use std::collections::HashMap;

use rusqlite::{Connection, Result};

const PAGE: usize = 4096;
/// The page in which SQLite locks a file. It holds nothing.
const LOCK_PAGE: usize = (1 << 30) / PAGE + 1;
/// So much of a payload may stand in the tree itself: in a leaf of a table, and in an index.
const MOST_IN_TABLE: usize = PAGE - 35;
const MOST_IN_INDEX: usize = (PAGE - 12) * 64 / 255 - 23;
/// What stays in the tree of a longer one, at least.
const LEAST: usize = (PAGE - 12) * 32 / 255 - 23;
/// Where the first page says how many there are, and has a number that the program may set.
const PAGE_COUNT_AT: usize = 28;
const USER_VERSION_AT: usize = 60;

/// The pages of a database.
#[derive(Debug)]
pub(super) struct Pages {
    bytes: Vec<u8>,
    roots: HashMap<String, u32>,
}

/// A tree that grows to the right.
#[derive(Debug)]
pub(super) struct Tree {
    root: u32,
    is_table: bool,
    /// The leaf that is being filled, then the pages above it.
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    /// The cells, one behind the other, and where each begins.
    cells: Vec<u8>,
    starts: Vec<u16>,
    /// The greatest rowid so far, in a leaf of a table.
    last: i64,
}

/// A value of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
    Blob(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Value::Int(i64::from(flag))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl Pages {
    /// Those of a database that has tables, and no rows.
    pub fn of(db: &mut Connection) -> Result<Self> {
        let bytes = db.serialize("main")?.to_vec();
        let mut statement = db.prepare("SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0")?;
        let roots = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
        Ok(Pages { bytes, roots })
    }

    /// The empty tree of a table, or of an index; a table without rowids is one.
    pub fn tree(&self, name: &str) -> Tree {
        let root = self.roots[name];
        let is_table = self.bytes[(root as usize - 1) * PAGE] == Kind::TableLeaf as u8;
        Tree { root, is_table, levels: vec![Level::default()] }
    }

    /// Fills a tree with rows in its order. Those of a table get numbers from 1.
    pub fn fill<'a, const N: usize>(&mut self, name: &str, rows: impl IntoIterator<Item = [Value<'a>; N]>) {
        let mut tree = self.tree(name);
        for (n, row) in (1..).zip(rows) {
            tree.add(self, n, &row);
        }
        tree.finish(self);
    }

    pub fn set_user_version(&mut self, version: u32) {
        self.bytes[USER_VERSION_AT..USER_VERSION_AT + 4].copy_from_slice(&version.to_be_bytes());
    }

    /// The database.
    pub fn finish(mut self) -> Vec<u8> {
        let count = (self.bytes.len() / PAGE) as u32;
        self.bytes[PAGE_COUNT_AT..PAGE_COUNT_AT + 4].copy_from_slice(&count.to_be_bytes());
        self.bytes
    }

    fn new_page(&mut self) -> u32 {
        if self.bytes.len() / PAGE + 1 == LOCK_PAGE {
            self.bytes.resize(self.bytes.len() + PAGE, 0);
        }
        self.bytes.resize(self.bytes.len() + PAGE, 0);
        (self.bytes.len() / PAGE) as u32
    }

    fn page(&mut self, number: u32) -> &mut [u8] {
        let start = (number as usize - 1) * PAGE;
        &mut self.bytes[start..start + PAGE]
    }

    /// Puts what does not fit the tree into pages of its own; gives the first.
    fn overflow(&mut self, mut rest: &[u8]) -> u32 {
        let first = self.new_page();
        let mut number = first;
        loop {
            let (part, more) = rest.split_at(rest.len().min(PAGE - 4));
            self.page(number)[4..4 + part.len()].copy_from_slice(part);
            if more.is_empty() {
                return first;
            }
            let next = self.new_page();
            self.page(number)[..4].copy_from_slice(&next.to_be_bytes());
            (number, rest) = (next, more);
        }
    }
}

/// What a page begins with.
#[derive(Clone, Copy)]
enum Kind {
    IndexInterior = 2,
    TableInterior = 5,
    IndexLeaf = 10,
    TableLeaf = 13,
}

impl Tree {
    /// Adds a row behind the last. Only a table looks at the rowid; the values of an index end with it.
    pub fn add(&mut self, pages: &mut Pages, rowid: i64, values: &[Value<'_>]) {
        let mut record = [0; 256];
        let mut long = Vec::new();
        let payload = encode(values, &mut record, &mut long);
        self.add_payload(pages, rowid, payload);
    }

    fn add_payload(&mut self, pages: &mut Pages, rowid: i64, payload: &[u8]) {
        let most = if self.is_table { MOST_IN_TABLE } else { MOST_IN_INDEX };
        let local = match payload.len() {
            length if length <= most => length,
            length => {
                let even = LEAST + (length - LEAST) % (PAGE - 4);
                if even <= most { even } else { LEAST }
            }
        };
        let mut head = [0; 18];
        let mut at = put_varint(&mut head, 0, payload.len() as u64);
        if self.is_table {
            at = put_varint(&mut head, at, rowid as u64);
        }
        let tail = (local < payload.len()).then(|| pages.overflow(&payload[local..]).to_be_bytes());
        let tail = tail.as_ref().map_or(&[][..], |tail| tail);
        if !self.levels[0].has_room(at + local + tail.len(), 8) {
            self.close(pages, 0);
        }
        let leaf = &mut self.levels[0];
        leaf.last = rowid;
        leaf.push(&[&head[..at], &payload[..local], tail]);
    }

    /// Writes the page of a level, which is full, and begins another.
    fn close(&mut self, pages: &mut Pages, n: usize) {
        let number = pages.new_page();
        if n + 1 == self.levels.len() {
            self.levels.push(Level::default());
        }
        let kind = self.kind(n);
        let level = &mut self.levels[n];
        // Below an index, and above all leaves, the last cell goes up. Of an inner page its left child is then the rightmost one.
        let mut cell = Vec::new();
        let mut rightmost = 0;
        if self.is_table && n == 0 {
            let mut head = [0; 9];
            let length = put_varint(&mut head, 0, level.last as u64);
            cell.extend_from_slice(&head[..length]);
        } else {
            let start = level.starts.pop().expect("a page has cells") as usize;
            let own = if n == 0 { start } else { start + 4 };
            if n > 0 {
                rightmost = u32::from_be_bytes(level.cells[start..own].try_into().expect("four bytes"));
            }
            cell.extend_from_slice(&level.cells[own..]);
            level.cells.truncate(start);
        }
        level.write(pages.page(number), kind, rightmost);
        level.clear();
        if !self.levels[n + 1].has_room(4 + cell.len(), 12) {
            self.close(pages, n + 1);
        }
        self.levels[n + 1].push(&[&number.to_be_bytes(), &cell]);
    }

    fn kind(&self, level: usize) -> Kind {
        match (self.is_table, level) {
            (true, 0) => Kind::TableLeaf,
            (true, _) => Kind::TableInterior,
            (false, 0) => Kind::IndexLeaf,
            (false, _) => Kind::IndexInterior,
        }
    }

    /// Writes what is left: the last page of each level, and the topmost one into the root.
    pub fn finish(self, pages: &mut Pages) {
        let mut rightmost = 0;
        for (n, level) in self.levels.iter().enumerate() {
            let number = if n + 1 == self.levels.len() { self.root } else { pages.new_page() };
            level.write(pages.page(number), self.kind(n), rightmost);
            rightmost = number;
        }
    }
}

impl Level {
    /// There is room for a cell beside those that are in, with the place that says where it is, behind the head of the page.
    fn has_room(&self, length: usize, head: usize) -> bool {
        head + 2 * (self.starts.len() + 1) + self.cells.len() + length.max(4) <= PAGE
    }

    fn push(&mut self, parts: &[&[u8]]) {
        let start = self.cells.len();
        self.starts.push(start as u16);
        parts.iter().for_each(|part| self.cells.extend_from_slice(part));
        self.cells.resize(self.cells.len().max(start + 4), 0);
    }

    fn clear(&mut self) {
        self.cells.clear();
        self.starts.clear();
    }

    fn write(&self, page: &mut [u8], kind: Kind, rightmost: u32) {
        let content = PAGE - self.cells.len();
        page[content..].copy_from_slice(&self.cells);
        page[0] = kind as u8;
        page[3..5].copy_from_slice(&(self.starts.len() as u16).to_be_bytes());
        page[5..7].copy_from_slice(&(content as u16).to_be_bytes());
        let mut at = 8;
        if matches!(kind, Kind::IndexInterior | Kind::TableInterior) {
            page[8..12].copy_from_slice(&rightmost.to_be_bytes());
            at = 12;
        }
        for start in &self.starts {
            page[at..at + 2].copy_from_slice(&(content as u16 + start).to_be_bytes());
            at += 2;
        }
    }
}

/// A row as SQLite has it: the types of the values, then the values. It stands in one of the two buffers.
fn encode<'a>(values: &[Value<'_>], short: &'a mut [u8; 256], long: &'a mut Vec<u8>) -> &'a [u8] {
    let length = |value: &Value<'_>| match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 8,
    };
    // A head has a byte for its length and at most nine for each type.
    let most = 2 + 10 * values.len() + values.iter().map(length).sum::<usize>();
    let out: &mut [u8] = match most <= short.len() {
        true => short,
        false => {
            long.resize(most, 0);
            long
        }
    };
    let mut types = 0;
    for value in values {
        types += varint_length(serial_type(value));
    }
    let head = types + varint_length(types as u64 + 1);
    let mut at = put_varint(out, 0, head as u64);
    let mut body = head;
    for value in values {
        at = put_varint(out, at, serial_type(value));
        body = put_value(out, body, value);
    }
    &out[..body]
}

fn serial_type(value: &Value<'_>) -> u64 {
    match value {
        Value::Null => 0,
        Value::Int(number) => match number {
            0 => 8,
            1 => 9,
            -0x80..=0x7f => 1,
            -0x8000..=0x7fff => 2,
            -0x80_0000..=0x7f_ffff => 3,
            -0x8000_0000..=0x7fff_ffff => 4,
            -0x8000_0000_0000..=0x7fff_ffff_ffff => 5,
            _ => 6,
        },
        Value::Blob(bytes) => bytes.len() as u64 * 2 + 12,
        Value::Text(text) => text.len() as u64 * 2 + 13,
    }
}

fn put_value(out: &mut [u8], at: usize, value: &Value<'_>) -> usize {
    let mut put = |bytes: &[u8]| {
        out[at..at + bytes.len()].copy_from_slice(bytes);
        at + bytes.len()
    };
    match value {
        Value::Null => at,
        Value::Int(number) => {
            let width = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0][serial_type(value) as usize];
            put(&number.to_be_bytes()[8 - width..])
        }
        Value::Blob(bytes) => put(bytes),
        Value::Text(text) => put(text.as_bytes()),
    }
}

fn varint_length(number: u64) -> usize {
    (1..9).find(|length| number >> (7 * length) == 0).unwrap_or(9)
}

/// Seven bits a byte, the high ones first; the ninth byte has eight.
fn put_varint(out: &mut [u8], at: usize, number: u64) -> usize {
    if number < 0x80 {
        out[at] = number as u8;
        return at + 1;
    }
    let length = varint_length(number);
    let (mut rest, mut last) = (number, length);
    if length == 9 {
        out[at + 8] = number as u8;
        (rest, last) = (number >> 8, 8);
    }
    for n in (0..last).rev() {
        let more = if n + 1 < length { 0x80 } else { 0 };
        out[at + n] = (rest & 0x7f) as u8 | more;
        rest >>= 7;
    }
    at + length
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the rows are, SQLite finds nothing wrong with the trees and reads the rows back.
    #[test]
    fn sqlite_reads_what_was_written() {
        let schema = "CREATE TABLE t (key INTEGER PRIMARY KEY, a TEXT, n INTEGER); CREATE INDEX t_a ON t (a, n);
            CREATE TABLE w (a TEXT, n INTEGER, b BLOB, PRIMARY KEY (a, n)) WITHOUT ROWID;";
        let numbers =
            [0, 1, -1, 127, 128, -129, 40_000, -9_000_000, 1 << 31, 1 << 46, -(1 << 47) - 1, i64::MIN, i64::MAX];
        for (count, long) in [(0, 3), (1, 5000), (3, 900), (400, 7), (3000, 1100), (700, 9000), (60_000, 2)] {
            let mut empty = Connection::open_in_memory().unwrap();
            empty.execute_batch(schema).unwrap();
            let mut pages = Pages::of(&mut empty).unwrap();
            let (mut table, mut index, mut other) = (pages.tree("t"), pages.tree("t_a"), pages.tree("w"));
            let text = |n: usize| format!("{n:06}{}", "x".repeat(n * 7919 % (long + 1)));
            for n in 0..count {
                let (key, text, number) = (n as i64 * 3 - 2, text(n), numbers[n % numbers.len()]);
                let blob = vec![7; n * 31 % (2 * long)];
                table.add(&mut pages, key, &[Value::Null, text.as_str().into(), number.into()]);
                index.add(&mut pages, 0, &[text.as_str().into(), number.into(), key.into()]);
                other.add(&mut pages, 0, &[text.as_str().into(), number.into(), Value::Blob(&blob)]);
            }
            [table, index, other].into_iter().for_each(|tree| tree.finish(&mut pages));
            let bytes = pages.finish();
            let mut db = Connection::open_in_memory().unwrap();
            db.deserialize_read_exact("main", bytes.as_slice(), bytes.len(), false).unwrap();
            let found: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(found, "ok", "{count} rows");
            let mut statement =
                db.prepare("SELECT t.key, t.a, t.n, w.b FROM t JOIN w USING (a, n) ORDER BY t.a").unwrap();
            let mut rows = statement.query([]).unwrap();
            for n in 0..count {
                let row = rows.next().unwrap().expect("a row");
                assert_eq!(row.get::<_, i64>(0).unwrap(), n as i64 * 3 - 2);
                assert_eq!(row.get::<_, String>(1).unwrap(), text(n));
                assert_eq!(row.get::<_, i64>(2).unwrap(), numbers[n % numbers.len()]);
                assert_eq!(row.get::<_, Vec<u8>>(3).unwrap(), vec![7; n * 31 % (2 * long)]);
            }
            assert!(rows.next().unwrap().is_none());
        }
    }
}
