//! Laying out JSON text for people without touching a single scalar.

use std::fmt::Write as _;

/// Indents valid JSON text by two spaces a level; every string and number keeps its bytes.
pub fn pretty(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 3 / 2);
    let mut depth = 0usize;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                out.push(c);
                let mut escaped = false;
                for c in chars.by_ref() {
                    out.push(c);
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                out.push(c);
                if let Some(close) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Escapes everything outside printable ASCII, for JSON that goes to a terminal (F53).
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
        assert_eq!(ascii_only("\"\u{9b}é😀\u{202e}\""), r#""\u009b\u00e9\ud83d\ude00\u202e""#);
    }
}
