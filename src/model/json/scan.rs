//! A strict JSON scanner that reports spans.
//!
//! It accepts exactly RFC 8259 with three additions for safety: a depth limit, no lone surrogates, and no duplicate
//! keys in the outermost object (a reader that collapses them would lose one on the next write).

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// Deeper nesting is refused: a hostile line must not exhaust the stack of a later reader.
pub const MAX_DEPTH: usize = 64;

/// One `"key": value` of an object, as byte ranges of the scanned text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The key without its quotes, still escaped.
    pub key: Range<usize>,
    /// The value, without surrounding white space.
    pub value: Range<usize>,
    /// Whether the key contains a backslash escape.
    pub is_escaped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    #[error("not a JSON object")]
    NotAnObject,
    #[error("not a JSON array")]
    NotAnArray,
    #[error("ends in the middle of a value (column {0})")]
    Truncated(usize),
    #[error("unexpected character at column {0}")]
    Unexpected(usize),
    #[error("raw control character in a string (column {0})")]
    Control(usize),
    #[error("invalid escape in a string (column {0})")]
    Escape(usize),
    #[error("lone surrogate escape (column {0})")]
    Surrogate(usize),
    #[error("nested deeper than {MAX_DEPTH} levels")]
    Depth,
    #[error("duplicate key {0:?}")]
    DuplicateKey(String),
}

/// The members of the object that is the whole of `text`.
pub fn members(text: &str) -> Result<Vec<Member>, ScanError> {
    let found = members_of_part(text)?;
    unique(text, &found)?;
    Ok(found)
}

/// The members of an object inside a record. It is never rewritten as a whole, so a duplicate key is harmless: the
/// first one counts.
pub fn members_of_part(text: &str) -> Result<Vec<Member>, ScanError> {
    let mut scan = Scan::new(text);
    scan.space();
    if scan.peek() != Some(b'{') {
        return Err(ScanError::NotAnObject);
    }
    let mut found = Vec::with_capacity(24);
    scan.object(0, Some(&mut found))?;
    scan.end()?;
    Ok(found)
}

/// A whole number, also if it is written with a point or an exponent.
pub fn integer(raw: &str) -> Option<i64> {
    raw.parse::<i64>().ok().or_else(|| {
        let number = raw.parse::<f64>().ok()?;
        (number.fract() == 0.0 && number.abs() < 9.0e15).then_some(number as i64)
    })
}

/// The elements of the array that is the whole of `text`.
pub fn elements(text: &str) -> Result<Vec<Range<usize>>, ScanError> {
    let mut scan = Scan::new(text);
    scan.space();
    if scan.peek() != Some(b'[') {
        return Err(ScanError::NotAnArray);
    }
    let mut found = Vec::new();
    scan.array(0, Some(&mut found))?;
    scan.end()?;
    Ok(found)
}

/// Whether a present value means "none": `null` or `""`.
pub fn is_unset(raw: &str) -> bool {
    matches!(raw, "null" | "\"\"")
}

/// The text of a JSON string literal (quotes included); `None` if `raw` is another kind of value.
pub fn decode_string(raw: &str) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    serde_json::from_str::<String>(raw).ok().map(Cow::Owned)
}

fn unique(text: &str, members: &[Member]) -> Result<(), ScanError> {
    let duplicate = |key: &str| Err(ScanError::DuplicateKey(key.to_owned()));
    if members.len() <= 48 && !members.iter().any(|m| m.is_escaped) {
        for (n, member) in members.iter().enumerate() {
            let key = &text[member.key.clone()];
            if members[..n].iter().any(|other| &text[other.key.clone()] == key) {
                return duplicate(key);
            }
        }
        return Ok(());
    }
    let mut seen = HashSet::with_capacity(members.len());
    for member in members {
        let quoted = &text[member.key.start - 1..member.key.end + 1];
        let key = decode_string(quoted).unwrap_or(Cow::Borrowed(&text[member.key.clone()]));
        if seen.contains(&key) {
            return duplicate(&key);
        }
        seen.insert(key);
    }
    Ok(())
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Scan { bytes: text.as_bytes(), at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Result<(), ScanError> {
        self.space();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(ScanError::Unexpected(self.at + 1)),
        }
    }

    fn unexpected<T>(&self) -> Result<T, ScanError> {
        Err(if self.at >= self.bytes.len() {
            ScanError::Truncated(self.at + 1)
        } else {
            ScanError::Unexpected(self.at + 1)
        })
    }

    fn expect(&mut self, byte: u8) -> Result<(), ScanError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            self.unexpected()
        }
    }

    fn value(&mut self, depth: usize) -> Result<(), ScanError> {
        match self.peek() {
            Some(b'"') => self.string().map(|_| ()),
            Some(b'{') => self.object(depth + 1, None),
            Some(b'[') => self.array(depth + 1, None),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.unexpected(),
        }
    }

    fn object(&mut self, depth: usize, mut sink: Option<&mut Vec<Member>>) -> Result<(), ScanError> {
        if depth >= MAX_DEPTH {
            return Err(ScanError::Depth);
        }
        self.expect(b'{')?;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            let (key, is_escaped) = self.string()?;
            self.space();
            self.expect(b':')?;
            self.space();
            let start = self.at;
            self.value(depth)?;
            if let Some(found) = sink.as_deref_mut() {
                found.push(Member { key, value: start..self.at, is_escaped });
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.unexpected(),
            }
        }
    }

    fn array(&mut self, depth: usize, mut sink: Option<&mut Vec<Range<usize>>>) -> Result<(), ScanError> {
        if depth >= MAX_DEPTH {
            return Err(ScanError::Depth);
        }
        self.expect(b'[')?;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            let start = self.at;
            self.value(depth)?;
            if let Some(found) = sink.as_deref_mut() {
                found.push(start..self.at);
            }
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.unexpected(),
            }
        }
    }

    /// Reads a string literal; returns the range between its quotes, and whether it has escapes.
    fn string(&mut self) -> Result<(Range<usize>, bool), ScanError> {
        self.expect(b'"')?;
        let start = self.at;
        let mut is_escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(step) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.bytes.len();
                return Err(ScanError::Truncated(self.at + 1));
            };
            if let Some(bad) = control(&rest[..step]) {
                return Err(ScanError::Control(self.at + bad + 1));
            }
            self.at += step;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Ok((start..self.at - 1, is_escaped));
            }
            self.escape()?;
            is_escaped = true;
        }
    }

    fn escape(&mut self) -> Result<(), ScanError> {
        let at = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                match self.hex(at)? {
                    0xD800..=0xDBFF => {
                        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
                            return Err(ScanError::Surrogate(at + 1));
                        }
                        self.at += 2;
                        match self.hex(at)? {
                            0xDC00..=0xDFFF => Ok(()),
                            _ => Err(ScanError::Surrogate(at + 1)),
                        }
                    }
                    0xDC00..=0xDFFF => Err(ScanError::Surrogate(at + 1)),
                    _ => Ok(()),
                }
            }
            None => Err(ScanError::Truncated(self.at + 1)),
            Some(_) => Err(ScanError::Escape(at + 1)),
        }
    }

    fn hex(&mut self, escape_at: usize) -> Result<u32, ScanError> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(ScanError::Truncated(self.at + 1));
            };
            let Some(digit) = (byte as char).to_digit(16) else {
                return Err(ScanError::Escape(escape_at + 1));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), ScanError> {
        for &byte in word {
            self.expect(byte)?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), ScanError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.unexpected();
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), ScanError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }
}

/// The position of the first control character. The first pass has no early exit, so that it vectorizes.
fn control(bytes: &[u8]) -> Option<usize> {
    let mut any = false;
    for &byte in bytes {
        any |= byte < 0x20;
    }
    any.then(|| bytes.iter().position(|&byte| byte < 0x20)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_the_value_text() {
        let text = r#"{"a" : 1.50e3 ,"b":{"c":[1,"x\"y"]},"d":null}"#;
        let found = members(text).unwrap();
        let values: Vec<_> = found.iter().map(|m| &text[m.value.clone()]).collect();
        assert_eq!(values, ["1.50e3", r#"{"c":[1,"x\"y"]}"#, "null"]);
    }

    #[test]
    fn refuses_what_a_lenient_reader_would_bend() {
        let cases = [
            (r#"{"a":1,"a":2}"#, "duplicate key \"a\""),
            (r#"{"a":1,"\u0061":2}"#, "duplicate key \"a\""),
            (r#"{"a":"\ud800"}"#, "lone surrogate escape (column 7)"),
            (r#"{"a":"\udc00"}"#, "lone surrogate escape (column 7)"),
            ("{\"a\":\"x\u{0}\"}", "raw control character in a string (column 8)"),
            (r#"{"a":01}"#, "unexpected character at column 7"),
            (r#"{"a":"x"#, "ends in the middle of a value (column 8)"),
            (r#"{"a":1}x"#, "unexpected character at column 8"),
            ("[1]", "not a JSON object"),
            (r#"{"a":.5}"#, "unexpected character at column 6"),
            (r#"{"a":tru}"#, "unexpected character at column 9"),
        ];
        for (text, message) in cases {
            assert_eq!(members(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members(&deep).unwrap_err(), ScanError::Depth);
        let fine = format!("{{\"a\":{}{}}}", "[".repeat(60), "]".repeat(60));
        assert!(members(&fine).is_ok());
    }

    #[test]
    fn every_cut_of_a_valid_line_is_refused() {
        let text = r#"{"id":"bd-1","n":-1.5e+7,"t":[true,false,null],"s":"é\n\u00e9\ud83d\ude00"}"#;
        assert!(members(text).is_ok());
        for cut in (0..text.len()).filter(|&n| text.is_char_boundary(n)) {
            assert!(members(&text[..cut]).is_err(), "{}", &text[..cut]);
        }
    }
}
