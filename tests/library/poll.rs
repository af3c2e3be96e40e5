//! Proves that asking again costs what has changed: nothing for an untouched file, one line for one edit.

use std::thread::sleep;
use std::time::Duration;

use beads::internal::cache::Sort;
use beads::internal::model::query::Expr;
use beads::internal::store::{ReadyFilter, Refresh};

use crate::library::scratch::Scratch;

const COUNT: usize = 10_000;
/// Longer than the time in which a stamp proves nothing.
const SETTLED: Duration = Duration::from_millis(120);

fn ledger(edited: Option<usize>) -> String {
    let title = |n| if edited == Some(n) { "another title, and a longer one" } else { "a title" };
    (0..COUNT).map(|n| format!("{{\"id\":\"t-{n:05}\",\"title\":\"{}\",\"status\":\"open\"}}\n", title(n))).collect()
}

#[test]
fn an_unchanged_file_is_not_parsed_and_one_edit_is_one_line() {
    let scratch = Scratch::with(ledger(None));
    let mut store = scratch.open();
    assert_eq!(store.refresh().unwrap(), Refresh { parsed: COUNT, changed: 1 });
    sleep(SETTLED);
    store.refresh().unwrap();
    for _ in 0..100 {
        assert_eq!(store.refresh().unwrap(), Refresh { parsed: 0, changed: 0 });
    }
    assert_eq!(store.ready(&ReadyFilter::default()).unwrap().total, COUNT);

    for edited in [0, 4_711, COUNT - 1] {
        scratch.swap_in(ledger(None));
        store.refresh().unwrap();
        scratch.swap_in(ledger(Some(edited)));
        assert_eq!(store.refresh().unwrap(), Refresh { parsed: 1, changed: 1 }, "line {edited}");
        assert_eq!(store.refresh().unwrap(), Refresh::default());
        let row = store.get(&format!("t-{edited:05}")).unwrap().unwrap();
        assert_eq!((row.issue.title.as_str(), row.line_number), ("another title, and a longer one", edited + 1));
    }
}

#[test]
fn a_line_that_moves_is_not_parsed_again() {
    let scratch = Scratch::with(ledger(None));
    let mut store = scratch.open();
    store.refresh().unwrap();
    let mut lines: Vec<String> = ledger(None).lines().map(|line| format!("{line}\n")).collect();
    lines.reverse();
    scratch.swap_in(lines.concat());
    assert_eq!(store.refresh().unwrap(), Refresh { parsed: 0, changed: 1 });
    assert_eq!(store.get("t-00000").unwrap().unwrap().line_number, COUNT);
}

/// Answers are those of one look at the file; the next look is at the file as it is then, also where only ids are needed.
#[test]
fn an_answer_is_as_old_as_the_last_look() {
    let scratch = Scratch::with("{\"id\":\"t-abc\",\"title\":\"first\"}\n");
    let mut store = scratch.open();
    assert_eq!(store.resolve("abc").unwrap(), "t-abc");
    let mark = |store: &beads::internal::store::Store| store.prefix_index().unwrap().shortest("t-abc");
    assert_eq!(mark(&store), Some(1));
    scratch.swap_in("{\"id\":\"t-abc\",\"title\":\"first\"}\n{\"id\":\"t-abd\",\"title\":\"second\"}\n");
    assert!(store.resolve("abd").is_err(), "the first look was before that");
    store.look_again().unwrap();
    assert_eq!(store.resolve("abd").unwrap(), "t-abd", "an id that another program added");
    assert_eq!(mark(&store), Some(3), "a short form that has become ambiguous");
    assert_eq!(store.list(&Expr::ALL, Sort::default(), None).unwrap().total, 2);
    scratch.swap_in("{\"id\":\"t-abc\",\"title\":\"first\"}\n");
    store.look_again().unwrap();
    assert!(store.resolve("abd").is_err(), "an id that another program removed");
}
