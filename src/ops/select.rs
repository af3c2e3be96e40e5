//! Selecting issues by typed conditions.

use super::{OpError, Result};
use crate::model::dependency::DependencyType;
use crate::model::issue::{IssueType, Status};
use crate::model::query::{self, Expr, Field, Op, QueryContext, Value};
use crate::store::Store;

/// Parses a condition in the language of `bd query`.
pub fn parse_query(store: &mut Store, text: &str) -> Result<Expr> {
    let (me, calendar) = (store.actor().to_owned(), store.host().clock.calendar());
    let saved = store.settings().own_names("query");
    let expr = query::parse(text, &QueryContext { me: &me, calendar: &calendar, saved: &saved })?;
    with_known_words(store, expr)
}

/// A condition with each status, type and id spelled as in the ledgers. An unknown one is an error: otherwise the
/// answer would be "no issues", whatever the ledgers contain.
pub fn with_known_words(store: &mut Store, expr: Expr) -> Result<Expr> {
    let mut each =
        |parts: Vec<Expr>| parts.into_iter().map(|part| with_known_words(store, part)).collect::<Result<_>>();
    let is = |field, word: &str| Ok(Expr::text(field, word));
    match expr {
        Expr::And(parts) => Ok(Expr::And(each(parts)?)),
        Expr::Or(parts) => Ok(Expr::Or(each(parts)?)),
        Expr::Not(part) => Ok(with_known_words(store, *part)?.negate()),
        Expr::Is(Field::Status, Op::Eq, Value::Text(word)) => is(Field::Status, typed_status(store, &word)?.as_str()),
        Expr::Is(Field::Type, Op::Eq, Value::Text(word)) => is(Field::Type, check_type(store, &word)?.as_str()),
        Expr::Is(field @ (Field::Id | Field::Parent), Op::Eq, Value::Text(id)) => is(field, &store.resolve(&id)?),
        Expr::Is(Field::Project, Op::Eq, Value::Text(name)) => {
            store.check_project(&name)?;
            is(Field::Project, &name)
        }
        other => Ok(other),
    }
}

/// A type of dependency as typed.
pub fn dependency_type(word: &str) -> Result<DependencyType> {
    DependencyType::typed(word).ok_or_else(|| OpError::DependencyType(word.to_owned()))
}

/// A type of dependency in a condition: a known one, or one in use.
pub fn check_dependency_type(store: &Store, word: &str) -> Result<DependencyType> {
    let kind = dependency_type(word)?;
    if kind.is_known() {
        return Ok(kind);
    }
    let used = store.dependency_types()?;
    match used.iter().any(|known| known == kind.as_str()) {
        true => Ok(kind),
        false => {
            let known = words(DependencyType::KNOWN, used);
            Err(OpError::UnknownDependencyType { word: word.to_owned(), known })
        }
    }
}

/// A status that can be set: a known one, or one in use in this project or named in its settings.
pub fn check_status(store: &Store, word: &str) -> Result<Status> {
    let status = Status::typed(word);
    if status.is_known() {
        return Ok(status);
    }
    let used = store.statuses()?.into_iter().filter(|known| !Status::new(known.as_str()).is_tombstone());
    let used: Vec<String> = used.collect();
    match used.iter().find(|known| Status::typed(known) == status) {
        Some(known) => Ok(Status::new(known.as_str())),
        None => Err(OpError::Status { word: word.to_owned(), known: words(Status::KNOWN, used) }),
    }
}

/// A status in a condition: deleted issues have one too.
fn typed_status(store: &Store, word: &str) -> Result<Status> {
    match check_status(store, word) {
        Err(OpError::Status { .. }) if matches!(Status::typed(word).as_str(), "tombstone" | "deleted") => {
            Ok(Status::new("tombstone"))
        }
        other => other,
    }
}

/// An issue type: a known one, or one in use in this project or named in its settings.
pub fn check_type(store: &Store, word: &str) -> Result<IssueType> {
    let kind = IssueType::typed(word);
    if kind.is_known() {
        return Ok(kind);
    }
    let used = store.types()?;
    match used.iter().find(|known| IssueType::typed(known) == kind) {
        Some(known) => Ok(IssueType::new(known.as_str())),
        None => Err(OpError::Type { word: word.to_owned(), known: words(IssueType::KNOWN, used) }),
    }
}

/// The built-in words and those of the project.
fn words(built_in: &[&str], used: Vec<String>) -> Vec<String> {
    let others = used.into_iter().filter(|word| !built_in.contains(&word.as_str()));
    built_in.iter().map(|word| (*word).to_owned()).chain(others).collect()
}
