//! Lists of leases, agents and checkpoints, the search, and what a build can do.

use std::time::{Duration, SystemTime};

use beads::{Capabilities, ErrorKind, NewCheckpoint, NewIssue, Query};

use super::{open, refused, with};

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn leases_name_their_holders() {
    let scratch = with(&["t-1", "t-2", "t-3"]);
    let store = open(&scratch);
    assert!(store.leases().unwrap().is_empty());
    let before = SystemTime::now() - Duration::from_secs(1);
    let held = store.agent("bob").unwrap().claim("t-2", LONG).unwrap();
    let short = store.agent("ann").unwrap().claim("t-1", Duration::from_millis(1)).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let all = store.leases().unwrap();
    let [ann, bob] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((ann.issue.as_str(), ann.holder.as_str(), ann.is_expired), ("t-1", "ann", true));
    assert_eq!(ann.epoch, short.epoch());
    assert_eq!((bob.issue.as_str(), bob.holder.as_str(), bob.is_expired), ("t-2", "bob", false));
    assert_eq!((bob.epoch, bob.title.as_deref()), (held.epoch(), Some("the title of t-2")));
    assert!(bob.since.unwrap() > before && bob.expires_at.unwrap() > SystemTime::now());
    held.release("").unwrap();
    assert_eq!(store.leases().unwrap().len(), 1);
}

#[test]
fn agents_are_listed_with_their_issues() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ann = store.agent("ann").unwrap();
    assert!(store.agents().unwrap().is_empty(), "an agent registers with its first claim");
    let before = SystemTime::now() - Duration::from_secs(1);
    let _first = ann.claim("t-1", LONG).unwrap();
    let _second = ann.claim("t-2", Duration::from_millis(1)).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let all = store.agents().unwrap();
    let [one] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((one.name.as_str(), one.role.as_str(), one.status.as_str()), ("ann", "worker", "online"));
    assert!(one.id.starts_with("ag_") && one.last_seen > before && one.registered_at > before, "{one:?}");
    assert_eq!(one.issues, ["t-1"], "the other claim has expired");
}

#[test]
fn checkpoints_are_read_newest_first() {
    let scratch = with(&["t-1", "t-2"]);
    let store = open(&scratch);
    let ann = store.agent("ann").unwrap();
    let lease = ann.claim("t-1", LONG).unwrap();
    let new = NewCheckpoint::new("the parser is split").kind("decision").detail("{\"lines\":7}").key("split");
    let file = scratch.root().join("src/parser.rs").display().to_string();
    let first = lease.checkpoint(new.clone().file(file)).unwrap();
    assert_eq!((first.number, first.kind.as_str(), first.actor.as_str()), (1, "decision", "ann"));
    assert_eq!(
        (first.files.as_slice(), first.detail.as_deref()),
        (["src/parser.rs".to_owned()].as_slice(), Some("{\"lines\":7}"))
    );
    assert!(first.created_at.unwrap() <= SystemTime::now());
    assert_eq!(ann.checkpoint("t-1", new).unwrap().id, first.id, "the key is known");
    let second = ann.checkpoint("t-1", NewCheckpoint::new("reviewed")).unwrap();
    assert_eq!((second.number, second.actor.as_str(), second.kind.as_str()), (2, "ann", "progress"));
    let all = store.checkpoints("t-1", None).unwrap();
    assert_eq!(all, [second.clone(), first]);
    assert_eq!(store.checkpoints("t-1", Some(1)).unwrap(), [second]);
    assert!(store.checkpoints("t-2", None).unwrap().is_empty());
    for (kind, text) in [
        refused(lease.checkpoint(NewCheckpoint::new(" "))),
        refused(lease.checkpoint(NewCheckpoint::new("x").kind("opinion"))),
        refused(lease.checkpoint(NewCheckpoint::new("x").detail("{"))),
    ] {
        assert_eq!(kind, ErrorKind::Invalid, "{text}");
    }
    assert_eq!(refused(store.checkpoints("t-9", None)).0, ErrorKind::NotFound);
    assert_eq!(refused(ann.checkpoint("t-9", NewCheckpoint::new("x"))).0, ErrorKind::NotFound);
    let (kind, text) = refused(store.agent("bob").unwrap().checkpoint("t-1", NewCheckpoint::new("mine")));
    assert_eq!(kind, ErrorKind::Claimed, "{text}");
    // A lease that is over records nothing.
    lease.release("").unwrap();
    let (kind, text) = refused(lease.checkpoint(NewCheckpoint::new("too late")));
    assert_eq!(kind, ErrorKind::Stale, "{text}");
    assert_eq!(store.checkpoints("t-1", None).unwrap().len(), 2);
}

#[test]
fn words_are_searched_in_all_texts() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let new = |title: &str, text: &str| store.create(NewIssue::titled(title).description(text)).unwrap().id().clone();
    let (title, text) = (new("Login timeout", "it hangs"), new("Slow pages", "the login is slow, a timeout follows"));
    store.close(&text, "fixed").unwrap();
    let found = store.search("login timeout", &Query::new()).unwrap();
    assert_eq!(found.iter().map(beads::Issue::id).collect::<Vec<_>>(), [&title, &text]);
    assert_eq!(store.search("login", &Query::new().limit(1)).unwrap().total(), 2);
    assert_eq!(store.search("login", &Query::new().limit(1)).unwrap().len(), 1);
    let open = store.search("login", &Query::new().matching("status=open")).unwrap();
    assert_eq!(open.iter().map(beads::Issue::id).collect::<Vec<_>>(), [&title]);
    assert_eq!(store.search("nowhere", &Query::new()).unwrap().total(), 0);
    for bad in ["", " "] {
        let (kind, why) = refused(store.search(bad, &Query::new()));
        assert_eq!(kind, ErrorKind::Invalid, "{why}");
    }
}

#[test]
fn a_build_knows_what_it_can_do() {
    let build = Capabilities::of_build();
    assert_eq!((build.version, build.schema_version), (env!("CARGO_PKG_VERSION"), 1));
    // The tests are built with the program, which brings git.
    assert!(build.has("cli") && build.has("git") && !build.has("teleport"));
    assert_eq!(build.has("serde"), cfg!(feature = "serde"));
}
