//! Types for a row of an issue and its line.

/// The handle of one line that holds an issue.
pub type Key = i64;

/// A line as a file records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptLine {
    pub hash: u64,
    /// 0: a line without an issue.
    pub key: Key,
    /// In bytes, without the line feed.
    pub length: u32,
}

impl KeptLine {
    pub const SIZE: usize = 20;
    pub const KEY: std::ops::Range<usize> = 8..16;

    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
    }

    pub fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let part = |from: usize| bytes[from..from + 8].try_into().expect("eight bytes");
        KeptLine {
            hash: u64::from_le_bytes(part(0)),
            key: Key::from_le_bytes(part(Self::KEY.start)),
            length: u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]),
        }
    }
}

/// The random identity of a file.
pub type FileId = [u8; 16];

/// Adjacent lines of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    pub source: usize,
    pub number: u32,
    /// Its first line, and the offset where that begins.
    pub first: usize,
    pub start: u64,
    pub lines: Vec<KeptLine>,
}

impl Chunk {
    pub(super) fn n(&self) -> i64 {
        (self.source as i64) << 32 | i64::from(self.number)
    }

    pub(super) fn blob(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.lines.len() * KeptLine::SIZE);
        self.lines.iter().for_each(|line| line.write(&mut out));
        out
    }

    pub(super) fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        let n: i64 = row.get(0)?;
        let lines = row.get_ref(3)?.as_blob()?.as_chunks().0.iter().map(KeptLine::read).collect();
        let (source, number) = ((n >> 32) as usize, n as u32);
        Ok(Chunk { source, number, first: row.get::<_, i64>(1)? as usize, start: row.get::<_, i64>(2)? as u64, lines })
    }
}

/// The position of an issue's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    pub source: usize,
    /// From 0.
    pub line: usize,
    pub start: u64,
    pub of: KeptLine,
}

/// Derived counts of one issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub dependencies: i64,
    pub dependents: i64,
    pub comments: i64,
}

impl Counts {
    /// Reads three columns, starting at `first`.
    pub fn read(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Counts { dependencies: row.get(first)?, dependents: row.get(first + 1)?, comments: row.get(first + 2)? })
    }
}

/// The facts about a row in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredRow {
    pub place: LinePlace,
    pub counts: Counts,
}

/// An open issue that another one waits for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocker {
    pub id: String,
    pub kind: String,
    /// Whether some repo holds this id.
    pub known: bool,
}
