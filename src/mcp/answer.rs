//! The answer to a call: an object that names its project, no longer than clients accept, and never cut silently.

use std::path::Path;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

use super::words;
use crate::model::json::{Object, array};
use crate::view::{self, Failure};

/// An answer has at most about 8,000 tokens, at four characters each.
pub(super) const MOST: usize = 32_000;

/// How much of a text in a refusal or a warning is shown.
const SHOWN: usize = 1_000;

/// How much of an answer the rows of a page may take.
const ROWS: usize = MOST - 4_000;

/// A tool's answer or refusal.
pub(super) type Answer = Result<Object, Refusal>;

/// A refusal, and what was done in spite of it.
#[derive(Debug)]
pub(super) struct Refusal {
    pub failure: Failure,
    pub also: Object,
}

impl<E: Into<Failure>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal { failure: error.into(), also: Object::new() }
    }
}

/// Results of several issues, some of which may have been refused; what was done is reported in either case.
pub(super) fn each(done: &str, mut results: Vec<(String, Result<Object, Failure>)>, more: Object) -> Answer {
    if let [(_, Err(_))] = results.as_slice()
        && let Err(failure) = results.swap_remove(0).1
    {
        return Err(failure.into());
    }
    let (mut written, mut refused) = (Vec::new(), Vec::new());
    for (typed, result) in results {
        match result {
            Ok(object) => written.push(object.finish()),
            Err(failure) => refused.push((typed, failure)),
        }
    }
    let object = Object::new().raw(done, &array(written)).join(more);
    if refused.is_empty() {
        return Ok(object);
    }
    let failed = refused.iter().map(|(typed, failure)| described(failure).text("id", &short(typed)).finish());
    let also = object.raw("failed", &array(failed));
    Err(Refusal { failure: refused.swap_remove(0).1, also })
}

/// Rows by their ids, starting after `after`: as many as requested and fit. Includes their total number, and where to
/// continue.
pub(super) fn page(
    key: &str,
    rows: impl IntoIterator<Item = (String, String)>,
    total: usize,
    after: Option<&str>,
    most: usize,
) -> Result<Object, Failure> {
    let mut rows = rows.into_iter();
    if let Some(after) = after
        && !rows.by_ref().any(|(id, _)| id == after)
    {
        let failure = Failure::not_found(format!("{} is not in this list any more", short(after)));
        return Err(failure.hint("ask again without `after`"));
    }
    let (mut shown, mut length, mut last, mut goes_on) = (Vec::new(), 0, None, false);
    for (id, row) in rows {
        if shown.len() == most || !shown.is_empty() && length + row.len() > ROWS {
            goes_on = true;
            break;
        }
        length += row.len();
        shown.push(row);
        last = Some(id);
    }
    // The rows may have been fetched only up to the limit.
    goes_on |= after.is_none() && shown.len() < total;
    let next = last.filter(|_| goes_on);
    Ok(Object::new().raw(key, &array(shown)).number("total", number(total)).optional("next", next.as_deref()))
}

pub(super) fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The result of a call; `from` is the offset of long texts, for a tool that can return the rest of them.
pub(super) fn result(
    project: Option<&Path>,
    warnings: &[String],
    answer: Answer,
    from: Option<usize>,
) -> CallToolResult {
    let is_error = answer.is_err();
    let object = project.map_or_else(Object::new, |root| Object::new().text("project", &root.display().to_string()));
    let object = match answer {
        Ok(done) => object.join(done),
        Err(Refusal { failure, also }) => object.join(described(&failure)).join(also),
    };
    let object =
        if warnings.is_empty() { object } else { object.texts("warnings", warnings.iter().map(|one| short(one))) };
    let text = fitted(object.finish(), from);
    let structured = serde_json::from_str(&text).ok();
    let content = vec![ContentBlock::text(text)];
    let mut result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.structured_content = structured;
    result
}

/// A refusal as JSON.
pub(super) fn described(failure: &Failure) -> Object {
    let object = Object::new()
        .text("code", failure.code)
        .text("message", &short(&words::message(&failure.message)))
        .optional("hint", failure.hint.worded(words::clause).as_deref())
        .flag("retryable", failure.recoverable)
        .number("exit_code", failure.exit.code().into());
    // Facts that the client itself sent need not be repeated at any length.
    let facts = failure.facts.iter().filter(|(_, raw)| raw.len() <= SHOWN);
    facts.fold(object, |object, (key, raw)| object.raw(key, raw))
}

/// Shortens a text that may contain client input of any length.
fn short(text: &str) -> String {
    cut(text, 0, SHOWN)
}

/// A part of a text, with a note about what is missing.
fn cut(text: &str, from: usize, most: usize) -> String {
    let count = text.chars().count();
    if count <= most && (from == 0 || count <= from) {
        return text.to_owned();
    }
    let from = if count <= from { 0 } else { from };
    let part: String = text.chars().skip(from).take(most).collect();
    let left = count - from - part.chars().count();
    let before = if from > 0 { format!("[{from} characters before] ") } else { String::new() };
    let after = if left > 0 { format!(" [{left} more characters]") } else { String::new() };
    format!("{before}{part}{after}")
}

/// Fits an answer to the limit: cuts long texts, then long lists. Both are noted in place and in `cut`.
fn fitted(text: String, requested: Option<usize>) -> String {
    let from = requested.unwrap_or_default();
    if text.len() <= MOST && from == 0 {
        return text;
    }
    let Ok(whole) = serde_json::from_str::<Value>(&text) else { return too_long(&text) };
    let mut longest = MOST - 4_000;
    while longest > 0 {
        let most = if longest < 400 { longest } else { usize::MAX };
        let mut cutter = Cutter { from, longest, most, cuts_text: false, cuts_list: false };
        let mut value = whole.clone();
        cutter.shorten(&mut value);
        if let (Value::Object(object), Some(word)) = (&mut value, cutter.word(requested.is_some())) {
            object.insert("cut".to_owned(), Value::String(word));
        }
        let text = value.to_string();
        if text.len() <= MOST {
            return text;
        }
        longest /= 2;
    }
    too_long(&text)
}

fn too_long(text: &str) -> String {
    let failure = Failure::failed(format!("the answer has {} characters and cannot be cut", text.chars().count()));
    described(&failure).finish()
}

/// Cuts an answer that is too long.
struct Cutter {
    /// The offset of long texts.
    from: usize,
    /// The maximum number of characters in a text and elements in a list.
    longest: usize,
    most: usize,
    cuts_text: bool,
    cuts_list: bool,
}

impl Cutter {
    fn shorten(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                self.cuts_text |= text.chars().count().saturating_sub(self.from) > self.longest;
                *text = cut(text, self.from, self.longest);
            }
            Value::Array(all) => {
                let left = all.len().saturating_sub(self.most);
                all.truncate(self.most);
                all.iter_mut().for_each(|one| self.shorten(one));
                if left > 0 {
                    self.cuts_list = true;
                    all.push(Value::String(format!("[{left} more]")));
                }
            }
            Value::Object(object) => object.values_mut().for_each(|one| self.shorten(one)),
            _ => {}
        }
    }

    /// The note about what was cut, and how to get the rest.
    fn word(&self, can_go_on: bool) -> Option<String> {
        let rest = format!("; ask again with from = {} for the rest", self.from + self.longest);
        match (self.cuts_text, self.cuts_list) {
            (true, false) if can_go_on => Some(format!("texts were cut{rest}")),
            (true, false) => Some("texts were cut".to_owned()),
            (false, true) => Some("lists were cut; ask for less at once".to_owned()),
            (true, true) => Some("texts and lists were cut; ask for less at once".to_owned()),
            (false, false) => None,
        }
    }
}

/// A list of objects as JSON.
pub(super) fn list<T>(all: impl IntoIterator<Item = T>, json: impl Fn(T) -> Object) -> String {
    array(all.into_iter().map(|one| json(one).finish()))
}

/// What a change did to an issue.
pub(super) fn changes(written: &crate::store::Written) -> Vec<String> {
    let found = crate::model::difference::difference(&[written.before.as_deref()], Some(&written.line));
    found.map(|(_, fields)| view::shown_changes(&fields, None)).unwrap_or_default()
}
