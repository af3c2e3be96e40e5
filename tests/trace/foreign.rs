//! Actions of another program in the narrowest moments of a write. strace holds `bd` at a chosen call meanwhile, so
//! these races happen every time. A round in which `bd` continued before the other program had acted shows nothing: it
//! is repeated with more time.

use std::fs;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::concurrency::sandbox::{Issues, Sandbox, created, describe};
use crate::support::wait::until;
use crate::trace::strace::{self, Running};

/// How long `bd` is held, at first.
const HELD: Duration = Duration::from_millis(250);
const ROUNDS: u32 = 6;

/// Tells a story in rounds until one of them was in time.
fn in_time(story: impl Fn(Duration) -> Option<()>) {
    if strace::is_missing() {
        return;
    }
    let shown = (0..ROUNDS).any(|round| story(HELD * 3_u32.pow(round)).is_some());
    assert!(shown, "bd went on too soon in all of {ROUNDS} rounds");
}

/// A repo with five issues, and `bd add` that is held at each rename (`delay_enter`) or after it (`delay_exit`).
fn held(when: &str, time: Duration) -> (Sandbox, Running) {
    let sandbox = Sandbox::on_disk().filled(5);
    sandbox.git(&["add", "."]);
    sandbox.git(&["commit", "-q", "-m", "seed"]);
    let options = ["-e".to_owned(), format!("inject=renameat2:{when}={}", time.as_micros())];
    let running = strace::start(&sandbox, &options, &["add", "Ours"]);
    (sandbox, running)
}

/// Held at the first rename: the new file has a name then.
fn held_at_rename(time: Duration) -> Option<(Sandbox, Running)> {
    let (sandbox, mut running) = held("delay_enter", time);
    until("the new file has a name", || temporary(&sandbox).is_some() || running.is_over());
    (!running.is_over()).then_some((sandbox, running))
}

fn temporary(sandbox: &Sandbox) -> Option<PathBuf> {
    sandbox.leftovers().into_iter().find(|name| name.starts_with(".bd-tmp-")).map(|name| sandbox.beads().join(name))
}

/// Puts a version with one more line in the ledger's place, as an editor or a sync tool does. Gives what it had read, if that is
/// what it displaced.
fn replace_ledger(sandbox: &Sandbox, id: &str) -> Option<String> {
    let beside = sandbox.repo().join("foreign");
    let read = fs::read_to_string(sandbox.ledger()).unwrap();
    fs::write(&beside, with_line(&read, id)).unwrap();
    renameat_with(CWD, &beside, CWD, sandbox.ledger(), RenameFlags::EXCHANGE).unwrap();
    (fs::read_to_string(&beside).unwrap() == read).then_some(read)
}

fn with_line(text: &str, id: &str) -> String {
    format!("{text}{{\"id\":\"{id}\",\"title\":\"Foreign\"}}\n")
}

/// `bd` succeeded, and both its issue and the foreign ones exist.
fn expect_all(sandbox: &Sandbox, running: Running, foreign: &[&str]) {
    expect_present(sandbox, running, foreign);
    assert_eq!(sandbox.leftovers(), [""; 0]);
}

fn expect_present(sandbox: &Sandbox, running: Running, foreign: &[&str]) {
    let output = running.finish();
    let ours = created(&output.stdout).unwrap_or_else(|| panic!("{}", describe(&output)));
    let issues = Issues::read(&sandbox.ledger());
    for id in foreign.iter().copied().chain([ours.as_str()]) {
        assert!(issues.ids().contains(&id), "{id} is lost");
    }
    assert_eq!(issues.ids().iter().filter(|id| id.starts_with("s-")).count(), 5);
}

/// Whether the ledger contains `bd`'s write.
fn has_ours(sandbox: &Sandbox) -> bool {
    fs::read_to_string(sandbox.ledger()).is_ok_and(|text| text.contains("Ours"))
}

#[test]
fn a_ledger_replaced_just_before_the_rename_is_kept() {
    in_time(|time| {
        let (sandbox, running) = held_at_rename(time)?;
        replace_ledger(&sandbox, "z-1").filter(|read| !read.contains("Ours"))?;
        expect_all(&sandbox, running, &["z-1"]);
        Some(())
    });
}

#[test]
fn a_ledger_rewritten_in_place_just_before_the_rename_is_kept() {
    in_time(|time| {
        let (sandbox, running) = held_at_rename(time)?;
        // The very file that bd has read, whatever its name is by now: in a round that is late nothing of bd is overwritten.
        let mut ledger = fs::File::options().read(true).write(true).open(sandbox.ledger()).unwrap();
        let mut text = String::new();
        ledger.read_to_string(&mut text).unwrap();
        if text.contains("Ours") {
            return None;
        }
        ledger.set_len(0).unwrap();
        ledger.rewind().unwrap();
        ledger.write_all(with_line(&text, "z-1").as_bytes()).unwrap();
        if has_ours(&sandbox) {
            return None;
        }
        expect_all(&sandbox, running, &["z-1"]);
        Some(())
    });
}

#[test]
fn a_ledger_replaced_while_an_earlier_one_is_put_back_is_kept() {
    in_time(|time| {
        let (sandbox, mut running) = held_at_rename(time)?;
        replace_ledger(&sandbox, "z-1").filter(|read| !read.contains("Ours"))?;
        // Ours is in place for a moment, and theirs under the temporary name: bd is held at the rename that puts it back.
        until("ours is in place", || has_ours(&sandbox) || running.is_over());
        replace_ledger(&sandbox, "z-2").filter(|read| read.contains("Ours") && !read.contains("z-1"))?;
        expect_present(&sandbox, running, &["z-2"]);
        // The second version was made from ours and knows nothing of the first: that one must be kept somewhere.
        let beside = sandbox.leftovers().into_iter().map(|name| sandbox.beads().join(name)).chain([sandbox.ledger()]);
        let kept: Vec<PathBuf> = beside.filter(|path| fs::read_to_string(path).unwrap().contains("z-1")).collect();
        assert!(!kept.is_empty(), "z-1 is lost");
        sandbox.add("The next write");
        assert!(kept.iter().all(|path| path.exists()), "the next write removes the only copy");
        Some(())
    });
}

/// git replaces a file by removing it and writing a new one.
#[test]
fn a_ledger_that_is_away_for_a_moment_is_waited_for() {
    in_time(|time| {
        let (sandbox, mut running) = held_at_rename(time)?;
        let aside = sandbox.repo().join("aside");
        fs::rename(sandbox.ledger(), &aside).unwrap();
        let text = fs::read_to_string(&aside).unwrap();
        if text.contains("Ours") {
            return None;
        }
        until("bd sees that it is gone", || temporary(&sandbox).is_none() || running.is_over());
        // bd waits for it two seconds at most.
        let waited = !running.is_over();
        fs::write(sandbox.ledger(), with_line(&text, "z-1")).unwrap();
        if !waited || running.gave_up() {
            return None;
        }
        expect_all(&sandbox, running, &["z-1"]);
        Some(())
    });
}

#[test]
fn a_temporary_file_cleaned_away_before_the_rename_costs_nothing() {
    in_time(|time| {
        let (sandbox, running) = held_at_rename(time)?;
        let file = temporary(&sandbox)?;
        let aside = sandbox.repo().join("aside");
        let taken = fs::rename(&file, &aside).is_ok();
        // The removed file was bd's new one, not one that it had already replaced.
        let in_time = taken && fs::read_to_string(&aside).unwrap().contains("Ours");
        expect_all(&sandbox, running, &[]);
        in_time.then_some(())
    });
}

#[test]
fn a_displaced_ledger_cleaned_away_after_the_rename_costs_nothing() {
    in_time(|time| {
        let (sandbox, mut running) = held("delay_exit", time);
        until("ours is in place", || has_ours(&sandbox) || running.is_over());
        let taken = temporary(&sandbox).is_some_and(|file| fs::remove_file(file).is_ok());
        expect_all(&sandbox, running, &[]);
        taken.then_some(())
    });
}
