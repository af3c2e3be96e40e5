//! The rule that decides which issues can be worked on. The index stores its result for each issue and applies it again
//! to the issues that a change touches.

use std::collections::{HashMap, HashSet};

use super::dependency::Dependency;
use super::graph::Graph;
use super::issue::IssueType;

/// After every date: the time of a deferral that cannot be read.
pub const NEVER: i64 = i64::MAX;

/// How a dependency on an id that is in no ledger counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownIds {
    /// It may have been pruned: counts as done.
    #[default]
    Done,
    /// Some ledger cannot be read and may hold it: counts as open, unless the id names another project's work.
    MayBeOpen,
    Block,
}

impl UnknownIds {
    /// The rule from its number.
    pub fn of(number: i64) -> Option<Self> {
        [UnknownIds::Done, UnknownIds::MayBeOpen, UnknownIds::Block].into_iter().find(|rule| *rule as i64 == number)
    }

    /// Whether a dependency on this id blocks.
    pub fn blocks(self, id: &str) -> bool {
        const ELSEWHERE: &str = "external:";
        match self {
            UnknownIds::Done => false,
            UnknownIds::MayBeOpen => {
                !id.get(..ELSEWHERE.len()).is_some_and(|start| start.eq_ignore_ascii_case(ELSEWHERE))
            }
            UnknownIds::Block => true,
        }
    }
}

/// The facts about an issue that the rule needs.
#[derive(Debug, Clone, Default)]
pub struct Node {
    pub status: String,
    pub kind: String,
    /// Closed for a reason that `conditional-blocks` counts as failure.
    pub failed: bool,
    /// Pinned, ephemeral or a template.
    pub hidden: bool,
    /// Deferred until then, in microseconds.
    pub defer: Option<i64>,
    pub children: Children,
}

/// How many children an issue has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Children {
    /// Those that are not deleted.
    pub all: i64,
    pub closed: i64,
}

impl Children {
    pub fn add(&mut self, status: &str, count: i64) {
        self.all += if status == "tombstone" { 0 } else { count };
        self.closed += if status == "closed" { count } else { 0 };
    }

    fn has_open(self) -> bool {
        self.all > self.closed
    }
}

/// How an issue that nothing holds back is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    Work,
    EpicWithOpenChildren,
    InternalType,
}

impl Node {
    pub fn is_done(&self) -> bool {
        matches!(self.status.as_str(), "closed" | "tombstone")
    }

    pub fn is_open_epic(&self) -> bool {
        self.kind == "epic" && !self.is_done()
    }

    /// Whether something holds it back; `waits`: it waits for another issue, or an ancestor does.
    pub fn is_held(&self, waits: bool) -> bool {
        waits || self.status == "blocked"
    }

    /// How it is offered, and from when on; `None` if something holds it back.
    pub fn offer(&self, waits: bool) -> Option<(Offer, Option<i64>)> {
        let is_deferred = self.status == "deferred";
        if waits || self.hidden || !(is_deferred || self.status == "open") {
            return None;
        }
        let offer = match self.kind.as_str() {
            kind if IssueType::INTERNAL.contains(&kind) => Offer::InternalType,
            "epic" if self.children.has_open() => Offer::EpicWithOpenChildren,
            _ => Offer::Work,
        };
        Some((offer, if is_deferred { Some(self.defer.unwrap_or(NEVER)) } else { self.defer }))
    }
}

/// The issue whose state decides whether an edge makes its own issue wait, if there is one.
pub fn awaited(edge: &Dependency) -> Option<&str> {
    match edge.kind.as_str() {
        "blocks" | "conditional-blocks" => Some(&edge.target),
        "waits-for" => Some(edge.gate.as_ref().and_then(|gate| gate.spawner.as_deref()).unwrap_or(&edge.target)),
        _ => None,
    }
}

/// Whether an edge makes its issue wait, given the issue that it awaits.
pub fn waits(edge: &Dependency, on: Option<&Node>, unknown: UnknownIds) -> bool {
    let Some(on) = on else { return awaited(edge).is_some_and(|id| unknown.blocks(id)) };
    match edge.kind.as_str() {
        "blocks" => !on.is_done() && on.status != "pinned",
        "conditional-blocks" if on.status == "closed" => !on.failed,
        "conditional-blocks" => on.status != "tombstone",
        // The children of the spawner; while it has none, the spawner itself.
        "waits-for" if on.children.all == 0 => !on.is_done(),
        "waits-for" if edge.gate.as_ref().is_some_and(|gate| gate.any) => on.children.closed == 0,
        "waits-for" => on.children.has_open(),
        _ => false,
    }
}

/// Blockers that are not below the issue that they block. Takes issues with children, in order; each result has the
/// issue, its blocker, and whether the blocker has a parent.
pub fn holding<E>(
    candidates: Vec<(String, String, bool)>,
    mut parents: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    let mut edges: Vec<(String, String)> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let mut work: Vec<String> =
        candidates.iter().filter(|(_, _, has_parent)| *has_parent).map(|(_, blocker, _)| blocker.clone()).collect();
    while let Some(child) = work.pop() {
        if seen.insert(child.clone()) {
            let found = parents(&child)?;
            work.extend(found.iter().cloned());
            edges.extend(found.into_iter().map(|parent| (child.clone(), parent)));
        }
    }
    let pairs: Vec<(&str, &str)> = candidates.iter().map(|(id, blocker, _)| (blocker.as_str(), id.as_str())).collect();
    let is_below = edges.into_iter().collect::<Graph>().joins(&pairs);
    let mut holding: Vec<String> =
        candidates.iter().zip(is_below).filter(|(_, below)| !below).map(|((id, ..), _)| id.clone()).collect();
    holding.dedup();
    Ok(holding)
}

/// The issues below these blocked ones. A block is inherited by children, but not by a blocker that is itself below the
/// blocked ancestor: an epic that waits for its own children must not stop them. Each step is taken at most twice, even
/// in cycles.
pub fn inherited<E>(
    holding: &[String],
    mut open_children: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Vec<String>, E> {
    // Two origins of an inherited block are enough: one of them is not the issue itself.
    let mut origins: HashMap<String, Vec<usize>> = HashMap::new();
    let mut work: Vec<(String, usize)> = holding.iter().cloned().zip(0..).collect();
    while let Some((parent, origin)) = work.pop() {
        for child in open_children(&parent)? {
            let known = origins.entry(child.clone()).or_default();
            if known.len() < 2 && !known.contains(&origin) {
                known.push(origin);
                work.push((child, origin));
            }
        }
    }
    let is_held = |(id, from): &(String, Vec<usize>)| from.iter().any(|origin| holding[*origin] != *id);
    Ok(origins.into_iter().filter(is_held).map(|(id, _)| id).collect())
}
