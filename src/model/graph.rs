//! Cycles and paths in a graph of names.

use std::collections::{HashMap, HashSet};

/// Edges by name: from an issue to what it depends on.
#[derive(Debug, Default, Clone)]
pub struct Graph {
    edges: HashMap<String, Vec<String>>,
}

impl FromIterator<(String, String)> for Graph {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(edges: I) -> Self {
        let mut graph = Graph::default();
        for (from, to) in edges {
            graph.edges.entry(from).or_default().push(to);
        }
        for targets in graph.edges.values_mut() {
            targets.sort_unstable();
            targets.dedup();
        }
        graph
    }
}

impl Graph {
    /// Every edge.
    pub fn edges(&self) -> impl Iterator<Item = (&str, &str)> {
        self.edges.iter().flat_map(|(from, targets)| targets.iter().map(move |to| (from.as_str(), to.as_str())))
    }

    fn targets(&self, node: &str) -> &[String] {
        self.edges.get(node).map_or(&[], Vec::as_slice)
    }

    /// The shortest path between two nodes, both included, so that a message shows no detour.
    pub fn path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let found: Result<_, std::convert::Infallible> =
            shortest_path(from, to, |node| Ok(self.targets(node).to_vec()));
        found.unwrap_or_default()
    }

    /// For each pair, whether a path leads from the first to the second; a node always reaches itself. Each strongly
    /// connected part counts as one node, and goals are processed 64 at a time, so that neither cycles nor layers make
    /// it slow.
    pub fn joins(&self, pairs: &[(&str, &str)]) -> Vec<bool> {
        let parts = self.parts();
        let part_of: HashMap<&str, usize> =
            parts.iter().enumerate().flat_map(|(n, part)| part.iter().map(move |name| (*name, n))).collect();
        // Each part comes after all parts that it leads to.
        let next = |n: usize| {
            let targets = parts[n].iter().flat_map(|name| self.targets(name));
            targets.map(|target| part_of[target.as_str()]).filter(move |part| *part != n)
        };
        let next: Vec<Vec<usize>> = (0..parts.len()).map(|n| next(n).collect()).collect();
        let places: Vec<Option<(usize, usize)>> =
            pairs.iter().map(|(from, to)| Some((*part_of.get(from)?, *part_of.get(to)?))).collect();
        let mut goals: Vec<usize> = places.iter().flatten().map(|(_, goal)| *goal).collect();
        goals.sort_unstable();
        goals.dedup();
        let mut found: Vec<bool> = pairs.iter().map(|(from, to)| from == to).collect();
        for goals in goals.chunks(64) {
            let mut reached = vec![0u64; parts.len()];
            for (bit, goal) in goals.iter().enumerate() {
                reached[*goal] = 1 << bit;
            }
            for n in 0..parts.len() {
                reached[n] = next[n].iter().fold(reached[n], |all, part| all | reached[*part]);
            }
            for (pair, place) in places.iter().enumerate() {
                let Some((from, goal)) = place else { continue };
                if let Ok(bit) = goals.binary_search(goal) {
                    found[pair] |= reached[*from] & (1 << bit) != 0;
                }
            }
        }
        found
    }

    /// One cycle for each strongly connected part, each starting with its smallest name; sorted.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        for knot in self.knots() {
            let start = *knot.iter().min().expect("a knot has members");
            let inside: HashSet<&str> = knot.iter().copied().collect();
            found.extend(self.way_around(start, &inside));
        }
        found.sort();
        found
    }

    /// The shortest path from a node back to it, among these nodes; of several the first by name.
    fn way_around(&self, start: &str, inside: &HashSet<&str>) -> Option<Vec<String>> {
        let mut came_from: HashMap<&str, &str> = HashMap::new();
        let mut layer = vec![start];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for node in layer {
                for target in self.targets(node).iter().map(String::as_str).filter(|target| inside.contains(target)) {
                    if target == start {
                        return Some(unwind(&came_from, node));
                    }
                    if !came_from.contains_key(target) {
                        came_from.insert(target, node);
                        next.push(target);
                    }
                }
            }
            layer = next;
        }
        None
    }

    /// The strongly connected parts with a cycle.
    fn knots(&self) -> Vec<Vec<&str>> {
        let mut parts = self.parts();
        parts.retain(|knot| knot.len() > 1 || self.targets(knot[0]).iter().any(|t| t == knot[0]));
        parts
    }

    /// All strongly connected parts, each after those that it leads to (Tarjan with an explicit stack: the input
    /// decides the depth).
    fn parts(&self) -> Vec<Vec<&str>> {
        let mut names: Vec<&str> = self.edges.keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut state = Tarjan::default();
        for name in names {
            if !state.index.contains_key(name) {
                state.visit(self, name);
            }
        }
        state.parts
    }
}

fn unwind<'a>(came_from: &HashMap<&'a str, &'a str>, mut node: &'a str) -> Vec<String> {
    let mut path = vec![node.to_owned()];
    while let Some(before) = came_from.get(node) {
        path.push((*before).to_owned());
        node = before;
    }
    path.reverse();
    path
}

/// The shortest path between two nodes; the successors of a node are looked up when it is reached.
pub fn shortest_path<E>(
    from: &str,
    to: &str,
    mut targets: impl FnMut(&str) -> Result<Vec<String>, E>,
) -> Result<Option<Vec<String>>, E> {
    // The nodes reached so far, each with its predecessor.
    let mut reached: Vec<(String, usize)> = vec![(from.to_owned(), 0)];
    let mut seen: HashSet<String> = HashSet::from([from.to_owned()]);
    let mut at = 0;
    while at < reached.len() {
        if reached[at].0 == to {
            let mut path = vec![to.to_owned()];
            while at > 0 {
                at = reached[at].1;
                path.push(reached[at].0.clone());
            }
            path.reverse();
            return Ok(Some(path));
        }
        for target in targets(&reached[at].0)? {
            if seen.insert(target.clone()) {
                reached.push((target, at));
            }
        }
        at += 1;
    }
    Ok(None)
}

#[derive(Default)]
struct Tarjan<'a> {
    index: HashMap<&'a str, usize>,
    low: HashMap<&'a str, usize>,
    on_stack: HashSet<&'a str>,
    stack: Vec<&'a str>,
    parts: Vec<Vec<&'a str>>,
}

impl<'a> Tarjan<'a> {
    fn visit(&mut self, graph: &'a Graph, root: &'a str) {
        let mut work = vec![(root, 0)];
        while let Some((node, at)) = work.pop() {
            if at == 0 {
                let order = self.index.len();
                self.index.insert(node, order);
                self.low.insert(node, order);
                self.stack.push(node);
                self.on_stack.insert(node);
            }
            match graph.targets(node).get(at) {
                Some(next) => {
                    work.push((node, at + 1));
                    if !self.index.contains_key(next.as_str()) {
                        work.push((next, 0));
                    } else if self.on_stack.contains(next.as_str()) {
                        self.lower(node, self.index[next.as_str()]);
                    }
                }
                None => {
                    let low = self.low[node];
                    if let Some((parent, _)) = work.last() {
                        self.lower(parent, low);
                    }
                    if low == self.index[node] {
                        let at = self.stack.iter().rposition(|n| *n == node).expect("a root is on the stack");
                        let part = self.stack.split_off(at);
                        part.iter().for_each(|n| {
                            self.on_stack.remove(n);
                        });
                        self.parts.push(part);
                    }
                }
            }
        }
    }

    fn lower(&mut self, node: &'a str, to: usize) {
        let low = self.low.get_mut(node).expect("a visited node has a low link");
        *low = to.min(*low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(&str, &str)]) -> Graph {
        edges.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn cycles_and_paths() {
        let g =
            graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("x", "x"), ("e", "f"), ("f", "d")]);
        assert_eq!(g.cycles(), [vec!["a", "b", "c"], vec!["d", "e", "f"], vec!["x"]]);
        assert_eq!(g.path("a", "e").unwrap(), ["a", "b", "c", "d", "e"]);
        assert_eq!(g.path("e", "a"), None);
        assert!(graph(&[("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]).cycles().is_empty());
    }

    #[test]
    fn the_shortest_cycle_is_named_and_of_several_the_first() {
        let g = graph(&[("a", "z"), ("z", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]);
        assert_eq!(g.cycles(), [["a", "c"]]);
        assert_eq!(graph(&[("b", "c"), ("c", "a"), ("a", "b")]).cycles(), [["a", "b", "c"]]);
    }

    #[test]
    fn what_leads_where() {
        let g = graph(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "d"), ("d", "f")]);
        let pairs = [("a", "a"), ("b", "a"), ("a", "f"), ("e", "f"), ("f", "e"), ("e", "a"), ("x", "x"), ("x", "a")];
        assert_eq!(g.joins(&pairs), [true, true, true, true, false, false, true, false]);
        // More goals than fit into one round, in a chain and in a circle.
        let name = |n: usize| format!("n{n:03}");
        let mut edges: Vec<(String, String)> = (0..199).map(|n| (name(n), name(n + 1))).collect();
        let ends = |g: &Graph| {
            let names: Vec<String> = (0..200).map(name).collect();
            let all = |n: usize| g.joins(&names.iter().map(|to| (names[n].as_str(), to.as_str())).collect::<Vec<_>>());
            (0..200).map(|n| all(n).into_iter().filter(|joined| *joined).count()).collect::<Vec<_>>()
        };
        assert_eq!(ends(&edges.iter().cloned().collect()), (1..=200).rev().collect::<Vec<_>>());
        edges.push((name(199), name(0)));
        assert_eq!(ends(&edges.into_iter().collect()), [200; 200]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let mut g: Vec<(String, String)> = (0..200_000).map(|n| (format!("n{n}"), format!("n{}", n + 1))).collect();
        assert!(g.iter().cloned().collect::<Graph>().cycles().is_empty());
        g.push(("n200000".into(), "n0".into()));
        assert_eq!(g.into_iter().collect::<Graph>().cycles().len(), 1);
    }
}
