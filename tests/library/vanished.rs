//! Proves that a reader never mistakes a file that is being rewritten for one without issues.
//!
//! git replaces a file by unlink, create and write. A reader may have to wait, or may get an error that the ledger is
//! missing; it never gets an answer with issues missing.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use beads::internal::cache::Sort;
use beads::internal::model::query::Expr;
use beads::internal::store::Store;

use crate::library::scratch::{Scratch, options};
use crate::support::programs::have;
use crate::support::user::User;
use crate::support::wait::PATIENCE;

const COUNT: usize = 300;

/// Lines of uneven length, so that no cut by blocks or halves falls between two of them.
fn ledger(word: &str) -> String {
    let padding = |n: usize| "x".repeat(37 + n % 23);
    let line = |n| format!("{{\"id\":\"t-{n:03}\",\"title\":\"{word}\",\"notes\":\"{}\"}}\n", padding(n));
    let text: String = (0..COUNT).map(line).collect();
    let cuts = (4096..text.len()).step_by(4096).chain([text.len() / 2]);
    assert!(cuts.into_iter().all(|at| text.as_bytes()[at - 1] != b'\n'), "a cut would look like a whole file");
    text
}

fn git(root: &Path, args: &[&str]) {
    User::at(root).named("t").git(root, args);
}

/// A repository with the ledger committed; `None` without git.
fn committed() -> Option<Scratch> {
    if !have(&["git"]) {
        return None;
    }
    let scratch = Scratch::with(ledger("first"));
    let steps: [&[&str]; 3] = [&["init", "-q", "-b", "main"], &["add", ".beads"], &["commit", "-q", "-m", "ledger"]];
    steps.iter().for_each(|args| git(scratch.root(), args));
    Some(scratch)
}

/// Two readers, one long-lived and one that opens a new store each time, beside a program that rewrites the ledger in
/// rounds. Goes on until both have had many full answers; a short one fails the test.
fn read_beside(scratch: &Scratch, rounds: usize, mut rewrite: impl FnMut(usize)) {
    const ENOUGH: usize = 50;
    let over = AtomicBool::new(false);
    let full = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let root = scratch.root();
    thread::scope(|scope| {
        let reader = |fresh: bool, full| {
            let over = &over;
            move || {
                let open = || Store::open_with(options(root, root)).expect("a store");
                let mut store = open();
                while !over.load(Ordering::Relaxed) {
                    if fresh {
                        store = open();
                    }
                    match store.list(&Expr::ALL, Sort::default(), None).map(|page| page.rows.len()) {
                        Ok(COUNT) => drop(AtomicUsize::fetch_add(full, 1, Ordering::Relaxed)),
                        Ok(fewer) => panic!("{fewer} of {COUNT} issues (fresh store: {fresh})"),
                        Err(_) => {}
                    }
                }
            }
        };
        let readers = [scope.spawn(reader(false, &full[0])), scope.spawn(reader(true, &full[1]))];
        let start = Instant::now();
        for round in 0.. {
            rewrite(round);
            let many = full.iter().all(|full| full.load(Ordering::Relaxed) > ENOUGH);
            let failed = readers.iter().any(|reader| reader.is_finished());
            if failed || (many && round > rounds) || start.elapsed() > PATIENCE {
                break;
            }
        }
        over.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().expect("a reader that met only whole ledgers");
        }
    });
    assert!(full.iter().all(|full| full.load(Ordering::Relaxed) > ENOUGH), "too few full answers: {full:?}");
}

#[test]
fn a_reader_beside_unlink_create_write_gets_all_or_an_error() {
    let Some(scratch) = committed() else { return };
    let path = scratch.ledger();
    let texts = [ledger("second"), ledger("third")];
    let breath = || thread::sleep(Duration::from_micros(300));
    read_beside(&scratch, 500, |round| {
        let (head, tail) = texts[round % 2].split_at(texts[round % 2].len() / 2);
        fs::remove_file(&path).expect("an unlink");
        breath();
        let mut file = File::create(&path).expect("a new file");
        breath();
        file.write_all(head.as_bytes()).expect("the first half");
        breath();
        file.write_all(tail.as_bytes()).expect("the second half");
        drop(file);
        thread::sleep(Duration::from_millis(3));
    });
}

#[test]
fn a_reader_beside_git_checkout_gets_all_or_an_error() {
    let Some(scratch) = committed() else { return };
    let root = scratch.root();
    git(root, &["checkout", "-q", "-b", "other"]);
    fs::write(scratch.ledger(), ledger("of another branch")).expect("a ledger");
    git(root, &["commit", "-q", "-a", "-m", "other"]);
    read_beside(&scratch, 60, |round| {
        git(root, &["checkout", "-q", ["main", "other"][round % 2]]);
    });
}

#[test]
fn a_committed_ledger_that_is_gone_is_an_error() {
    let Some(scratch) = committed() else { return };
    let mut known = scratch.open();
    known.refresh().expect("a first read");
    for gone in [true, false] {
        if gone {
            fs::remove_file(scratch.ledger()).expect("an unlink");
        } else {
            fs::write(scratch.ledger(), "").expect("an emptied file");
        }
        // Each of them waits for the file, so they wait together.
        let mut fresh = scratch.open();
        thread::scope(|scope| {
            for (name, store) in [("a fresh store", &mut fresh), ("a store that knew the issues", &mut known)] {
                scope.spawn(move || {
                    let answer = store.refresh().and_then(|_| store.list(&Expr::ALL, Sort::default(), None));
                    assert!(answer.is_err(), "{name}: {answer:?}");
                });
            }
        });
    }
    fs::write(scratch.ledger(), ledger("back")).expect("the file again");
    known.look_again().expect("a look");
    assert_eq!(known.list(&Expr::ALL, Sort::default(), None).expect("an answer").total, COUNT);
}
