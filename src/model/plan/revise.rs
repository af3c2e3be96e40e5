//! A new plan for a workflow that is under way: what stays, what changes, what goes, and who waits for what then.
//!
//! Work is never thrown away: a task that is done, runs or is claimed stays, whatever the new plan says of it. A task that waited for a
//! task that goes waits for what that one waited for.

use crate::model::words::words;
use std::collections::{BTreeMap, BTreeSet};

use super::check::{too_many_edges, too_many_tasks};
use super::{Draft, PlannedTask, Problem, Wrong, waits_among};
use crate::model::graph::Graph;
use crate::model::nearest::nearest;

words! {
    /// Why a task stays as it is.
    #[derive(PartialOrd, Ord)]
    pub enum Fixed {
        Done = "done",
        Running = "running",
        Claimed = "claimed",
    }
}

/// A task that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    pub name: String,
    /// Of the same workflow.
    pub depends_on: Vec<String>,
    /// Tasks of the same workflow that it waits for by way of issues that are none of it.
    pub through: Vec<String>,
    pub sequence: Option<i64>,
    pub parallel_group: Option<String>,
    /// `None` for a task that has not been started.
    pub fixed: Option<Fixed>,
}

/// What a new plan comes to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Revision {
    /// Tasks that stay as they are, and why.
    pub kept: Vec<(String, Fixed)>,
    /// Tasks that are there and become what the plan says.
    pub updated: Vec<PlannedTask>,
    pub added: Vec<PlannedTask>,
    /// The names of both, in the order of the plan.
    pub order: Vec<String>,
    pub removed: Vec<String>,
    /// The tasks that each updated and each new task waits for, by the explicit needs of the plan and by its numbers.
    pub needs: BTreeMap<String, Vec<String>>,
    /// Tasks of which only the dependencies change, with all that they have then.
    pub rewired: BTreeMap<String, Vec<String>>,
}

impl Revision {
    pub fn is_empty(&self) -> bool {
        self.updated.is_empty() && self.added.is_empty() && self.removed.is_empty() && self.rewired.is_empty()
    }
}

/// Replaces the tasks by a whole new plan, or reports everything that prevents it.
pub fn revise(now: &[Current], draft: &Draft) -> Result<Revision, Vec<Problem>> {
    let fixed: Vec<&str> = now.iter().filter(|task| task.fixed.is_some()).map(|task| task.name.as_str()).collect();
    let mut problems = draft.problems(&fixed);
    let plan = &draft.plan;
    let mut revision = Revision::default();
    for task in now {
        match task.fixed {
            Some(why) => revision.kept.push((task.name.clone(), why)),
            None if plan.task(&task.name).is_none() => revision.removed.push(task.name.clone()),
            None => {}
        }
    }
    for task in plan.tasks.iter().filter(|task| !fixed.contains(&task.name.as_str())) {
        let is_there = now.iter().any(|other| other.name == task.name);
        revision.order.push(task.name.clone());
        if is_there { &mut revision.updated } else { &mut revision.added }.push(task.clone());
    }
    revision.rewired = rewire(now, &revision.removed);
    // The plan alone decides what an updated task waits for.
    revision.rewired.retain(|name, _| fixed.contains(&name.as_str()));
    revision.needs = needs(now, &revision);
    let count = now.len() + revision.added.len() - revision.removed.len();
    problems.extend(too_many_tasks(count));
    if problems.is_empty() {
        problems.extend(too_many_edges(revision.needs.values().map(Vec::len).sum()));
    }
    // Cycles within the plan alone were found with their lines.
    if problems.is_empty() {
        problems.extend(cycles(now, &revision));
    }
    if problems.is_empty() { Ok(revision) } else { Err(problems) }
}

/// Adds one task to what is there; those that are to wait for it, by name, must not have begun.
pub fn extend(now: &[Current], draft: &Draft, before: &[String]) -> Result<Revision, Vec<Problem>> {
    let known: Vec<&str> = now.iter().map(|task| task.name.as_str()).collect();
    let mut problems = draft.problems(&known);
    let order = draft.plan.tasks.iter().map(|task| task.name.clone()).collect();
    let mut revision = Revision { added: draft.plan.tasks.clone(), order, ..Revision::default() };
    let new = draft.plan.tasks.first().map(|task| task.name.as_str());
    for task in draft.plan.tasks.iter().filter(|task| known.contains(&task.name.as_str())) {
        problems.push(Problem::at(0, Some(&task.name), Wrong::Taken));
    }
    for name in before {
        match now.iter().find(|task| task.name == *name) {
            None => {
                let nearest = nearest(name, known.iter().copied()).map(str::to_owned);
                let wrong = Wrong::UnknownTask { key: "before", name: name.clone(), nearest };
                problems.push(Problem::at(0, new, wrong));
            }
            Some(Current { fixed: Some(why), .. }) => {
                let problem = format!("names {name:?}, which is {}", why.word());
                problems.push(Problem::at(0, new, Wrong::Text { key: "before".to_owned(), problem }));
            }
            Some(task) => {
                let needs = task.depends_on.iter().map(String::as_str).chain(new).map(str::to_owned);
                revision.rewired.insert(name.clone(), needs.collect());
            }
        }
    }
    problems.extend(too_many_tasks(now.len() + 1));
    revision.needs = needs(now, &revision);
    for task in &draft.plan.tasks {
        let later = follow(now, &revision, task);
        revision.rewired.extend(later);
    }
    if problems.is_empty() {
        problems.extend(cycles(now, &revision));
    }
    if problems.is_empty() { Ok(revision) } else { Err(problems) }
}

/// Takes tasks out, and leaves the rest as it is.
pub fn drop_tasks(now: &[Current], names: &[String]) -> Revision {
    Revision { removed: names.to_vec(), rewired: rewire(now, names), ..Revision::default() }
}

/// The tasks that waited for a removed one, each with all that it waits for then. A task that is done waits for nothing any more.
fn rewire(now: &[Current], removed: &[String]) -> BTreeMap<String, Vec<String>> {
    let gone: BTreeSet<&str> = removed.iter().map(String::as_str).collect();
    let needs: BTreeMap<&str, &[String]> =
        now.iter().map(|task| (task.name.as_str(), task.depends_on.as_slice())).collect();
    let waits = now.iter().filter(|task| !gone.contains(task.name.as_str()) && task.fixed != Some(Fixed::Done));
    let affected = waits.filter(|task| task.depends_on.iter().any(|name| gone.contains(name.as_str())));
    affected.map(|task| (task.name.clone(), without(task, &gone, &needs))).collect()
}

/// The tasks that a task waits for, when the removed ones are replaced by those that they waited for.
fn without(task: &Current, gone: &BTreeSet<&str>, needs: &BTreeMap<&str, &[String]>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut work: Vec<&str> = task.depends_on.iter().rev().map(String::as_str).collect();
    while let Some(name) = work.pop() {
        if !seen.insert(name) || name == task.name {
            continue;
        }
        if gone.contains(name) {
            work.extend(needs.get(name).copied().unwrap_or_default().iter().rev().map(String::as_str));
        } else {
            found.push(name.to_owned());
        }
    }
    found
}

/// What the tasks of the plan wait for. Numbers count among all that is not done.
fn needs(now: &[Current], revision: &Revision) -> BTreeMap<String, Vec<String>> {
    let is_planned = |task: &&Current| revision.updated.iter().any(|other| other.name == task.name);
    let stays = now.iter().filter(|task| task.fixed != Some(Fixed::Done) && !revision.removed.contains(&task.name));
    let stays: Vec<&Current> = stays.filter(|task| !is_planned(task)).collect();
    let staying = stays.iter().map(|task| PlannedTask {
        sequence: task.sequence,
        parallel_group: task.parallel_group.clone(),
        ..PlannedTask::named(&task.name)
    });
    let planned = revision.updated.iter().chain(&revision.added).cloned();
    let all: Vec<PlannedTask> = planned.chain(staying).collect();
    let count = revision.updated.len() + revision.added.len();
    let waits = waits_among(&all, |n| n >= count && stays[n - count].fixed.is_some());
    all.iter().map(|task| task.name.clone()).zip(waits).take(count).collect()
}

/// The tasks that come after a new one by their numbers and have not been started, with all that each waits for then. A task that
/// waits for it through another one gets no edge of its own.
fn follow(now: &[Current], revision: &Revision, new: &PlannedTask) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let Some(number) = new.sequence else { return found };
    let together = |task: &Current| new.parallel_group.is_some() && new.parallel_group == task.parallel_group;
    let mut later: Vec<&Current> = now.iter().filter(|task| task.fixed.is_none() && !together(task)).collect();
    later.retain(|task| task.sequence.is_some_and(|other| other > number));
    later.sort_by_key(|task| task.sequence);
    let open: BTreeMap<&str, &[String]> = now
        .iter()
        .filter(|task| task.fixed.is_none())
        .map(|task| (task.name.as_str(), revision.rewired.get(&task.name).unwrap_or(&task.depends_on).as_slice()))
        .collect();
    let mut reached: BTreeSet<&str> = waiting(&open, &new.name);
    for task in later {
        if reached.contains(task.name.as_str()) {
            continue;
        }
        let mut needs = open.get(task.name.as_str()).copied().unwrap_or_default().to_vec();
        needs.push(new.name.clone());
        found.insert(task.name.clone(), needs);
        // Tasks that wait for this one wait for the new one now.
        reached.extend(waiting(&open, &task.name));
    }
    found
}

/// The open tasks that wait for one, through open tasks alone: what is done or has begun lets pass who waits for it.
fn waiting<'a>(open: &BTreeMap<&'a str, &[String]>, name: &str) -> BTreeSet<&'a str> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut work = vec![name];
    while let Some(target) = work.pop() {
        for (task, _) in open.iter().filter(|(_, needs)| needs.iter().any(|need| need == target)) {
            if found.insert(task) {
                work.push(task);
            }
        }
    }
    found
}

/// Circles in what would be there: a new task may wait for one that runs and that waits for it.
fn cycles(now: &[Current], revision: &Revision) -> Vec<Problem> {
    let mut needs: BTreeMap<&str, &[String]> =
        revision.needs.iter().map(|(name, names)| (name.as_str(), names.as_slice())).collect();
    for task in now.iter().filter(|task| !revision.removed.contains(&task.name)) {
        let own = revision.rewired.get(&task.name).unwrap_or(&task.depends_on);
        needs.entry(&task.name).or_insert(own);
    }
    let own = needs.iter().flat_map(|(name, names)| names.iter().map(|other| ((*name).to_owned(), other.clone())));
    let through = now.iter().flat_map(|task| task.through.iter().map(|other| (task.name.clone(), other.clone())));
    let stays = |(from, to): &(String, String)| !revision.removed.contains(from) && !revision.removed.contains(to);
    let edges = own.chain(through).filter(stays);
    let found = edges.collect::<Graph>().cycles().into_iter();
    found.map(|path| Problem::at(0, None, Wrong::Cycle { path })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::{Format, draft};

    fn current(name: &str, depends_on: &[&str], fixed: Option<Fixed>) -> Current {
        let depends_on = depends_on.iter().map(|name| (*name).to_owned()).collect();
        Current { name: name.to_owned(), depends_on, through: Vec::new(), sequence: None, parallel_group: None, fixed }
    }

    fn plan(tasks: &[(&str, &[&str])]) -> Draft {
        let mut text = String::new();
        for (name, depends_on) in tasks {
            text.push_str(&format!("[[tasks]]\nname = {name:?}\ndepends_on = {depends_on:?}\n"));
        }
        draft(&text, Format::Toml).unwrap()
    }

    fn names(tasks: &[PlannedTask]) -> Vec<&str> {
        tasks.iter().map(|task| task.name.as_str()).collect()
    }

    #[test]
    fn started_tasks_stay_and_the_rest_follows_the_plan() {
        let now = [
            current("a", &[], Some(Fixed::Done)),
            current("b", &["a"], Some(Fixed::Running)),
            current("c", &["b"], None),
            current("d", &["c"], None),
            current("e", &["d"], Some(Fixed::Claimed)),
        ];
        let found = revise(&now, &plan(&[("d", &["b"]), ("f", &["e", "a"]), ("b", &["f"])])).unwrap();
        assert_eq!(found.kept.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b", "e"]);
        assert_eq!(names(&found.updated), ["d"]);
        assert_eq!(names(&found.added), ["f"]);
        assert_eq!(found.removed, ["c"]);
        assert!(found.rewired.is_empty());
        let found = revise(&now, &plan(&[("f", &[])])).unwrap();
        assert_eq!(found.removed, ["c", "d"]);
        assert_eq!(found.rewired, BTreeMap::from([("e".to_owned(), vec!["b".to_owned()])]));
    }

    #[test]
    fn numbers_count_among_what_is_not_done() {
        let numbered = |current: Current, sequence| Current { sequence: Some(sequence), ..current };
        let now = [
            numbered(current("a", &[], Some(Fixed::Running)), 1),
            numbered(current("b", &["a"], Some(Fixed::Done)), 2),
            numbered(current("c", &["b"], None), 3),
        ];
        let text = "[[tasks]]\nname='c'\nsequence=3\n[[tasks]]\nname='d'\nsequence=4\n";
        let found = revise(&now, &draft(text, Format::Toml).unwrap()).unwrap();
        let expected = [("c", vec!["a"]), ("d", vec!["c"])];
        let expected = expected.map(|(name, all)| (name.to_owned(), all.into_iter().map(str::to_owned).collect()));
        assert_eq!(found.needs, BTreeMap::from(expected));
    }

    #[test]
    fn a_task_put_between_others_by_its_number_keeps_the_later_ones_waiting() {
        let numbered = |name: &str, depends_on: &[&str], sequence, fixed| Current {
            sequence: Some(sequence),
            ..current(name, depends_on, fixed)
        };
        let now = [
            numbered("a", &[], 1, None),
            numbered("run", &["a"], 3, Some(Fixed::Running)),
            numbered("c", &["a"], 3, None),
            numbered("d", &["a", "x"], 3, None),
            numbered("e", &["c", "d"], 4, None),
            numbered("f", &["run"], 5, None),
            current("x", &[], None),
        ];
        let add = |text: &str| extend(&now, &draft(text, Format::Toml).unwrap(), &[]).unwrap();
        let expected = |all: &[(&str, &[&str])]| -> BTreeMap<String, Vec<String>> {
            let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            all.iter().map(|(name, names)| ((*name).to_owned(), texts(names))).collect()
        };
        let found = add("[[tasks]]\nname='i'\nsequence=2\n");
        assert_eq!(found.needs, expected(&[("i", &["a"])]));
        // `e` waits through `c`; `f` only through one that runs already.
        let waits: [(&str, &[&str]); 3] = [("c", &["a", "i"]), ("d", &["a", "x", "i"]), ("f", &["run", "i"])];
        assert_eq!(found.rewired, expected(&waits));
        let found = add("[[tasks]]\nname='j'\nsequence=0\n");
        assert_eq!(found.rewired, expected(&[("a", &["j"]), ("f", &["run", "j"])]));
        assert_eq!(add("[[tasks]]\nname='z'\nsequence=9\n").rewired, expected(&[]));
    }

    #[test]
    fn problems_with_what_is_there() {
        let now = [current("run", &["open"], Some(Fixed::Running)), current("open", &[], None)];
        let problems = |tasks: &[(&str, &[&str])]| {
            let found = revise(&now, &plan(tasks)).unwrap_err();
            found.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(problems(&[("open", &["run"])]), ["a circle of dependencies: open → run → open"]);
        assert_eq!(
            problems(&[("new", &["open", "rum"])]),
            [
                "line 2: task \"new\": depends_on names \"open\", which is not a task of this plan",
                "line 2: task \"new\": depends_on names \"rum\", which is not a task of this plan; did you mean \"run\"?",
            ]
        );
    }

    #[test]
    fn who_waited_for_what_goes_waits_for_what_that_waited_for() {
        let now = [
            current("a", &[], None),
            current("b", &["a"], None),
            current("c", &["b", "a"], None),
            current("d", &["c", "x"], None),
            current("x", &["b"], None),
            current("z", &["c"], Some(Fixed::Done)),
        ];
        let found = drop_tasks(&now, &["b".to_owned(), "c".to_owned()]);
        let expected = [("d", vec!["a", "x"]), ("x", vec!["a"])];
        let expected = expected.map(|(name, all)| (name.to_owned(), all.into_iter().map(str::to_owned).collect()));
        assert_eq!(found.rewired, BTreeMap::from(expected));
    }
}
