//! Tools that only look at issues.

use std::collections::HashMap;

use crate::cache::Sort;
use crate::mcp::answer::{self, Answer, number};
use crate::mcp::arguments::Arguments;
use crate::mcp::context::Context;
use crate::model::json::Object;
use crate::model::query::{Expr, Field};
use crate::model::record::Record;
use crate::ops::{self, Checkouts, Neighbour, OpError, ReadyPage, Shown};
use crate::store::{Event, LogQuery, Page, ReadyFilter, Row, Store};
use crate::view::{self, Failure};

/// Rows of a page, unless the call wants another number.
const ROWS: usize = 20;

pub(super) fn ready(cx: &mut Context, arguments: &Arguments) -> Answer {
    let filter = ReadyFilter { limit: fetched(arguments), ..ready_filter(cx, arguments)? };
    let ReadyPage { page, taken, unknown, .. } = ops::ready(&mut cx.store, &filter, Checkouts::One(None))?;
    let none = page.total == 0;
    let mut object = paged(&mut cx.store, page, arguments)?;
    if taken > 0 {
        object = object.number("taken", number(taken));
    }
    if unknown > 0 {
        object = object.number("blocked_by_unknown", number(unknown));
    }
    if none && let Some(why) = ops::why_nothing(&cx.store, &filter)? {
        object = object.text("why", &why.to_string());
    }
    Ok(object)
}

pub(super) fn list(cx: &mut Context, arguments: &Arguments) -> Answer {
    let filter = condition(cx, arguments)?;
    let names_status = filter.mentions(Field::Status) || filter.mentions(Field::Closed);
    let hidden = if names_status { ops::not_deleted() } else { ops::not_done() };
    let filter = if filter.names(Field::Status, "tombstone") { filter } else { Expr::And(vec![filter, hidden]) };
    let page = ops::list_by(&cx.store, &filter, Sort::default(), fetched(arguments))?;
    paged(&mut cx.store, page, arguments)
}

/// The issues that a call means by its query.
fn condition(cx: &mut Context, arguments: &Arguments) -> Result<Expr, OpError> {
    arguments.text("query").map_or(Ok(Expr::ALL), |text| ops::parse_query(&mut cx.store, text))
}

/// Of what is ready, the issues that a call means.
pub(super) fn ready_filter(cx: &mut Context, arguments: &Arguments) -> Result<ReadyFilter, OpError> {
    let filter = condition(cx, arguments)?;
    Ok(ReadyFilter { any_type: filter.mentions(Field::Type), filter, ..ReadyFilter::default() })
}

fn wanted(arguments: &Arguments) -> usize {
    arguments.count("limit").unwrap_or(ROWS)
}

/// How many rows to read: all of them where the page begins somewhere in the list.
fn fetched(arguments: &Arguments) -> Option<usize> {
    arguments.text("after").is_none().then(|| wanted(arguments))
}

fn paged(store: &mut Store, page: Page, arguments: &Arguments) -> Answer {
    let fields = arguments.texts("fields");
    let blocked = blockers(store, &page.rows)?;
    let mut unknown = fields.clone();
    let rows: Vec<(String, String)> = page
        .rows
        .iter()
        .map(|row| {
            let waits_for = blocked.get(&row.issue.id).map(Vec::as_slice).unwrap_or_default();
            (row.issue.id.clone(), with_fields(row, waits_for, &fields, &mut unknown).finish())
        })
        .collect();
    // A field that no issue of the page has may be one that others have.
    unknown.retain(|name| !view::issue_fields().any(|known| known == name));
    if let Some(name) = unknown.first() {
        return Err(Failure::usage(format!("unknown field {name:?}; known: all {}", known_fields())).into());
    }
    Ok(answer::page("issues", rows, page.total, arguments.text("after"), wanted(arguments))?)
}

fn known_fields() -> String {
    view::issue_fields().collect::<Vec<_>>().join(" ")
}

/// The blockers of each of these issues that has some.
fn blockers(store: &mut Store, rows: &[Row]) -> Result<HashMap<String, Vec<String>>, OpError> {
    let open = rows.iter().filter(|row| !row.issue.dependencies.is_empty()).map(|row| row.issue.id.clone());
    let open: Vec<String> = open.collect();
    if open.is_empty() {
        return Ok(HashMap::new());
    }
    let found = ops::blocked(store, Expr::any_of(Field::Id, open), None)?.rows;
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    Ok(found.iter().map(|one| (one.row.issue.id.clone(), owned(view::blocked_by(one)))).collect())
}

/// An issue in a line of a list.
pub(super) fn row(row: &Row, blocked_by: &[String]) -> Object {
    let issue = &row.issue;
    let object = Object::new()
        .text("id", &issue.id)
        .text("title", &issue.title)
        .text("status", issue.status.as_str())
        .number("priority", issue.priority.number())
        .text("type", issue.issue_type.as_str());
    if blocked_by.is_empty() { object } else { object.texts("blocked_by", blocked_by) }
}

/// The same with further fields, as `bd list --json` has them; those that were found are no longer unknown.
fn with_fields(one: &Row, blocked_by: &[String], fields: &[String], unknown: &mut Vec<String>) -> Object {
    let object = row(one, blocked_by);
    if fields.is_empty() {
        return object;
    }
    let whole = view::summary(one).finish();
    let record = Record::parse_part(&whole).expect("an answer is an object");
    let all = fields.iter().any(|name| name == "all");
    unknown.retain(|name| name != "all" && record.raw(name).is_none());
    let own = ["id", "title", "status", "priority", "type", "issue_type"];
    let more = record.iter().filter(|(key, _)| all || fields.iter().any(|name| name == key));
    let more = more.filter(|(key, _)| !own.contains(&key.as_ref()));
    more.fold(object, |object, (key, raw)| object.raw(&key, raw))
}

pub(super) fn show(cx: &mut Context, arguments: &Arguments) -> Answer {
    let include = arguments.texts("include");
    let wants = |word: &str| include.iter().any(|one| one == word);
    let ids = named(arguments)?;
    let mut results = Vec::new();
    for typed in ids {
        let found = ops::show_copies(&cx.store, &typed, &[], false);
        let mut found = ops::show_past(&cx.store, &typed, found).map_err(Failure::from);
        if let Ok(found) = &mut found {
            ops::mark_elsewhere(&cx.store, found)?;
        }
        let object = found.and_then(|found| {
            let one = found.first().expect("what was found is one at least");
            let mut object = detail(one, wants("comments"));
            if wants("why") && one.past.is_none() {
                let why = ops::explain(&cx.store, &one.row.issue.id)?;
                object = object.raw("why", &view::explanation(&why).finish());
            }
            if wants("history") {
                object = match past(&cx.store, Some(&one.row.issue.id), None, 10) {
                    Ok(past) => object.join(past),
                    // The rest of the answer is still valid.
                    Err(failure) => object.text("no_history", &failure.message),
                };
            }
            Ok(object)
        });
        results.push((typed, object));
    }
    answer::each("issues", results, Object::new())
}

/// An issue in full: what the line says, what it depends on, what depends on it.
pub(crate) fn detail(shown: &Shown, comments: bool) -> Object {
    let edge = |edge: &Neighbour| {
        let object = Object::new().text("id", &edge.id).text("type", &edge.kind);
        match &edge.row {
            Some(row) => object.text("status", row.issue.status.as_str()).text("title", &row.issue.title),
            None => object.text("status", "unknown"),
        }
    };
    let issue = &shown.row.issue;
    let mut object = view::summary(&shown.row);
    for (key, edges) in [("dependencies", &shown.dependencies), ("dependents", &shown.dependents)] {
        if !edges.is_empty() {
            object = object.raw(key, &answer::list(edges, edge));
        }
    }
    if comments {
        object = object.raw("comments", &answer::list(&issue.comments, |one| view::comment(&issue.id, one)));
    }
    if let Some(past) = &shown.past {
        object = object.text("pruned", &view::departure(past));
    }
    object
}

pub(super) fn named(arguments: &Arguments) -> Result<Vec<String>, Failure> {
    let ids = arguments.texts("ids");
    if ids.is_empty() { Err(Failure::usage("ids: name at least one issue")) } else { Ok(ids) }
}

pub(super) fn context(cx: &mut Context, arguments: &Arguments) -> Answer {
    const TOKENS: usize = 4_000;
    let found = ops::issue_context(&cx.store, arguments.needed("id", "context")?, false)?;
    let text = view::context_text(&found, arguments.count("max_tokens").unwrap_or(TOKENS));
    let object = Object::new()
        .text("id", &found.row.issue.id)
        .number("estimated_tokens", number(text.tokens()))
        .number("left_out_bytes", number(text.left_out()));
    Ok(object.text("text", &text.text))
}

pub(super) fn history(cx: &mut Context, arguments: &Arguments) -> Answer {
    let since = arguments.text("since").map(|text| cx.moment(text));
    Ok(past(&cx.store, arguments.text("id"), since, wanted(arguments))?)
}

fn past(store: &Store, id: Option<&str>, since: Option<crate::store::Moment>, most: usize) -> Result<Object, Failure> {
    let mut events = Vec::new();
    let query = LogQuery { since, limit: Some(most), ..LogQuery::default() };
    let end = ops::log(store, id, None, query, |event| events.push(change(&event)))?;
    let object = Object::new().raw("history", &crate::model::json::array(events));
    let object = if end.is_limited { object.flag("more", true) } else { object };
    let object = end.renamed.iter().fold(object, |object, (_, now)| object.text("renamed_to", now));
    let without = end.without_past;
    Ok(if without.is_empty() { object } else { object.texts("without_history", &without) })
}

/// A change of an issue in few words.
fn change(event: &Event) -> String {
    let object = Object::new().text("id", &event.id).text("change", event.kind.word());
    let object = match &event.commit {
        Some(commit) => object
            .text("at", &commit.authored.to_string())
            .text("author", &commit.author)
            .text("commit", view::short(commit)),
        None => object.raw("commit", "null"),
    };
    object.texts("fields", view::shown_changes(&event.fields, None)).finish()
}
