//! Proves that `ready` and `blocked` answer as the words say, set and order, on random graphs with every kind of edge.

use std::cell::Cell;

use beads::internal::cache::{Blocker, ReadyOrder};
use beads::internal::model::query::Expr;
use beads::internal::model::time::Instant;
use beads::internal::store::{ReadyFilter, Store};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::cases;
use super::ready_model::{Ask, Link, Node, Waiting, World};
use crate::library::scratch::{NOW, Scratch, options};

/// More names than issues: some edges lead nowhere.
const NAMES: &str = "abcdefghijkl";

fn name() -> impl Strategy<Value = String> {
    select(NAMES.chars().collect::<Vec<_>>()).prop_map(|c| format!("t-{c}"))
}

fn link() -> impl Strategy<Value = Link> {
    let kind = prop_oneof![
        4 => Just("blocks"),
        2 => Just("conditional-blocks"),
        2 => Just("waits-for"),
        5 => Just("parent-child"),
        1 => select(vec!["related", "discovered-from", "parent_child", "my-own"]),
    ];
    (kind, name(), any::<bool>(), option::weighted(0.3, name())).prop_map(|(kind, target, any, spawner)| Link {
        kind,
        target,
        any,
        spawner,
    })
}

fn node() -> impl Strategy<Value = Node> {
    let status = prop_oneof![
        8 => Just("open"),
        1 => Just("in_progress"),
        3 => Just("closed"),
        1 => Just("deferred"),
        1 => select(vec!["blocked", "tombstone", "pinned", "hooked", "in_review"]),
    ];
    let kind = prop_oneof![4 => Just("task"), 2 => Just("epic"), 1 => select(vec!["gate", "bug", "my-type"])];
    let reason = select(vec!["done", "build failed", "Won't Fix", "CANCELLED by plan", "all fine", "timeouts seen"]);
    let about = (status, kind, 0i64..3, option::weighted(0.9, select(vec![5i64, 60, 2880, 2881, 9000])));
    let rest = (
        option::weighted(0.25, select(vec![-60i64, 0, 1, 9000])),
        option::weighted(0.1, select(vec!["pinned", "ephemeral", "wisp", "is_template"])),
        vec(select(vec!["baseline-failure", "discovered:blocker", "ui"]), 0..2),
        option::of(reason),
        vec(link(), 0..4),
    );
    (about, rest).prop_map(|((status, kind, priority, age), (defer, flag, labels, close_reason, edges))| Node {
        id: String::new(),
        status,
        kind,
        priority,
        age,
        defer,
        flag,
        labels,
        close_reason,
        edges,
    })
}

pub fn graph() -> impl Strategy<Value = Vec<Node>> {
    vec(node(), 1..10).prop_map(|mut nodes| {
        let names: Vec<String> = NAMES.chars().map(|c| format!("t-{c}")).collect();
        let count = nodes.len();
        // Two names stay without an issue; edges to the others are bent back to one that exists.
        let bend = |id: &mut String| {
            let at = names.iter().position(|name| name == id).unwrap_or(0);
            *id = names[if at < count + 2 { at } else { at % count }].clone();
        };
        for (node, name) in nodes.iter_mut().zip(&names) {
            node.id = name.clone();
            node.edges
                .iter_mut()
                .flat_map(|link| [&mut link.target].into_iter().chain(&mut link.spawner))
                .for_each(bend);
        }
        nodes
    })
}

/// The line of a node, written by hand.
pub fn line(node: &Node) -> String {
    let at = |minutes: i64| {
        let now = Instant::parse(NOW).expect("a time");
        now.plus_nanos(minutes * 60_000_000_000).to_string()
    };
    let mut line = format!(r#"{{"id":"{}","title":"T","status":"{}""#, node.id, node.status);
    line += &format!(r#","priority":{},"issue_type":"{}""#, node.priority, node.kind);
    if let Some(minutes) = node.age {
        line += &format!(r#","created_at":"{}""#, at(-minutes));
    }
    if let Some(reason) = node.close_reason {
        line += &format!(r#","close_reason":"{reason}""#);
    }
    if let Some(minutes) = node.defer {
        line += &format!(r#","defer_until":"{}""#, at(minutes));
    }
    if let Some(flag) = node.flag {
        line += &format!(r#","{flag}":true"#);
    }
    let labels: Vec<String> = node.labels.iter().map(|label| format!("\"{label}\"")).collect();
    let edges: Vec<String> = node.edges.iter().map(edge).collect();
    line + &format!(r#","labels":[{}],"dependencies":[{}]}}"#, labels.join(","), edges.join(","))
}

/// Metadata can be an object or a text with one; both occur.
fn edge(link: &Link) -> String {
    let gate = if link.any { "any-children" } else { "all-children" };
    let spawner = link.spawner.as_ref().map(|id| format!(r#","spawner_id":"{id}""#)).unwrap_or_default();
    let object = format!(r#"{{"gate":"{gate}"{spawner}}}"#);
    let metadata = if link.target.as_str() < "t-f" { object } else { format!("\"{}\"", object.replace('"', "\\\"")) };
    format!(r#"{{"depends_on_id":"{}","type":"{}","metadata":{metadata}}}"#, link.target, link.kind)
}

fn waiting(blockers: &[Blocker]) -> Vec<Waiting> {
    blockers.iter().map(|b| (b.id.clone(), b.kind.clone(), b.known)).collect()
}

/// How often the interesting things happened, so that the test cannot become empty.
#[derive(Default)]
struct Seen {
    ready: Cell<usize>,
    blocked: Cell<usize>,
    inherited: Cell<usize>,
    unknown: Cell<usize>,
    sheltered: Cell<usize>,
}

fn add(counter: &Cell<usize>, count: usize) {
    counter.set(counter.get() + count);
}

fn compare_ready(store: &Store, world: &World<'_>, unknown_blocks: bool, seen: &Seen) -> Result<(), TestCaseError> {
    type Order<'w> = (ReadyOrder, fn(&World<'w>, &mut [&Node]));
    let orders: [Order<'_>; 3] = [
        (ReadyOrder::Priority, World::by_urgency),
        (ReadyOrder::Hybrid, World::by_freshness),
        (ReadyOrder::Oldest, World::by_age),
    ];
    for (order, sort) in orders {
        for (include_deferred, any_type) in [(false, false), (true, false), (false, true)] {
            let ask = Ask { include_deferred, any_type, unknown_blocks };
            let mut expected: Vec<&Node> = world.0.iter().filter(|node| world.is_ready(node, ask)).collect();
            sort(world, &mut expected);
            let filter = ReadyFilter { order, include_deferred, any_type, ..ReadyFilter::default() };
            let page = store.ready(&filter).expect("an answer");
            let found: Vec<&str> = page.rows.iter().map(|row| row.issue.id.as_str()).collect();
            let expected: Vec<&str> = expected.iter().map(|node| node.id.as_str()).collect();
            prop_assert_eq!(found, expected, "{:?} by {:?}", ask, order);
            add(&seen.ready, page.total);
        }
    }
    Ok(())
}

fn compare_blocked(store: &Store, world: &World<'_>, unknown_blocks: bool, seen: &Seen) -> Result<(), TestCaseError> {
    let mut expected: Vec<&Node> = world.0.iter().filter(|node| world.is_blocked(node, unknown_blocks)).collect();
    world.by_priority(&mut expected);
    let found = store.blocked(&Expr::ALL, None).expect("an answer").0;
    let ids: Vec<&str> = found.iter().map(|blocked| blocked.row.issue.id.as_str()).collect();
    prop_assert_eq!(ids, expected.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), "blocked");
    for (answer, node) in found.iter().zip(expected) {
        let own: Vec<Waiting> = world.waiting(node, unknown_blocks).into_iter().collect();
        prop_assert_eq!(waiting(&answer.blocked.blockers), own.clone(), "what {} waits for", &node.id);
        let above = world.blocked_ancestors(node, unknown_blocks);
        let all = store.obstacles(&node.id).expect("an answer").expect("an issue").inherited;
        let named: Vec<&str> = all.iter().map(|i| i.ancestor.as_str()).collect();
        prop_assert_eq!(named, above.iter().map(|a| a.id.as_str()).collect::<Vec<_>>(), "ancestors of {}", &node.id);
        let nearest: Vec<&str> = answer.blocked.inherited.iter().map(|i| i.ancestor.as_str()).collect();
        prop_assert_eq!(nearest, world.nearest_of(node, &above), "nearest ancestors of {}", &node.id);
        for (inherited, ancestor) in all.iter().zip(&above) {
            let stated = waiting(&inherited.blockers);
            let handed_down = world.handed_down(ancestor, unknown_blocks);
            prop_assert!(handed_down.iter().all(|reason| stated.contains(reason)), "reasons of {}", &ancestor.id);
        }
        add(&seen.unknown, own.iter().filter(|(_, _, known)| !known).count());
        add(&seen.sheltered, usize::from(own.len() > world.handed_down(node, unknown_blocks).len()));
        add(&seen.inherited, above.len());
    }
    add(&seen.blocked, found.len());
    Ok(())
}

#[test]
fn ready_and_blocked_are_what_the_words_say() {
    let seen = Seen::default();
    let scratch = Scratch::with("");
    let config = cases(1_800, 4);
    let count = config.cases as usize;
    let strategy = (graph(), any::<bool>());
    let outcome = TestRunner::new(config).run(&strategy, |(nodes, unknown_blocks)| {
        let lines: Vec<String> = nodes.iter().map(|node| line(node) + "\n").collect();
        std::fs::write(scratch.ledger(), lines.concat()).expect("a ledger");
        std::fs::write(scratch.beads().join("config.toml"), format!("[ready]\nunknown_blocks = {unknown_blocks}\n"))
            .expect("a config");
        let store = Store::open_with(options(scratch.root(), scratch.root())).expect("a store");
        let world = World(&nodes);
        compare_ready(&store, &world, unknown_blocks, &seen)?;
        compare_blocked(&store, &world, unknown_blocks, &seen)
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let counts = [&seen.ready, &seen.blocked, &seen.inherited, &seen.unknown, &seen.sheltered].map(Cell::get);
    assert!(counts.iter().all(|seen| seen * 5 > count), "too few interesting cases in {count}: {counts:?}");
}
