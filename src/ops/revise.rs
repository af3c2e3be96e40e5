//! Changing one issue, with words and ids as callers give them.

use super::change::change_known;
use super::{OpError, Result, check_status, check_type, comment, dependency_type};
use crate::model::change::Change;
use crate::model::issue::Priority;
use crate::store::{Store, Written};

/// A requested change of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Status(String),
    Priority(i64),
    Type(String),
    /// The id of the parent; `None` for no parent.
    Parent(Option<String>),
    /// Type and target.
    DependsOn(String, String),
    /// A target to stop depending on.
    Independent(String),
    /// The text of a comment.
    Comment(String),
    /// A change without further checks.
    Change(Change),
}

/// Changes an issue, named as people name it. Every word must be known to the project, and every id must exist.
pub fn revise(store: &mut Store, typed: &str, wishes: &[Wish]) -> Result<Written> {
    revise_known(store, typed, wishes, None)
}

/// The same, unless the issue has been changed since `known`: its `updated_at` as the caller knows it.
pub fn revise_known(store: &mut Store, typed: &str, wishes: &[Wish], known: Option<&str>) -> Result<Written> {
    let changes = wishes.iter().map(|wish| change_for(store, wish)).collect::<Result<Vec<Change>>>()?;
    if changes.is_empty() {
        return Err(OpError::Usage(format!("nothing to change about {typed}")));
    }
    let batch = change_known(store, &[typed.to_owned()], |_| changes.clone(), known)?;
    batch.results.into_iter().next().expect("one answer for one issue").1
}

fn change_for(store: &mut Store, wish: &Wish) -> Result<Change> {
    let target = |store: &mut Store, id: &str| -> Result<String> {
        if id.starts_with("external:") { Ok(id.to_owned()) } else { Ok(store.resolve(id)?) }
    };
    Ok(match wish {
        Wish::Status(word) => Change::Status(check_status(store, word)?),
        Wish::Priority(number) => Change::Priority(Priority::typed(&number.to_string())?),
        Wish::Type(word) => Change::Type(check_type(store, word)?),
        Wish::Parent(None) => Change::Parent(None),
        Wish::Parent(Some(id)) => Change::Parent(Some(store.resolve(id)?)),
        Wish::DependsOn(kind, id) => Change::AddDependency { kind: dependency_type(kind)?, target: target(store, id)? },
        Wish::Independent(id) => Change::RemoveDependency { target: target(store, id)?, kind: None },
        Wish::Comment(text) => Change::AddComment(comment(store, text.clone(), None)),
        Wish::Change(change) => change.clone(),
    })
}
