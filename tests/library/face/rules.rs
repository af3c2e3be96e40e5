//! The rules of the commands hold for the library too.

use std::fs;
use std::time::Duration;

use beads::{ErrorKind, NewIssue, Query, Update};

use super::{open, refused, with};
use crate::library::several::{Several, additional};

/// What `bd` refuses, the library refuses, and the ledger is unchanged.
#[test]
fn what_the_commands_refuse_is_refused() {
    let scratch = with(&["t-1", "t-2", "t-3"]);
    let store = open(&scratch);
    let bob = store.agent("bob").unwrap();
    store.update("t-2", &Update::new().depends_on("t-1")).unwrap();
    store.update("t-3", &Update::new().parent("t-2")).unwrap();
    let before = fs::read(scratch.ledger()).unwrap();
    let change = |id: &str, update: Update| refused(store.update(id, &update));
    for (kind, text) in [
        change("t-1", Update::new().depends_on("t-2")),
        change("t-1", Update::new().dependency("waits-for", "t-2").title("with something else")),
        change("t-2", Update::new().parent("t-3")),
        change("t-1", Update::new().depends_on("t-1")),
        change("t-2", Update::new().status("closed")),
        refused(store.close("t-2", "although it waits")),
    ] {
        assert_eq!(kind, ErrorKind::Refused, "{text}");
    }
    for (kind, text) in [
        change("t-1", Update::new().status("bogus status")),
        change("t-1", Update::new().priority(77)),
        change("t-1", Update::new().priority(-1)),
        change("t-1", Update::new().kind("no such type")),
        change("t-1", Update::new().title("")),
        change("t-1", Update::new().dependency("No Type!", "t-3")),
        change("t-1", Update::new().comment(" ")),
        change("t-1", Update::new()),
        refused(store.create(NewIssue::titled("two\nlines"))),
        refused(store.create(NewIssue::titled("x").priority(5))),
        refused(store.create(NewIssue::titled("x").kind("no such type"))),
        refused(store.create(NewIssue::titled("x").label(" "))),
        refused(store.create(NewIssue::titled("x").id("Not An Id"))),
        refused(bob.claim("t-1", Duration::ZERO)),
        refused(bob.claim_next(&Query::new(), Duration::ZERO)),
        refused(bob.claim("t-1", Duration::MAX)),
        refused(store.ready(&Query::new().matching("priority <"))),
    ] {
        assert_eq!(kind, ErrorKind::Invalid, "{text}");
    }
    for (kind, text) in [
        change("t-1", Update::new().parent("t-none")),
        change("t-1", Update::new().depends_on("t-none")),
        change("t-none", Update::new().priority(1)),
        refused(store.create(NewIssue::titled("x").parent("t-none"))),
        refused(store.create(NewIssue::titled("x").depends_on("t-none"))),
        refused(bob.claim("t-none", Duration::from_secs(1))),
    ] {
        assert_eq!(kind, ErrorKind::NotFound, "{text}");
    }
    assert_eq!(fs::read(scratch.ledger()).unwrap(), before);
}

/// Repos are named, and an unknown name is an error.
#[test]
fn a_repo_that_is_not_there_is_an_error() {
    let several = Several::new(1);
    several.configure_user(&additional(&several.joined([1])));
    let host = several.config(several.env()).host;
    let store = beads::Store::builder(several.root(0)).host(host).actor("tester").open().unwrap();
    assert_eq!(store.repos().unwrap(), [".", "../r1"]);
    let there = store.create(NewIssue::titled("there").repo("../r1")).unwrap();
    assert_eq!(there.repo(), "../r1");
    assert_eq!(store.list(&Query::new().repo("../r1")).unwrap().total(), 1);
    assert_eq!(refused(store.create(NewIssue::titled("x").repo("nowhere"))).0, ErrorKind::NotFound);
    assert_eq!(refused(store.list(&Query::new().repo("nowhere"))).0, ErrorKind::NotFound);
    // A repo that is taken out of the settings while a batch is under way.
    let mut batch = store.batch();
    batch.create(NewIssue::titled("stranded").repo("../r1")).unwrap();
    several.configure_user("");
    let (kind, text) = refused(batch.commit(|_| {}));
    assert_eq!(kind, ErrorKind::NotFound, "{text}");
    assert_eq!(refused(store.update(there.id(), &Update::new().priority(1))).0, ErrorKind::NotFound);
}

/// The ids of comments are minted.
#[test]
fn comments_get_ids_of_their_own() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    store.update("t-1", &Update::new().comment("one").comment("two")).unwrap();
    let issue = store.agent("ann").unwrap().update("t-1", &Update::new().comment("three")).unwrap();
    let mut ids: Vec<String> = issue.comments().into_iter().map(|comment| comment.id).collect();
    assert_eq!(
        issue.comments().last().map(|last| (last.author.clone(), last.text.clone())),
        Some(("ann".into(), "three".into()))
    );
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3);
    assert!(ids.iter().all(|id| id.parse::<i64>().is_ok_and(|number| number > 0)), "{ids:?}");
}
