//! Many issues at once.

use std::fs;

use beads::{ErrorKind, NewIssue, Query};

use super::{open, refused, with};

#[test]
fn the_issues_of_a_batch_can_name_each_other() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let before = fs::read(scratch.ledger()).unwrap();
    let mut batch = store.batch();
    let epic = batch.create(NewIssue::titled("epic").kind("epic").depends_on("t-1")).unwrap();
    let first = batch.create(NewIssue::titled("first").parent(&epic)).unwrap();
    let second = batch.create(NewIssue::titled("second").parent(&epic).depends_on(&first)).unwrap();
    assert_eq!(refused(batch.create(NewIssue::titled("x").parent("t-none"))).0, ErrorKind::NotFound);
    assert_eq!(fs::read(scratch.ledger()).unwrap(), before, "nothing is written before the commit");
    let mut told = Vec::new();
    let written = batch.commit(|progress| told.push((progress.done, progress.total))).unwrap();
    assert_eq!(told, [(1, 3), (2, 3), (3, 3)]);
    assert_eq!(written.iter().map(|issue| issue.id()).collect::<Vec<_>>(), [&epic, &first, &second]);
    assert_eq!(store.get(&second).unwrap().unwrap().parent(), Some(epic.clone()));
    // A batch that is dropped writes nothing, and one without issues neither.
    let after = fs::read(scratch.ledger()).unwrap();
    let mut dropped = store.batch();
    dropped.create(NewIssue::titled("x")).unwrap();
    drop(dropped);
    assert_eq!(store.batch().commit(|_| {}).unwrap(), []);
    assert_eq!(fs::read(scratch.ledger()).unwrap(), after);
    // A child that waits for what waits for its epic: the circle is noticed, and nothing is written.
    let mut circle = store.batch();
    let waits = circle.create(NewIssue::titled("waits").depends_on(&epic)).unwrap();
    circle.create(NewIssue::titled("child").parent(&epic).depends_on(&waits)).unwrap();
    assert_eq!(refused(circle.commit(|_| {})).0, ErrorKind::Refused);
    assert_eq!(fs::read(scratch.ledger()).unwrap(), after);
}

#[test]
fn a_large_batch_is_one_write() {
    let scratch = with(&["t-1"]);
    let store = open(&scratch);
    let mut batch = store.batch();
    let mut last = None;
    for n in 0..2_000 {
        let mut issue = NewIssue::titled(format!("row {n}")).label("imported");
        if let Some(last) = last.filter(|_| n % 2 == 1) {
            issue = issue.depends_on(&last);
        }
        last = Some(batch.create(issue).unwrap());
    }
    assert_eq!(batch.len(), 2_000);
    assert_eq!(batch.commit(|_| {}).unwrap().len(), 2_000);
    assert_eq!(store.list(&Query::new().label("imported").limit(1)).unwrap().total(), 2_000);
    assert_eq!(store.ready(&Query::new().label("imported").limit(1)).unwrap().total(), 1_000);
}
