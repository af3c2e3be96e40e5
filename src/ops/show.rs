//! One issue with everything around it.

use super::Result;
use crate::store::{Access, Row, Store, StoreError};

/// An issue at the other end of a dependency.
#[derive(Debug, Clone)]
pub struct Neighbour {
    pub id: String,
    pub kind: String,
    pub row: Option<Row>,
}

#[derive(Debug, Clone)]
pub struct Shown {
    pub row: Row,
    pub dependencies: Vec<Neighbour>,
    pub dependents: Vec<Neighbour>,
    /// Whether the user may write it where it lives.
    pub access: Access,
    /// The other repos that hold a copy.
    pub copies: Vec<String>,
    /// The project has several repos, so it matters where an issue lives.
    pub of_many: bool,
}

pub fn show(store: &mut Store, typed: &str) -> Result<Shown> {
    let row = store.find(typed)?;
    surround(store, row)
}

/// The copies of an issue: the one that counts, or all, or those in certain repos.
pub fn show_copies(store: &mut Store, typed: &str, repos: &[String], all: bool) -> Result<Vec<Shown>> {
    if repos.is_empty() && !all {
        return Ok(vec![show(store, typed)?]);
    }
    let id = store.find(typed)?.issue.id;
    let mut wanted = Vec::new();
    for text in repos {
        let known = || store.project().members.iter().map(|member| member.name.clone()).collect();
        let found = store.find_repo(text);
        wanted.push(found.ok_or_else(|| StoreError::NoSuchRepo { text: text.clone(), known: known() })?);
    }
    let rows = store.copies(&id)?;
    let chosen: Vec<Row> = rows.into_iter().filter(|row| repos.is_empty() || wanted.contains(&row.repo)).collect();
    if chosen.is_empty() {
        return Err(StoreError::NotFound { typed: format!("{id} in {}", repos.join(" or ")) }.into());
    }
    chosen.into_iter().map(|row| surround(store, row)).collect()
}

fn surround(store: &mut Store, row: Row) -> Result<Shown> {
    let neighbours = |edges: Vec<(crate::cache::Edge, Option<Row>)>| {
        edges.into_iter().map(|(edge, row)| Neighbour { id: edge.id, kind: edge.kind, row }).collect()
    };
    let dependencies = neighbours(store.dependencies(&row.issue.id)?);
    let dependents = neighbours(store.dependents(&row.issue.id)?);
    let access = store.access_to(&row)?;
    let of_many = store.project().members.len() > 1;
    let copies = if of_many { store.copies(&row.issue.id)? } else { Vec::new() };
    let copies = copies.into_iter().filter(|copy| copy.repo != row.repo).map(|copy| copy.source_repo).collect();
    Ok(Shown { row, dependencies, dependents, access, copies, of_many })
}

/// Issues that waited for one of these and can be worked on now.
pub fn unblocked_by(store: &mut Store, closed: &[String]) -> Result<Vec<Row>> {
    let ready = store.ready(&crate::store::ReadyFilter::default())?.rows;
    let waited = |row: &Row| row.issue.dependencies.iter().any(|d| d.kind.is_blocking() && closed.contains(&d.target));
    Ok(ready.into_iter().filter(waited).collect())
}
