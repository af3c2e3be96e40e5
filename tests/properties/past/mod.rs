//! The past of a ledger, told by the store and by a slow model that reads every version and compares every field.
//!
//! A higher level of effort tries more and longer histories.

mod made;
mod model;

use std::collections::{BTreeMap, BTreeSet};

use beads::store::{DiffKind, LogQuery, Moment, State};
use beads::{Expr, Sort, Store};
use made::{History, Random};
use model::{Told, origin, told};

use crate::support::effort::pick;

fn histories() -> (u64, usize) {
    pick((4, 45), (6, 45), (300, 150))
}

/// What the store says of the whole log or of one issue, in the words of the model.
fn said(store: &mut Store, history: &History, id: Option<&str>) -> Vec<Told> {
    let query = LogQuery { id: id.map(str::to_owned), ..LogQuery::default() };
    let log = store.log(&query).unwrap();
    let told = log.events.iter().map(|event| {
        let commit = event.commit.as_ref().map(|commit| history.number(&commit.id));
        let fields = event.fields.iter().map(|change| {
            let value = |raw: &Option<String>| raw.as_deref().map(model::value).unwrap_or_default();
            (change.field.clone(), (value(&change.before), value(&change.after)))
        });
        Told { commit, id: event.id.clone(), kind: event.kind.word(), fields: fields.collect() }
    });
    told.collect()
}

/// Of a merge only the new values are compared: which of several old ones is told is a matter of taste.
fn comparable(told: Vec<Told>, history: &History) -> BTreeSet<Told> {
    let is_merge = |told: &Told| told.commit.is_some_and(|n| history.commits[n].parents.len() > 1);
    let fields = |told: &Told| {
        let blank = |(field, (_, after)): (&String, &(String, String))| (field.clone(), (String::new(), after.clone()));
        told.fields.iter().map(blank).collect::<BTreeMap<_, _>>()
    };
    told.into_iter().map(|one| if is_merge(&one) { Told { fields: fields(&one), ..one } } else { one }).collect()
}

#[test]
fn log_blame_and_diff_agree_with_a_slow_model() {
    let (seeds, length) = histories();
    let (mut events, mut blamed, mut compared, mut merges) = (0, 0, 0, 0);
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let history = History::make(&mut random, length);
        merges += history.commits.iter().filter(|commit| commit.parents.len() > 1).count();
        let mut store = Store::open(history.root()).unwrap();

        let all = said(&mut store, &history, None);
        let order: Vec<usize> = all.iter().filter_map(|one| one.commit).collect();
        for (n, earlier) in order.iter().enumerate() {
            let above = order[n..].iter().find(|later| history.is_below(*earlier, **later));
            assert_eq!(above, None, "seed {seed}: commit {earlier} is told before one that stands on it");
        }
        events += all.len();
        let expected = comparable(told(&history, None), &history);
        let found = comparable(all, &history);
        let difference: Vec<_> = found.symmetric_difference(&expected).collect();
        assert!(difference.is_empty(), "seed {seed}: {difference:#?}");

        for id in history.ids() {
            let found = comparable(said(&mut store, &history, Some(&id)), &history);
            assert_eq!(found, comparable(told(&history, Some(&id)), &history), "seed {seed}: bd log {id}");
        }

        for (id, issue) in &history.present {
            let blame = store.blame(id).unwrap();
            for field in &blame.fields {
                let commit = field.commit.as_ref().map(|commit| history.number(&commit.id));
                assert_eq!(commit, origin(&history, id, &field.field), "seed {seed}: {id} {}", field.field);
            }
            let fields: BTreeSet<&str> = blame.fields.iter().map(|field| field.field.as_str()).collect();
            assert_eq!(fields, issue.keys().map(String::as_str).filter(|key| *key != "id").collect());
            blamed += blame.fields.len();
        }

        for _ in 0..10 {
            let (from, to) = (random.below(history.commits.len()), random.below(history.commits.len()));
            let state = |n: usize| State::At(Moment::Revision(history.commits[n].hash.clone()));
            let entries = store.differences(&state(from), &state(to), None).unwrap();
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
            assert_eq!(found, model::difference(&history, from, to), "seed {seed}: bd diff {from}..{to}");
            compared += 1;
        }

        let gone: Vec<String> = history.ids().into_iter().filter(|id| !history.present.contains_key(id)).collect();
        for id in gone {
            let past = store.last_in_history(&id).unwrap().unwrap_or_else(|| panic!("seed {seed}: {id} is not found"));
            let there = &history.commits[history.number(&past.commit.id)].issues[&id];
            let ends = model::ends(&history, &id);
            let line = model::parse(&past.line);
            // Where it went on several sides, each with a version of its own, they are merged.
            assert!(&line == there || ends.len() > 1, "seed {seed}: {id} is {line:?} and was {ends:?}");
            assert!(
                ends.iter().any(|end| end["title"] == line["title"]),
                "seed {seed}: {id} is {line:?}, never {ends:?}"
            );
            if let Some(removed) = past.removed {
                assert!(!history.commits[history.number(&removed.id)].issues.contains_key(&id), "seed {seed}: {id}");
            }
        }

        let at = random.below(history.commits.len());
        let point = store.point(&Moment::Revision(history.commits[at].hash.clone()), None).unwrap();
        store.go_back(&point).unwrap();
        let rows = store.list(&Expr::ALL, Sort::default(), None).unwrap().rows;
        let found: BTreeMap<String, String> = rows.into_iter().map(|row| (row.issue.id, row.issue.title)).collect();
        let title = |issue: &serde_json::Map<String, serde_json::Value>| issue["title"].as_str().unwrap().to_owned();
        let expected: BTreeMap<String, String> =
            history.commits[at].issues.iter().map(|(id, issue)| (id.clone(), title(issue))).collect();
        assert_eq!(found, expected, "seed {seed}: bd list --at {at}");
    }
    assert!(merges as u64 > seeds, "{merges} merges are too few to say anything");
    println!(
        "{seeds} histories of {length} commits ({merges} merges): {events} changes, {blamed} blamed fields and {compared} \
         differences as the model says"
    );
}
