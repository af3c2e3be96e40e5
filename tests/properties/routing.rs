//! Proves that routing is total: whatever the settings, roles and dependencies, a new issue has exactly one repo, one that
//! may be written, or there is an error with a name; and a contributor's issue never gets where it would be committed with
//! the project.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use beads::internal::model::change::NewIssue;
use beads::internal::model::dependency::DependencyType;
use beads::internal::store::{Access, Role, Store, StoreError};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::TestRunner;

use super::cases;
use crate::library::several::Several;
use crate::support::user::User;

/// Paths that settings may name: the primary, a repo in its working copy, two of their own, one that is not there, and a
/// directory without a ledger.
const PATHS: [&str; 6] = [".", "phases/one", "../r1", "../r2", "../gone", "../empty"];
/// An issue in each repo.
const ISSUES: [(&str, &str); 4] = [("a-1", "."), ("i-1", "phases/one"), ("b-1", "../r1"), ("c-1", "../r2")];

#[derive(Debug, Clone)]
struct Layer {
    mode: Option<&'static str>,
    additional: Vec<&'static str>,
    exclude: Option<&'static str>,
    routing: Option<&'static str>,
    role: Option<&'static str>,
    paths: [Option<&'static str>; 3],
}

impl Layer {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut add = |key: &str, value: Option<&str>| {
            text.extend(value.map(|value| format!("{key} = {value:?}\n")));
        };
        add("mode", self.mode);
        add("routing.mode", self.routing);
        add("routing.role", self.role);
        let keys = ["routing.default", "routing.auto.contributor", "routing.auto.maintainer"];
        keys.iter().zip(self.paths).for_each(|(key, path)| add(key, path));
        text += &format!("repos.additional = {:?}\n", self.additional);
        text.extend(self.exclude.map(|path| format!("repos.exclude = [{path:?}]\n")));
        text
    }
}

fn layer() -> impl Strategy<Value = Layer> {
    let path = || option::weighted(0.4, select(&PATHS[..]));
    (
        option::weighted(0.1, select(vec!["single", "multi"])),
        subsequence(PATHS[1..].to_vec(), 0..4),
        option::weighted(0.1, select(&PATHS[..])),
        option::weighted(0.6, select(vec!["single", "auto", "auto", "explicit"])),
        option::weighted(0.4, select(vec!["maintainer", "contributor", "contributor"])),
        (path(), path(), path()),
    )
        .prop_map(|(mode, additional, exclude, routing, role, paths)| Layer {
            mode,
            additional,
            exclude,
            routing,
            role,
            paths: [paths.0, paths.1, paths.2],
        })
}

fn edges() -> impl Strategy<Value = Vec<(String, DependencyType)>> {
    let id = select(vec!["a-1", "i-1", "b-1", "c-1", "x-none"]);
    let kind = select(vec!["parent-child", "discovered-from", "blocks", "related"]);
    vec((id, kind).prop_map(|(id, kind)| (id.to_owned(), DependencyType::new(kind))), 0..3)
}

/// Every ledger there is, by its path.
fn ledgers(several: &Several) -> Vec<(PathBuf, String)> {
    let paths = ["app", "app/phases/one", "r1", "r2"].map(|name| several.path().join(name));
    let read = |path: &PathBuf| fs::read_to_string(path.join(".beads/beads.jsonl")).expect("a ledger");
    paths.into_iter().map(|path| (path.clone(), read(&path))).collect()
}

fn project() -> Several {
    let several = Several::new(2);
    fs::create_dir_all(several.root(0).join("phases/one/.beads")).expect("a directory");
    fs::create_dir_all(several.path().join("empty")).expect("a directory");
    for (id, repo) in ISSUES {
        let line = format!("{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"open\"}}\n");
        fs::write(several.root(0).join(repo).join(".beads/beads.jsonl"), line).expect("a ledger");
    }
    for repo in 0..3 {
        User::at(several.path()).git(&several.root(repo), &["init", "-q"]);
    }
    several
}

#[test]
fn every_new_issue_has_one_repo_or_a_named_error() {
    let several = project();
    let [routed, refused, kept_apart] = [const { Cell::new(0usize) }; 3];
    let config = cases(500, 41);
    let count = config.cases as usize;
    let named = option::weighted(0.2, select(&PATHS[..]));
    let environment = option::weighted(0.2, select(vec!["maintainer", "contributor"]));
    let strategy = (layer(), option::of(layer()), environment, named, edges());
    let outcome = TestRunner::new(config).run(&strategy, |(user, shared, variable, named, edges)| {
        several.configure_user(&user.text());
        several.configure(&shared.as_ref().map(Layer::text).unwrap_or_default());
        let mut env = several.env().with("BD_COMMIT_PLANNING", "false");
        if let Some(role) = variable {
            env = env.with("BD_ROLE", role);
        }
        let mut store = Store::open_with(several.config(env)).expect("a store");
        let before = ledgers(&several);
        let route = store.route(named, &edges);
        let mut issue = NewIssue::titled("new");
        issue.dependencies = edges.clone();
        let contributor = store.has_roles() && store.role().role == Role::Contributor;
        match route {
            Ok(route) => {
                let member = &store.repos().members[route.repo];
                let root = member.repo.root().to_owned();
                prop_assert_eq!(store.access(route.repo).expect("an answer"), Access::Write, "{:?}", route);
                let again = store.route(named, &edges).ok();
                prop_assert_eq!(Some(&route), again.as_ref(), "twice the same");
                if contributor {
                    prop_assert!(route.repo != 0, "a contributor writes to the primary: {:?}", route);
                    let inside = root.starts_with(several.root(0).canonicalize().expect("a path"));
                    prop_assert!(!inside, "a private issue in the working copy of the primary: {:?}", route);
                    kept_apart.set(kept_apart.get() + 1);
                }
                let made = match named {
                    Some(named) => store.create_in(named, issue),
                    None => store.create(issue),
                };
                // A public line does not name a private issue.
                if let Err(StoreError::PrivateTarget { .. }) = made {
                    prop_assert!(!store.is_planning(route.repo));
                    prop_assert_eq!(&before, &ledgers(&several));
                    return Ok(());
                }
                let made = made.expect("a route is one that works");
                for ((path, old), (_, new)) in before.iter().zip(ledgers(&several)) {
                    let is_here = path.canonicalize().expect("a path") == root;
                    prop_assert_eq!(new.contains(&made.id), is_here, "{:?} in {:?}", route, path);
                    prop_assert_eq!(*old != new, is_here);
                    if is_here {
                        fs::write(path.join(".beads/beads.jsonl"), old).expect("the ledger as it was");
                    }
                }
                routed.set(routed.get() + 1);
            }
            Err(error) => {
                let is_named = matches!(
                    error,
                    StoreError::ReadOnly { .. }
                        | StoreError::WouldLeak { .. }
                        | StoreError::NoRoute { .. }
                        | StoreError::NoPlanningRepo
                        | StoreError::BadRoute { .. }
                        | StoreError::Untrusted { .. }
                        | StoreError::NoSuchRepo { .. }
                        | StoreError::NotARepo { .. }
                );
                prop_assert!(is_named, "{:?}", error);
                prop_assert!(store.has_roles() || named.is_some(), "one repo needs no routing: {}", error);
                let made = match named {
                    Some(named) => store.create_in(named, issue),
                    None => store.create(issue),
                };
                prop_assert!(made.is_err(), "{} and yet {:?}", error, made);
                prop_assert_eq!(&before, &ledgers(&several));
                refused.set(refused.get() + 1);
            }
        }
        // A committed file alone leads nowhere outside: it is not trusted.
        let outside: Vec<&str> = shared.iter().flat_map(|layer| layer.additional.iter().copied()).collect();
        for member in store.repos().members.iter().skip(1).filter(|member| member.name.starts_with("..")) {
            let own = user.additional.contains(&member.name.as_str())
                || user.paths.contains(&Some(member.name.as_str()))
                || named == Some(member.name.as_str());
            prop_assert!(own, "{} is joined by a stranger: {:?}", member.name, outside);
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    let counts = [&routed, &refused, &kept_apart].map(Cell::get);
    assert!(counts.iter().all(|seen| seen * 20 > count), "too little happened in {count} cases: {counts:?}");
}
