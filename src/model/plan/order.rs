//! Which tasks wait for which: what a plan says outright, and what its numbers say.
//!
//! A task with a sequence number waits for every task with a lower number, except those of its own parallel group. Tasks with
//! the same number, and tasks without one, wait only for what they depend on. The rule is applied when tasks are filed or changed by
//! a plan: it becomes ordinary `blocks` edges, so that every program that reads the ledger sees the same order.
//!
//! A task waits for those of the step before its own; for earlier ones it waits through them. Two large steps in a row need an edge for each
//! pair all the same: a plan has a limit on that, and a task between the two makes them few.

use super::PlannedTask;

/// For each task the names of those that it waits for. Of what the numbers say only as much as is needed: a task that another
/// of them waits for is left out.
pub fn waits_for(tasks: &[PlannedTask]) -> Vec<Vec<String>> {
    waits_among(tasks, |_| false)
}

/// The same among tasks of which some have begun, by their places: such a task gets no new edges, so no task waits through it.
pub fn waits_among(tasks: &[PlannedTask], is_started: impl Fn(usize) -> bool) -> Vec<Vec<String>> {
    let lower = |(n, task)| if is_started(n) { Members::of(tasks.len()) } else { lower(tasks, task) };
    let before: Vec<Members> = tasks.iter().enumerate().map(lower).collect();
    let wait = |(task, mine): (&PlannedTask, &Members)| {
        let mut implied = Members::of(tasks.len());
        mine.iter().for_each(|early| implied.join(&before[early]));
        let numbered = mine.iter().filter(|early| !implied.has(*early)).map(|early| &tasks[early].name);
        let mut names: Vec<String> = Vec::new();
        for name in task.depends_on.iter().chain(numbered) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    };
    tasks.iter().zip(&before).map(wait).collect()
}

/// The tasks that come before one by their numbers.
fn lower(tasks: &[PlannedTask], mine: &PlannedTask) -> Members {
    let mut found = Members::of(tasks.len());
    let Some(number) = mine.sequence else { return found };
    for (n, other) in tasks.iter().enumerate() {
        let together = mine.parallel_group.is_some() && mine.parallel_group == other.parallel_group;
        if other.sequence.is_some_and(|other| other < number) && !together {
            found.add(n);
        }
    }
    found
}

/// A set of tasks by their places, a bit each: a long plan has many pairs.
struct Members(Vec<u64>);

impl Members {
    fn of(most: usize) -> Self {
        Members(vec![0; most.div_ceil(64)])
    }

    fn add(&mut self, n: usize) {
        self.0[n / 64] |= 1 << (n % 64);
    }

    fn has(&self, n: usize) -> bool {
        self.0[n / 64] & (1 << (n % 64)) != 0
    }

    fn join(&mut self, other: &Members) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|n| self.has(*n))
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::*;

    fn task(name: &str, sequence: Option<i64>, group: Option<&str>, depends_on: &[&str]) -> PlannedTask {
        PlannedTask {
            sequence,
            parallel_group: group.map(str::to_owned),
            depends_on: depends_on.iter().map(|name| (*name).to_owned()).collect(),
            ..PlannedTask::named(name)
        }
    }

    #[test]
    fn numbers_become_edges_and_no_more_than_needed() {
        let tasks = [
            task("a", Some(1), None, &[]),
            task("b", Some(2), Some("g"), &[]),
            task("c", Some(3), Some("g"), &[]),
            task("d", Some(4), None, &["a"]),
            task("e", None, None, &[]),
            task("f", Some(4), None, &[]),
        ];
        let found = waits_for(&tasks);
        let expected: [&[&str]; 6] = [&[], &["a"], &["a"], &["a", "b", "c"], &[], &["b", "c"]];
        assert_eq!(found, expected.map(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()));
    }

    #[test]
    fn no_task_waits_through_a_started_one() {
        let tasks = [task("a", Some(1), None, &[]), task("b", Some(2), None, &[]), task("c", Some(3), None, &[])];
        let found = waits_among(&tasks, |n| n == 1);
        assert_eq!(found, [vec![], vec![], vec!["a".to_owned(), "b".to_owned()]]);
    }

    #[test]
    fn a_group_that_is_spread_waits_through_what_is_between() {
        let tasks =
            [task("a", Some(1), Some("g"), &[]), task("b", Some(2), None, &[]), task("c", Some(3), Some("g"), &[])];
        assert_eq!(waits_for(&tasks), [vec![], vec!["a".to_owned()], vec!["b".to_owned()]]);
    }
}
