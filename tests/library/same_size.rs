//! Proves that a long-lived reader sees every edit that keeps the size of the file, however its times are set.

use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::{Duration, SystemTime};

use crate::library::scratch::Scratch;

/// Readers at the same time, and the edits that each of them sees.
const READERS: usize = 8;
const EDITS: usize = 250;

fn text(edit: usize) -> String {
    format!(
        "{{\"id\":\"t-1\",\"title\":\"edit {edit:06}\",\"status\":\"open\"}}\n{{\"id\":\"t-2\",\"title\":\"other\"}}\n"
    )
}

fn set_modified(scratch: &Scratch, time: SystemTime) {
    let file = File::options().write(true).open(scratch.ledger()).expect("the ledger");
    file.set_modified(time).expect("a modification time");
}

/// Overwrites the bytes that differ and nothing else: same file, same size.
fn in_place(scratch: &Scratch, edit: usize) {
    let bytes = text(edit);
    let at = bytes.find("edit").expect("a title");
    let mut file = File::options().write(true).open(scratch.ledger()).expect("the ledger");
    file.seek(SeekFrom::Start(at as u64)).expect("a place");
    file.write_all(&bytes.as_bytes()[at..at + 11]).expect("a write");
}

#[test]
fn no_edit_goes_unseen() {
    let readers: Vec<_> = (0..READERS).map(|_| std::thread::spawn(see_all_edits)).collect();
    readers.into_iter().for_each(|reader| reader.join().expect("a reader that sees every edit"));
}

fn see_all_edits() {
    let scratch = Scratch::with(text(0));
    let mut store = scratch.open();
    let long_ago = SystemTime::now() - Duration::from_secs(86_400);
    set_modified(&scratch, long_ago);
    let mut stale = Vec::new();
    for edit in 1..=EDITS {
        let size = fs::metadata(scratch.ledger()).expect("a size").len();
        // Several in a row that leave the file, its size and its modification time as they were: only ctime tells.
        match edit % 7 {
            0 => in_place(&scratch, edit),
            1 => scratch.swap_in(text(edit)),
            2 | 5 => {
                scratch.swap_in(text(edit));
                set_modified(&scratch, long_ago);
            }
            _ => {
                in_place(&scratch, edit);
                set_modified(&scratch, long_ago);
            }
        }
        assert_eq!(fs::metadata(scratch.ledger()).expect("a size").len(), size, "the test keeps the size");
        store.look_again().expect("a look");
        let row = store.get("t-1").expect("an answer").expect("the issue");
        if row.issue.title != format!("edit {edit:06}") {
            stale.push((edit, row.issue.title));
        }
        // Now and then the reader comes to trust its stamp, and the next edit has to break that trust.
        if edit % 25 == 0 {
            std::thread::sleep(Duration::from_millis(60));
            store.refresh().expect("a refresh");
        }
    }
    assert_eq!(stale, [], "stale answers of {EDITS}");
}

#[test]
fn a_time_in_the_future_proves_nothing() {
    let scratch = Scratch::with(text(0));
    let mut store = scratch.open();
    let ahead = SystemTime::now() + Duration::from_secs(3_600);
    for edit in 1..=200 {
        in_place(&scratch, edit);
        set_modified(&scratch, ahead);
        store.look_again().expect("a look");
        let row = store.get("t-1").expect("an answer").expect("the issue");
        assert_eq!(row.issue.title, format!("edit {edit:06}"));
    }
}
