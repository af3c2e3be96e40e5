//! Finds issues that wait for each other, directly or through their ancestors; see [`crate::model::waits`].

use std::collections::HashMap;

use super::schema::DONE;
use super::{Cache, CacheError, Result};
use crate::model::graph::shortest_path;
use crate::model::waits::{AllTies, Ties, back_to, down_to};

/// The relations in the database, read on demand.
struct Relations<'a> {
    cache: &'a Cache,
    /// A child with its future parent.
    assumed: Option<(&'a str, &'a str)>,
    /// The parents found so far.
    parents: HashMap<String, Vec<String>>,
}

fn open(alias: &str) -> String {
    format!("{alias}.status NOT IN {DONE}")
}

fn blocks(which: &str) -> String {
    format!(
        "SELECT DISTINCT i.id, t.id FROM live i CROSS JOIN edges e ON e.key = i.key CROSS JOIN live t ON t.id = e.target
         WHERE {which} AND {} AND {} AND e.type IN ('blocks', 'conditional-blocks', 'waits-for') ORDER BY 1, 2",
        open("i"),
        open("t")
    )
}

fn kin(which: &str, such: &str) -> String {
    format!(
        "SELECT DISTINCT c.id, p.id FROM kin CROSS JOIN live c ON c.id = kin.child CROSS JOIN live p ON p.id = kin.parent
         WHERE {which} AND {} AND {} {such} ORDER BY 1, 2",
        open("c"),
        open("p")
    )
}

impl<'a> Relations<'a> {
    fn of(cache: &'a Cache, assumed: Option<(&'a str, &'a str)>) -> Self {
        Relations { cache, assumed, parents: HashMap::new() }
    }

    fn column(&self, sql: &str, column: usize, id: &str) -> Result<Vec<String>> {
        self.cache.all(sql, [id], |row| row.get(column))
    }
}

impl Ties for Relations<'_> {
    type Error = CacheError;

    fn blockers(&mut self, id: &str) -> Result<Vec<String>> {
        self.column(&blocks("i.id = ?1"), 1, id)
    }

    fn parents(&mut self, id: &str) -> Result<Vec<String>> {
        if let Some(known) = self.parents.get(id) {
            return Ok(known.clone());
        }
        let mut found = self.column(&kin("kin.child = ?1", ""), 1, id)?;
        found.extend(self.assumed.filter(|(child, _)| *child == id).map(|(_, parent)| parent.to_owned()));
        self.parents.insert(id.to_owned(), found.clone());
        Ok(found)
    }

    fn parts(&mut self, id: &str) -> Result<Vec<String>> {
        self.column(&kin("kin.parent = ?1", "AND p.type = 'epic'"), 0, id)
    }

    fn is_below(&mut self, id: &str, ancestor: &str) -> Result<bool> {
        Ok(id != ancestor && shortest_path(id, ancestor, |node| self.parents(node))?.is_some())
    }
}

impl Cache {
    /// The path by which `blocker` already waits for `dependent`, or for an issue below it.
    pub fn waits_back(&mut self, blocker: &str, dependent: &str) -> Result<Option<Vec<String>>> {
        self.tie()?;
        back_to(&mut Relations::of(self, None), blocker, dependent)
    }

    /// The path by which a blocker of `parent` would wait for its future child.
    pub fn waits_below(&mut self, parent: &str, child: &str) -> Result<Option<Vec<String>>> {
        self.tie()?;
        down_to(&mut Relations::of(self, Some((child, parent))), parent, child)
    }

    /// Every circle of unfinished issues that wait for each other.
    pub fn deadlocks(&mut self) -> Result<Vec<Vec<String>>> {
        self.tie()?;
        let pairs =
            |sql: &str| -> Result<Vec<(String, String)>> { self.all(sql, [], |row| Ok((row.get(0)?, row.get(1)?))) };
        let parts = pairs(&kin("1", "AND p.type = 'epic'"))?.into_iter().map(|(child, epic)| (epic, child));
        Ok(AllTies { blockers: pairs(&blocks("1"))?, kin: pairs(&kin("1", ""))?, parts: parts.collect() }.deadlocks())
    }

    fn tie(&mut self) -> Result<()> {
        self.index()?;
        self.compute_kin()
    }
}
