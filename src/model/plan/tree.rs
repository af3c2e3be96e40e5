//! A plan file as it is written: values with the lines they are in, whichever of the two formats it is written in.
//!
//! Texts can be replaced here, after parsing, so that a value can never become structure.

use toml::de::{DeTable, DeValue};

use super::{Problem, Wrong};
use crate::model::json;

/// Deeper than anything a plan means; a deeper value has a wrong kind anyway.
const MAX_DEPTH: usize = 6;

/// A value and the line it begins in, from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    pub line: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Int(i64),
    Flag(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// Something that no plan has: a float, a date, a number beyond all bounds.
    Other(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: String,
    pub line: usize,
    pub node: Node,
}

impl Value {
    /// What to call it in a message.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Text(_) => "a text",
            Value::Int(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(kind) => kind,
        }
    }
}

impl Node {
    /// Replaces every text of the tree, keys excepted.
    pub fn replace_texts(&mut self, replace: &mut impl FnMut(&str, usize) -> String) {
        match &mut self.value {
            Value::Text(text) => *text = replace(text, self.line),
            Value::List(items) => items.iter_mut().for_each(|item| item.replace_texts(replace)),
            Value::Table(entries) => entries.iter_mut().for_each(|entry| entry.node.replace_texts(replace)),
            Value::Int(_) | Value::Flag(_) | Value::Other(_) => {}
        }
    }
}

pub fn from_toml(text: &str) -> Result<Node, Problem> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(0, |span| lines.line(span.start));
        Problem { line, task: None, wrong: Wrong::Syntax(error.message().trim().replace('\n', ", ")) }
    })?;
    Ok(Node { value: toml_table(table.get_ref(), &lines, 0), line: 1 })
}

fn toml_table(table: &DeTable<'_>, lines: &Lines, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Other("something nested too deeply");
    }
    let entries = table.iter().map(|(key, value)| Entry {
        key: key.get_ref().to_string(),
        line: lines.line(key.span().start),
        node: Node { value: toml_value(value.get_ref(), lines, depth + 1), line: lines.line(value.span().start) },
    });
    let mut entries: Vec<Entry> = entries.collect();
    entries.sort_by_key(|entry| entry.line);
    Value::Table(entries)
}

fn toml_value(value: &DeValue<'_>, lines: &Lines, depth: usize) -> Value {
    match value {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or(Value::Other("a number that is too large"), Value::Int)
        }
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Float(_) => Value::Other("a number with a fraction"),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(_) if depth > MAX_DEPTH => Value::Other("something nested too deeply"),
        DeValue::Array(items) => {
            let node = |item: &toml::Spanned<DeValue<'_>>| Node {
                value: toml_value(item.get_ref(), lines, depth + 1),
                line: lines.line(item.span().start),
            };
            Value::List(items.iter().map(node).collect())
        }
        DeValue::Table(table) => toml_table(table, lines, depth),
    }
}

pub(super) fn from_json(text: &str) -> Result<Node, Problem> {
    let lines = Lines::of(text);
    let value = json_value(text, 0, text.len(), &lines, 0)?;
    Ok(Node { value: value.unwrap_or(Value::Other("null")), line: 1 })
}

/// The value in a part of the text; `None` for `null`, which means that there is none.
fn json_value(whole: &str, start: usize, end: usize, lines: &Lines, depth: usize) -> Result<Option<Value>, Problem> {
    let text = &whole[start..end];
    let trimmed = text.trim();
    let syntax = |error: json::ScanError| {
        let (words, column) = in_words(&error);
        // The scanner counts from where this part begins.
        let line = lines.line(start + column.saturating_sub(1));
        Problem { line, task: None, wrong: Wrong::Syntax(words) }
    };
    if depth > MAX_DEPTH {
        return Ok(Some(Value::Other("something nested too deeply")));
    }
    let node = |range: std::ops::Range<usize>| {
        let (from, to) = (start + range.start, start + range.end);
        let value = json_value(whole, from, to, lines, depth + 1)?;
        Ok(value.map(|value| Node { value, line: lines.line(from) }))
    };
    match trimmed.as_bytes().first() {
        Some(b'[') => {
            let items = json::elements(text).map_err(syntax)?;
            let nodes = items.into_iter().map(node).collect::<Result<Vec<_>, Problem>>()?;
            Ok(Some(Value::List(nodes.into_iter().flatten().collect())))
        }
        Some(b'"') => Ok(json::decode_string(trimmed).map(|text| Value::Text(text.into_owned()))),
        _ if trimmed == "null" => Ok(None),
        _ if trimmed == "true" || trimmed == "false" => Ok(Some(Value::Flag(trimmed == "true"))),
        Some(b'-' | b'0'..=b'9') if depth > 0 => {
            Ok(Some(trimmed.parse().map_or(Value::Other("a number with a fraction, or too large"), Value::Int)))
        }
        // An object, or what the scanner has to say about anything else.
        _ => {
            let mut entries = Vec::new();
            for member in json::members(text).map_err(syntax)? {
                let quoted = &text[member.key.start - 1..member.key.end + 1];
                let key = json::decode_string(quoted).map_or_else(|| quoted.to_owned(), |key| key.into_owned());
                let line = lines.line(start + member.key.start);
                entries.extend(node(member.value)?.map(|node| Entry { key, line, node }));
            }
            Ok(Some(Value::Table(entries)))
        }
    }
}

/// The message of the scanner, without its count of bytes, and that count.
fn in_words(error: &json::ScanError) -> (String, usize) {
    use json::ScanError::*;
    let (words, at) = match error {
        Truncated(at) => ("ends in the middle of a value", *at),
        Unexpected(at) => ("unexpected character", *at),
        Control(at) => ("raw control character in a text", *at),
        Escape(at) => ("invalid escape in a text", *at),
        Surrogate(at) => ("lone surrogate escape", *at),
        NotAnObject | NotAnArray | Depth | DuplicateKey(_) => return (error.to_string(), 1),
    };
    (words.to_owned(), at)
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Lines(memchr::memchr_iter(b'\n', text.as_bytes()).collect())
    }

    fn line(&self, at: usize) -> usize {
        self.0.partition_point(|end| *end < at) + 1
    }
}
