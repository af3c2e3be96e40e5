//! Workflows and tasks that several branches changed: whatever is merged in whatever order, what the line says of itself agrees with its
//! status, and what only one branch changed is there.

use std::collections::BTreeMap;

use beads::internal::model::change::{self, Change, Stamp, TaskEdit, WorkflowEdit};
use beads::internal::model::issue::Status;
use beads::internal::model::json::{Dialect, Json};
use beads::internal::model::merge::merge_issue;
use beads::internal::model::record::Record;
use beads::internal::model::time::Instant;
use beads::internal::model::workflow::{State, Task, Workflow};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::cases;

const WORKFLOW: &str = r#"{"id":"a","title":"W","status":"open","updated_at":"2026-01-01T00:00:00.000Z","workflow":{"id":"wf_1","state":"ready","max_parallel":2,"config":{"x":"0"}}}"#;
const TASK: &str =
    r#"{"id":"a","title":"T","status":"open","updated_at":"2026-01-01T00:00:00.000Z","task":{"name":"t","place":1}}"#;

/// What somebody does; a number picks among what is legal.
#[derive(Debug, Clone)]
enum Deed {
    Move(Index),
    Config(Index, u8),
    Most(u8),
    Claim,
    Fail(u8),
    Close(u8),
    Reopen,
    Context(u8),
}

/// Edits of one branch, the last of them in some second.
type Branch = (Vec<Deed>, u8);

fn on_workflow() -> impl Strategy<Value = Branch> {
    let deed = prop_oneof![
        3 => any::<Index>().prop_map(Deed::Move),
        2 => (any::<Index>(), 0..3u8).prop_map(|(key, value)| Deed::Config(key, value)),
        1 => (1..4u8).prop_map(Deed::Most),
    ];
    (vec(deed, 0..4), 1..5u8)
}

fn on_task() -> impl Strategy<Value = Branch> {
    let deed = prop_oneof![
        Just(Deed::Claim),
        (0..3u8).prop_map(Deed::Fail),
        (0..3u8).prop_map(Deed::Close),
        Just(Deed::Reopen),
        (0..3u8).prop_map(Deed::Context),
    ];
    (vec(deed, 0..4), 1..5u8)
}

fn done(line: &str, deed: &Deed, second: u8) -> String {
    let text = |prefix: &str, n: &u8| Json::Text(format!("{prefix}{n}"));
    let workflow = |edit| vec![Change::Workflow(edit)];
    let changes = match deed {
        Deed::Move(pick) => {
            let state = Workflow::of_line(line).unwrap().state;
            if state.is_final() {
                return line.to_owned();
            }
            let to = *pick.get(state.next());
            workflow(WorkflowEdit::Move { to, reason: Some(format!("because {second}")), merge_commit: None })
        }
        Deed::Config(key, 0) => {
            workflow(WorkflowEdit::Config { key: (*key.get(&["x", "k", "j"])).into(), value: None })
        }
        Deed::Config(key, n) => {
            workflow(WorkflowEdit::Config { key: (*key.get(&["x", "k", "j"])).into(), value: Some(text("v", n)) })
        }
        Deed::Most(n) => workflow(WorkflowEdit::Set { key: "max_parallel", value: Some(Json::Int(i64::from(*n))) }),
        Deed::Claim => vec![Change::Status(Status::new("in_progress"))],
        // As a claim is given back.
        Deed::Fail(n) if !status(line).is_done() => vec![
            Change::Status(Status::new("open")),
            Change::Task(TaskEdit::Failed {
                error: format!("error {n}"),
                attempts: Task::of_line(line).unwrap().attempts + 1,
            }),
        ],
        Deed::Fail(_) => return line.to_owned(),
        Deed::Close(n) => vec![Change::Close { reason: Some(format!("outcome {n}")) }],
        Deed::Reopen => vec![Change::Reopen { comment: None }],
        Deed::Context(n) => vec![Change::Task(TaskEdit::Set { key: "context", value: Some(text("c", n)) })],
    };
    let now = Instant::parse(&format!("2026-01-02T00:00:0{second}.000Z")).unwrap();
    let made = change::apply(line, &changes, Stamp { now, actor: "ann", dialect: Dialect::default() }).unwrap();
    made.unwrap_or_else(|| line.to_owned())
}

fn branch(base: &str, (deeds, second): &Branch) -> String {
    deeds.iter().fold(base.to_owned(), |line, deed| done(&line, deed, *second))
}

fn merged(base: &str, ours: &str, theirs: &str) -> String {
    merge_issue(Some(base), ours, theirs, Dialect::default()).unwrap().line
}

fn status(line: &str) -> Status {
    Status::new(&*Record::parse(line).unwrap().string("status").unwrap())
}

/// All ways to merge two or three branches.
fn ways(base: &str, sides: &[String; 3]) -> Vec<String> {
    let mut found = Vec::new();
    for (a, b, c) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
        let two = merged(base, &sides[a], &sides[b]);
        found.push(merged(base, &two, &sides[c]));
        found.push(merged(base, &sides[c], &two));
        found.push(two);
    }
    found
}

/// The sides can be swapped, and merging again changes nothing, unless both were written at the same moment.
fn laws(base: &str, one: &str, other: &str, told_apart: bool) -> Result<(), TestCaseError> {
    let both = merged(base, one, other);
    prop_assert_eq!(&merged(base, other, one), &both);
    for side in [one, other, &both].into_iter().filter(|_| told_apart) {
        prop_assert_eq!(&merged(base, &both, side), &both, "merged again with {}", side);
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(600, 81))]

    #[test]
    fn a_workflow_stands_as_its_status_says(first in on_workflow(), sides in [on_workflow(), on_workflow(), on_workflow()]) {
        let base = branch(WORKFLOW, &(first.0, 0));
        let lines = sides.each_ref().map(|side| branch(&base, side));
        laws(&base, &lines[0], &lines[1], sides[0].1 != sides[1].1)?;
        for line in ways(&base, &lines) {
            let workflow = Workflow::of_line(&line).unwrap();
            prop_assert_eq!(workflow.state.status(), status(&line), "{}", line);
            prop_assert_eq!(workflow.reason.is_some(), workflow.state != State::Ready, "{}", line);
        }
        // What only one of two branches changed is as it made it.
        let both = Workflow::of_line(&merged(&base, &lines[0], &lines[1])).unwrap();
        let [before, one, other] = [&base, &lines[0], &lines[1]].map(|line| Workflow::of_line(line).unwrap());
        let expected = |was: Option<&String>, one: Option<&String>, other: Option<&String>| match (one == was, other == was) {
            (true, _) => Some(other.cloned()),
            (_, true) => Some(one.cloned()),
            _ if one == other => Some(one.cloned()),
            _ => None,
        };
        let config = |workflow: &Workflow| -> BTreeMap<String, String> { workflow.config.iter().cloned().collect() };
        let maps = [&before, &one, &other].map(config);
        for key in ["x", "k", "j"] {
            if let Some(value) = expected(maps[0].get(key), maps[1].get(key), maps[2].get(key)) {
                prop_assert_eq!(config(&both).get(key).cloned(), value, "{}", key);
            }
        }
        let most = [&before, &one, &other].map(|workflow| workflow.max_parallel.to_string());
        if let Some(value) = expected(Some(&most[0]), Some(&most[1]), Some(&most[2])) {
            prop_assert_eq!(Some(both.max_parallel.to_string()), value);
        }
    }

    #[test]
    fn a_task_has_an_outcome_or_an_error_as_its_status_says(first in on_task(), sides in [on_task(), on_task(), on_task()]) {
        let base = branch(TASK, &(first.0, 0));
        let lines = sides.each_ref().map(|side| branch(&base, side));
        laws(&base, &lines[0], &lines[1], sides[0].1 != sides[1].1)?;
        for line in ways(&base, &lines) {
            let task = Task::of_line(&line).unwrap();
            if status(&line).is_done() {
                prop_assert_eq!(&task.last_error, &None, "{}", line);
            } else {
                prop_assert_eq!(&task.outcome, &None, "{}", line);
            }
        }
    }
}
