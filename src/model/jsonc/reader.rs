//! Reads JSON as people write it, and where each part of it is.

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    pub line: usize,
    pub what: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Object(Vec<(usize, String, Node)>),
    Array(Vec<Node>),
    Scalar,
}

impl Node {
    /// Where the first thing inside begins; `None` if there is nothing.
    pub(super) fn first(&self) -> Option<usize> {
        match &self.kind {
            Kind::Object(members) => members.first().map(|(start, ..)| *start),
            Kind::Array(items) => items.first().map(|item| item.start),
            Kind::Scalar => None,
        }
    }
}

pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    pub depth: usize,
}

const MAX_DEPTH: usize = 100;

impl Reader<'_> {
    pub(super) fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
        let line = self.bytes[..at.min(self.bytes.len())].iter().filter(|byte| **byte == b'\n').count() + 1;
        Fault { line, what: what.into() }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let find = |end: &[u8]| rest.windows(end.len()).skip(2).position(|window| window == end).map(|at| at + 2);
            match rest {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => self.at += 1,
                [b'/', b'/', ..] => self.at += find(b"\n").unwrap_or(rest.len()),
                [b'/', b'*', ..] => match find(b"*/") {
                    Some(end) => self.at += end + 2,
                    None => return Err(self.fault(self.at, "a comment has no end")),
                },
                _ => return Ok(()),
            }
        }
    }

    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                let raw = &self.bytes[start..self.at];
                return serde_json::from_slice(raw).map_err(|_| self.fault(start, "a string is not valid"));
            }
        }
        Err(self.fault(start, "a string has no end"))
    }

    fn value(&mut self) -> Result<Node, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fault(self.at, "it is nested too deeply"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object()?,
            Some(b'[') => self.array()?,
            Some(b'"') => {
                self.string()?;
                Kind::Scalar
            }
            _ => {
                let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let length = self.rest().iter().take_while(is_word).count();
                if serde_json::from_slice::<serde_json::Value>(&self.rest()[..length]).is_err() {
                    return Err(self.fault(start, "a value is missing or not valid"));
                }
                self.at += length;
                Kind::Scalar
            }
        };
        self.depth -= 1;
        Ok(Node { start, end: self.at, kind })
    }

    fn object(&mut self) -> Result<Kind, Fault> {
        let mut members: Vec<(usize, String, Node)> = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.fault(start, "a key or } is missing"));
            }
            let key = self.string()?;
            if members.iter().any(|(_, known, _)| *known == key) {
                return Err(self.fault(start, format!("the key {key:?} occurs twice")));
            }
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.fault(self.at, "a colon is missing"));
            }
            self.at += 1;
            self.skip()?;
            members.push((start, key, self.value()?));
            self.comma(b'}')?;
        }
    }

    fn array(&mut self) -> Result<Kind, Fault> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Kind::Array(items));
            }
            items.push(self.value()?);
            self.comma(b']')?;
        }
    }

    fn comma(&mut self, end: u8) -> Result<(), Fault> {
        self.skip()?;
        match self.peek() {
            Some(b',') => self.at += 1,
            Some(byte) if byte == end => {}
            _ => return Err(self.fault(self.at, "a comma or the end is missing")),
        }
        Ok(())
    }
}

pub(super) fn parse(bytes: &[u8]) -> Result<Node, Fault> {
    let mut reader = Reader { bytes, at: 0, depth: 0 };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        reader.at = 3;
    }
    reader.skip()?;
    let root = reader.value()?;
    reader.skip()?;
    match (reader.peek(), &root.kind) {
        (Some(_), _) => Err(reader.fault(reader.at, "something follows the end")),
        (None, Kind::Object(_)) => Ok(root),
        (None, _) => Err(reader.fault(root.start, "it is not an object")),
    }
}
