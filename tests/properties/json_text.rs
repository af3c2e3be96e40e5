//! Random JSON objects as text, together with what a reader must find in them.
//!
//! The texts are built from parts whose meaning is known, so no parser is needed to say what they mean.

use beads::internal::model::json::Dialect;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A string literal without its quotes, and the decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    pub escaped: String,
    pub decoded: String,
}

/// An object as one text, and its members in order.
#[derive(Debug, Clone)]
pub struct Object {
    pub text: String,
    pub members: Vec<(Literal, String)>,
}

impl Object {
    /// Decoded keys and raw values.
    pub fn pairs(&self) -> Vec<(String, String)> {
        self.members.iter().map(|(key, raw)| (key.decoded.clone(), raw.clone())).collect()
    }
}

pub const KNOWN: &[&str] = &[
    "_type",
    "id",
    "title",
    "description",
    "notes",
    "status",
    "priority",
    "issue_type",
    "assignee",
    "created_at",
    "updated_at",
    "closed_at",
    "metadata",
    "labels",
    "dependencies",
    "comments",
    "visibility",
    "original_type",
    "parent",
];

const ESCAPES: &[(&str, &str)] = &[
    ("\\\"", "\""),
    ("\\\\", "\\"),
    ("\\/", "/"),
    ("\\b", "\u{8}"),
    ("\\f", "\u{c}"),
    ("\\n", "\n"),
    ("\\r", "\r"),
    ("\\t", "\t"),
    ("\\u0000", "\0"),
    ("\\u00e9", "é"),
    ("\\u00E9", "é"),
    ("\\u003c", "<"),
    ("\\u2028", "\u{2028}"),
    ("\\ud83d\\ude00", "\u{1f600}"),
    ("\\uD83D\\uDE00", "\u{1f600}"),
];

const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-0.0",
    "2",
    "2.0",
    "1e400",
    "-1E-400",
    "18446744073709551616",
    "-9223372036854775809",
    "117.63331139400017",
    "0.1e+1",
    "123456789012345678901234567890.123456789012345678901234567890",
];

pub fn literal() -> impl Strategy<Value = Literal> {
    let piece = |(escaped, decoded): (&str, &str)| (escaped.to_owned(), decoded.to_owned());
    let plain = any::<char>().prop_filter("a character that needs no escape", |c| *c >= ' ' && !"\"\\".contains(*c));
    let pieces = prop_oneof![
        3 => "[a-z_]".prop_map(|text| (text.clone(), text)),
        2 => plain.prop_map(|c| (c.to_string(), c.to_string())),
        1 => select(vec!["<", ">", "&", "é", "\u{2028}", "\u{7f}", ":", "{", "]", "\u{1f600}"])
            .prop_map(move |text| piece((text, text))),
        2 => select(ESCAPES).prop_map(piece),
    ];
    vec(pieces, 0..8).prop_map(|pieces| {
        let (escaped, decoded): (Vec<String>, Vec<String>) = pieces.into_iter().unzip();
        Literal { escaped: escaped.concat(), decoded: decoded.concat() }
    })
}

fn key() -> impl Strategy<Value = Literal> {
    let known = select(KNOWN);
    let plain = known.clone().prop_map(|name| Literal { escaped: name.to_owned(), decoded: name.to_owned() });
    // The same name with its first letter written as an escape.
    let dressed = known.prop_map(|name| {
        let escaped = format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..]);
        Literal { escaped, decoded: name.to_owned() }
    });
    prop_oneof![6 => plain, 1 => dressed, 3 => literal()]
}

/// White space that no writer of ours makes and every reader must accept.
fn space() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => "[ \t\r]{1,3}"]
}

/// The raw text of a value, nested up to twenty levels.
pub fn value() -> impl Strategy<Value = String> {
    let number = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?";
    let leaf = prop_oneof![
        3 => literal().prop_map(|text| format!("\"{}\"", text.escaped)),
        2 => select(NUMBERS).prop_map(str::to_owned),
        2 => number,
        1 => select(vec!["true", "false", "null", "[]", "{}"]).prop_map(str::to_owned),
    ];
    let wide = leaf.prop_recursive(4, 16, 4, |inner| {
        let element = (space(), inner.clone(), space()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
        let member = (space(), literal(), space(), inner)
            .prop_map(|(a, key, b, value)| format!("{a}\"{}\"{b}:{a}{value}{b}", key.escaped));
        prop_oneof![
            vec(element, 1..4).prop_map(|parts| format!("[{}]", parts.join(","))),
            vec(member, 1..4).prop_map(|parts| format!("{{{}}}", parts.join(","))),
        ]
    });
    let deep = (wide.clone(), vec(any::<bool>(), 10..17)).prop_map(|(inner, levels)| {
        let wrap = |inner, list| if list { format!("[{inner}]") } else { format!("{{\"k\": {inner}}}") };
        levels.into_iter().fold(inner, wrap)
    });
    prop_oneof![9 => wide, 1 => deep]
}

/// The three dialects of the world.
pub fn dialect() -> impl Strategy<Value = Dialect> {
    select(vec![
        Dialect { html: true, spaced: false },
        Dialect { html: false, spaced: false },
        Dialect { html: false, spaced: true },
    ])
}

/// An object whose keys differ once decoded: compact, spaced, or with white space anywhere.
pub fn object() -> impl Strategy<Value = Object> {
    let members = vec((key(), value(), space(), space()), 0..9);
    (members, 0..3, space()).prop_map(|(mut members, style, edge)| {
        let mut seen = std::collections::HashSet::new();
        members.retain(|(key, ..)| seen.insert(key.decoded.clone()));
        let parts: Vec<String> = members
            .iter()
            .map(|(key, value, a, b)| match style {
                0 => format!("\"{}\":{value}", key.escaped),
                1 => format!("\"{}\": {value}", key.escaped),
                _ => format!("{a}\"{}\"{b}:{b}{value}{a}", key.escaped),
            })
            .collect();
        let text = match style {
            0 => format!("{{{}}}", parts.join(",")),
            1 => format!("{{{}}}", parts.join(", ")),
            _ => format!("{edge}{{{edge}{}{edge}}}{edge}", parts.join(",")),
        };
        Object { text, members: members.into_iter().map(|(key, value, ..)| (key, value)).collect() }
    })
}
