//! The past of a ledger, as reported by the store and by a slow model that reads every version and compares every
//! field.
//!
//! A higher level of effort tries more and longer histories.

mod made;
mod model;

use std::collections::{BTreeMap, BTreeSet};

use beads::internal::cache::Sort;
use beads::internal::model::query::Expr;
use beads::internal::store::{Config, DiffKind, LogQuery, Moment, State, Store};
use made::{History, Random};
use model::{Told, told};

use crate::support::effort::pick;

/// How many histories, and of how many commits.
fn histories() -> Vec<(u64, usize)> {
    pick(vec![(3, 70)], vec![(6, 70)], vec![(300, 150), (1, 5_000)])
}

/// Whether the past is remembered, in a cache directory of its own.
#[derive(Debug, Clone, Copy)]
enum Index {
    New,
    Known,
    Off,
}

fn open(history: &History, index: Index) -> Store {
    let mut config = Config::at(history.root());
    let cache = history.root().join(".git/cache");
    config.host.env = config.host.env.with("XDG_CACHE_HOME", &cache);
    if matches!(index, Index::Off) {
        config.host.env = config.host.env.with("BD_NO_IMAGE", "1");
    }
    assert_eq!(cache.exists(), !matches!(index, Index::New), "{index:?}");
    Store::open_with(config).unwrap()
}

/// The store's report of the whole log or of one issue, in the model's terms.
fn said(store: &Store, history: &History, id: Option<&str>) -> Vec<Told> {
    let query = LogQuery { id: id.map(str::to_owned), ..LogQuery::default() };
    let log = store.log(&query).unwrap();
    let told = log.events.iter().map(|event| {
        let commit = event.commit.as_ref().map(|commit| history.number(&commit.id));
        let fields = event.fields.iter().map(|change| {
            let value = |raw: &Option<String>| raw.as_deref().map(model::value).unwrap_or_default();
            (change.field.clone(), (value(&change.before), value(&change.after), change.won))
        });
        Told { commit, id: event.id.clone(), kind: event.kind.word(), fields: fields.collect() }
    });
    told.collect()
}

/// For a merge only the new values are compared: which of several old ones is reported is arbitrary.
fn comparable(told: Vec<Told>, history: &History) -> BTreeSet<Told> {
    let is_merge = |told: &Told| told.commit.is_some_and(|n| history.commits[n].parents.len() > 1);
    let fields = |told: &Told| {
        let blank = |(field, (_, after, won)): (&String, &(String, String, Option<usize>))| {
            (field.clone(), (String::new(), after.clone(), *won))
        };
        told.fields.iter().map(blank).collect::<BTreeMap<_, _>>()
    };
    told.into_iter().map(|one| if is_merge(&one) { Told { fields: fields(&one), ..one } } else { one }).collect()
}

/// Which cases the histories contained.
#[derive(Default)]
struct Shown {
    merges: usize,
    events: usize,
    won: usize,
    blamed: usize,
    compared: usize,
    closed: usize,
    views: usize,
}

#[test]
fn log_blame_changelog_diff_and_views_agree_with_a_slow_model() {
    for (seeds, length) in histories() {
        let mut shown = Shown::default();
        for seed in 0..seeds {
            let mut random = Random::new(seed);
            let history = History::make(&mut random, length);
            shown.merges += history.commits.iter().filter(|commit| commit.parents.len() > 1).count();
            for index in [Index::New, Index::Known, Index::Off] {
                let store = open(&history, index);
                logs(&store, &history, &mut shown, seed);
                blames(&store, &history, &mut shown, seed);
                states(&store, &history, &mut random, &mut shown, seed);
                departures(&store, &history, seed);
                views(&history, &mut random, &mut shown, seed);
            }
        }
        let Shown { merges, events, won, blamed, compared, closed, views } = shown;
        assert!(merges as u64 > seeds && won > 0 && closed > 0, "{merges} merges, {won} won: too few to say anything");
        println!(
            "{seeds} histories of {length} commits ({merges} merges): {events} changes, {won} of them of a merge that chose a \
             side, {blamed} blamed fields, {closed} closed issues, {compared} differences and {views} views as the model says"
        );
    }
}

fn logs(store: &Store, history: &History, shown: &mut Shown, seed: u64) {
    let all = said(store, history, None);
    let order: Vec<usize> = all.iter().filter_map(|one| one.commit).collect();
    for (n, earlier) in order.iter().enumerate() {
        let above = order[n..].iter().find(|later| history.is_below(*earlier, **later));
        assert_eq!(above, None, "seed {seed}: commit {earlier} is told before one that stands on it");
    }
    shown.events += all.len();
    shown.won += all.iter().flat_map(|one| one.fields.values()).filter(|(_, _, won)| won.is_some()).count();
    let expected = comparable(told(history, None), history);
    let found = comparable(all, history);
    let difference: Vec<_> = found.symmetric_difference(&expected).collect();
    assert!(difference.is_empty(), "seed {seed}: {difference:#?}");
    for id in history.ids() {
        let found = comparable(said(store, history, Some(&id)), history);
        assert_eq!(found, comparable(told(history, Some(&id)), history), "seed {seed}: bd log {id}");
    }
}

fn blames(store: &Store, history: &History, shown: &mut Shown, seed: u64) {
    let tip = history.commits.len() - 1;
    for id in history.ids() {
        let blame = store.blame(&id).unwrap();
        let commit =
            |field: &beads::internal::store::BlamedField| field.commit.as_ref().map(|one| history.number(&one.id));
        let found: BTreeMap<String, Option<usize>> =
            blame.fields.iter().map(|field| (field.field.clone(), commit(field))).collect();
        let ends = model::found(history, tip, &id);
        let (from, issue) = match (history.present.get(&id), ends.first()) {
            (Some(issue), _) => (tip, issue),
            // Where it went on several sides, each with a version of its own, they are merged.
            (None, Some(end)) if ends.len() == 1 => (*end, &history.commits[*end].issues[&id]),
            _ => continue,
        };
        assert_eq!(blame.past.is_none(), history.present.contains_key(&id), "seed {seed}: bd blame {id}");
        assert_eq!(found, model::blame(history, from, &id, issue), "seed {seed}: bd blame {id}");
        shown.blamed += found.len();
    }
}

fn states(store: &Store, history: &History, random: &mut Random, shown: &mut Shown, seed: u64) {
    for _ in 0..10 {
        let (from, to) = (random.below(history.commits.len()), random.below(history.commits.len()));
        let moment = |n: usize| Moment::Revision(history.commits[n].hash.clone());
        let entries = store.differences(&State::At(moment(from)), &State::At(moment(to)), None).unwrap();
        let found: BTreeMap<String, (&str, BTreeSet<String>)> = entries
            .into_iter()
            .map(|entry| {
                let kind = match entry.kind {
                    DiffKind::Added => "added",
                    DiffKind::Changed => "changed",
                    DiffKind::Removed => "removed",
                    DiffKind::Moved(_) => "moved",
                };
                (entry.id, (kind, entry.fields.into_iter().map(|change| change.field).collect()))
            })
            .collect();
        assert_eq!(found, model::difference(history, from, to), "seed {seed}: bd diff {from}..{to}");
        shown.compared += 1;

        let closed = store.closed_since(&moment(from), 0).unwrap();
        for (id, expected) in model::changelog(history, from) {
            let Some(expected) = expected else { continue };
            assert_eq!(closed.contains_key(&id), expected, "seed {seed}: {id} in bd changelog --since {from}");
        }
        shown.closed += closed.len();
    }
}

fn departures(store: &Store, history: &History, seed: u64) {
    let gone: BTreeSet<String> = history.ids().into_iter().filter(|id| !history.present.contains_key(id)).collect();
    let together = store.last_of_each(&gone).unwrap();
    for id in gone {
        let past = store.last_in_history(&id).unwrap().unwrap_or_else(|| panic!("seed {seed}: {id} is not found"));
        assert_eq!(together.get(&id), Some(&past), "seed {seed}: {id} among others");
        let there = &history.commits[history.number(&past.commit.id)].issues[&id];
        let ends = model::ends(history, &id);
        let line = model::parse(&past.line);
        // Where it went on several sides, each with a version of its own, they are merged.
        assert!(&line == there || ends.len() > 1, "seed {seed}: {id} is {line:?} and was {ends:?}");
        assert!(ends.iter().any(|end| end["title"] == line["title"]), "seed {seed}: {id} is {line:?}, never {ends:?}");
        if let Some(removed) = past.removed {
            assert!(!history.commits[history.number(&removed.id)].issues.contains_key(&id), "seed {seed}: {id}");
        }
    }
}

fn views(history: &History, random: &mut Random, shown: &mut Shown, seed: u64) {
    for _ in 0..5 {
        let at = random.below(history.commits.len());
        let mut store = open(history, Index::Known);
        let point = store.point(&Moment::Revision(history.commits[at].hash.clone()), None).unwrap();
        store.go_back(&point).unwrap();
        let rows = store.list(&Expr::ALL, Sort::default(), None).unwrap().rows;
        let found: BTreeMap<String, model::Fields> =
            rows.into_iter().map(|row| (row.issue.id, model::parse(&row.line))).collect();
        assert_eq!(found, history.commits[at].issues, "seed {seed}: bd list --at {at}");
        shown.views += 1;
    }
}
