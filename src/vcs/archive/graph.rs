//! The graph of commits, and where lines of history part.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The commits by number, children before parents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Graph {
    /// The parents of each commit.
    parents: Vec<Vec<usize>>,
    /// The step that made each commit's version, counted from the oldest.
    made: Vec<Option<usize>>,
    /// The commit of each step, oldest first.
    steps: Vec<usize>,
    tips: Vec<usize>,
    /// Commits are missing, so two lines of history may have parted before the oldest known commit.
    is_cut: bool,
}

/// Marks the ancestors of a commit.
const ONE: u8 = 1;
const OTHER: u8 = 2;
/// Marks the ancestors of a common one.
const OLDER: u8 = 4;

impl Graph {
    pub(super) fn new(parents: Vec<Vec<usize>>, tips: Vec<usize>, is_cut: bool) -> Self {
        Graph { made: vec![None; parents.len()], parents, steps: Vec::new(), tips, is_cut }
    }

    /// Adds the next commit, oldest first, as a step.
    pub(super) fn add_step(&mut self, commit: usize) {
        self.made[commit] = Some(self.steps.len());
        self.steps.push(commit);
    }

    /// Adds a commit that is not a step: it has the version of one of its parents.
    pub(super) fn pass_on(&mut self, commit: usize) {
        self.made[commit] = self.parents[commit].first().and_then(|parent| self.made[*parent]);
    }

    /// The step that made a commit's version, counted from the newest; valid once all are added.
    pub(super) fn made(&self, commit: usize) -> Option<usize> {
        self.made[commit].map(|step| self.steps.len() - 1 - step)
    }

    /// The steps that made the versions of a commit's parents, among those added so far, counted from the oldest.
    pub(super) fn links(&self, commit: usize) -> Vec<Option<usize>> {
        self.parents[commit].iter().map(|parent| self.made[*parent]).collect()
    }

    pub(super) fn parents(&self, commit: usize) -> &[usize] {
        &self.parents[commit]
    }

    /// The parents of a step, which is counted from the newest.
    pub(super) fn parents_of_step(&self, step: usize) -> &[usize] {
        &self.parents[self.steps[self.steps.len() - 1 - step]]
    }

    pub(super) fn tips(&self) -> &[usize] {
        &self.tips
    }

    /// The last common commits of one commit and the others; `None` if that is unknown.
    pub(super) fn common(&self, of: &[usize], one: usize) -> Option<Vec<usize>> {
        let mut seen: HashMap<usize, u8> = HashMap::new();
        let mut waiting = BinaryHeap::new();
        // The number of queued commits that may still lead to a common one.
        let mut open = 0;
        let reach = |commit: usize, as_what: u8, seen: &mut HashMap<usize, u8>, waiting: &mut BinaryHeap<_>| {
            let known = seen.get(&commit).copied();
            let now = known.unwrap_or_default() | as_what;
            seen.insert(commit, now);
            if known.is_none() {
                waiting.push(Reverse(commit));
            }
            let counts = |state: u8| i64::from(state & OLDER == 0);
            counts(now) - known.map_or(0, counts)
        };
        for (n, commit) in of.iter().enumerate() {
            open += reach(*commit, if n == one { ONE } else { OTHER }, &mut seen, &mut waiting);
        }
        let mut found = Vec::new();
        while open > 0 {
            let Some(Reverse(commit)) = waiting.pop() else { break };
            let mut state = seen.get(&commit).copied().unwrap_or_default();
            if state & OLDER == 0 {
                open -= 1;
                if state & (ONE | OTHER) == ONE | OTHER {
                    found.push(commit);
                    state |= OLDER;
                }
            }
            for parent in &self.parents[commit] {
                open += reach(*parent, state, &mut seen, &mut waiting);
            }
        }
        if found.is_empty() && self.is_cut { None } else { Some(found) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 is a child of 1 and 2, and so on.
    fn graph(parents: &[&[usize]]) -> Graph {
        Graph::new(parents.iter().map(|parents| parents.to_vec()).collect(), vec![0], false)
    }

    #[test]
    fn where_two_ways_part() {
        let fork = graph(&[&[1, 2], &[3], &[3], &[4], &[]]);
        assert_eq!(fork.common(&[1, 2], 0), Some(vec![3]));
        assert_eq!(fork.common(&[1, 3], 0), Some(vec![3]), "one stands on the other");
        assert_eq!(fork.common(&[1, 1], 0), Some(vec![1]));
        assert_eq!(fork.common(&[1], 0), Some(vec![]), "one alone parts from nobody");
    }

    #[test]
    fn ways_that_crossed_parted_twice() {
        // 5 and 6 are children of 7; 3 and 4 each merge both, and 1 and 2 follow.
        let crossed = graph(&[&[1, 2], &[3], &[4], &[5, 6], &[6, 5], &[7], &[7], &[]]);
        assert_eq!(crossed.common(&[1, 2], 0), Some(vec![5, 6]));
    }

    #[test]
    fn several_sides_and_none_in_common() {
        let three = graph(&[&[1, 2, 3], &[4], &[4], &[5], &[5], &[]]);
        assert_eq!(three.common(&[1, 2, 3], 0), Some(vec![4]));
        assert_eq!(three.common(&[1, 2, 3], 2), Some(vec![5]));
        let apart = graph(&[&[1, 2], &[], &[]]);
        assert_eq!(apart.common(&[1, 2], 0), Some(vec![]));
        assert_eq!(Graph { is_cut: true, ..apart }.common(&[1, 2], 0), None, "the place may be further back");
    }
}
