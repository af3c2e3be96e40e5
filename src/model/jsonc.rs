//! Small edits of JSON that people wrote: everything but what is put in or taken out keeps its bytes.
//!
//! Comments, trailing commas, a byte order mark and any order of keys are understood and left alone. What is put in stands first in its
//! object or array, so that taking it out gives the very bytes from before.

/// Why a text is not edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    pub line: usize,
    pub what: String,
}

/// What is put in, and where: below keys of objects, as an element of an array or as a member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub keys: &'static [&'static str],
    /// The name of a member; `None` for an element.
    pub name: Option<&'static str>,
    pub json: &'static str,
    /// What a file has besides if there was none, as members.
    pub beside: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    start: usize,
    end: usize,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Object(Vec<(usize, String, Node)>),
    Array(Vec<Node>),
    Scalar,
}

impl Node {
    /// Where the first thing inside begins; `None` if there is nothing.
    fn first(&self) -> Option<usize> {
        match &self.kind {
            Kind::Object(members) => members.first().map(|(start, ..)| *start),
            Kind::Array(items) => items.first().map(|item| item.start),
            Kind::Scalar => None,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

const MAX_DEPTH: usize = 100;

impl Reader<'_> {
    fn fault(&self, at: usize, what: impl Into<String>) -> Fault {
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
                return Err(self.fault(start, format!("the key {key:?} is there twice")));
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

fn parse(bytes: &[u8]) -> Result<Node, Fault> {
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

/// Whether a value says the same as the entry, however it is written.
fn is_same(bytes: &[u8], node: &Node, json: &str) -> bool {
    let read = |text: &[u8]| serde_json::from_slice::<serde_json::Value>(text).ok();
    let found = read(&bytes[node.start..node.end]);
    found.is_some() && found == read(json.as_bytes())
}

/// Nodes from the outermost object down to the container that is to hold the entry, as far as they are there.
fn way<'n>(bytes: &[u8], root: &'n Node, entry: &Entry) -> Result<Vec<(usize, &'n Node)>, Fault> {
    let at_fault = |at: usize, what: String| Reader { bytes, at, depth: 0 }.fault(at, what);
    let mut found = vec![(root.start, root)];
    for (depth, key) in entry.keys.iter().enumerate() {
        let Kind::Object(members) = &found[depth].1.kind else { break };
        let Some((start, _, value)) = members.iter().find(|(_, name, _)| name == key) else { break };
        let is_last = depth + 1 == entry.keys.len();
        let wants_array = is_last && entry.name.is_none();
        let fits =
            if wants_array { matches!(value.kind, Kind::Array(_)) } else { matches!(value.kind, Kind::Object(_)) };
        if !fits {
            let kind = if wants_array { "an array" } else { "an object" };
            return Err(at_fault(*start, format!("{key:?} is not {kind}")));
        }
        found.push((*start, value));
    }
    Ok(found)
}

/// The entry itself: where it begins, and its value.
fn placed<'n>(bytes: &[u8], way: &[(usize, &'n Node)], entry: &Entry) -> Result<Option<(usize, &'n Node)>, Fault> {
    if way.len() <= entry.keys.len() {
        return Ok(None);
    }
    let Some((_, container)) = way.last() else { return Ok(None) };
    match (&container.kind, entry.name) {
        (Kind::Object(members), Some(name)) => {
            let Some((start, _, value)) = members.iter().find(|(_, key, _)| key == name) else { return Ok(None) };
            if !is_same(bytes, value, entry.json) {
                let reader = Reader { bytes, at: 0, depth: 0 };
                return Err(reader.fault(*start, format!("{name:?} is there and says something else")));
            }
            Ok(Some((*start, value)))
        }
        (Kind::Array(items), None) => {
            Ok(items.iter().find(|item| is_same(bytes, item, entry.json)).map(|item| (item.start, item)))
        }
        _ => Ok(None),
    }
}

/// Whether the entry is there.
pub fn has(bytes: &[u8], entry: &Entry) -> Result<bool, Fault> {
    let root = parse(bytes)?;
    Ok(placed(bytes, &way(bytes, &root, entry)?, entry)?.is_some())
}

/// The entry with the keys that are missing on its way.
fn item(missing: &[&str], entry: &Entry) -> String {
    let leaf = match entry.name {
        Some(name) => format!("\"{name}\": {}", entry.json),
        None => entry.json.to_owned(),
    };
    missing.iter().rev().enumerate().fold(leaf, |inner, (n, key)| match (n, entry.name) {
        (0, None) => format!("\"{key}\": [{inner}]"),
        _ => format!("\"{key}\": {{{inner}}}"),
    })
}

/// A new file with the entry.
pub fn made(entry: &Entry) -> Vec<u8> {
    format!("{{\n{}  {}\n}}\n", entry.beside, item(entry.keys, entry)).into_bytes()
}

/// Puts the entry in; `None` if it is there already.
pub fn put(bytes: &[u8], entry: &Entry) -> Result<Option<Vec<u8>>, Fault> {
    let root = parse(bytes)?;
    let way = way(bytes, &root, entry)?;
    if placed(bytes, &way, entry)?.is_some() {
        return Ok(None);
    }
    let (_, container) = way[way.len() - 1];
    let item = item(&entry.keys[way.len() - 1..], entry);
    let open = container.start + 1;
    let feed = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    let text = match container.first() {
        // Inside of an empty one a blank tells it from one that was made with the entry.
        None => format!("{}{item}", if way.len() > 1 { " " } else { "" }),
        Some(first) => {
            let gap = &bytes[open..first];
            match gap.iter().rposition(|byte| *byte == b'\n') {
                Some(at) if gap[at + 1..].iter().all(|byte| matches!(byte, b' ' | b'\t')) => {
                    format!("{feed}{}{item},", String::from_utf8_lossy(&gap[at + 1..]))
                }
                _ => format!("{item}, "),
            }
        }
    };
    Ok(Some([&bytes[..open], text.as_bytes(), &bytes[open..]].concat()))
}

/// What is left without an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Empty if there was no file before.
    pub bytes: Vec<u8>,
    /// These are the very bytes from before; otherwise the entry was moved or written otherwise since.
    pub is_exact: bool,
}

/// Takes the entry out; `None` if it is not there.
pub fn take(bytes: &[u8], entry: &Entry) -> Result<Option<Taken>, Fault> {
    let root = parse(bytes)?;
    let way = way(bytes, &root, entry)?;
    let Some((start, value)) = placed(bytes, &way, entry)? else { return Ok(None) };
    if bytes == made(entry) {
        return Ok(Some(Taken { bytes: Vec::new(), is_exact: true }));
    }
    // From the outermost that may have come with the entry to the entry alone: what gives these bytes again is what was there.
    let steps = (1..way.len()).map(|depth| (way[depth - 1].1, way[depth].0, way[depth].1.end));
    let steps: Vec<_> = steps.chain([(way[way.len() - 1].1, start, value.end)]).collect();
    for (container, from, to) in &steps {
        for (from, to) in cuts(bytes, container, *from, *to) {
            let before = [&bytes[..from], &bytes[to..]].concat();
            if put(&before, entry).ok().flatten().as_deref() == Some(bytes) {
                return Ok(Some(Taken { bytes: before, is_exact: true }));
            }
        }
    }
    let (container, from, to) = steps[steps.len() - 1];
    let cuts = cuts(bytes, container, from, to).into_iter();
    let left = cuts.map(|(from, to)| [&bytes[..from], &bytes[to..]].concat()).find(|left| parse(left).is_ok());
    Ok(left.map(|bytes| Taken { bytes, is_exact: false }))
}

/// What may be cut out with an item: the gap before it, and the comma after or before it.
fn cuts(bytes: &[u8], container: &Node, from: usize, to: usize) -> Vec<(usize, usize)> {
    let open = container.start + 1;
    let mut found = Vec::new();
    let comma = bytes[to..].iter().position(|byte| *byte == b',').map(|at| to + at + 1);
    let comma = comma.filter(|end| bytes[to..end - 1].iter().all(u8::is_ascii_whitespace));
    if bytes[open..from].iter().all(u8::is_ascii_whitespace) {
        found.extend(comma.filter(|end| bytes.get(*end) == Some(&b' ')).map(|end| (open, end + 1)));
        found.extend(comma.map(|end| (open, end)));
        found.push((open, to));
    }
    found.extend(comma.map(|end| (from, end)));
    let before = bytes[open..from].iter().rposition(|byte| !byte.is_ascii_whitespace()).map(|at| open + at);
    found.extend(before.filter(|at| bytes[*at] == b',').map(|at| (at, to)));
    found.push((from, to));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOK: Entry = Entry {
        keys: &["hooks", "SessionStart"],
        name: None,
        json: r#"{"hooks": [{"type": "command", "command": "x"}]}"#,
        beside: "",
    };
    const SERVER: Entry = Entry { keys: &["mcpServers"], name: Some("bd"), json: r#"{"command": "bd"}"#, beside: "" };

    #[test]
    fn what_is_put_in_comes_out_without_a_trace() {
        let texts = [
            "{}",
            "{ }",
            "{\n}\n",
            "{ // nothing\n}",
            "{\"a\":1}",
            "{ \"a\": 1, }",
            "\u{feff}{\r\n\t\"z\": [1, 2],\r\n\t// why\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}",
            "{\"hooks\": {}}",
            "{\"hooks\":{ }}",
            "{\n  \"hooks\": {\n    \"SessionStart\": []\n  }\n}\n",
            "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": []} // other\n    ],\n  },\n}\n",
            "/* head */ {\"mcpServers\": {\"a\": {}}, \"hooks\": {\"SessionStart\": [{}], \"b\": 2}}",
            "{\"mcpServers\": {}}",
        ];
        for text in texts {
            for entry in [&HOOK, &SERVER] {
                let with = put(text.as_bytes(), entry).unwrap().unwrap_or_else(|| panic!("{text}"));
                assert_eq!(has(&with, entry), Ok(true), "{}", String::from_utf8_lossy(&with));
                assert_eq!(put(&with, entry), Ok(None));
                let without = take(&with, entry).unwrap().unwrap();
                assert!(without.is_exact);
                let without = without.bytes;
                assert_eq!(String::from_utf8_lossy(&without), text, "{}", String::from_utf8_lossy(&with));
                assert_eq!(take(text.as_bytes(), entry), Ok(None));
            }
        }
        assert_eq!(take(&made(&HOOK), &HOOK).unwrap().unwrap().bytes, b"");
    }

    #[test]
    fn an_entry_that_was_moved_comes_out_too() {
        let text = format!("{{\"hooks\": {{\"SessionStart\": [{{}}, {}]}}}}", HOOK.json);
        let without = take(text.as_bytes(), &HOOK).unwrap().unwrap();
        assert!(!without.is_exact);
        assert_eq!(String::from_utf8_lossy(&without.bytes), "{\"hooks\": {\"SessionStart\": [{}]}}");
    }

    #[test]
    fn what_cannot_be_read_is_a_fault_with_its_line() {
        for (text, line, what) in [
            ("", 1, "value"),
            ("[]", 1, "not an object"),
            ("{\n\"a\" 1}", 2, "colon"),
            ("{\n\"hooks\": null}", 2, "\"hooks\" is not an object"),
            ("{\"hooks\": {\n\"SessionStart\": {}}}", 2, "\"SessionStart\" is not an array"),
            ("{\"a\": 1,\n\"a\": 2}", 2, "twice"),
            ("{} x", 1, "follows"),
            ("{/* ", 1, "comment"),
            ("{\"a", 1, "string"),
            ("{\"a\": [1 2]}", 1, "comma"),
        ] {
            let fault = put(text.as_bytes(), &HOOK).unwrap_err();
            assert!(fault.line == line && fault.what.contains(what), "{text}: {fault}");
        }
        assert!(put("[".repeat(5000).as_bytes(), &HOOK).is_err());
        let taken = "{\"mcpServers\": {\"bd\": 1}}";
        assert!(put(taken.as_bytes(), &SERVER).unwrap_err().what.contains("something else"));
    }
}
