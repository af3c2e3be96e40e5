//! The arguments of a call, checked against the row of its tool. An argument that does not fit is refused with a text that says what would.

use serde_json::{Map, Value};

use crate::model::nearest::nearest;
use crate::view::Failure;

/// An argument of a tool, or a key of an element of one.
#[derive(Debug)]
pub(super) struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
    pub is_required: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Texts,
    Number {
        least: i64,
        most: i64,
    },
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    Words(&'static [&'static str]),
    /// Objects with these keys.
    Objects(&'static [Argument]),
}

/// An argument that may be left out.
pub(super) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: false }
}

pub(super) const fn must(name: &'static str, kind: Kind, about: &'static str) -> Argument {
    Argument { name, kind, about, is_required: true }
}

/// Arguments that fit their tool: every key is known and has a value of its kind.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks what is given for a place against what is known there.
    pub(super) fn check(
        given: Map<String, Value>,
        known: &[&Argument],
        place: &str,
        words: &Words<'_>,
    ) -> Result<Self, Failure> {
        // Clients send null for what they leave out.
        let given: Map<String, Value> = given.into_iter().filter(|(_, value)| !value.is_null()).collect();
        for (name, value) in &given {
            match known.iter().find(|argument| argument.name == name) {
                Some(argument) => fits(argument, value, place, words)?,
                None => return Err(unknown(name, known, place)),
            }
        }
        match known.iter().find(|argument| argument.is_required && !given.contains_key(argument.name)) {
            Some(missing) => Err(Failure::usage(format!("{place}: the argument {} is missing", missing.name))),
            None => Ok(Arguments(given)),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// A text that the tool needs for what it is asked to do.
    pub(super) fn needed(&self, name: &str, what_for: &str) -> Result<&str, Failure> {
        self.text(name).ok_or_else(|| Failure::usage(format!("{what_for} needs the argument {name}")))
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let all = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name)?.as_i64()
    }

    /// A number of things.
    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.number(name).and_then(|number| usize::try_from(number).ok())
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    pub(super) fn objects(&self, name: &str) -> Vec<Arguments> {
        let all = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_object).cloned().map(Arguments).collect()
    }
}

/// The words that an argument accepts on this server, of those in its row.
pub(super) type Words<'a> = dyn Fn(&Argument, &'static [&'static str]) -> &'static [&'static str] + 'a;

fn unknown(name: &str, known: &[&Argument], place: &str) -> Failure {
    let names: Vec<&str> = known.iter().map(|argument| argument.name).collect();
    let failure = Failure::usage(format!("{place}: unknown argument {name:?}; known: {}", names.join(" ")));
    failure.meant(nearest(name, names.iter().copied()))
}

fn fits(argument: &Argument, value: &Value, place: &str, words: &Words<'_>) -> Result<(), Failure> {
    let place = format!("{place}.{}", argument.name);
    let wrong = |wanted: &str| Err(Failure::usage(format!("{place} must be {wanted}, not {}", kind_of(value))));
    let one_of = |words: &[&str], value: &Value| match value.as_str() {
        Some(word) if words.contains(&word) => Ok(()),
        Some(word) => Err(Failure::usage(format!("{place} must be one of {}, not {word:?}", words.join(" ")))),
        None => wrong("a string"),
    };
    match (argument.kind, value) {
        (Kind::Text, Value::String(_)) | (Kind::Flag, Value::Bool(_)) => Ok(()),
        (Kind::Text, _) => wrong("a string"),
        (Kind::Flag, _) => wrong("true or false"),
        (Kind::Number { least, most }, _) => match value.as_i64() {
            Some(number) if (least..=most).contains(&number) => Ok(()),
            Some(number) => Err(Failure::usage(format!("{place} must be from {least} to {most}, not {number}"))),
            None => wrong("an integer"),
        },
        (Kind::Word(known), _) => one_of(words(argument, known), value),
        (Kind::Texts, Value::Array(all)) if all.iter().all(Value::is_string) => Ok(()),
        (Kind::Texts, _) => wrong("an array of strings"),
        (Kind::Words(known), Value::Array(all)) => all.iter().try_for_each(|one| one_of(known, one)),
        (Kind::Words(_), _) => wrong("an array of strings"),
        (Kind::Objects(keys), Value::Array(all)) => {
            let keys: Vec<&Argument> = keys.iter().collect();
            all.iter().enumerate().try_for_each(|(n, one)| match one {
                Value::Object(object) => {
                    Arguments::check(object.clone(), &keys, &format!("{place}[{n}]"), words).map(drop)
                }
                _ => wrong("an array of objects"),
            })
        }
        (Kind::Objects(_), _) => wrong("an array of objects"),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(all) if all.iter().any(|one| !one.is_string()) => "an array of other things",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
