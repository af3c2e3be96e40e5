//! Lays out JSON text for people without changing a single scalar.

use std::fmt::Write as _;

/// Indents valid JSON by two spaces per level; every string and number keeps its bytes.
pub fn pretty(json: &str) -> String {
    pretty_inside(json, 0)
}

/// The same for a value that is already nested `depth` levels deep.
pub fn pretty_inside(json: &str, mut depth: usize) -> String {
    let bytes = json.as_bytes();
    let mut out = String::with_capacity(json.len() * 3 / 2);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at + 1);
                out.push_str(&json[at..end]);
                at = end;
                continue;
            }
            open @ (b'{' | b'[') => {
                out.push(open as char);
                let next = (at + 1..bytes.len()).find(|n| !bytes[*n].is_ascii_whitespace()).unwrap_or(bytes.len());
                match bytes.get(next) {
                    Some(close @ (b'}' | b']')) => {
                        out.push(*close as char);
                        at = next;
                    }
                    _ => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            close @ (b'}' | b']') => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(close as char);
            }
            b',' => {
                out.push(',');
                line(&mut out, depth);
            }
            b':' => out.push_str(": "),
            byte if byte.is_ascii_whitespace() => {}
            // Numbers and words; valid JSON has nothing else outside of strings.
            byte => out.push(byte as char),
        }
        at += 1;
    }
    out
}

/// The position after the closing quote of a string.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(step) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += step + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn line(out: &mut String, depth: usize) {
    const BLANKS: &str = "\n                                ";
    let wanted = 1 + 2 * depth;
    out.push_str(&BLANKS[..wanted.min(BLANKS.len())]);
    out.extend(std::iter::repeat_n(' ', wanted.saturating_sub(BLANKS.len())));
}

/// Escapes everything outside printable ASCII, for JSON printed on a terminal: control characters in a title must not
/// reach it.
pub fn ascii_only(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut units = [0u16; 2];
    for c in json.chars() {
        if matches!(c, ' '..='~' | '\n') {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_keeps_scalars() {
        let text = r#"{"a":[1e400,"x: {\" , "],"b":{},"c":[ ]}"#;
        let expected = "{\n  \"a\": [\n    1e400,\n    \"x: {\\\" , \"\n  ],\n  \"b\": {},\n  \"c\": []\n}";
        assert_eq!(pretty(text), expected);
        assert_eq!(pretty_inside(text, 2), expected.replace('\n', "\n    "));
        assert_eq!(ascii_only("\"\u{9b}é😀\u{202e}\""), r#""\u009b\u00e9\ud83d\ude00\u202e""#);
    }
}
