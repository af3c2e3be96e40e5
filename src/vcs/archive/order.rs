//! The order of commits in output.

use std::collections::{BinaryHeap, HashMap};

use super::results::Node;
use crate::model::time::Instant;

/// Newest first, children before their parents.
pub(crate) fn newest_first(commits: Vec<Node>) -> Vec<Node> {
    let numbers: HashMap<&str, usize> =
        commits.iter().enumerate().map(|(number, commit)| (commit.id.as_str(), number)).collect();
    let known = |commit: &Node| -> Vec<usize> {
        commit.parents.iter().filter_map(|parent| numbers.get(parent.as_str()).copied()).collect()
    };
    let parents: Vec<Vec<usize>> = commits.iter().map(known).collect();
    let mut children = vec![0_usize; commits.len()];
    parents.iter().flatten().for_each(|parent| children[*parent] += 1);
    // Commits with equal times keep their order.
    let key = |number: usize| (commits[number].committed, std::cmp::Reverse(number));
    let mut free: BinaryHeap<(Instant, std::cmp::Reverse<usize>)> =
        (0..commits.len()).filter(|number| children[*number] == 0).map(key).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some((_, std::cmp::Reverse(number))) = free.pop() {
        order.push(number);
        for &parent in &parents[number] {
            children[parent] -= 1;
            if children[parent] == 0 {
                free.push(key(parent));
            }
        }
    }
    let mut commits: Vec<Option<Node>> = commits.into_iter().map(Some).collect();
    order.into_iter().filter_map(|number| commits[number].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(commits: &[(&str, &[&str], i64)]) -> Vec<String> {
        let commits = commits.iter().map(|(id, parents, time)| Node {
            id: (*id).to_owned(),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
            committed: Instant::from_nanos(*time),
            is_cut: false,
        });
        newest_first(commits.collect()).into_iter().map(|commit| commit.id).collect()
    }

    #[test]
    fn by_time_for_unrelated_commits() {
        let commits: [(&str, &[&str], i64); 4] =
            [("left", &["root"], 5), ("root", &[], 1), ("right", &["root"], 7), ("tip", &["left", "right"], 9)];
        assert_eq!(order(&commits), ["tip", "right", "left", "root"]);
    }

    #[test]
    fn a_clock_that_was_wrong() {
        let commits: [(&str, &[&str], i64); 3] =
            [("root", &[], 100), ("middle", &["root"], 50), ("tip", &["middle"], 1)];
        assert_eq!(order(&commits), ["tip", "middle", "root"]);
        let same: [(&str, &[&str], i64); 3] = [("b", &["a"], 1), ("c", &["a"], 1), ("a", &[], 1)];
        assert_eq!(order(&same), ["b", "c", "a"]);
        assert_eq!(order(&[("cut", &["not here"], 1)]), ["cut"]);
    }
}
