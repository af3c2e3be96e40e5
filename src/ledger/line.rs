//! Classifies one line of a ledger.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::id::{IdError, IssueId};
use crate::model::json::ScanError;
use crate::model::record::Record;

/// A longer line is kept but not read, so that a hostile file cannot exhaust memory.
pub const MAX_LINE: usize = 16 << 20;

/// Why a line is not an issue although it should be. Such a line keeps its bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error("conflict marker")]
    Marker,
    #[error("not valid UTF-8")]
    Encoding,
    #[error("contains NUL bytes")]
    Nul,
    #[error("longer than 16 MiB")]
    TooLong,
    #[error("{0}")]
    Json(#[from] ScanError),
    #[error("no id")]
    NoId,
    #[error("bad id: {0}")]
    BadId(#[from] IdError),
}

/// One line, parsed.
#[derive(Debug)]
pub enum Line<'a> {
    Issue(Record<'a>),
    /// A line that declares another kind, such as `{"_type":"memory",…}`: kept and ignored.
    Other,
    Blank,
    Damaged(Damage),
}

impl<'a> Line<'a> {
    /// Reads a line without its line end.
    pub fn read(bytes: &'a [u8], limit: usize) -> Self {
        match Self::parse(bytes, limit) {
            Ok(line) => line,
            Err(damage) => Line::Damaged(damage),
        }
    }

    fn parse(bytes: &'a [u8], limit: usize) -> Result<Self, Damage> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Line::Blank);
        }
        if bytes.len() > limit {
            return Err(Damage::TooLong);
        }
        if is_marker(bytes) {
            return Err(Damage::Marker);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Damage::Encoding)?;
        let record = match Record::parse(text) {
            Ok(record) => record,
            Err(ScanError::Control(_) | ScanError::NotAnObject) if bytes.contains(&0) => return Err(Damage::Nul),
            Err(error) => return Err(error.into()),
        };
        match record.string("id") {
            _ if record.text_of("_type").is_some_and(|kind| kind != "issue") => Ok(Line::Other),
            Some(id) => IssueId::parse(&id).map(|_| Line::Issue(record)).map_err(Damage::from),
            None => Err(Damage::NoId),
        }
    }
}

/// Whether a merge wrote this line: seven or more equal characters from the markers of git, diff3 or jj, alone or
/// followed by a blank.
pub(super) fn is_marker(line: &[u8]) -> bool {
    let Some(&first) = line.first() else { return false };
    let run = line.iter().take_while(|byte| **byte == first).count();
    b"<=>|%+-\\".contains(&first) && run >= 7 && line.get(run).is_none_or(|byte| byte.is_ascii_whitespace())
}

/// The id at the start of a line, where every writer puts it; no proof that the line is valid.
pub(super) fn leading_id(line: &[u8]) -> Option<&str> {
    std::str::from_utf8(&line[leading_id_span(line)?]).ok()
}

/// The position of that id.
pub(super) fn leading_id_span(line: &[u8]) -> Option<Range<usize>> {
    let rest = line.strip_prefix(b"{\"_type\":\"issue\",").or_else(|| line.strip_prefix(b"{"))?;
    let rest = rest.strip_prefix(b"\"id\":")?;
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"\"")?;
    let length = memchr::memchr2(b'"', b'\\', rest)?;
    let start = line.len() - rest.len();
    (rest[length] == b'"' && length > 0).then_some(start..start + length)
}

/// The id of a line without its line end, found without parsing where possible. A damaged line may have one too.
pub fn line_id(text: &[u8]) -> Option<Cow<'_, str>> {
    match leading_id(text) {
        Some(id) => Some(Cow::Borrowed(id)),
        None => match Line::read(text, MAX_LINE) {
            Line::Issue(record) => record.string("id"),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> String {
        match Line::read(bytes, 200) {
            Line::Issue(record) => format!("issue {}", record.string("id").unwrap()),
            Line::Other => "other".into(),
            Line::Blank => "blank".into(),
            Line::Damaged(damage) => damage.to_string(),
        }
    }

    #[test]
    fn every_kind_of_line() {
        let long = format!("{{\"id\":\"{}\"}}", "x".repeat(250));
        for (bytes, expected) in [
            (&br#"{"id":"bd-1"}"#[..], "issue bd-1"),
            (br#"{"title":"t","id":"My Proj-1"}"#, "issue My Proj-1"),
            (br#"{"_type":"memory","key":"k"}"#, "other"),
            (b"  \t", "blank"),
            (b"<<<<<<< HEAD", "conflict marker"),
            (b"=======", "conflict marker"),
            (b"%%%%%%% Changes from base", "conflict marker"),
            (b"======= =", "conflict marker"),
            (b"<<<<<<<<<<< conflict 1 of 1", "conflict marker"),
            (b"\0\0\0\0", "contains NUL bytes"),
            (b"{\"id\":\"a\xff\"}", "not valid UTF-8"),
            (br#"{"id":""}"#, "bad id: an id has 1 to 256 bytes, this one has 0"),
            (br#"{"title":"t"}"#, "no id"),
            (br#"{"id":5}"#, "no id"),
            (br#"{"id":"a","id":"b"}"#, "duplicate key \"id\""),
            (long.as_bytes(), "longer than 16 MiB"),
        ] {
            assert_eq!(kind(bytes), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn the_id_at_the_start() {
        for (line, id) in [
            (r#"{"id":"bd-1","x":2}"#, Some("bd-1")),
            (r#"{"id": "bd-1"}"#, Some("bd-1")),
            (r#"{"_type":"issue","id":"bd-1"}"#, Some("bd-1")),
            (r#"{"id":"a\u0062"}"#, None),
            (r#"{"x":{"id":"bd-1"}}"#, None),
            (r#"{"id":"bd-1"#, None),
        ] {
            assert_eq!(leading_id(line.as_bytes()), id, "{line}");
        }
    }
}
