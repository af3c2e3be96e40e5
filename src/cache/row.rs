//! What is known of the row of an issue besides what is filtered by.

/// The handle of one line that holds an issue.
pub type Key = i64;

/// What an image knows of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLine {
    pub hash: u64,
    /// 0: a line without an issue; -1: one that must be read again.
    pub key: Key,
    /// In bytes, without the line feed.
    pub length: u32,
}

impl ImageLine {
    pub const SIZE: usize = 20;
    pub const KEY: std::ops::Range<usize> = 8..16;

    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.hash.to_le_bytes());
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
    }

    pub fn read(bytes: &[u8; Self::SIZE]) -> Self {
        let part = |from: usize| bytes[from..from + 8].try_into().expect("eight bytes");
        ImageLine {
            hash: u64::from_le_bytes(part(0)),
            key: Key::from_le_bytes(part(Self::KEY.start)),
            length: u32::from_le_bytes([bytes[16], bytes[17], bytes[18], bytes[19]]),
        }
    }
}

/// Where the line of an issue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinePlace {
    pub source: usize,
    /// From 0.
    pub line: usize,
    pub start: u64,
    pub of: ImageLine,
}

/// Derived numbers of one issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub dependencies: i64,
    pub dependents: i64,
    pub comments: i64,
}

impl Counts {
    /// From three columns, the first of which is this one.
    pub fn read(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Counts { dependencies: row.get(first)?, dependents: row.get(first + 1)?, comments: row.get(first + 2)? })
    }
}

/// What an image says of a row.
#[derive(Debug, Clone, Copy)]
pub struct AskedRow {
    pub place: LinePlace,
    pub counts: Counts,
}
