//! One issue with everything around it.

use super::Result;
use crate::store::{Row, Store};

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
}

pub fn show(store: &mut Store, typed: &str) -> Result<Shown> {
    let row = store.find(typed)?;
    let neighbours = |edges: Vec<(crate::cache::Edge, Option<Row>)>| {
        edges.into_iter().map(|(edge, row)| Neighbour { id: edge.id, kind: edge.kind, row }).collect()
    };
    let dependencies = neighbours(store.dependencies(&row.issue.id)?);
    let dependents = neighbours(store.dependents(&row.issue.id)?);
    Ok(Shown { row, dependencies, dependents })
}

/// Issues that waited for one of these and can be worked on now.
pub fn unblocked_by(store: &mut Store, closed: &[String]) -> Result<Vec<Row>> {
    let ready = store.ready(&crate::store::ReadyFilter::default())?.rows;
    let waited = |row: &Row| row.issue.dependencies.iter().any(|d| d.kind.is_blocking() && closed.contains(&d.target));
    Ok(ready.into_iter().filter(waited).collect())
}
