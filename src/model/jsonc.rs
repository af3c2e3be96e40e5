//! Small edits of JSON that people wrote: everything but what is put in or taken out keeps its bytes.
//!
//! Comments, trailing commas, a byte order mark and any order of keys are understood and left alone. A new entry comes first in its
//! object or array, so that taking it out gives the very bytes from before. A file of blanks counts as an object without members.

mod reader;

pub use reader::Fault;
use reader::{Kind, Node, Reader, parse};

/// What is put in, and where: below keys of objects, as an element of an array or as a member of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub keys: &'static [&'static str],
    /// The name of a member; `None` for an element.
    pub name: Option<&'static str>,
    pub json: &'static str,
    /// The other members of a file that did not exist before.
    pub beside: &'static str,
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

/// The content of a text at the place of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// The entry, in the bytes that [`put`] writes.
    Same,
    /// The entry, in other bytes.
    Equal,
    /// Something else under its name.
    Other(Fault),
}

/// The entry itself: where it begins, and its value.
type Placed<'n> = Option<(usize, &'n Node)>;

fn placed<'n>(bytes: &[u8], way: &[(usize, &'n Node)], entry: &Entry) -> (Found, Placed<'n>) {
    let Some((_, container)) = way.get(entry.keys.len()) else { return (Found::Nothing, None) };
    let as_found = |start: usize, value: &'n Node| {
        let is_same = bytes[value.start..value.end] == *entry.json.as_bytes();
        (if is_same { Found::Same } else { Found::Equal }, Some((start, value)))
    };
    match (&container.kind, entry.name) {
        (Kind::Object(members), Some(name)) => match members.iter().find(|(_, key, _)| key == name) {
            None => (Found::Nothing, None),
            Some((start, _, value)) if is_same(bytes, value, entry.json) => as_found(*start, value),
            Some((start, ..)) => {
                let reader = Reader { bytes, at: 0, depth: 0 };
                (Found::Other(reader.fault(*start, format!("{name:?} is already set to something else"))), None)
            }
        },
        (Kind::Array(items), None) => {
            // Of several that say the same, the one that was put in.
            let same: Vec<_> = items.iter().filter(|item| is_same(bytes, item, entry.json)).collect();
            let put = same.iter().find(|item| bytes[item.start..item.end] == *entry.json.as_bytes());
            put.or(same.first()).map_or((Found::Nothing, None), |item| as_found(item.start, item))
        }
        _ => (Found::Nothing, None),
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(u8::is_ascii_whitespace)
}

/// Whether the entry is there.
pub fn find(bytes: &[u8], entry: &Entry) -> Result<Found, Fault> {
    if is_blank(bytes) {
        return Ok(Found::Nothing);
    }
    let root = parse(bytes)?;
    Ok(placed(bytes, &way(bytes, &root, entry)?, entry).0)
}

/// Whether the text is JSON as people write it.
pub fn is_readable(bytes: &[u8]) -> bool {
    parse(bytes).is_ok()
}

/// The value of a key of the outermost object, if it is a boolean.
pub fn flag(bytes: &[u8], key: &str) -> Option<bool> {
    let root = parse(bytes).ok()?;
    let Kind::Object(members) = &root.kind else { return None };
    let (_, _, value) = members.iter().find(|(_, name, _)| name == key)?;
    serde_json::from_slice(&bytes[value.start..value.end]).ok()
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
    if is_blank(bytes) {
        // The line feed tells it from a file that was made.
        return Ok(Some([bytes, b"\n", &made(entry)].concat()));
    }
    let root = parse(bytes)?;
    let way = way(bytes, &root, entry)?;
    match placed(bytes, &way, entry).0 {
        Found::Nothing => {}
        Found::Same | Found::Equal => return Ok(None),
        Found::Other(fault) => return Err(fault),
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
    /// `None` if there was no file before.
    pub bytes: Option<Vec<u8>>,
    /// These are the very bytes from before; otherwise the entry was moved or written otherwise since.
    pub is_exact: bool,
}

/// Takes the entry out; `None` if it is not there.
pub fn take(bytes: &[u8], entry: &Entry) -> Result<Option<Taken>, Fault> {
    if is_blank(bytes) {
        return Ok(None);
    }
    let root = parse(bytes)?;
    let way = way(bytes, &root, entry)?;
    let Some((start, value)) = placed(bytes, &way, entry).1 else { return Ok(None) };
    // Version control may have changed the line ends of a file that was made.
    let (made, plain) = (made(entry), String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_bytes());
    if plain == made {
        return Ok(Some(Taken { bytes: None, is_exact: true }));
    }
    if let Some(blanks) = bytes.strip_suffix(made.as_slice()).and_then(|head| head.strip_suffix(b"\n"))
        && is_blank(blanks)
    {
        return Ok(Some(Taken { bytes: Some(blanks.to_vec()), is_exact: true }));
    }
    // From the outermost that may have come with the entry to the entry alone: what gives these bytes again is what was there.
    let steps = (1..way.len()).map(|depth| (way[depth - 1].1, way[depth].0, way[depth].1.end));
    let steps: Vec<_> = steps.chain([(way[way.len() - 1].1, start, value.end)]).collect();
    for (container, from, to) in &steps {
        for (from, to) in cuts(bytes, container, *from, *to) {
            let before = [&bytes[..from], &bytes[to..]].concat();
            if put(&before, entry).ok().flatten().as_deref() == Some(bytes) {
                return Ok(Some(Taken { bytes: Some(before), is_exact: true }));
            }
        }
    }
    // A container that holds nothing else, without a blank, came with the entry.
    let came_with = |step: &&(&Node, usize, usize)| {
        let (container, from, to) = step;
        container.start + 1 == *from && *to + 1 == container.end
    };
    let outer = steps.iter().rev().take_while(came_with).count().min(steps.len() - 1);
    let (container, from, to) = steps[steps.len() - 1 - outer];
    let cuts = cuts(bytes, container, from, to).into_iter();
    let left = cuts.map(|(from, to)| [&bytes[..from], &bytes[to..]].concat()).find(|left| parse(left).is_ok());
    Ok(left.map(|bytes| Taken { bytes: Some(bytes), is_exact: false }))
}

/// A word about an object, if it is wanted.
pub type Judge = fn(&serde_json::Value) -> Option<String>;

/// The words about all objects that are wanted below a key of the outermost one.
pub fn judged(bytes: &[u8], key: &str, judge: Judge) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(root) = parse(bytes)
        && let Some(node) = member(&root, key)
    {
        each_judged(bytes, node, judge, &mut |_, _, _, word| found.push(word));
    }
    found
}

fn member<'a>(root: &'a Node, key: &str) -> Option<&'a Node> {
    let Kind::Object(members) = &root.kind else { return None };
    members.iter().find(|(_, name, _)| name == key).map(|(_, _, value)| value)
}

/// The text without these objects, each with its key.
pub fn without_judged(bytes: &[u8], key: &str, judge: Judge) -> Vec<u8> {
    let mut left = bytes.to_vec();
    while let Ok(root) = parse(&left) {
        let mut spans = Vec::new();
        let Some(node) = member(&root, key) else { break };
        each_judged(&left, node, judge, &mut |container, from, to, _| spans.extend(cuts(&left, container, from, to)));
        let mut shorter = spans.into_iter().map(|(from, to)| [&left[..from], &left[to..]].concat());
        match shorter.find(|text| parse(text).is_ok()) {
            Some(text) => left = text,
            None => break,
        }
    }
    left
}

/// Tells each of them: what contains it, and where it is.
fn each_judged(bytes: &[u8], node: &Node, judge: Judge, tell: &mut dyn FnMut(&Node, usize, usize, String)) {
    let items: Vec<(usize, &Node)> = match &node.kind {
        Kind::Object(members) => members.iter().map(|(start, _, value)| (*start, value)).collect(),
        Kind::Array(items) => items.iter().map(|item| (item.start, item)).collect(),
        Kind::Scalar => Vec::new(),
    };
    for (start, item) in items {
        let value = matches!(item.kind, Kind::Object(_)).then(|| serde_json::from_slice(&bytes[item.start..item.end]));
        match value.and_then(Result::ok).as_ref().and_then(judge) {
            Some(word) => tell(node, start, item.end, word),
            None => each_judged(bytes, item, judge, tell),
        }
    }
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
            "",
            " \r\n",
        ];
        for text in texts {
            for entry in [&HOOK, &SERVER] {
                let with = put(text.as_bytes(), entry).unwrap().unwrap_or_else(|| panic!("{text}"));
                assert_eq!(find(&with, entry), Ok(Found::Same), "{}", String::from_utf8_lossy(&with));
                assert_eq!(put(&with, entry), Ok(None));
                let without = take(&with, entry).unwrap().unwrap();
                assert!(without.is_exact);
                let without = without.bytes.unwrap();
                assert_eq!(String::from_utf8_lossy(&without), text, "{}", String::from_utf8_lossy(&with));
                assert_eq!(take(text.as_bytes(), entry), Ok(None));
            }
        }
        assert_eq!(take(&made(&HOOK), &HOOK).unwrap().unwrap().bytes, None);
        let crlf = String::from_utf8(made(&HOOK)).unwrap().replace('\n', "\r\n");
        assert_eq!(take(crlf.as_bytes(), &HOOK).unwrap().unwrap().bytes, None);
    }

    #[test]
    fn an_entry_that_was_moved_comes_out_too() {
        let text = format!("{{\"hooks\": {{\"SessionStart\": [{{}}, {}]}}}}", HOOK.json);
        let without = take(text.as_bytes(), &HOOK).unwrap().unwrap();
        assert!(!without.is_exact);
        assert_eq!(String::from_utf8_lossy(&without.bytes.unwrap()), "{\"hooks\": {\"SessionStart\": [{}]}}");
        // Containers that came with it are removed with it; a blank marks those that were there before.
        let [with, before] =
            ["", " "].map(|blank| format!("{{ \"a\": 1,\n \"hooks\": {{\"SessionStart\": [{blank}{}]}}}}", HOOK.json));
        let without = take(with.as_bytes(), &HOOK).unwrap().unwrap().bytes.unwrap();
        assert_eq!(String::from_utf8_lossy(&without), "{ \"a\": 1}");
        let without = take(before.as_bytes(), &HOOK).unwrap().unwrap().bytes.unwrap();
        assert!(String::from_utf8_lossy(&without).ends_with("{\"SessionStart\": []}}"));
    }

    #[test]
    fn an_entry_in_other_bytes_is_somebody_else_s() {
        let own = HOOK.json.replace(": ", ":");
        let text = format!("{{\"hooks\": {{\"SessionStart\": [{own}]}}, \"off\": true}}");
        assert_eq!(find(text.as_bytes(), &HOOK), Ok(Found::Equal));
        assert_eq!(put(text.as_bytes(), &HOOK), Ok(None));
        let both = text.replace(&own, &format!("{own}, {}", HOOK.json));
        let without = take(both.as_bytes(), &HOOK).unwrap().unwrap().bytes.unwrap();
        assert_eq!(String::from_utf8_lossy(&without), text, "the one that was put in");
        assert_eq!((flag(text.as_bytes(), "off"), flag(text.as_bytes(), "hooks")), (Some(true), None));
    }

    #[test]
    fn what_cannot_be_read_is_a_fault_with_its_line() {
        for (text, line, what) in [
            ("\u{feff}", 1, "value"),
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
