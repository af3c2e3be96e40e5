//! Writes a changed value in the style of its line.

use std::fmt::Write as _;

/// A value to write. Numbers are integers: no ledger field that `bd` sets is a float.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    Text(String),
    Int(i64),
    Bool(bool),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
    /// Text that is already JSON, written as it is.
    Raw(String),
}

/// The style of a line: Go's HTML escapes or raw, with or without a space after separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dialect {
    pub html: bool,
    pub spaced: bool,
}

/// What one line reveals about its dialect; without `<`, `>` or `&` it reveals nothing about escaping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectEvidence {
    pub html: Option<bool>,
    pub spaced: bool,
}

impl DialectEvidence {
    /// Collects the evidence from a whole line.
    pub fn of(line: impl AsRef<[u8]>) -> Self {
        let line = line.as_ref();
        let raw = memchr::memchr3(b'<', b'>', b'&', line).is_some();
        let is_escape = |at: usize| matches!(line.get(at + 1..at + 6), Some(b"u003c" | b"u003e" | b"u0026"));
        let html = if raw { Some(false) } else { memchr::memchr_iter(b'\\', line).any(is_escape).then_some(true) };
        let colon = memchr::memchr_iter(b':', line).find(|at| line[..*at].ends_with(b"\""));
        let spaced = colon.is_some_and(|at| line.get(at + 1) == Some(&b' '));
        DialectEvidence { html, spaced }
    }

    /// Fills in what the line leaves open with what is usual in its file.
    pub fn or(self, usual: Dialect) -> Dialect {
        Dialect { html: self.html.unwrap_or(usual.html), spaced: self.spaced }
    }
}

impl Dialect {
    pub fn comma(self) -> &'static str {
        if self.spaced { ", " } else { "," }
    }

    pub fn colon(self) -> &'static str {
        if self.spaced { ": " } else { ":" }
    }

    pub fn render(self, value: &Json) -> String {
        let mut out = String::new();
        self.write(value, &mut out);
        out
    }

    pub fn string(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 2);
        self.write_string(text, &mut out);
        out
    }

    /// Joins JSON texts into an array.
    pub fn array<'a>(self, parts: impl IntoIterator<Item = &'a str>) -> String {
        let parts: Vec<_> = parts.into_iter().collect();
        format!("[{}]", parts.join(self.comma()))
    }

    fn write(self, value: &Json, out: &mut String) {
        match value {
            Json::Text(text) => self.write_string(text, out),
            Json::Int(number) => {
                let _ = write!(out, "{number}");
            }
            Json::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Json::Raw(raw) => out.push_str(raw),
            Json::List(items) => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        out.push_str(self.comma());
                    }
                    self.write(item, out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (n, (key, item)) in members.iter().enumerate() {
                    if n > 0 {
                        out.push_str(self.comma());
                    }
                    self.write_string(key, out);
                    out.push_str(self.colon());
                    self.write(item, out);
                }
                out.push('}');
            }
        }
    }

    pub(super) fn write_string(self, text: &str, out: &mut String) {
        out.reserve(text.len() + 2);
        out.push('"');
        let special = |byte: &u8| {
            matches!(byte, 0..=0x1f | b'"' | b'\\') || self.html && matches!(byte, b'<' | b'>' | b'&' | 0xe2)
        };
        // No early exit, so that the loop vectorizes.
        if !text.as_bytes().iter().fold(false, |any, byte| any | special(byte)) {
            out.push_str(text);
            out.push('"');
            return;
        }
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '\0'..='\u{1f}' => escape_unit(c as u32, out),
                '<' | '>' | '&' | '\u{2028}' | '\u{2029}' if self.html => escape_unit(c as u32, out),
                _ => out.push(c),
            }
        }
        out.push('"');
    }
}

fn escape_unit(unit: u32, out: &mut String) {
    let _ = write!(out, "\\u{unit:04x}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_dialects() {
        let value = Json::Object(vec![
            ("t".into(), Json::Text("a<b> & \"c\"\n\u{1}é".into())),
            ("n".into(), Json::List(vec![Json::Int(-1), Json::Bool(true)])),
        ]);
        let html = Dialect { html: true, spaced: false };
        let raw = Dialect::default();
        let spaced = Dialect { html: false, spaced: true };
        assert_eq!(html.render(&value), r#"{"t":"a\u003cb\u003e \u0026 \"c\"\n\u0001é","n":[-1,true]}"#);
        assert_eq!(raw.render(&value), r#"{"t":"a<b> & \"c\"\n\u0001é","n":[-1,true]}"#);
        assert_eq!(spaced.render(&value), r#"{"t": "a<b> & \"c\"\n\u0001é", "n": [-1, true]}"#);
    }

    #[test]
    fn evidence_is_only_what_the_line_shows() {
        assert_eq!(DialectEvidence::of(r#"{"id":"a"}"#), DialectEvidence { html: None, spaced: false });
        assert_eq!(DialectEvidence::of(r#"{"id": "a<"}"#), DialectEvidence { html: Some(false), spaced: true });
        assert_eq!(DialectEvidence::of(r#"{"id":"\u003e"}"#), DialectEvidence { html: Some(true), spaced: false });
        assert_eq!(DialectEvidence::of(r#"{"id":"a: \n\u0001\u003"#), DialectEvidence { html: None, spaced: false });
    }
}
