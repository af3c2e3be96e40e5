//! Proves that a plan survives a round trip through TOML, JSON and a template; that a reader of plans survives
//! anything; and that a new plan keeps all work that has begun, closes no cycle, and leaves no task waiting for a
//! removed one.

use std::collections::{BTreeMap, BTreeSet};

use beads::internal::model::issue::{IssueType, Priority};
use beads::internal::model::plan::{
    Current, Draft, Fixed, Format, Plan, PlannedTask, Revision, drop_tasks, read, revise,
};
use beads::internal::model::template::Template;
use beads::internal::model::workflow::State;
use beads::internal::ops::workflows::{self, NewWorkflow};
use beads::internal::ops::{self, PlanFile};
use beads::internal::store::{ClaimWish, Identity};
use proptest::collection::{btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

use super::cases;
use crate::library::scratch::Scratch;

/// Any text that is not empty.
fn text() -> impl Strategy<Value = String> {
    let odd = "two\r\nlines\r \"\"\" ''' \\ \u{1b}\u{0}\u{2028}\u{feff} {{x}} {{{{ }}";
    prop_oneof!["[a-z ]{1,8}", "\\PC{1,12}", "(?s).{1,12}", Just(odd.to_owned()), Just("\n lead".to_owned())]
}

/// A text of one line that says something.
fn line() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z{}\"'#=\\[\\]]{1,8}", "\\PC{1,12}"]
        .prop_filter("one that says something", |text| !text.trim().is_empty() && !text.contains(['\n', '\r']))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-e]{1,2}", "\\PC{1,6}"]
        .prop_map(|text| text.trim().to_owned())
        .prop_filter("a name", |text| !text.is_empty() && !text.chars().any(char::is_control))
}

/// A task that may name those before it in a list.
fn task(name: String, before: Vec<String>) -> impl Strategy<Value = PlannedTask> {
    let some = |names: Vec<String>| {
        let most = names.len();
        subsequence(names, 0..=most)
    };
    let texts = (option::of(line()), option::of(text()), option::of(text()), option::of(text()), option::of(text()));
    let lists = (some(before.clone()), some(before.clone()), some(before), btree_set(line(), 0..3));
    let numbers = (option::of(0..5i64), option::of(0..5i64), option::of(0..1000i64));
    let words =
        (option::of(line()), option::of("[a-z]{3,8}x"), option::of(line()), option::of(line()), option::of(text()));
    (texts, lists, numbers, words).prop_map(move |(texts, lists, numbers, words)| PlannedTask {
        name: name.clone(),
        title: texts.0,
        description: texts.1,
        acceptance: texts.2,
        plan: texts.3,
        context: texts.4,
        depends_on: lists.0,
        informs: lists.1,
        context_from: lists.2,
        labels: lists.3.into_iter().collect(),
        // A number would order what the names order the other way.
        sequence: numbers.0.map(|_| 1),
        priority: numbers.1.map(|number| Priority::in_file(number.min(4))),
        estimate: numbers.2,
        parallel_group: words.0,
        issue_type: words.1.map(IssueType::new),
        assignee: words.2,
        repo: words.3,
        plan_summary: words.4,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let tasks = btree_set(name(), 1..6).prop_flat_map(|names| {
        let names: Vec<String> = names.into_iter().collect();
        (0..names.len()).map(|n| task(names[n].clone(), names[..n].to_vec())).collect::<Vec<_>>()
    });
    let head = (
        option::of(line()),
        option::of(text()),
        option::of(text()),
        option::of(1..u32::MAX),
        option::of(any::<bool>()),
    );
    (head, option::of(line()), option::of(line()), option::of(text()), tasks).prop_map(
        |(head, source_type, source_ref, source_content, tasks)| Plan {
            name: head.0,
            description: head.1,
            plan_summary: head.2,
            max_parallel: head.3,
            auto_workspace: head.4,
            source_type,
            source_ref,
            source_content,
            tasks,
        },
    )
}

fn json(plan: &Plan) -> String {
    serde_json::to_string_pretty(&toml::from_str::<toml::Value>(&plan.to_toml()).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(cases(400, 71))]

    #[test]
    fn a_plan_comes_back(plan in plan()) {
        let toml = plan.to_toml();
        prop_assert_eq!(read(&toml, Format::of(Some("a.toml"), &toml)), Ok(plan.clone()), "{}", toml);
        let json = json(&plan);
        prop_assert_eq!(read(&json, Format::of(None, &json)), Ok(plan.clone()), "{}", json);
        let text = Template::text_of("t", &plan);
        let template = Template::read("t", &text).unwrap();
        prop_assert_eq!(template.problems(), [], "{}", text);
        prop_assert_eq!(template.fill(&[]), Ok(plan), "{}", text);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(?s).{0,60}", cut in any::<Index>(), plan in plan()) {
        let _ = (read(&text, Format::Toml), read(&text, Format::Json), Template::read("t", &text).map(|one| one.problems()));
        for (whole, format) in [(plan.to_toml(), Format::Toml), (json(&plan), Format::Json)] {
            let mut at = cut.index(whole.len());
            while !whole.is_char_boundary(at) {
                at -= 1;
            }
            if let Err(problems) = read(&whole[..at], format) {
                prop_assert!(!problems.is_empty());
            }
        }
    }
}

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Existing tasks, without a cycle: each may wait for those before it in a shuffled order.
fn now() -> impl Strategy<Value = Vec<Current>> {
    let order = Just(NAMES.to_vec()).prop_shuffle();
    let fixed = option::weighted(0.4, prop_oneof![Just(Fixed::Done), Just(Fixed::Running), Just(Fixed::Claimed)]);
    (order, vec((vec(any::<Index>(), 0..4), fixed), 1..8)).prop_map(|(order, all)| {
        let task = |(n, (picks, fixed)): (usize, (Vec<Index>, Option<Fixed>))| {
            let picks = picks.iter().filter(|_| n > 0).map(|pick| order[pick.index(n)].to_owned());
            Current {
                name: order[n].to_owned(),
                depends_on: picks.collect::<BTreeSet<_>>().into_iter().collect(),
                through: Vec::new(),
                sequence: None,
                parallel_group: None,
                fixed,
            }
        };
        all.into_iter().enumerate().map(task).collect()
    })
}

/// A plan over the same names. Most hold by themselves; a wild one may close circles and name what will be gone.
fn new_plan() -> impl Strategy<Value = Plan> {
    let tasks = vec((any::<bool>(), vec(any::<Index>(), 0..3)), NAMES.len());
    (proptest::bool::weighted(0.2), tasks).prop_map(|(is_wild, all)| {
        let planned: Vec<bool> = all.iter().map(|(is_in, _)| *is_in).collect();
        let tasks = all.into_iter().enumerate().filter(|(_, (is_in, _))| *is_in).map(|(n, (_, picks))| {
            let picks = picks.iter().map(|pick| pick.index(NAMES.len()));
            let names = picks.filter(|at| *at != n && (is_wild || (*at < n && planned[*at]))).map(|at| NAMES[at]);
            let depends_on: BTreeSet<String> = names.map(str::to_owned).collect();
            PlannedTask { depends_on: depends_on.into_iter().collect(), ..PlannedTask::named(NAMES[n]) }
        });
        Plan { tasks: tasks.collect(), ..Plan::default() }
    })
}

/// What each remaining task waits for, computed slowly: every path that leads only through removed tasks.
fn slow(now: &[Current], gone: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let of =
        |name: &str| now.iter().find(|task| task.name == name).map(|task| task.depends_on.clone()).unwrap_or_default();
    fn ways(from: &str, gone: &[String], of: &dyn Fn(&str) -> Vec<String>, depth: usize) -> BTreeSet<String> {
        if depth > NAMES.len() {
            return BTreeSet::new();
        }
        of(from)
            .into_iter()
            .flat_map(
                |next| if gone.contains(&next) { ways(&next, gone, of, depth + 1) } else { BTreeSet::from([next]) },
            )
            .collect()
    }
    let stays = now.iter().filter(|task| !gone.contains(&task.name));
    stays.map(|task| (task.name.clone(), ways(&task.name, gone, &of, 0))).collect()
}

/// The tasks after a revision: names and blockers.
fn after(now: &[Current], revision: &Revision) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = now
        .iter()
        .filter(|task| !revision.removed.contains(&task.name))
        .map(|task| (task.name.clone(), task.depends_on.iter().cloned().collect()))
        .collect();
    for (name, needs) in revision.rewired.iter().chain(&revision.needs) {
        all.insert(name.clone(), needs.iter().cloned().collect());
    }
    all
}

/// Whether tasks can be done one after the other, tried by doing them.
fn can_be_done(all: &BTreeMap<String, BTreeSet<String>>) -> bool {
    let mut left = all.clone();
    while !left.is_empty() {
        let free = left.iter().find(|(_, needs)| !needs.iter().any(|name| left.contains_key(name)));
        let Some(name) = free.map(|(name, _)| name.clone()) else { return false };
        left.remove(&name);
    }
    true
}

proptest! {
    #![proptest_config(cases(1500, 72))]

    #[test]
    fn a_new_plan_keeps_what_is_begun(now in now(), plan in new_plan()) {
        let Ok(revision) = revise(&now, &Draft::of(plan.clone())) else { return Ok(()) };
        let result = after(&now, &revision);
        prop_assert!(can_be_done(&result), "{:?}", result);
        let model = slow(&now, &revision.removed);
        for task in &now {
            match (task.fixed, plan.task(&task.name)) {
                // A finished task is unchanged, including the names of removed ones.
                (Some(Fixed::Done), _) => prop_assert_eq!(&result[&task.name], &task.depends_on.iter().cloned().collect()),
                (Some(_), _) => prop_assert_eq!(&result[&task.name], &model[&task.name], "{}", task.name),
                (None, Some(planned)) => {
                    prop_assert_eq!(&result[&task.name], &planned.depends_on.iter().cloned().collect());
                }
                (None, None) => prop_assert!(!result.contains_key(&task.name)),
            }
        }
        let is_there = |name: &String| result.contains_key(name);
        for task in plan.tasks.iter().filter(|task| !now.iter().any(|other| other.name == task.name && other.fixed.is_some())) {
            prop_assert!(is_there(&task.name) && result[&task.name].iter().all(is_there));
        }
    }

    #[test]
    fn taking_out_rewires_as_the_slow_way_does(now in now(), picks in vec(any::<Index>(), 1..4)) {
        let open: Vec<&Current> = now.iter().filter(|task| task.fixed.is_none()).collect();
        prop_assume!(!open.is_empty());
        let gone: BTreeSet<String> = picks.iter().map(|pick| open[pick.index(open.len())].name.clone()).collect();
        let gone: Vec<String> = gone.into_iter().collect();
        let result = after(&now, &drop_tasks(&now, &gone));
        let model = slow(&now, &gone);
        for task in now.iter().filter(|task| !gone.contains(&task.name) && task.fixed != Some(Fixed::Done)) {
            prop_assert_eq!(&result[&task.name], &model[&task.name], "{}", task.name);
        }
        prop_assert!(can_be_done(&result));
    }
}

/// The content of the ledger: names, blockers, and the lines of tasks.
fn in_ledger(
    store: &mut beads::internal::store::Store,
    id: &str,
) -> (BTreeMap<String, BTreeSet<String>>, BTreeMap<String, String>) {
    store.look_again().unwrap();
    let flow = workflows::flow(store, id).unwrap();
    let name = |id: &str| flow.tasks.iter().find(|task| task.id() == id).map(|task| task.task.name.clone());
    let mut needs = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for task in &flow.tasks {
        let edges = task.row.issue.dependencies.iter().filter(|edge| edge.kind.as_str() == "blocks");
        needs.insert(task.task.name.clone(), edges.filter_map(|edge| name(&edge.target)).collect());
        lines.insert(task.task.name.clone(), task.row.line.clone());
    }
    (needs, lines)
}

proptest! {
    #![proptest_config(cases(24, 73))]

    /// The same through the ledger and the claims.
    #[test]
    fn replanning_loses_no_work(now in now(), plan in new_plan()) {
        let scratch = Scratch::with("");
        let mut store = scratch.open();
        let tasks = now.iter().map(|task| PlannedTask { depends_on: task.depends_on.clone(), ..PlannedTask::named(&task.name) });
        let first = Plan { tasks: tasks.collect(), max_parallel: Some(100), ..Plan::default() };
        let wish = NewWorkflow { title: Some("W".into()), plan: Some(first), ..NewWorkflow::default() };
        let made = workflows::create_workflow(&mut store, wish).unwrap();
        let id = made.workflow.id.clone();
        workflows::move_workflow(&mut store, &id, &workflows::MoveWish::to(State::InProgress)).unwrap();
        let ids: BTreeMap<String, String> =
            now.iter().map(|task| task.name.clone()).zip(made.tasks.iter().map(|task| task.id.clone())).collect();
        let mut worker = scratch.open();
        worker.act_as(Identity { name: "bot".into(), ..Identity::default() });
        let mut begun = Vec::new();
        for task in &now {
            let issue = &ids[&task.name];
            match task.fixed {
                Some(Fixed::Done) => drop(store.close(issue, None).unwrap()),
                // One that waits is not given out.
                Some(_) if ops::take(&mut worker, issue, &ClaimWish::default()).is_err() => continue,
                Some(_) => {}
                None => continue,
            }
            begun.push(task.name.clone());
        }
        let (before, lines) = in_ledger(&mut store, &id);
        let file = PlanFile::read("new.toml", plan.to_toml().as_bytes());
        // A plan without tasks is none.
        let Ok(file) = file else { return Ok(()) };
        let ledger = std::fs::read(scratch.ledger()).unwrap();
        let Ok(done) = workflows::replan(&mut store, &id, &file, false) else {
            prop_assert_eq!(std::fs::read(scratch.ledger()).unwrap(), ledger, "what is refused changes nothing");
            return Ok(());
        };
        let (after, new_lines) = in_ledger(&mut store, &id);
        prop_assert!(can_be_done(&after), "{:?}", after);
        let asis: Vec<Current> = before
            .iter()
            .map(|(name, needs)| Current {
                name: name.clone(),
                depends_on: needs.iter().cloned().collect(),
                through: Vec::new(),
                sequence: None,
                parallel_group: None,
                fixed: None,
            })
            .collect();
        let model = slow(&asis, &done.removed);
        for name in &begun {
            let is_done = now.iter().any(|task| task.name == *name && task.fixed == Some(Fixed::Done));
            if is_done || before[name] == model[name] {
                prop_assert_eq!(&new_lines[name], &lines[name], "not a byte of what is begun");
            } else {
                prop_assert_eq!(&after[name], &model[name]);
            }
        }
        for task in plan.tasks.iter().filter(|task| !begun.contains(&task.name)) {
            prop_assert_eq!(&after[&task.name], &task.depends_on.iter().cloned().collect::<BTreeSet<_>>());
        }
    }
}
