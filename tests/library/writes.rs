//! Proves that a write through the library changes one line, that one which changes nothing leaves the file alone, and
//! that writers side by side lose nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::thread;
use std::time::Duration;

use beads::internal::ledger::LedgerError;
use beads::internal::model::change::{Change, ChangeError, NewIssue};
use beads::internal::model::dependency::DependencyType;
use beads::internal::model::field::Field;
use beads::internal::model::issue::{Priority, Status};
use beads::internal::store::{ClaimWish, Config, Scope, Store, StoreError, Write};
use beads::internal::sys::lock::LockError;

use crate::library::scratch::{Scratch, options};

/// Lines of every kind, of which no write may touch one that it does not name.
const LEDGER: &str = concat!(
    "{\"id\":\"t-1\",\"title\":\"one\",\"status\":\"open\",\"priority\":2,\"odd\":1e400,\"labels\":[\"a\"]}\n",
    "not a record\n",
    "{\"title\": \"spaced\", \"x\": \"\\u00e9\\/\", \"id\": \"t-2\"}\r\n",
    "\n",
    "{\"_type\":\"memory\",\"key\":\"k\"}\n",
    "{\"id\":\"t-3\",\"title\":\"three\",\"status\":\"closed\",\"closed_at\":\"2025-01-01T00:00:00Z\"}\n",
);

fn lines(scratch: &Scratch) -> Vec<String> {
    let text = fs::read_to_string(scratch.ledger()).expect("a ledger");
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// The lines that are only in the first, and those only in the second, when the rest is the same in the same order.
fn changed(before: &[String], after: &[String]) -> (Vec<String>, Vec<String>) {
    let only = |these: &[String], those: &[String]| -> Vec<String> {
        these.iter().filter(|line| !those.contains(line)).cloned().collect()
    };
    let (gone, new) = (only(before, after), only(after, before));
    let rest = |lines: &[String], but: &[String]| -> Vec<String> {
        lines.iter().filter(|line| !but.contains(line)).cloned().collect()
    };
    assert_eq!(rest(before, &gone), rest(after, &new), "the other lines keep their bytes and their order");
    (gone, new)
}

#[test]
fn every_write_changes_one_line() {
    let scratch = Scratch::with(LEDGER);
    let mut store = scratch.open();
    let before = lines(&scratch);
    let created = store.create(NewIssue::titled("a new one")).unwrap();
    let (gone, new) = changed(&before, &lines(&scratch));
    assert_eq!((gone.len(), new.len()), (0, 1));
    assert!(new[0].contains(&format!("\"id\":\"{}\"", created.id)) && new[0].ends_with("}\n"), "{new:?}");

    type Act = fn(&mut Store) -> Result<(), StoreError>;
    let writes: [(&str, Act); 9] = [
        ("t-1", |s| s.update("t-1", vec![Change::Priority(Priority::in_file(0))]).map(drop)),
        ("t-1", |s| s.update("t-1", vec![Change::AddLabel("b".into()), Change::Title("new".into())]).map(drop)),
        ("t-1", |s| {
            let kind = DependencyType::new("related");
            s.update("t-1", vec![Change::AddDependency { target: "t-2".into(), kind }]).map(drop)
        }),
        ("t-1", |s| s.close("t-1", Some("done <ok>".into())).map(drop)),
        ("t-1", |s| s.update("t-1", vec![Change::Reopen { comment: None }]).map(drop)),
        ("t-2", |s| s.update("t-2", vec![Change::Text(Field::Notes, "n".into())]).map(drop)),
        ("t-2", |s| s.update("t-2", vec![Change::Status(Status::new("in_progress"))]).map(drop)),
        ("t-2", |s| {
            s.update(
                "t-2",
                vec![Change::AddComment(beads::internal::model::change::NewComment {
                    id: 7,
                    author: "p".into(),
                    text: "t".into(),
                })],
            )
            .map(drop)
        }),
        ("t-3", |s| s.update("t-3", vec![Change::Delete { reason: None }]).map(drop)),
    ];
    for (n, (id, write)) in writes.into_iter().enumerate() {
        let before = lines(&scratch);
        write(&mut store).unwrap();
        let (gone, new) = changed(&before, &lines(&scratch));
        assert_eq!((gone.len(), new.len()), (1, 1), "write {n}");
        let ends = |line: &str| (line.contains(&format!("\"{id}\"")), line.ends_with("\r\n"));
        assert_eq!((ends(&gone[0]), ends(&new[0])), ((true, id == "t-2"), (true, id == "t-2")), "write {n}");
    }
    let end = lines(&scratch).concat();
    assert!(end.contains("\"odd\":1e400") && end.contains("\"x\": \"\\u00e9\\/\""), "{end}");
}

#[test]
fn what_is_so_already_is_not_written() {
    let scratch = Scratch::with(LEDGER);
    let mut store = scratch.open();
    let state = || {
        let meta = fs::metadata(scratch.ledger()).unwrap();
        let times = (meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
        (fs::read(scratch.ledger()).unwrap(), meta.ino(), times)
    };
    let before = state();
    store.update("t-1", vec![Change::Priority(Priority::in_file(2)), Change::AddLabel("a".into())]).unwrap();
    store.update("t-1", vec![Change::Title("one".into()), Change::RemoveLabel("z".into())]).unwrap();
    store.update("t-1", Vec::new()).unwrap();
    store.close("t-3", None).unwrap();
    assert!(matches!(store.update("t-9", vec![Change::Reopen { comment: None }]), Err(StoreError::NotFound { .. })));
    assert!(matches!(store.update("t-1", vec![Change::Title(" ".into())]), Err(StoreError::Change(_))));
    assert!(matches!(store.create(NewIssue::titled("")), Err(StoreError::Change(_))));
    assert_eq!(state(), before);
    let others: Vec<_> = fs::read_dir(scratch.beads()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(others, ["beads.jsonl"], "no lock and no temporary file stays");
}

/// An import may name an id twice: the file must not end up with two lines for it.
#[test]
fn an_id_that_is_put_twice_is_one_line() {
    let scratch = Scratch::with("{\"id\":\"t-1\",\"title\":\"zero\"}\n");
    let mut store = scratch.open();
    let mut transaction = store.begin(Scope::All).unwrap();
    for (id, title) in [("t-1", "one"), ("t-2", "one"), ("t-2", "two"), ("t-1", "two")] {
        let line = format!("{{\"id\":\"{id}\",\"title\":\"{title}\"}}");
        transaction.stage(Write::Put { id: id.to_owned(), line, repo: 0 }).unwrap();
    }
    assert!(transaction.commit().unwrap().iter().all(Result::is_ok));
    let expected = ["{\"id\":\"t-1\",\"title\":\"two\"}\n", "{\"id\":\"t-2\",\"title\":\"two\"}\n"];
    assert_eq!(lines(&scratch), expected);
}

#[test]
fn a_transaction_that_is_dropped_writes_nothing() {
    let scratch = Scratch::with(LEDGER);
    let mut store = scratch.open();
    let mut transaction = store.begin(Scope::All).unwrap();
    transaction.stage(Write::File { issue: Box::new(NewIssue::titled("x")), id: None, repo: 0 }).unwrap();
    drop(transaction);
    assert_eq!(lines(&scratch).concat(), LEDGER);
    store.create(NewIssue::titled("the lock is free again")).unwrap();
}

#[test]
fn a_held_lock_is_waited_for_and_then_named() {
    let scratch = Scratch::with(LEDGER);
    let mut first = scratch.open();
    let held = first.begin(Scope::All).unwrap();
    let patience = Config { lock_wait: Duration::from_millis(50), ..options(scratch.root(), scratch.root()) };
    let mut second = Store::open_with(patience).unwrap();
    let refused = second.create(NewIssue::titled("x"));
    assert!(matches!(refused, Err(StoreError::Ledger(LedgerError::Lock(LockError::Timeout { .. })))), "{refused:?}");
    assert_eq!(lines(&scratch).concat(), LEDGER);
    drop(held);
    // With the usual patience: what gave up may still get the lock, for a moment.
    scratch.open().create(NewIssue::titled("x")).unwrap();
}

#[test]
fn writers_side_by_side_lose_nothing() {
    const WRITERS: usize = 8;
    const EACH: usize = 25;
    let scratch = Scratch::with("{\"id\":\"t-00000000\",\"title\":\"shared\",\"status\":\"open\"}\n");
    let root = scratch.root();
    let ids: Vec<String> = thread::scope(|scope| {
        let writer = |w: usize| {
            let mut store = Store::open_with(options(root, root)).expect("a store");
            (0..EACH)
                .map(|n| {
                    store.update("t-00000000", vec![Change::AddLabel(format!("{w}-{n}"))]).expect("a label");
                    store.create(NewIssue::titled(format!("{w}-{n}"))).expect("a new issue").id
                })
                .collect::<Vec<_>>()
        };
        let handles: Vec<_> = (0..WRITERS).map(|w| scope.spawn(move || writer(w))).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a writer")).collect()
    });
    let lines = lines(&scratch);
    let found: Vec<&str> = lines.iter().map(|line| line[7..].split('"').next().unwrap()).collect();
    assert_eq!(found.len(), WRITERS * EACH + 1);
    assert!(found.is_sorted(), "sorted by the bytes of the ids");
    let unique: BTreeSet<&str> = found.iter().copied().collect();
    assert!(ids.iter().all(|id| unique.contains(id.as_str())) && unique.len() == found.len(), "each once");
    let shared = scratch.open().get("t-00000000").unwrap().unwrap();
    assert_eq!(shared.issue.labels.len(), WRITERS * EACH, "every label that was acknowledged");
}

/// The store enforces the rules of closing for every caller.
#[test]
fn what_waits_for_open_issues_is_not_closed() {
    let edge = |target: &str, kind: &str| format!("{{\"depends_on_id\":\"{target}\",\"type\":\"{kind}\"}}");
    let line = |id: &str, kind: &str, edge: &str| {
        format!(
            "{{\"id\":\"{id}\",\"title\":\"t\",\"status\":\"open\",\"issue_type\":\"{kind}\",\"dependencies\":[{edge}]}}\n"
        )
    };
    let waits = line("t-2", "task", &edge("t-1", "blocks"));
    let child = line("t-4", "task", &edge("t-3", "parent-child"));
    let scratch = Scratch::with([line("t-1", "task", ""), waits, line("t-3", "epic", ""), child].concat());
    let mut store = scratch.open();
    let closed = vec![Change::Status(Status::new("closed"))];
    for refused in [store.close("t-2", None), store.update("t-2", closed)] {
        let Err(StoreError::Change(ChangeError::OpenBlockers { blockers, .. })) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(blockers, ["t-1"]);
    }
    let epic = store.close("t-3", None);
    assert!(matches!(epic, Err(StoreError::Change(ChangeError::OpenChildren { .. }))), "{epic:?}");
    let claimed = store.claim("t-2", &ClaimWish::default()).unwrap();
    assert_eq!(claimed.blockers, ["t-1"], "it can be worked on");
    let by_force = vec![Change::Close { reason: None }, Change::Force];
    store.update("t-2", by_force.clone()).unwrap();
    store.close("t-3", None).expect_err("force is of one write");
    store.update("t-3", by_force).unwrap();
}
