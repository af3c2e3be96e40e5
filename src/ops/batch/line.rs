//! The lines of a batch: the operation and its fields, named as in `bd`'s output or as its flags.

use std::borrow::Cow;

use crate::model::json::{decode_string, integer};
use crate::model::record::Record;
use crate::ops::error::BatchError;
use crate::ops::{OpError, Result};

/// An operation: its name and aliases, its required fields, and its optional ones, separated by blanks.
struct Op {
    name: &'static str,
    others: &'static [&'static str],
    required: &'static [&'static str],
    fields: &'static str,
}

const fn op(
    name: &'static str,
    others: &'static [&'static str],
    required: &'static [&'static str],
    fields: &'static str,
) -> Op {
    Op { name, others, required, fields }
}

const OPS: &[Op] = &[
    op(
        "add",
        &["create", "new"],
        &["title"],
        "type priority description design acceptance notes assignee labels deps parent waits_for id external_ref \
         estimate due defer metadata spec_id ephemeral repo",
    ),
    op(
        "update",
        &[],
        &["id"],
        "title status priority type description design acceptance notes append_notes assignee external_ref estimate \
         due defer labels add_labels remove_labels parent force",
    ),
    op("close", &["done"], &["id"], "reason force"),
    op("reopen", &[], &["id"], "reason"),
    op("defer", &[], &["id"], "until"),
    op("undefer", &[], &["id"], ""),
    op("delete", &[], &["id"], "reason"),
    op("note", &[], &["id", "text"], ""),
    op("comment", &["comments add"], &["id", "text"], "author"),
    op("label add", &[], &["id", "labels"], ""),
    op("label remove", &[], &["id", "labels"], ""),
    op("dep add", &[], &["id", "depends_on"], "type"),
    op("dep remove", &["dep rm"], &["id", "depends_on"], "type"),
];

/// Alternative names of fields in answers and flags.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("issue_type", "type"),
    ("acceptance_criteria", "acceptance"),
    ("estimated_minutes", "estimate"),
    ("due_at", "due"),
    ("defer_until", "defer"),
    ("defer_until", "until"),
    ("close_reason", "reason"),
    ("issue_id", "id"),
    ("depends_on_id", "depends_on"),
    ("dependencies", "deps"),
    ("label", "labels"),
    ("add_label", "add_labels"),
    ("remove_label", "remove_labels"),
    ("set_labels", "labels"),
];

/// The names of all operations.
pub(super) fn known_ops() -> Vec<&'static str> {
    OPS.iter().map(|op| op.name).collect()
}

/// A line with an operation.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub op: &'static str,
    fields: Vec<(&'static str, &'t str)>,
}

impl<'t> Line<'t> {
    pub(super) fn read(bytes: &'t [u8]) -> std::result::Result<Self, BatchError> {
        let text = std::str::from_utf8(bytes).map_err(|_| BatchError::NotText)?;
        let record = Record::parse(text).map_err(|error| BatchError::NotJson(error.to_string()))?;
        let word = record.raw("op").map(|_| record.string("op"));
        let Some(word) = word else { return Err(BatchError::NoOp { known: known_ops() }) };
        let word = word.ok_or(BatchError::WrongType { field: "op", wanted: "a text" })?;
        let is_meant = |op: &&Op| op.name == word || op.others.contains(&word.as_ref());
        let unknown = || BatchError::UnknownOp { word: word.to_string(), known: known_ops() };
        let op = OPS.iter().find(is_meant).ok_or_else(unknown)?;
        let known = || op.required.iter().copied().chain(op.fields.split_whitespace());
        let mut fields: Vec<(&'static str, &str)> = Vec::new();
        for (key, raw) in record.iter().filter(|(key, _)| key != "op") {
            let other = || {
                let meant = OTHER_NAMES.iter().filter(|(name, _)| *name == key).map(|(_, field)| *field);
                meant.into_iter().find(|field| known().any(|one| one == *field))
            };
            let unknown = || BatchError::UnknownField { op: op.name, word: key.to_string(), known: known().collect() };
            let field = known().find(|field| *field == key).or_else(other).ok_or_else(unknown)?;
            if fields.iter().any(|(given, _)| *given == field) {
                return Err(BatchError::TwiceGiven { field });
            }
            fields.push((field, raw));
        }
        let is_missing = |field: &&&str| !fields.iter().any(|(given, _)| *given == **field);
        match op.required.iter().find(is_missing) {
            Some(field) => Err(BatchError::MissingField { op: op.name, field }),
            None => Ok(Line { op: op.name, fields }),
        }
    }

    pub(super) fn raw(&self, field: &'static str) -> Option<&'t str> {
        self.fields.iter().find(|(given, _)| *given == field).map(|(_, raw)| *raw)
    }

    /// A text; `null` is an empty one, which clears the value.
    pub(super) fn text(&self, field: &'static str) -> Result<Option<String>> {
        let Some(raw) = self.raw(field).filter(|raw| *raw != "null") else {
            return Ok(self.raw(field).map(|_| String::new()));
        };
        let text = decode_string(raw).map(Cow::into_owned);
        text.map(Some).ok_or_else(|| wrong(field, "a text"))
    }

    /// A non-empty text.
    pub(super) fn word(&self, field: &'static str) -> Result<Option<String>> {
        match self.text(field)? {
            Some(text) if text.trim().is_empty() => Err(wrong(field, "a text that is not empty")),
            text => Ok(text),
        }
    }

    /// A number, or a text such as P1.
    pub(super) fn priority(&self) -> Result<Option<String>> {
        match self.raw("priority").and_then(integer) {
            Some(number) => Ok(Some(number.to_string())),
            None => self.word("priority").map_err(|_| wrong("priority", "a number from 0 to 4")),
        }
    }

    /// A number; `null` clears the value.
    pub(super) fn number(&self, field: &'static str) -> Result<Option<Option<i64>>> {
        match self.raw(field) {
            None => Ok(None),
            Some("null") => Ok(Some(None)),
            Some(raw) => integer(raw).map(|number| Some(Some(number))).ok_or_else(|| wrong(field, "a whole number")),
        }
    }

    pub(super) fn flag(&self, field: &'static str) -> Result<bool> {
        match self.raw(field) {
            None | Some("false" | "null") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(wrong(field, "true or false")),
        }
    }

    /// Texts: an array, or one text separated by commas.
    pub(super) fn texts(&self, field: &'static str) -> Result<Option<Vec<String>>> {
        let Some(raw) = self.raw(field) else { return Ok(None) };
        if !raw.starts_with('[') {
            let text = self.text(field).map_err(|_| wrong(field, "an array of texts"))?.unwrap_or_default();
            let parts = text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            return Ok(Some(parts.collect()));
        }
        let texts = elements(raw).into_iter().map(|raw| decode_string(raw).map(Cow::into_owned));
        texts.collect::<Option<Vec<String>>>().map(Some).ok_or_else(|| wrong(field, "an array of texts"))
    }

    /// Dependencies as `TYPE:ID`, from texts or from the objects in answers.
    pub(super) fn dependencies(&self) -> Result<Vec<String>> {
        const WANTED: &str = "an array of TYPE:ID, or of objects with depends_on_id and type";
        let Some(raw) = self.raw("deps").filter(|raw| raw.starts_with('[')) else {
            return Ok(self.texts("deps").map_err(|_| wrong("deps", WANTED))?.unwrap_or_default());
        };
        let one = |raw: &str| match decode_string(raw) {
            Some(text) => Some(text.into_owned()),
            None => {
                let record = Record::parse(raw).ok()?;
                let target = record.string("depends_on_id")?;
                let kind = record.string("type").unwrap_or(Cow::Borrowed("blocks"));
                Some(format!("{kind}:{target}"))
            }
        };
        elements(raw).into_iter().map(one).collect::<Option<_>>().ok_or_else(|| wrong("deps", WANTED))
    }
}

fn elements(array: &str) -> Vec<&str> {
    let spans = crate::model::json::elements(array).unwrap_or_default();
    spans.into_iter().map(|span| &array[span]).collect()
}

fn wrong(field: &'static str, wanted: &'static str) -> OpError {
    BatchError::WrongType { field, wanted }.into()
}
