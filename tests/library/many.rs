//! Proves that several repos are one project: found by the settings, read along, polled for what has changed, and left out
//! when they cannot be read, without harm to the others.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use beads::internal::cache::{Sort, SortBy};
use beads::internal::model::change::{Change, NewIssue};
use beads::internal::model::issue::Status;
use beads::internal::model::query::Expr;
use beads::internal::ops;
use beads::internal::store::{Config, ReadyFilter, Refresh, Scope, Store, StoreError, Warning, Write};

use crate::library::several::{Several, additional};
use crate::support::user::User;

/// Longer than the time in which a stamp proves nothing.
const SETTLED: Duration = Duration::from_millis(120);

fn line(id: &str, title: &str) -> String {
    format!("{{\"id\":\"{id}\",\"title\":\"{title}\",\"status\":\"open\"}}\n")
}

fn blocked_by(id: &str, blocker: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"open\",\"dependencies\":[{{\"depends_on_id\":\"{blocker}\",\"type\":\"blocks\"}}]}}\n"
    )
}

/// Ids with the repo of each, in the order of the ids.
fn listed(store: &mut Store) -> Vec<(String, String)> {
    store.look_again().expect("a look");
    let rows = store.list(&Expr::ALL, Sort::by(SortBy::Id), None).expect("a list").rows;
    rows.into_iter().map(|row| (row.issue.id, row.source_repo)).collect()
}

fn ids(store: &mut Store) -> Vec<String> {
    listed(store).into_iter().map(|(id, _)| id).collect()
}

fn ready(store: &mut Store) -> Vec<String> {
    store.look_again().expect("a look");
    store.ready(&ReadyFilter::default()).expect("ready").rows.into_iter().map(|row| row.issue.id).collect()
}

fn repo_warnings(store: &mut Store) -> Vec<String> {
    store.refresh().expect("a refresh");
    let found = store.warnings().into_iter().filter_map(|warning| match warning {
        Warning::Repo(problem) => Some(problem.to_string()),
        Warning::Unread { repo, message } => Some(format!("{repo}: {message}")),
        Warning::Config(error) => Some(error.to_string()),
        _ => None,
    });
    found.collect()
}

/// Everything about a file that a write would change.
fn state(path: &Path) -> (Vec<u8>, u64, (i64, i64), (i64, i64)) {
    let meta = fs::metadata(path).unwrap();
    let times = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    (fs::read(path).unwrap(), meta.ino(), times.0, times.1)
}

#[test]
fn open_reads_the_settings_by_itself() {
    let several = Several::new(0);
    several.write(0, line("a-1", "primary"));
    for inner in ["phases/one", "phases/two"] {
        let beads = several.root(0).join(inner).join(".beads");
        fs::create_dir_all(&beads).unwrap();
        fs::write(beads.join("beads.jsonl"), line(&format!("p-{}", &inner[7..]), "phase")).unwrap();
    }
    several.configure(&additional(&["phases/one".into(), "phases/two/.beads".into()]));
    let expected = [("a-1", "."), ("p-one", "phases/one"), ("p-two", "phases/two")];
    let expected = expected.map(|(id, repo)| (id.to_owned(), repo.to_owned()));
    for path in ["", ".beads", ".beads/vc.db"] {
        assert_eq!(listed(&mut Store::open(several.root(0).join(path)).unwrap()), expected, "{path:?}");
    }
    let mut store = Store::open(several.root(0)).unwrap();
    let filed = store.create(NewIssue::titled("new")).unwrap();
    assert!(several.read(0).contains(&filed.id), "routing is single: the primary gets it");
    let filed = store.create_in("phases/one", NewIssue::titled("new")).unwrap();
    let inner = fs::read_to_string(several.root(0).join("phases/one/.beads/beads.jsonl")).unwrap();
    assert!(inner.contains(&filed.id) && !several.read(0).contains(&filed.id));
}

#[test]
fn the_caller_may_name_other_repos() {
    let several = Several::new(3);
    (0..4).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    several.configure_user(&additional(&several.joined([1, 2])));
    let open = |repos: Option<Vec<String>>| {
        Store::open_with(Config { additional: repos, ..several.config(several.env()) }).unwrap()
    };
    assert_eq!(ids(&mut open(None)), ["t-0", "t-1", "t-2"]);
    assert_eq!(ids(&mut open(Some(several.joined([3])))), ["t-0", "t-3"]);
    assert_eq!(ids(&mut open(Some(several.joined([2, 1])))), ["t-0", "t-1", "t-2"]);
    assert_eq!(ids(&mut open(Some(Vec::new()))), ["t-0"]);
    let mut store = open(Some(several.joined([3])));
    ids(&mut store);
    several.configure_user(&additional(&several.joined([1])));
    assert_eq!(ids(&mut store), ["t-0", "t-3"], "an edit of the settings does not win over the caller either");
}

const REPOS: usize = 5;
const COUNT: usize = 2_000;

fn ledger(repo: usize, edited: Option<usize>) -> String {
    let title = |n| if edited == Some(n) { "another title, and a longer one" } else { "a title" };
    (0..COUNT).map(|n| line(&format!("r{repo}-{n:05}"), title(n))).collect()
}

#[test]
fn a_poll_over_five_repos_costs_what_has_changed() {
    let several = Several::new(REPOS - 1);
    (0..REPOS).for_each(|n| several.write(n, ledger(n, None)));
    several.configure_user(&additional(&several.joined(1..REPOS)));
    let mut store = several.open();
    assert_eq!(store.refresh().unwrap(), Refresh { parsed: REPOS * COUNT, changed: REPOS });
    sleep(SETTLED);
    store.refresh().unwrap();
    for _ in 0..50 {
        assert_eq!(store.refresh().unwrap(), Refresh { parsed: 0, changed: 0 });
    }
    assert_eq!(store.ready(&ReadyFilter::default()).unwrap().total, REPOS * COUNT);
    for (repo, edited) in [(0, 7), (1, 0), (3, 711), (4, COUNT - 1)] {
        several.swap_in(repo, ledger(repo, Some(edited)));
        assert_eq!(store.refresh().unwrap(), Refresh { parsed: 1, changed: 1 }, "repo {repo}, line {edited}");
        assert_eq!(store.refresh().unwrap(), Refresh::default());
        let row = store.get(&format!("r{repo}-{edited:05}")).unwrap().unwrap();
        let place = (row.issue.title.as_str(), row.line_number, row.repo);
        assert_eq!(place, ("another title, and a longer one", edited + 1, repo));
    }
    // Through the store itself, and by another one.
    let mut other = several.open();
    other.update("r2-00005", vec![Change::AddLabel("seen".into())]).unwrap();
    assert_eq!(store.refresh().unwrap(), Refresh { parsed: 1, changed: 1 });
    store.update("r2-00006", vec![Change::AddLabel("seen".into())]).unwrap();
    assert_eq!(store.refresh().unwrap().parsed, 1);
    // A rewritten settings file with the same content is no reason to read anything again.
    sleep(SETTLED);
    store.refresh().unwrap();
    several.configure_user(&additional(&several.joined(1..REPOS)));
    assert_eq!(store.refresh().unwrap(), Refresh::default());
}

#[test]
fn an_edit_of_the_settings_is_noticed() {
    let several = Several::new(2);
    (0..3).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    let mut store = several.open();
    assert_eq!(ids(&mut store), ["t-0"]);
    several.configure_user(&additional(&several.joined([1])));
    assert_eq!(ids(&mut store), ["t-0", "t-1"]);
    several.configure_user(&additional(&several.joined([1, 2])));
    assert_eq!(ids(&mut store), ["t-0", "t-1", "t-2"]);
    let before = state(&several.ledger(1));
    several.configure_user(&additional(&several.joined([2])));
    assert_eq!(listed(&mut store)[1..], [("t-2".to_owned(), "../r2".to_owned())]);
    assert!(matches!(store.update("t-1", vec![Change::AddLabel("x".into())]), Err(StoreError::NotFound { .. })));
    several.configure_user("mode = \"single\"\n");
    assert_eq!(ids(&mut store), ["t-0"]);
    assert_eq!(state(&several.ledger(1)), before, "a repo that is not joined any more is left alone");
    several
        .configure_user(&(additional(&several.joined([2])) + "[routing]\nmode = \"explicit\"\ndefault = \"../r2\"\n"));
    let filed = store.create(NewIssue::titled("routed anew")).unwrap();
    assert!(several.read(2).contains(&filed.id));
}

#[test]
fn a_repo_may_vanish_and_come_back() {
    let several = Several::new(2);
    (0..3).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    several.configure_user(&additional(&several.joined([1, 2])));
    let mut store = several.open();
    assert_eq!(ids(&mut store), ["t-0", "t-1", "t-2"]);
    let away = several.path().join("away");
    for _ in 0..3 {
        fs::rename(several.root(1), &away).unwrap();
        assert_eq!(ids(&mut store), ["t-0", "t-2"]);
        let warnings = repo_warnings(&mut store);
        assert!(matches!(warnings.as_slice(), [one] if one.contains("../r1")), "{warnings:?}");
        fs::rename(&away, several.root(1)).unwrap();
        assert_eq!(ids(&mut store), ["t-0", "t-1", "t-2"]);
        assert_eq!(repo_warnings(&mut store), [""; 0]);
    }
}

#[test]
fn an_issue_is_ready_when_its_blocker_in_another_repo_closes() {
    let several = Several::new(2);
    several.write(0, blocked_by("a-1", "b-1"));
    several.write(1, line("b-1", "blocker") + &blocked_by("b-2", "c-1"));
    several.write(2, line("c-1", "blocker"));
    several.configure_user(&additional(&several.joined([1, 2])));
    let (mut store, mut other) = (several.open(), several.open());
    assert_eq!(ready(&mut store), ["b-1", "c-1"]);
    assert_eq!(store.blocked(&Expr::ALL, None).unwrap().0.len(), 2);
    let before = [state(&several.ledger(0)), state(&several.ledger(2))];
    other.close("b-1", None).unwrap();
    assert_eq!(ready(&mut store), ["a-1", "c-1"]);
    other.close("c-1", None).unwrap();
    assert_eq!(ready(&mut store), ["a-1", "b-2"]);
    other.update("b-1", vec![Change::Status(Status::new("open"))]).unwrap();
    assert_eq!(ready(&mut store), ["b-1", "b-2"]);
    assert_eq!(state(&several.ledger(0)), before[0], "who is blocked is not written");
    // A blocker in a repo that leaves the project is unknown, and what is unknown does not block.
    several.configure_user(&additional(&several.joined([2])));
    assert_eq!(ready(&mut store), ["a-1"]);
    // An edge over repos closes a circle just as one within a repo does.
    several.configure_user(&additional(&several.joined([1, 2])));
    store.look_again().unwrap();
    let circle =
        ops::add_dependency(&mut store, "b-1", "a-1", beads::internal::model::dependency::DependencyType::blocks());
    assert!(circle.is_err_and(|error| error.to_string().contains("cycle")));
}

#[test]
fn a_repo_that_cannot_be_read_is_named_and_the_others_work() {
    type Spoil = fn(&Several);
    let spoils: [(&str, Spoil); 7] = [
        ("the directory is gone", |s| fs::remove_dir_all(s.root(1)).unwrap()),
        ("there is no .beads in it", |s| fs::remove_dir_all(s.beads(1)).unwrap()),
        ("there is no ledger", |s| fs::remove_file(s.ledger(1)).unwrap()),
        ("the ledger is a directory", |s| {
            fs::remove_file(s.ledger(1)).unwrap();
            fs::create_dir(s.ledger(1)).unwrap();
        }),
        ("the ledger is a FIFO", |s| {
            fs::remove_file(s.ledger(1)).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(s.ledger(1)).status().unwrap().success());
        }),
        ("the ledger leads outside", |s| {
            fs::remove_file(s.ledger(1)).unwrap();
            let secret = s.path().join("secret.jsonl");
            fs::write(&secret, line("x-secret", "outside")).unwrap();
            symlink(secret, s.ledger(1)).unwrap();
        }),
        ("the path is a file", |s| {
            fs::remove_dir_all(s.root(1)).unwrap();
            fs::write(s.root(1), "a file").unwrap();
        }),
    ];
    for (what, spoil) in spoils {
        for running in [false, true] {
            let several = Several::new(2);
            (0..3).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
            several.configure_user(&additional(&several.joined([1, 2])));
            let mut store = several.open();
            if running {
                assert_eq!(ids(&mut store), ["t-0", "t-1", "t-2"]);
            }
            spoil(&several);
            let mut store = if running { store } else { several.open() };
            let found = ids(&mut store);
            // What a running store has read stays visible while only the ledger is missing: it may be on its way back.
            let kept = running && several.beads(1).is_dir();
            assert_eq!(found, if kept { vec!["t-0", "t-1", "t-2"] } else { vec!["t-0", "t-2"] }, "{what}, {running}");
            let warnings = repo_warnings(&mut store);
            assert!(warnings.len() == 1 && warnings[0].contains("r1"), "{what}, {running}: {warnings:?}");
            store.update("t-2", vec![Change::AddLabel("x".into())]).unwrap_or_else(|e| panic!("{what}: {e}"));
            store.close("t-0", None).unwrap_or_else(|e| panic!("{what}: {e}"));
            let refused = store.update("t-1", vec![Change::AddLabel("x".into())]);
            assert!(refused.is_err(), "{what}, {running}: {refused:?}");
            assert!(store.create_in("../r1", NewIssue::titled("x")).is_err(), "{what}, {running}");
            assert!(several.read(2).contains("\"x\"") && several.read(0).contains("closed"), "{what}");
        }
    }
}

#[test]
fn trust_that_is_given_is_noticed() {
    let several = Several::new(1);
    (0..2).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    several.configure(&additional(&several.joined([1])));
    let mut store = several.open();
    assert_eq!(ids(&mut store), ["t-0"], "a committed path that leads outside is not followed");
    let warnings = repo_warnings(&mut store);
    assert!(matches!(warnings.as_slice(), [one] if one.contains("trust")), "{warnings:?}");
    let refused = store.create_in("../r1", NewIssue::titled("named by the user"));
    assert!(refused.is_ok(), "a user may name any repo: {refused:?}");
    let mut waiting = several.open();
    assert_eq!(ids(&mut waiting), ["t-0"]);
    let trusted = ops::trust(&mut several.open(), |_| true).unwrap();
    assert_eq!(trusted.len(), 1);
    assert!(ids(&mut waiting).contains(&"t-1".to_owned()), "a running store sees it");
    assert_eq!(repo_warnings(&mut waiting), [""; 0]);
    // Another path in the same file is another question.
    several.make(2);
    several.write(2, line("t-2", "t"));
    several.configure(&additional(&several.joined([1, 2])));
    assert!(!ids(&mut waiting).contains(&"t-2".to_owned()));
    // The same words that lead elsewhere now are another question too.
    fs::remove_dir_all(several.root(1)).unwrap();
    symlink(several.root(2), several.root(1)).unwrap();
    let seen = ids(&mut waiting);
    assert_eq!(seen, ["t-0"], "the trusted path leads to another repo now");
}

/// A store counts its repos; an edit of the settings in the middle of a transaction must not shift the count under it.
#[test]
fn an_edit_of_the_settings_within_a_transaction_misleads_no_write() {
    for repos in [&[2, 1][..], &[2], &[]] {
        let several = Several::new(2);
        (0..3).for_each(|n| several.write(n, line(&format!("t-{n}"), "t") + &line("t-copy", "t")));
        several.configure_user(&additional(&several.joined([1, 2])));
        let mut store = several.open();
        ids(&mut store);
        for repo in [1, 2] {
            let mut transaction = store.begin(Scope::All).unwrap();
            several.configure_user(&additional(&several.joined(repos.iter().copied())));
            transaction.store().refresh().unwrap();
            let put = Write::Put { id: "t-9".into(), line: line("t-9", "new").trim_end().into(), repo };
            assert!(transaction.stage(put).is_err(), "{repos:?}: which repo was meant?");
            let change = Write::Change { id: "t-copy".into(), changes: vec![Change::AddLabel("x".into())] };
            assert!(transaction.stage(change).is_err(), "{repos:?}");
            assert!(transaction.commit().unwrap().is_empty());
            several.configure_user(&additional(&several.joined([1, 2])));
            ids(&mut store);
        }
        assert!((0..3).all(|n| several.read(n).lines().count() == 2), "{repos:?}");
    }
}

#[test]
fn a_move_to_where_an_issue_is_loses_nothing() {
    let several = Several::new(1);
    (0..2).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    several.configure_user(&additional(&several.joined([1])));
    let mut store = several.open();
    for n in 0..2 {
        let before = several.read(n);
        let _ = store.relocate(&[(format!("t-{n}"), n)], n, false);
        assert_eq!(several.read(n), before, "repo {n}");
    }
}

#[test]
fn a_contributor_moves_nothing_into_the_primary() {
    let several = Several::new(1);
    (0..2).for_each(|n| several.write(n, line(&format!("t-{n}"), "t")));
    let routing = "[routing]\nmode = \"auto\"\nrole = \"contributor\"\n[routing.auto]\ncontributor = \"../r1\"\n";
    several.configure_user(&(additional(&several.joined([1])) + routing));
    let mut store = several.open();
    let before = [several.read(0), several.read(1)];
    let moved = store.relocate(&[("t-1".into(), 1)], 0, false);
    assert!(moved.as_ref().map_or(true, |report| report.moved.is_empty()), "{moved:?}");
    let moved = store.relocate(&[("t-0".into(), 0)], 1, false).map(|report| report.moved);
    assert!(moved.as_ref().map_or(true, Vec::is_empty), "{moved:?}");
    assert_eq!([several.read(0), several.read(1)], before);
}

/// The primary is not committed unless configured: neither its own ledger nor one in its working copy.
#[test]
fn a_ledger_in_the_primarys_working_copy_is_not_committed() {
    let several = Several::new(1);
    let inner = several.root(0).join("phases/one/.beads");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("beads.jsonl"), "").unwrap();
    for repo in [several.root(0), several.root(1)] {
        User::at(several.path()).git(&repo, &["init", "-q"]);
    }
    for (default, primary, expected) in
        [("phases/one", false, false), ("phases/one", true, true), ("../r1", false, true)]
    {
        let routing = format!("[routing]\nmode = \"explicit\"\ndefault = \"{default}\"\n");
        several.configure_user(&format!("{routing}[commit]\nprimary = {primary}\n"));
        let store = several.open();
        let repo = store.find_repo(default).unwrap();
        assert_eq!((store.commits(repo), store.commits(0)), (expected, primary), "{default}, {primary}");
    }
}
