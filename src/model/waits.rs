//! Deadlocks: issues that wait for each other, directly or through their ancestors.
//!
//! An issue can be worked on when everything that it waits for is done, and everything that it inherits from its
//! ancestors. An ancestor passes on what it waits for, except issues below itself: an epic that waits for its own
//! children must not stop them. An epic is done when its children are.

use std::collections::{BTreeSet, HashMap};

use super::graph::{Graph, shortest_path};

/// The relations of unfinished issues.
pub trait Ties {
    type Error;

    /// The issues that an issue itself waits for.
    fn blockers(&mut self, id: &str) -> Result<Vec<String>, Self::Error>;

    fn parents(&mut self, id: &str) -> Result<Vec<String>, Self::Error>;

    /// The children of an epic.
    fn parts(&mut self, id: &str) -> Result<Vec<String>, Self::Error>;

    fn is_below(&mut self, id: &str, ancestor: &str) -> Result<bool, Self::Error>;
}

/// A node of the graph is one of these goals and an id.
const DONE: char = 'd';
const FREE: char = 'f';
const HANDED_DOWN: char = 'h';

fn node(wish: char, id: &str) -> String {
    format!("{wish}{id}")
}

/// The nodes that must come before this one.
fn before<T: Ties>(ties: &mut T, at: &str) -> Result<Vec<String>, T::Error> {
    let mut rest = at.chars();
    let wish = rest.next().unwrap_or(DONE);
    let id = rest.as_str();
    let mut found = Vec::new();
    if wish == DONE {
        found.push(node(FREE, id));
        found.extend(ties.parts(id)?.iter().map(|part| node(DONE, part)));
        return Ok(found);
    }
    for blocker in ties.blockers(id)? {
        if wish == FREE || !ties.is_below(&blocker, id)? {
            found.push(node(DONE, &blocker));
        }
    }
    found.extend(ties.parents(id)?.iter().map(|parent| node(HANDED_DOWN, parent)));
    Ok(found)
}

/// The issues on a path, each once.
fn ids(way: &[String]) -> Vec<String> {
    let mut found: Vec<String> = way.iter().map(|node| node.chars().skip(1).collect()).collect();
    found.dedup();
    found
}

/// The path by which `blocker` would wait for `dependent`, or for an issue below it.
pub fn back_to<T: Ties>(ties: &mut T, blocker: &str, dependent: &str) -> Result<Option<Vec<String>>, T::Error> {
    let goals: &[char] = if ties.is_below(blocker, dependent)? { &[FREE] } else { &[FREE, HANDED_DOWN] };
    way(ties, &node(DONE, blocker), goals, dependent)
}

/// The path by which the blockers that `parent` passes on would wait for its new child, or for an issue below that.
pub fn down_to<T: Ties>(ties: &mut T, parent: &str, child: &str) -> Result<Option<Vec<String>>, T::Error> {
    way(ties, &node(HANDED_DOWN, parent), &[FREE, HANDED_DOWN], child)
}

fn way<T: Ties>(ties: &mut T, from: &str, goals: &[char], to: &str) -> Result<Option<Vec<String>>, T::Error> {
    for goal in goals {
        if let Some(way) = shortest_path(from, &node(*goal, to), |at| before(ties, at))? {
            return Ok(Some(ids(&way)));
        }
    }
    Ok(None)
}

/// Relations that are all in memory.
#[derive(Debug, Default)]
pub struct AllTies {
    pub blockers: Vec<(String, String)>,
    /// Children with their parents.
    pub kin: Vec<(String, String)>,
    /// Epics with their children.
    pub parts: Vec<(String, String)>,
}

struct Tied<'a> {
    blockers: HashMap<&'a str, Vec<String>>,
    parents: HashMap<&'a str, Vec<String>>,
    parts: HashMap<&'a str, Vec<String>>,
    below: BTreeSet<(&'a str, &'a str)>,
}

impl Ties for Tied<'_> {
    type Error = std::convert::Infallible;

    fn blockers(&mut self, id: &str) -> Result<Vec<String>, Self::Error> {
        Ok(self.blockers.get(id).cloned().unwrap_or_default())
    }

    fn parents(&mut self, id: &str) -> Result<Vec<String>, Self::Error> {
        Ok(self.parents.get(id).cloned().unwrap_or_default())
    }

    fn parts(&mut self, id: &str) -> Result<Vec<String>, Self::Error> {
        Ok(self.parts.get(id).cloned().unwrap_or_default())
    }

    fn is_below(&mut self, id: &str, ancestor: &str) -> Result<bool, Self::Error> {
        Ok(self.below.contains(&(id, ancestor)))
    }
}

impl AllTies {
    /// One circle for each connected group, each starting with its smallest id; sorted.
    pub fn deadlocks(&self) -> Vec<Vec<String>> {
        let pairs: Vec<(&str, &str)> =
            self.blockers.iter().map(|(id, blocker)| (blocker.as_str(), id.as_str())).collect();
        let is_below = self.kin.iter().cloned().collect::<Graph>().joins(&pairs);
        let below = pairs.iter().copied().zip(is_below).filter(|(_, is_below)| *is_below).map(|(pair, _)| pair);
        let mut ties = Tied {
            blockers: by_first(&self.blockers),
            parents: by_first(&self.kin),
            parts: by_first(&self.parts),
            below: below.collect(),
        };
        let all = [&self.blockers, &self.kin, &self.parts];
        let named: BTreeSet<&str> =
            all.into_iter().flatten().flat_map(|(one, other)| [one.as_str(), other.as_str()]).collect();
        let nodes = named.iter().flat_map(|id| [DONE, FREE, HANDED_DOWN].map(|wish| node(wish, id)));
        let mut edges = Vec::new();
        for from in nodes {
            let Ok(targets) = before(&mut ties, &from);
            edges.extend(targets.into_iter().map(|to| (from.clone(), to)));
        }
        let mut found: Vec<Vec<String>> =
            edges.into_iter().collect::<Graph>().cycles().iter().map(|way| circle(way)).collect();
        found.sort();
        found.dedup();
        found
    }
}

/// The issues of a circle, the smallest first.
fn circle(way: &[String]) -> Vec<String> {
    let mut found = ids(way);
    if found.len() > 1 && found.first() == found.last() {
        found.pop();
    }
    let first = (0..found.len()).min_by_key(|n| &found[*n]).unwrap_or_default();
    found.rotate_left(first);
    found
}

fn by_first(pairs: &[(String, String)]) -> HashMap<&str, Vec<String>> {
    let mut found: HashMap<&str, Vec<String>> = HashMap::new();
    for (one, other) in pairs {
        found.entry(one).or_default().push(other.clone());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        text.split_whitespace().filter_map(|pair| pair.split_once('>')).map(|(a, b)| (a.into(), b.into())).collect()
    }

    fn deadlocks(blockers: &str, kin: &str, parts: &str) -> Vec<String> {
        let ties = AllTies { blockers: pairs(blockers), kin: pairs(kin), parts: pairs(parts) };
        ties.deadlocks().into_iter().map(|circle| circle.join(" ")).collect()
    }

    #[test]
    fn what_an_ancestor_waits_for_stops_its_children() {
        // The child c must wait for d, for which its parent p waits, and d waits for c.
        assert_eq!(deadlocks("d>c p>d", "c>p", ""), ["c p d"]);
        assert_eq!(deadlocks("d>c g>d", "c>p p>g", ""), ["c p g d"]);
        assert_eq!(deadlocks("e>c p>d", "c>p d>e", ""), ["c p d e"]);
        assert_eq!(deadlocks("a>b b>a", "", ""), ["a b"]);
    }

    #[test]
    fn what_is_below_an_ancestor_is_not_handed_down() {
        assert!(deadlocks("p>c", "c>p", "p>c").is_empty());
        assert!(deadlocks("p>b b>c", "c>p b>p", "p>c p>b").is_empty());
        // An epic is done when its children are.
        assert_eq!(deadlocks("c>p", "c>p", "p>c"), ["c p"]);
        assert!(deadlocks("b>c", "c>p b>p", "p>c p>b").is_empty());
    }
}
