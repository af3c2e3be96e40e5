//! Cycles in a graph of names.

use std::collections::{HashMap, HashSet};

/// Edges by name: an issue and what it depends on.
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

    /// A path from one node to another, both included; the shortest, so that a message names no detour.
    pub fn path(&self, from: &str, to: &str) -> Option<Vec<String>> {
        let mut came_from: HashMap<&str, &str> = HashMap::new();
        let mut layer = vec![from];
        let mut seen: HashSet<&str> = HashSet::from([from]);
        while !layer.is_empty() {
            let mut next = Vec::new();
            for node in layer {
                if node == to {
                    return Some(unwind(&came_from, node));
                }
                for target in self.targets(node) {
                    if seen.insert(target) {
                        came_from.insert(target, node);
                        next.push(target.as_str());
                    }
                }
            }
            layer = next;
        }
        None
    }

    /// One cycle for each knot of the graph, each starting with its smallest name; sorted.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<String>> = Vec::new();
        for knot in self.knots() {
            let start = knot.iter().min().expect("a knot has members");
            let inside: HashSet<&str> = knot.iter().copied().collect();
            let within = |node: &str| self.targets(node).iter().filter(|t| inside.contains(t.as_str()));
            let ways = within(start).filter_map(|next| {
                let graph: Graph =
                    inside.iter().flat_map(|n| within(n).map(|t| ((*n).to_owned(), t.clone()))).collect();
                graph.path(next, start)
            });
            if let Some(way) = ways.min_by(|a, b| a.len().cmp(&b.len()).then(a.cmp(b))) {
                let mut cycle = vec![(*start).to_owned()];
                cycle.extend(way.into_iter().take_while(|node| node != start));
                found.push(cycle);
            }
        }
        found.sort();
        found
    }

    /// Strongly connected parts that hold a cycle (Tarjan, with a stack of its own: depth comes from outside).
    fn knots(&self) -> Vec<Vec<&str>> {
        let mut names: Vec<&str> = self.edges.keys().map(String::as_str).collect();
        names.sort_unstable();
        let mut state = Tarjan::default();
        for name in names {
            if !state.index.contains_key(name) {
                state.visit(self, name);
            }
        }
        state.knots.retain(|knot| knot.len() > 1 || self.targets(knot[0]).iter().any(|t| t == knot[0]));
        state.knots
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

#[derive(Default)]
struct Tarjan<'a> {
    index: HashMap<&'a str, usize>,
    low: HashMap<&'a str, usize>,
    on_stack: HashSet<&'a str>,
    stack: Vec<&'a str>,
    knots: Vec<Vec<&'a str>>,
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
                        let knot = self.stack.split_off(at);
                        knot.iter().for_each(|n| {
                            self.on_stack.remove(n);
                        });
                        self.knots.push(knot);
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
    fn a_long_chain_needs_no_deep_stack() {
        let mut g: Vec<(String, String)> = (0..200_000).map(|n| (format!("n{n}"), format!("n{}", n + 1))).collect();
        assert!(g.iter().cloned().collect::<Graph>().cycles().is_empty());
        g.push(("n200000".into(), "n0".into()));
        assert_eq!(g.into_iter().collect::<Graph>().cycles().len(), 1);
    }
}
