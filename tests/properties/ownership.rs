//! Proves that a write changes the ledger that owns the issue and no other, whatever is done in whatever order by
//! whomever, and that acknowledged data exists: in the owner's file, and in the answers of a newly opened store.
//!
//! The model is slow and knows only files: an issue belongs to the first of the three repos whose file has a line for
//! it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use beads::internal::cache::{ReadyOrder, Sort, SortBy};
use beads::internal::model::change::{Change, NewIssue};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::query::Expr;
use beads::internal::model::time::Instant;
use beads::internal::ops::{self, ImportOptions, OpError};
use beads::internal::store::{Config, ReadyFilter, Store, StoreError};
use beads::internal::sys::Entropy;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config as RunnerConfig, TestRunner};
use serde_json::Value;

use super::cases;
use super::ready_model::{Ask, Link, Node, World};
use crate::library::scratch::NOW;
use crate::library::several::{Several, additional};

const REPOS: usize = 3;
/// The repo that gets the contributor's new issues.
const PLANNING: usize = 1;
const KINDS: [&str; 5] = ["blocks", "conditional-blocks", "waits-for", "parent-child", "discovered-from"];
const STATUSES: [&str; 6] = ["open", "in_progress", "closed", "blocked", "deferred", "tombstone"];
const REASONS: [&str; 2] = ["done", "build failed"];
const URGENT: [&str; 2] = ["baseline-failure", "discovered:blocker"];

#[derive(Debug, Clone)]
enum Step {
    Create(Option<(&'static str, Index)>),
    CreateIn(usize, Option<(&'static str, Index)>),
    Label(Index, Option<&'static str>),
    Close(Index, &'static str),
    Reopen(Index),
    Delete(Index),
    Depend(Index, Index, &'static str),
    Undepend(Index),
    /// One copy of an issue to a repo.
    Move(Index, Index, usize),
    /// All that meets a condition.
    Migrate(usize, &'static str),
    /// Lines for known issues and a new one, of these days of the month.
    Import(Option<usize>, Vec<(Index, u32)>, bool),
}

fn step() -> impl Strategy<Value = Step> {
    let at = any::<Index>;
    let edge = || option::weighted(0.6, (select(&KINDS[..]), at()));
    prop_oneof![
        3 => edge().prop_map(Step::Create),
        2 => (0..REPOS, edge()).prop_map(|(repo, edge)| Step::CreateIn(repo, edge)),
        6 => (at(), option::weighted(0.2, select(&URGENT[..]))).prop_map(|(n, label)| Step::Label(n, label)),
        3 => (at(), select(&REASONS[..])).prop_map(|(n, reason)| Step::Close(n, reason)),
        2 => at().prop_map(Step::Reopen),
        1 => at().prop_map(Step::Delete),
        5 => (at(), at(), select(&KINDS[..])).prop_map(|(n, target, kind)| Step::Depend(n, target, kind)),
        1 => at().prop_map(Step::Undepend),
        5 => (at(), at(), 0..REPOS).prop_map(|(n, copy, to)| Step::Move(n, copy, to)),
        1 => (0..REPOS, select(vec!["status=open", "label=ui", "status=closed"])).prop_map(|(to, f)| Step::Migrate(to, f)),
        2 => (option::of(0..REPOS), vec((at(), 1u32..28), 0..3), any::<bool>())
            .prop_map(|(repo, known, new)| Step::Import(repo, known, new)),
    ]
}

/// A first line: repo, name, status, priority, edge. The same name in two repos is a copy.
type First = (usize, char, &'static str, u32, Option<(&'static str, char)>);

fn first() -> impl Strategy<Value = Vec<First>> {
    let name = || select("abcdef".chars().collect::<Vec<_>>());
    let status = select(vec!["open", "open", "open", "closed", "in_progress"]);
    vec((0..REPOS, name(), status, 0u32..3, option::weighted(0.5, (select(&KINDS[..]), name()))), 4..9)
}

fn line(id: &str, title: &str, status: &str, priority: u32, day: u32, edge: Option<(&str, &str)>) -> String {
    let edge = edge.map(|(kind, target)| format!(r#"{{"depends_on_id":"{target}","type":"{kind}"}}"#));
    format!(
        r#"{{"id":"{id}","title":"{title}","status":"{status}","priority":{priority},"issue_type":"task","created_at":"2026-02-{day:02}T00:00:00Z","updated_at":"2026-02-{day:02}T00:00:00Z","labels":["ui"],"dependencies":[{}],"odd" : "\u00e9\/"}}"#,
        edge.unwrap_or_default()
    )
}

/// The acknowledged changes, per file and issue.
#[derive(Debug, Clone, Default)]
struct Said {
    labels: BTreeSet<String>,
    edges: BTreeSet<(String, String)>,
    status: Option<String>,
}

/// The result of a step in the model: which lines of which files may differ now, or why nothing may.
#[derive(Debug, PartialEq)]
enum Expected {
    Refused,
    Touched(BTreeSet<(usize, String)>),
}

fn touched(places: impl IntoIterator<Item = (usize, String)>) -> Expected {
    Expected::Touched(places.into_iter().collect())
}

type Lines = Vec<(String, String)>;

struct Project {
    several: Several,
    contributor: bool,
    said: [BTreeMap<String, Said>; REPOS],
    count: usize,
}

impl Project {
    fn new(first: &[First], contributor: bool) -> Self {
        let several = Several::new(REPOS - 1);
        let role = if contributor { "contributor" } else { "maintainer" };
        several.configure_user(&format!(
            "{}[routing]\nmode = \"auto\"\nrole = \"{role}\"\n[routing.auto]\ncontributor = \"../r{PLANNING}\"\n[commit]\nplanning = false\n",
            additional(&several.joined(1..REPOS)),
        ));
        for repo in 0..REPOS {
            let mut lines: BTreeMap<String, String> = BTreeMap::new();
            for (n, (at, name, status, priority, edge)) in first.iter().enumerate() {
                // Edges lead forward in the alphabet: the first graph has no circle.
                let edge = edge.filter(|(_, target)| target > name).map(|(kind, target)| (kind, format!("t-{target}")));
                let edge = edge.as_ref().map(|(kind, target)| (*kind, target.as_str()));
                let id = format!("t-{name}");
                if *at == repo {
                    lines.insert(id.clone(), line(&id, &format!("first {n}"), status, *priority, n as u32 + 1, edge));
                }
            }
            // A line that no step can name, so that no ledger is ever empty.
            let id = format!("z-{repo}");
            lines.insert(id.clone(), format!(r#"{{"id":"{id}","title":"stays","status":"in_progress"}}"#));
            several.write(repo, lines.values().map(|line| line.clone() + "\n").collect::<String>());
        }
        Project { several, contributor, said: Default::default(), count: 0 }
    }

    fn open(&self, seed: u64) -> Store {
        let mut config = self.several.config(self.several.env());
        config.host.entropy = Entropy::seeded(seed);
        Store::open_with(Config { ..config }).expect("a store")
    }

    /// Ids and lines of each file, in its order, by a JSON parser that knows nothing of ledgers.
    fn files(&self) -> [Lines; REPOS] {
        std::array::from_fn(|repo| {
            let text = self.several.read(repo);
            assert!(text.ends_with('\n'), "repo {repo} ends in the middle of a line");
            let id = |line: &str| {
                let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("repo {repo}: {e}: {line}"));
                value["id"].as_str().expect("an id").to_owned()
            };
            text.lines().map(|line| (id(line), line.to_owned())).collect()
        })
    }

    fn word(&mut self) -> String {
        self.count += 1;
        format!("w{}", self.count)
    }

    fn may_write(&self, repo: usize) -> bool {
        repo != 0 || !self.contributor
    }

    /// Where a new issue with this edge goes.
    fn route(&self, files: &[Lines; REPOS], edge: Option<(&str, &str)>) -> usize {
        let kin = edge.filter(|(kind, _)| matches!(*kind, "parent-child" | "discovered-from"));
        let kin = kin.and_then(|(_, target)| owner(files, target)).filter(|repo| self.may_write(*repo));
        kin.unwrap_or(if self.contributor { PLANNING } else { 0 })
    }

    fn said(&mut self, repo: usize, id: &str) -> &mut Said {
        self.said[repo].entry(id.to_owned()).or_default()
    }

    /// Does a step with the store and says what the model expects of it, and whether the store did it.
    fn act(&mut self, store: &mut Store, step: &Step, files: &[Lines; REPOS]) -> (Expected, Result<(), String>) {
        let known: BTreeSet<String> = files.iter().flatten().map(|(id, _)| id.clone()).collect();
        let known: Vec<String> = known.into_iter().filter(|id| !id.starts_with("z-")).collect();
        let pick = |index: &Index| if known.is_empty() { "t-none".to_owned() } else { index.get(&known).clone() };
        let by_owner = |project: &Project, id: &str| match owner(files, id) {
            Some(repo) if project.may_write(repo) => touched([(repo, id.to_owned())]),
            _ => Expected::Refused,
        };
        match step {
            Step::Create(edge) | Step::CreateIn(_, edge) => {
                let edge = edge.as_ref().map(|(kind, index)| (*kind, pick(index)));
                let word = self.word();
                let mut issue = NewIssue::titled(&word);
                issue.labels = vec![word.clone()];
                issue.dependencies.extend(edge.iter().map(|(kind, id)| (id.clone(), kind_of(kind))));
                let (repo, done) = match step {
                    Step::CreateIn(repo, _) => (*repo, store.create_in(&self.several.name(*repo), issue)),
                    _ => {
                        let edge = edge.as_ref().map(|(kind, id)| (*kind, id.as_str()));
                        (self.route(files, edge), store.create(issue))
                    }
                };
                match done {
                    Ok(made) => {
                        let edges = edge.into_iter().map(|(kind, id)| (id, kind.to_owned())).collect();
                        *self.said(repo, &made.id) =
                            Said { labels: [word].into(), edges, status: Some("open".to_owned()) };
                        let place = touched([(repo, made.id)]);
                        (if self.may_write(repo) { place } else { Expected::Refused }, Ok(()))
                    }
                    Err(error) => (
                        if self.may_write(repo) { touched([(repo, "?".to_owned())]) } else { Expected::Refused },
                        Err(name(&error)),
                    ),
                }
            }
            Step::Label(index, label) => {
                let id = pick(index);
                let word = label.map_or_else(|| self.word(), str::to_owned);
                let done = store.update(&id, vec![Change::AddLabel(word.clone())]);
                let expected = by_owner(self, &id);
                if let (Ok(_), Some(repo)) = (&done, owner(files, &id)) {
                    self.said(repo, &id).labels.insert(word);
                }
                (expected, done.map(drop).map_err(|e| name(&e)))
            }
            Step::Close(index, _) | Step::Reopen(index) | Step::Delete(index) => {
                let id = pick(index);
                let (change, status) = match step {
                    Step::Close(_, reason) => (Change::Close { reason: Some((*reason).to_owned()) }, "closed"),
                    Step::Delete(_) => (Change::Delete { reason: None }, "tombstone"),
                    _ => (Change::Reopen { comment: None }, "open"),
                };
                let done = store.update(&id, vec![change]);
                let expected = by_owner(self, &id);
                if let (Ok(issue), Some(repo)) = (&done, owner(files, &id)) {
                    // Reopening what is in work does nothing: the answer says what the status is now.
                    let now = issue.status.as_str().to_owned();
                    assert!(now == status || matches!(step, Step::Reopen(_)), "{step:?} gave {now}");
                    self.said(repo, &id).status = Some(now);
                }
                (expected, done.map(drop).map_err(|e| name(&e)))
            }
            Step::Depend(from, to, kind) => {
                let (id, target) = (pick(from), pick(to));
                let done = ops::add_dependency(store, &id, &target, kind_of(kind));
                let mut expected = by_owner(self, &id);
                match (&done, owner(files, &id)) {
                    (Ok(_), Some(repo)) => {
                        self.said(repo, &id).edges.insert((target.clone(), (*kind).to_owned()));
                        let blocks = |kind: &str| kind == "blocks";
                        assert!(
                            *kind != "blocks" || !reaches(files, &target, &id, blocks),
                            "{id} -> {target}: a circle"
                        );
                    }
                    (Err(OpError::Store(StoreError::Cycle { .. })), _) => {
                        assert!(reaches(files, &target, &id, |_| true), "{id} -> {target}: no circle");
                        expected = Expected::Refused;
                    }
                    _ if id == target => expected = Expected::Refused,
                    _ => {}
                }
                (expected, done.map(drop).map_err(|e| e.to_string()))
            }
            Step::Undepend(index) => {
                let id = pick(index);
                let Some(repo) = owner(files, &id) else { return (Expected::Refused, Err("none".into())) };
                let value = value_of(files, repo, &id);
                let Some(target) = value["dependencies"][0]["depends_on_id"].as_str() else {
                    return (Expected::Refused, Err("no edge".into()));
                };
                let change = Change::RemoveDependency { target: target.to_owned(), kind: None };
                let done = store.update(&id, vec![change]);
                let expected = by_owner(self, &id);
                if done.is_ok() {
                    self.said(repo, &id).edges.retain(|(known, _)| known != target);
                }
                (expected, done.map(drop).map_err(|e| name(&e)))
            }
            Step::Move(index, copy, to) => {
                let id = pick(index);
                let holders: Vec<usize> = (0..REPOS).filter(|repo| has(files, *repo, &id)).collect();
                let Some(from) = (!holders.is_empty()).then(|| *copy.get(&holders)) else {
                    return (Expected::Refused, Err("none".into()));
                };
                let done = store.relocate(&[(id.clone(), from)], *to, false);
                self.moved(files, &[(id, from)], *to, done.map(|report| report.moved).map_err(|e| name(&e)))
            }
            Step::Migrate(to, filter) => {
                let condition = beads::internal::model::query::parse(
                    filter,
                    &beads::internal::model::query::QueryContext {
                        me: "tester",
                        calendar: &store.host().clock.calendar(),
                        saved: &[],
                    },
                );
                let done = ops::migrate(store, &self.several.name(*to), &condition.expect("a condition"), false, None);
                let meets = |value: &Value| {
                    let status = value["status"].as_str().unwrap_or_default();
                    match *filter {
                        "status=open" => status == "open",
                        "status=closed" => status == "closed",
                        _ => status != "tombstone" && labels(value).contains("ui"),
                    }
                };
                let chosen: Vec<(String, usize)> = (0..REPOS)
                    .filter(|repo| repo != to)
                    .flat_map(|repo| files[repo].iter().map(move |(id, line)| (repo, id, line)))
                    .filter(|(_, _, line)| meets(&serde_json::from_str(line).expect("JSON")))
                    .map(|(repo, id, _)| (id.clone(), repo))
                    .collect();
                self.moved(files, &chosen, *to, done.map(|report| report.moved).map_err(|e| e.to_string()))
            }
            Step::Import(repo, lines, new) => {
                let mut incoming: BTreeMap<String, (String, u32)> = BTreeMap::new();
                for (index, day) in lines {
                    let id = pick(index);
                    incoming.insert(id.clone(), (line(&id, "imported", "open", 1, *day, None), *day));
                }
                if *new {
                    let id = format!("t-{}", self.word());
                    incoming.insert(id.clone(), (line(&id, "imported", "open", 1, 1, None), 1));
                }
                incoming.remove("t-none");
                let text: String = incoming.values().map(|(line, _)| line.clone() + "\n").collect();
                let named = repo.map(|n| self.several.name(n));
                let options = ImportOptions { repo: named.as_deref(), ..ImportOptions::default() };
                let done = ops::import(store, "in.jsonl", text.into_bytes(), options);
                let target = repo.unwrap_or(if self.contributor { PLANNING } else { 0 });
                let age = |value: &Value| value["updated_at"].as_str().and_then(Instant::parse);
                let mut places = BTreeSet::new();
                for (id, (line, _)) in &incoming {
                    let newer = |repo: &usize| {
                        age(&serde_json::from_str(line).expect("JSON")) > age(&value_of(files, *repo, id))
                    };
                    match owner(files, id) {
                        None => drop(places.insert((target, id.clone()))),
                        Some(repo) if newer(&repo) => drop(places.insert((repo, id.clone()))),
                        Some(_) => {}
                    }
                }
                let refused = !self.may_write(target) || places.iter().any(|(repo, _)| !self.may_write(*repo));
                if done.is_ok() {
                    places.iter().for_each(|(repo, id)| self.said(*repo, id).status = None);
                }
                let expected = if refused { Expected::Refused } else { Expected::Touched(places) };
                (expected, done.map(drop).map_err(|e| e.to_string()))
            }
        }
    }

    /// What a move of these copies may touch; acknowledged changes move with them.
    fn moved(
        &mut self,
        files: &[Lines; REPOS],
        copies: &[(String, usize)],
        to: usize,
        done: Result<Vec<String>, String>,
    ) -> (Expected, Result<(), String>) {
        if !self.may_write(to) {
            return (Expected::Refused, done.map(drop));
        }
        let mut leaving: Vec<&(String, usize)> =
            copies.iter().filter(|(_, from)| *from != to && self.may_write(*from)).collect();
        // A public line never names an issue that stays private.
        while let Some(stays) = leaving.iter().position(|(id, from)| {
            let is_moved = |target: &String| leaving.iter().any(|(other, _)| other == target);
            let is_private = |target: &String| (0..REPOS).filter(|repo| has(files, *repo, target)).eq([PLANNING]);
            let targets = targets(&value_of(files, *from, id));
            to != PLANNING && targets.iter().any(|target| is_private(target) && !is_moved(target))
        }) {
            leaving.remove(stays);
        }
        let report = done.as_ref().map(|moved| moved.iter().cloned().collect::<BTreeSet<_>>());
        let ids: BTreeSet<String> = leaving.iter().map(|(id, _)| id.clone()).collect();
        assert_eq!(report, Ok(ids), "what was moved");
        let mut places = BTreeSet::new();
        for (id, from) in leaving {
            let mut said = self.said[*from].remove(id).unwrap_or_default();
            if has(files, to, id) || places.contains(&(to, id.clone())) {
                let there = self.said[to].remove(id).unwrap_or_default();
                said.labels.extend(there.labels);
                said.edges.extend(there.edges);
                said.status = None;
            }
            self.said[to].insert(id.clone(), said);
            places.extend([(*from, id.clone()), (to, id.clone())]);
        }
        (Expected::Touched(places), done.map(drop))
    }
}

fn name(error: &StoreError) -> String {
    error.to_string()
}

fn kind_of(word: &str) -> DependencyType {
    DependencyType::typed(word).expect("a type of dependency")
}

fn has(files: &[Lines; REPOS], repo: usize, id: &str) -> bool {
    files[repo].iter().any(|(known, _)| known == id)
}

/// The first repo that holds an issue owns it.
fn owner(files: &[Lines; REPOS], id: &str) -> Option<usize> {
    (0..REPOS).find(|repo| has(files, *repo, id))
}

fn value_of(files: &[Lines; REPOS], repo: usize, id: &str) -> Value {
    let line = files[repo].iter().find(|(known, _)| known == id);
    serde_json::from_str(&line.unwrap_or_else(|| panic!("{id} is not in repo {repo}")).1).expect("JSON")
}

fn targets(value: &Value) -> Vec<String> {
    let edges = value["dependencies"].as_array().into_iter().flatten();
    edges.filter_map(|edge| edge["depends_on_id"].as_str()).map(str::to_owned).collect()
}

fn labels(value: &Value) -> BTreeSet<String> {
    value["labels"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn edges(value: &Value) -> BTreeSet<(String, String)> {
    let all = value["dependencies"].as_array().into_iter().flatten();
    all.map(|edge| {
        let word = |key: &str| edge[key].as_str().unwrap_or_default().to_owned();
        (word("depends_on_id"), word("type"))
    })
    .collect()
}

/// Whether edges of effective copies lead from one issue to another.
fn reaches(files: &[Lines; REPOS], from: &str, to: &str, counts: impl Fn(&str) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut work = vec![from.to_owned()];
    while let Some(id) = work.pop() {
        if id == to {
            return true;
        }
        if let Some(repo) = owner(files, &id).filter(|_| seen.insert(id.clone())) {
            let next = edges(&value_of(files, repo, &id)).into_iter().filter(|(_, kind)| counts(kind));
            work.extend(next.map(|(target, _)| target));
        }
    }
    false
}

/// The union as the model of `ready` knows it: of each id the line of its owner.
fn nodes(files: &[Lines; REPOS]) -> Vec<Node> {
    let now = Instant::parse(NOW).expect("a time").nanos();
    let ids: BTreeSet<&String> = files.iter().flatten().map(|(id, _)| id).collect();
    let node = |id: &String| {
        let value = value_of(files, owner(files, id).expect("an owner"), id);
        let word = |key: &str, known: &[&'static str]| known.iter().copied().find(|known| value[key] == **known);
        let minutes = |text: &str| (now - Instant::parse(text).expect("a time").nanos()) / 60_000_000_000;
        let link = |(target, kind): (String, String)| Link {
            kind: KINDS.into_iter().find(|known| *known == kind).expect("a known kind"),
            target,
            any: false,
            spawner: None,
        };
        Node {
            id: id.clone(),
            status: word("status", &STATUSES).unwrap_or_else(|| panic!("a known status: {value}")),
            kind: "task",
            priority: value["priority"].as_i64().unwrap_or(0),
            age: value["created_at"].as_str().map(minutes),
            defer: None,
            flag: None,
            labels: URGENT.into_iter().filter(|label| labels(&value).contains(*label)).collect(),
            close_reason: word("close_reason", &REASONS),
            edges: edges(&value).into_iter().map(link).collect(),
        }
    };
    ids.into_iter().map(node).collect()
}

#[derive(Default)]
struct Seen {
    written: Cell<usize>,
    refused: Cell<usize>,
    moved: Cell<usize>,
    copies: Cell<usize>,
    across: Cell<usize>,
}

fn add(counter: &Cell<usize>, count: usize) {
    counter.set(counter.get() + count);
}

/// All that must hold after a step.
fn check(
    project: &Project,
    step: &Step,
    before: &[Lines; REPOS],
    expected: &Expected,
    done: &Result<(), String>,
    seen: &Seen,
) -> Result<(), TestCaseError> {
    let after = project.files();
    let none = BTreeSet::new();
    let places = match expected {
        Expected::Refused => {
            prop_assert!(done.is_err() || before == &after, "{:?} had to be refused", step);
            add(&seen.refused, usize::from(done.is_err()));
            &none
        }
        Expected::Touched(places) => {
            add(&seen.written, usize::from(done.is_ok()));
            add(&seen.moved, usize::from(matches!(step, Step::Move(..)) && !places.is_empty()));
            // With write access, a refusal can only be due to the issue itself.
            let known = ["is deleted", "cannot depend on itself", "is private: the line of", "cannot close"];
            let reason = done.as_ref().err();
            prop_assert!(reason.is_none_or(|e| known.iter().any(|k| e.contains(k))), "{:?}: {:?}", step, reason);
            if done.is_ok() { places } else { &none }
        }
    };
    for repo in 0..REPOS {
        let rest = |files: &[Lines; REPOS]| -> Lines {
            files[repo].iter().filter(|(id, _)| !places.contains(&(repo, id.clone()))).cloned().collect()
        };
        prop_assert_eq!(rest(before), rest(&after), "{:?}: lines of repo {} that nobody named", step, repo);
        let ids: Vec<&String> = after[repo].iter().map(|(id, _)| id).collect();
        prop_assert!(
            ids.windows(2).all(|pair| pair[0] < pair[1]),
            "{:?}: repo {} is not sorted: {:?}",
            step,
            repo,
            ids
        );
        for (id, said) in &project.said[repo] {
            prop_assert!(has(&after, repo, id), "{:?}: {} left repo {}", step, id, repo);
            let value = value_of(&after, repo, id);
            prop_assert!(labels(&value).is_superset(&said.labels), "{:?}: {} lost a label: {}", step, id, value);
            prop_assert!(edges(&value).is_superset(&said.edges), "{:?}: {} lost an edge: {}", step, id, value);
            let status = said.status.as_deref().unwrap_or(value["status"].as_str().unwrap_or_default());
            prop_assert_eq!(value["status"].as_str(), Some(status), "{:?}: status of {}", step, id);
        }
    }
    // No issue vanishes, whatever is done.
    for (id, _) in before.iter().flatten() {
        prop_assert!(owner(&after, id).is_some(), "{:?}: {} is nowhere", step, id);
    }
    let fresh = project.several.open();
    let rows = fresh.list(&Expr::ALL, Sort::by(SortBy::Id), None).expect("a list").rows;
    let nodes = nodes(&after);
    let shown: Vec<(&str, usize)> = rows.iter().map(|row| (row.issue.id.as_str(), row.repo)).collect();
    let owners: Vec<(&str, usize)> =
        nodes.iter().map(|node| (node.id.as_str(), owner(&after, &node.id).expect("an owner"))).collect();
    prop_assert_eq!(shown, owners, "{:?}: the view", step);
    for row in &rows {
        let line = after[row.repo].iter().find(|(id, _)| *id == row.issue.id).map(|(_, line)| line);
        prop_assert_eq!(line, Some(&row.line));
    }
    let world = World(&nodes);
    let ask = Ask { include_deferred: false, any_type: false, unknown_blocks: false };
    let mut ready: Vec<&Node> = nodes.iter().filter(|node| world.is_ready(node, ask)).collect();
    world.by_urgency(&mut ready);
    let filter = ReadyFilter { order: ReadyOrder::Priority, ..ReadyFilter::default() };
    let found = fresh.ready(&filter).expect("ready").rows;
    let found: Vec<&str> = found.iter().map(|row| row.issue.id.as_str()).collect();
    prop_assert_eq!(found, ready.iter().map(|node| node.id.as_str()).collect::<Vec<_>>(), "{:?}: ready", step);
    let held = |id: &str| (0..REPOS).filter(|repo| has(&after, *repo, id)).count();
    add(&seen.copies, nodes.iter().filter(|node| held(&node.id) > 1).count());
    let across = |node: &Node| {
        let mine = owner(&after, &node.id);
        node.edges.iter().any(|link| owner(&after, &link.target).is_some_and(|theirs| Some(theirs) != mine))
    };
    add(&seen.across, nodes.iter().filter(|node| across(node)).count());
    Ok(())
}

#[test]
fn a_write_changes_the_file_that_owns_the_issue_and_no_other() {
    let seen = Seen::default();
    let config = RunnerConfig { max_shrink_iters: 300, ..cases(40, 21) };
    let count = config.cases as usize;
    let strategy = (first(), any::<bool>(), vec(step(), 18), any::<u64>());
    let outcome = TestRunner::new(config).run(&strategy, |(first, contributor, steps, seed)| {
        let mut project = Project::new(&first, contributor);
        let mut store = project.open(seed);
        for step in steps {
            let before = project.files();
            let (expected, done) = project.act(&mut store, &step, &before);
            check(&project, &step, &before, &expected, &done, &seen)?;
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let counts = [&seen.written, &seen.refused, &seen.moved, &seen.copies, &seen.across].map(Cell::get);
    assert!(counts.iter().all(|seen| *seen > count / 2), "too little happened in {count} cases: {counts:?}");
}
