//! Proves on random projects of two repos, with every kind of edge within and across them, that pruning changes no
//! issue's readiness, and that restoring in any order gives the same bytes.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use beads::internal::model::query::Expr;
use beads::internal::model::time::Instant;
use beads::internal::store::{Kept, PruneRequest, ReadyFilter, Store};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};

use super::cases;
use super::ready::{graph, line};
use super::ready_model::{Ask, Node, World};
use crate::library::several::{Several, additional};
use crate::support::user::User;

const REPOS: usize = 2;

/// Runs git in a directory, without anybody's settings.
fn git(directory: &Path, args: &[&str]) {
    User::at(directory).named("Ann").git(directory, args);
}

/// The line of a node; a closed one was closed long ago.
fn dated(node: &Node) -> String {
    line(node).replace("\"status\":\"closed\"", "\"status\":\"closed\",\"closed_at\":\"2025-01-01T00:00:00Z\"") + "\n"
}

/// The model's state of every unfinished issue.
fn standing(world: &World<'_>, unknown_blocks: bool) -> Vec<String> {
    let open = world.0.iter().filter(|node| !matches!(node.status, "closed" | "tombstone"));
    let tell = |node: &Node| {
        let ask = Ask { include_deferred: true, any_type: true, unknown_blocks };
        let above: Vec<&str> = world.blocked_ancestors(node, unknown_blocks).iter().map(|a| a.id.as_str()).collect();
        let waiting = world.waiting(node, unknown_blocks);
        format!("{} ready {} waits {waiting:?} below {above:?}", node.id, world.is_ready(node, ask))
    };
    open.map(tell).collect()
}

/// The store's answers.
fn answers(store: &Store) -> (Vec<String>, Vec<String>) {
    let ready = store.ready(&ReadyFilter::default()).expect("an answer").rows;
    let blocked = store.blocked(&Expr::ALL, None).expect("an answer").0;
    (
        ready.into_iter().map(|row| row.issue.id).collect(),
        blocked.into_iter().map(|one| format!("{} {:?}", one.row.issue.id, one.blocked.blockers)).collect(),
    )
}

struct Seen {
    pruned: Cell<usize>,
    needed: Cell<usize>,
    across: Cell<usize>,
}

fn add(counter: &Cell<usize>, count: usize) {
    counter.set(counter.get() + count);
}

struct Case {
    nodes: Vec<Node>,
    /// In which repo each is.
    places: Vec<usize>,
    unknown_blocks: bool,
    order: Vec<usize>,
}

fn leaves_all_others_alone(several: &Several, case: &Case, seen: &Seen) -> Result<(), TestCaseError> {
    let Case { nodes, places, unknown_blocks, order } = case;
    several
        .configure_user(&format!("{}[ready]\nunknown_blocks = {unknown_blocks}\n", additional(&several.joined([1]))));
    let mut texts = Vec::new();
    for repo in 0..REPOS {
        let mine = nodes.iter().zip(places).filter(|(_, place)| **place == repo);
        // One line is not pruned, so that the file is never waited for.
        let text: String =
            mine.map(|(node, _)| dated(node)).chain(["{\"id\":\"u-1\",\"title\":\"U\"}\n".to_owned()]).collect();
        let text = text.replace("u-1", &format!("u-{repo}"));
        several.swap_in(repo, &text);
        git(&several.root(repo), &["commit", "-qam", "state", "--allow-empty"]);
        texts.push(text);
    }
    let before = answers(&several.open());
    let request = PruneRequest { before: Instant::parse("2026-01-01T00:00:00Z"), ..PruneRequest::default() };
    let mut gone: Vec<String> = Vec::new();
    for (repo, text) in texts.iter().enumerate() {
        let mut store = several.open();
        let would = store.prune(repo, &request, true).expect("a plan");
        prop_assert_eq!(&several.read(repo), text, "a plan writes nothing");
        let done = store.prune(repo, &request, false).expect("a prune");
        prop_assert_eq!(&would, &done);
        prop_assert_eq!(done.bytes_after, several.read(repo).len() as u64);
        add(&seen.needed, done.kept.iter().filter(|one| matches!(one.why, Kept::Needed(_))).count());
        gone.extend(done.ids());
        prop_assert_eq!(&answers(&store), &before, "after {:?}", &gone);
    }
    let left: Vec<Node> = nodes.iter().filter(|node| !gone.contains(&node.id)).cloned().collect();
    prop_assert_eq!(standing(&World(&left), *unknown_blocks), standing(&World(nodes), *unknown_blocks), "{:?}", &gone);
    add(&seen.pruned, gone.len());
    let place = |id: &str| nodes.iter().position(|node| node.id == id).map(|n| places[n]);
    let crosses = |node: &Node| {
        node.edges.iter().any(|edge| gone.contains(&edge.target) && place(&edge.target) != place(&node.id))
    };
    add(&seen.across, left.iter().filter(|node| crosses(node)).count());
    restored_in_any_order(several, &gone, order, &texts)
}

fn restored_in_any_order(
    several: &Several,
    gone: &[String],
    order: &[usize],
    texts: &[String],
) -> Result<(), TestCaseError> {
    let mut shuffled: Vec<(usize, &String)> =
        gone.iter().enumerate().map(|(n, id)| (order[n % order.len()], id)).collect();
    shuffled.sort();
    let mut store = several.open();
    let known: BTreeSet<&String> = gone.iter().collect();
    prop_assert_eq!(known.len(), gone.len(), "none leaves twice");
    for (_, id) in shuffled {
        store.restore(id, None, false).expect("it comes back");
    }
    for (repo, text) in texts.iter().enumerate() {
        prop_assert_eq!(&several.read(repo), text, "repo {}", repo);
    }
    Ok(())
}

#[test]
fn pruning_leaves_all_others_alone_and_can_be_undone() {
    if !crate::support::programs::have(&["git"]) {
        return;
    }
    let several = Several::new(REPOS - 1);
    for repo in 0..REPOS {
        several.write(repo, "{\"id\":\"u-0\",\"title\":\"U\"}\n");
        let root = several.root(repo);
        git(&root, &["init", "-q"]);
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-qm", "base"]);
    }
    let seen = Seen { pruned: Cell::new(0), needed: Cell::new(0), across: Cell::new(0) };
    let config = cases(60, 41);
    let count = config.cases as usize;
    let strategy = (graph(), vec(0..REPOS, 10), any::<bool>(), vec(0usize..100, 12));
    let outcome = TestRunner::new(config).run(&strategy, |(nodes, places, unknown_blocks, order)| {
        leaves_all_others_alone(&several, &Case { nodes, places, unknown_blocks, order }, &seen)
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let counts = [&seen.pruned, &seen.needed, &seen.across].map(Cell::get);
    assert!(counts.iter().all(|seen| seen * 20 > count), "too few interesting cases in {count}: {counts:?}");
}
