//! Ready and blocked issues, computed slowly: plain recursion over a list, straight from the text of `docs/format.md`
//! and the glossary. It shares nothing with the code under test.

use std::collections::BTreeSet;

#[derive(Debug, Clone)]
pub struct Node {
    pub id: String,
    pub status: &'static str,
    pub kind: &'static str,
    pub priority: i64,
    /// Minutes before now; `None` if the line does not say.
    pub age: Option<i64>,
    /// Put off until this many minutes from now.
    pub defer: Option<i64>,
    pub flag: Option<&'static str>,
    pub labels: Vec<&'static str>,
    pub close_reason: Option<&'static str>,
    pub edges: Vec<Link>,
}

#[derive(Debug, Clone)]
pub struct Link {
    pub kind: &'static str,
    pub target: String,
    pub any: bool,
    pub spawner: Option<String>,
}

/// Something that an issue waits for: (id, type of the edge, whether the id is known).
pub type Waiting = (String, String, bool);

#[derive(Debug, Clone, Copy)]
pub struct Ask {
    pub include_deferred: bool,
    pub any_type: bool,
    pub unknown_blocks: bool,
}

#[derive(Debug)]
pub struct World<'a>(pub &'a [Node]);

impl<'a> World<'a> {
    fn find(&self, id: &str) -> Option<&'a Node> {
        self.0.iter().find(|node| node.id == id)
    }

    fn children(&self, id: &str) -> impl Iterator<Item = &'a Node> {
        let id = id.to_owned();
        self.0.iter().filter(move |node| parents(node).any(|parent| parent == id))
    }

    /// The direct blockers of an unfinished issue.
    pub fn waiting(&self, node: &Node, unknown_blocks: bool) -> BTreeSet<Waiting> {
        if done(node) {
            return BTreeSet::new();
        }
        let blocks = |link: &Link| {
            let named = link.spawner.as_ref().filter(|_| link.kind == "waits-for").unwrap_or(&link.target);
            let known = self.find(named);
            let holds = match (link.kind, known) {
                ("blocks" | "conditional-blocks" | "waits-for", None) => unknown_blocks,
                ("blocks", Some(target)) => !done(target) && target.status != "pinned",
                ("conditional-blocks", Some(target)) => match target.status {
                    "closed" => !failed(target),
                    status => status != "tombstone",
                },
                ("waits-for", Some(spawner)) => self.holds_back(spawner, link.any),
                _ => false,
            };
            holds.then(|| (named.clone(), link.kind.to_owned(), known.is_some()))
        };
        node.edges.iter().filter_map(blocks).collect()
    }

    /// Whether a `waits-for` on this issue still waits: for its children, or for itself while it has none.
    fn holds_back(&self, spawner: &Node, any: bool) -> bool {
        let children: Vec<&Node> = self.children(&spawner.id).filter(|child| child.status != "tombstone").collect();
        if children.is_empty() {
            !done(spawner)
        } else if any {
            children.iter().all(|child| child.status != "closed")
        } else {
            children.iter().any(|child| !done(child))
        }
    }

    /// Whether an id is an issue or below it in the tree of parents.
    fn below(&self, id: &str, top: &str, seen: &mut Vec<String>) -> bool {
        if id == top {
            return true;
        }
        if seen.iter().any(|other| other == id) {
            return false;
        }
        seen.push(id.to_owned());
        self.find(id).is_some_and(|node| parents(node).any(|parent| self.below(parent, top, seen)))
    }

    /// The blockers of an ancestor that its descendants inherit: not those below it.
    pub fn handed_down(&self, ancestor: &Node, unknown_blocks: bool) -> BTreeSet<Waiting> {
        let mut waiting = self.waiting(ancestor, unknown_blocks);
        waiting.retain(|(blocker, ..)| !self.below(blocker, &ancestor.id, &mut Vec::new()));
        waiting
    }

    fn climb(&self, node: &'a Node, seen: &mut BTreeSet<&'a str>) {
        for parent in parents(node).filter_map(|id| self.find(id)).filter(|parent| !done(parent)) {
            if seen.insert(&parent.id) {
                self.climb(parent, seen);
            }
        }
    }

    /// The ancestors whose blockedness an issue inherits, over parents that are not done.
    pub fn blocked_ancestors(&self, node: &'a Node, unknown_blocks: bool) -> Vec<&'a Node> {
        let mut above = BTreeSet::new();
        if !done(node) {
            self.climb(node, &mut above);
        }
        above.remove(node.id.as_str());
        let nodes = above.into_iter().filter_map(|id| self.find(id));
        nodes.filter(|ancestor| !self.handed_down(ancestor, unknown_blocks).is_empty()).collect()
    }

    /// Those of some ancestors that are met first on a way up.
    pub fn nearest_of(&self, node: &'a Node, ancestors: &[&'a Node]) -> Vec<&'a str> {
        let mut found = BTreeSet::new();
        self.climb_to(node, ancestors, &mut vec![node.id.as_str()], &mut found);
        found.into_iter().collect()
    }

    fn climb_to(&self, node: &'a Node, stops: &[&Node], seen: &mut Vec<&'a str>, found: &mut BTreeSet<&'a str>) {
        for parent in parents(node).filter_map(|id| self.find(id)).filter(|parent| !done(parent)) {
            if seen.contains(&parent.id.as_str()) {
                continue;
            }
            seen.push(&parent.id);
            match stops.iter().any(|stop| stop.id == parent.id) {
                true => drop(found.insert(&parent.id)),
                false => self.climb_to(parent, stops, seen, found),
            }
        }
    }

    pub fn is_blocked(&self, node: &'a Node, unknown_blocks: bool) -> bool {
        node.status == "blocked"
            || !self.waiting(node, unknown_blocks).is_empty()
            || !self.blocked_ancestors(node, unknown_blocks).is_empty()
    }

    pub fn is_ready(&self, node: &'a Node, ask: Ask) -> bool {
        let passed = node.defer.is_some_and(|minutes| minutes <= 0);
        let startable = match node.status {
            "open" => ask.include_deferred || node.defer.is_none() || passed,
            "deferred" => ask.include_deferred || passed,
            _ => false,
        };
        let work = ask.any_type || !matches!(node.kind, "gate" | "molecule" | "message");
        let unfinished_epic = node.kind == "epic" && self.children(&node.id).any(|child| !done(child));
        startable && work && node.flag.is_none() && !unfinished_epic && !self.is_blocked(node, ask.unknown_blocks)
    }

    /// Sorts by urgency of label, priority, age and id.
    pub fn by_urgency(&self, nodes: &mut [&Node]) {
        nodes.sort_by_key(|node| (urgency(node), node.priority, oldest_first(node), node.id.clone()));
    }

    /// Issues younger than two days by priority, before the rest by age.
    pub fn by_freshness(&self, nodes: &mut [&Node]) {
        let young = |node: &Node| node.age.is_some_and(|minutes| minutes <= 2 * 24 * 60);
        let priority = |node: &Node| if young(node) { node.priority } else { 0 };
        nodes.sort_by_key(|node| (urgency(node), !young(node), priority(node), oldest_first(node), node.id.clone()));
    }

    pub fn by_age(&self, nodes: &mut [&Node]) {
        nodes.sort_by_key(|node| (oldest_first(node), node.id.clone()));
    }

    pub fn by_priority(&self, nodes: &mut [&Node]) {
        nodes.sort_by_key(|node| (node.priority, oldest_first(node), node.id.clone()));
    }
}

fn done(node: &Node) -> bool {
    node.status == "closed" || node.status == "tombstone"
}

fn parents(node: &Node) -> impl Iterator<Item = &str> {
    node.edges.iter().filter(|link| link.kind == "parent-child").map(|link| link.target.as_str())
}

fn failed(node: &Node) -> bool {
    let reason = node.close_reason.unwrap_or_default().to_lowercase();
    let words = "failed rejected wontfix won't_fix canceled cancelled abandoned blocked error timeout aborted";
    words.split(' ').any(|word| reason.contains(&word.replace('_', " ")))
}

fn urgency(node: &Node) -> usize {
    let order = ["baseline-failure", "discovered:blocker"];
    order.iter().position(|label| node.labels.contains(label)).unwrap_or(order.len())
}

/// A greater age comes first, and an unknown one before all.
fn oldest_first(node: &Node) -> i64 {
    node.age.map_or(i64::MIN, |minutes| -minutes)
}
