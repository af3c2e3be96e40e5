//! Several repos, call by call: what a read sees while an issue moves, what a write touches, and what a kill leaves of a
//! move and of an edit of the settings.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::concurrency::sandbox::{Issues, Sandbox, describe};
use crate::support::effort::is_full;
use crate::support::wait::until;
use crate::trace::faults::inject;
use crate::trace::reads::listing;
use crate::trace::strace::{self, Call};

const SIGKILL: i32 = 9;

fn line(id: &str, label: &str) -> String {
    format!(
        "{{\"id\":\"{id}\",\"title\":\"Issue {id}\",\"status\":\"open\",\"priority\":2,\"labels\":[\"{label}\"],\"odd\": \"\\u00e9\\/\"}}\n"
    )
}

fn still(prefix: &str) -> String {
    (0..5).map(|n| line(&format!("{prefix}-{n}"), "stays")).collect()
}

/// The lines that are to move.
fn moving() -> Vec<String> {
    ["m-0", "m-1", "m-2"].map(|id| line(id, "moves")).to_vec()
}

/// An issue leaves a ledger that is read later for one that was read before: it must not be in neither.
#[test]
fn an_issue_that_moves_while_the_files_are_read_is_found() {
    if strace::is_missing() {
        return;
    }
    for args in [&["show", "m-0"][..], &["list", "--json"], &["note", "m-0", "seen"]] {
        let sandbox = Sandbox::new();
        let other = sandbox.join(&["other"]).remove(0);
        fs::write(sandbox.ledger(), still("a")).unwrap();
        fs::write(&other, still("b") + &line("m-0", "moves")).unwrap();
        let plain = strace::run(&sandbox, &[], &["show", "a-0"]);
        let place = format!("{}>, \"beads.jsonl\"", other.parent().unwrap().display());
        let opens = plain.calls.iter().find(|call| call.name.starts_with("open") && call.mentions(&place)).unwrap();
        // A round in which the reader went on before the move was over shows nothing; the next one has more time.
        let shown = [600, 2_400, 9_600, 38_400].into_iter().any(|held: u64| {
            let delay = format!("delay_enter={}", held * 1_000);
            let mut running = strace::start(&sandbox, &inject(opens, &delay), args);
            // The file before that one is open, or was.
            until("bd is held", || running.log().contains("beads.jsonl") || running.is_over());
            sandbox.ok(&["migrate", "--move-to", ".", "--filter", "id=m-0"]);
            assert!(!fs::read_to_string(&other).unwrap().contains("m-0"));
            let in_time = !running.log().contains("DELAYED");
            let output = running.finish();
            assert!(output.status.success(), "bd {}: {}", args.join(" "), describe(&output));
            assert!(String::from_utf8_lossy(&output.stdout).contains("m-0"), "bd {}", args.join(" "));
            sandbox.ok(&["migrate", "--move-to", "../other", "--filter", "id=m-0"]);
            in_time
        });
        assert!(shown, "bd {}: never held for long enough", args.join(" "));
    }
}

/// `bd` opens nothing for writing in a repo that does not own the issue, and changes nothing there.
#[test]
fn a_write_in_one_repo_touches_no_file_of_the_others() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::new();
    let ledgers: Vec<PathBuf> = [vec![sandbox.ledger()], sandbox.join(&["one", "two"])].concat();
    let root = |n: usize| ledgers[n].parent().unwrap().parent().unwrap().to_owned();
    for (n, ledger) in ledgers.iter().enumerate() {
        fs::write(ledger, still(["a", "b", "c"][n])).unwrap();
    }
    let commands: [(usize, &[&str]); 10] = [
        (0, &["update", "a-0", "--priority", "1"]),
        (1, &["note", "b-0", "text"]),
        (2, &["close", "c-0"]),
        (1, &["label", "add", "b-1", "x"]),
        (2, &["comment", "c-1", "text"]),
        (0, &["add", "New"]),
        (1, &["add", "New", "--repo", "../one"]),
        (2, &["dep", "add", "c-2", "a-1"]),
        (1, &["dep", "add", "b-2", "c-2", "--type", "related"]),
        (0, &["dep", "add", "a-2", "b-2", "--type", "discovered-from"]),
    ];
    for (owner, args) in commands {
        let before: Vec<_> = (0..3).map(|n| (listing(&root(n)), fs::read(&ledgers[n]).unwrap())).collect();
        let trace = strace::run(&sandbox, &[], args);
        assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
        for n in 0..3 {
            let after = (listing(&root(n)), fs::read(&ledgers[n]).unwrap());
            assert_eq!(after == before[n], n != owner, "bd {}: repo {n}", args.join(" "));
            let path = format!("{}/", root(n).display());
            let touches = |call: &Call| match call.name.as_str() {
                "open" | "openat" | "openat2" => {
                    ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TMPFILE"].iter().any(|flag| call.args.contains(flag))
                }
                "write" | "writev" | "fsync" | "renameat2" | "renameat" | "rename" | "unlinkat" | "linkat"
                | "fchmod" => true,
                _ => false,
            };
            let touched = trace.calls.iter().find(|call| call.mentions(&path) && touches(call));
            assert_eq!(touched.is_some(), n == owner, "bd {}: {:?}", args.join(" "), touched.map(|c| c.text()));
        }
    }
    println!("one owner: {} commands over 3 repos, 0 files of another repo touched", commands.len());
}

/// The call may change something: between two of these every kill leaves the same. The short form has only these.
fn changes(call: &Call) -> bool {
    let names =
        ["write", "writev", "fsync", "ftruncate", "fchmod", "flock", "mkdir", "linkat", "unlinkat", "renameat2"];
    let opens = call.name == "openat" && !call.args.contains("O_RDONLY");
    opens || names.contains(&call.name.as_str())
}

/// Where the issues that move are, with their bytes; the other lines must be as they were.
fn whereabouts(at: &str, path: &Path, others: &str) -> BTreeSet<String> {
    let bytes = fs::read(path).unwrap();
    Issues::parse(&bytes).unwrap_or_else(|problem| panic!("{at}: {}: {problem}", path.display()));
    let text = String::from_utf8(bytes).unwrap();
    let (moving, rest): (Vec<&str>, Vec<&str>) =
        text.split_inclusive('\n').partition(|line| line.contains("\"id\":\"m-"));
    assert!(rest.concat() == others, "{at}: another line of {} changed", path.display());
    moving.into_iter().map(str::to_owned).collect()
}

#[test]
fn a_kill_at_any_call_of_a_move_loses_nothing_and_doing_it_again_finishes_it() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::new();
    let other = sandbox.join(&["other"]).remove(0);
    let all: BTreeSet<String> = moving().into_iter().collect();
    let (mut kills, mut unreached, mut fates) = (0, 0, [0; 3]);
    // Out of the primary, and into it: the order of the locks is that of the paths, the order of the writes is not.
    for to in if is_full() { &["../other", "."][..] } else { &["../other"] } {
        let (source, target) = if *to == "." { (&other, &sandbox.ledger()) } else { (&sandbox.ledger(), &other) };
        let reset = || {
            fs::write(source, still("a") + &moving().concat() + &still("z")).unwrap();
            fs::write(target, still("b")).unwrap();
        };
        let args = ["migrate", "--move-to", to, "--filter", "label=moves"];
        // The first move marks both state homes as this user's, and no later one does.
        reset();
        assert!(sandbox.run(&args).status.success());
        reset();
        let plain = strace::run(&sandbox, &[], &args);
        assert!(plain.output.status.success(), "{}", describe(&plain.output));
        let flock = plain.calls.iter().position(|call| call.name == "flock").unwrap();
        let from = if is_full() { plain.first_look(&sandbox) } else { flock };
        for call in plain.calls[from..].iter().filter(|call| is_full() || changes(call)) {
            reset();
            let trace = strace::run(&sandbox, &inject(call, "signal=KILL"), &args);
            let at = format!("move to {to}, killed at {}: {}", call.text(), describe(&trace.output));
            if trace.output.status.signal() != Some(SIGKILL) {
                // How often a young file is looked at depends on the moment: the last call of a name may not come.
                assert!(trace.output.status.success(), "{at}");
                unreached += 1;
                continue;
            }
            let left = whereabouts(&at, source, &(still("a") + &still("z")));
            let arrived = whereabouts(&at, target, &still("b"));
            assert_eq!(&left | &arrived, all, "{at}: an issue is lost or changed");
            if !trace.output.stdout.is_empty() {
                assert_eq!((left.len(), arrived.len()), (0, 3), "{at}: success was said");
            }
            kills += 1;
            fates[usize::from(!arrived.is_empty()) + usize::from(left.is_empty())] += 1;
            let listed: Value = serde_json::from_str(&sandbox.ok(&["list", "--json"])).unwrap();
            let rows = listed.as_array().unwrap().iter().filter(|row| row["id"].as_str().unwrap().starts_with("m-"));
            assert_eq!(rows.count(), 3, "{at}: two copies are one issue meanwhile");
            let again = sandbox.run(&args);
            assert!(again.status.success(), "{at}, again: {}", describe(&again));
            let (left, arrived) =
                (whereabouts(&at, source, &(still("a") + &still("z"))), whereabouts(&at, target, &still("b")));
            assert_eq!((left, arrived), (BTreeSet::new(), all.clone()), "{at}, again");
        }
    }
    println!(
        "kills of a move: {kills} kills; {} left all in the source, {} in both, {} in the target; finished by the same command \
         in {kills} of {kills}",
        fates[0], fates[1], fates[2]
    );
    assert!(unreached <= kills / 10, "{unreached} calls were not reached");
    assert!(fates.iter().all(|count| *count > 0), "{fates:?}");
}

#[test]
fn a_kill_at_any_call_of_an_edit_of_the_settings_leaves_the_old_or_the_new_ones() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::new();
    let planning = sandbox.join(&["planning"]).remove(0);
    fs::write(&planning, still("p")).unwrap();
    fs::write(sandbox.ledger(), still("a")).unwrap();
    fs::remove_file(sandbox.home().join("config/beads/config.toml")).unwrap();
    let shared = sandbox.beads().join("config.toml");
    let personal = sandbox.repo().join(".git/beads/config.toml");
    let trust = sandbox.home().join("state/beads/trust.jsonl");
    let first = fs::read(&shared).unwrap();
    let reset = || {
        fs::write(&shared, &first).unwrap();
        // With their directories: every run makes the same calls.
        for file in [&personal, &trust] {
            let _ = fs::remove_dir_all(file.parent().unwrap());
        }
    };
    let read = || [&shared, &personal, &trust].map(|path| fs::read(path).unwrap_or_default());
    let (mut kills, mut unreached) = (0, 0);
    let (mut old, mut new, mut between) = (0, 0, 0);
    for routing in if is_full() { &["explicit", "contributor"][..] } else { &["explicit"] } {
        let args = ["config", "--add-repo", "../planning", "--routing", routing];
        sandbox.ok(&args);
        reset();
        let plain = strace::run(&sandbox, &[], &args);
        assert!(plain.output.status.success(), "{}", describe(&plain.output));
        let (before, after) = ([first.clone(), Vec::new(), Vec::new()], read());
        assert_ne!(before, after);
        let added = |text: &str| text.contains("p-0");
        assert!(added(&sandbox.ok(&["list"])), "the repo is joined");
        reset();
        let flock = plain.calls.iter().position(|call| call.name == "flock").unwrap();
        let from = if is_full() { plain.first_look(&sandbox) } else { flock };
        for call in plain.calls[from..].iter().filter(|call| is_full() || changes(call)) {
            reset();
            let trace = strace::run(&sandbox, &inject(call, "signal=KILL"), &args);
            let at = format!("--routing {routing}, killed at {}: {}", call.text(), describe(&trace.output));
            if trace.output.status.signal() != Some(SIGKILL) {
                // How often a young file is looked at depends on the moment: the last call of a name may not come.
                assert!(trace.output.status.success(), "{at}");
                unreached += 1;
                continue;
            }
            let now = read();
            for n in 0..3 {
                assert!(now[n] == before[n] || now[n] == after[n], "{at}: neither the old nor the new file: {n}");
            }
            kills += 1;
            match () {
                () if now == before => old += 1,
                () if now == after => new += 1,
                () => between += 1,
            }
            let again = sandbox.run(&args);
            assert!(again.status.success(), "{at}, again: {}", describe(&again));
            assert_eq!(read().map(text), after.clone().map(text), "{at}, again");
            assert!(added(&sandbox.ok(&["list"])), "{at}, again: the repo is not joined");
            let mut left = sandbox.leftovers();
            left.retain(|name| name != "run");
            assert_eq!(left, [""; 0], "{at}");
        }
    }
    assert_eq!(fs::read_to_string(&planning).unwrap(), still("p"));
    assert_eq!(fs::read_to_string(sandbox.ledger()).unwrap(), still("a"));
    println!(
        "kills of an edit of the settings: {kills} kills; {old} left the old ones, {new} the new, {between} a step between"
    );
    assert!(unreached <= kills / 10, "{unreached} calls were not reached");
    assert!(old > 0 && new > 0);
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// An edit by another program after the line was read for the move is not removed with the line.
#[test]
fn a_line_that_is_edited_while_it_moves_stays_until_the_edit_has_moved_too() {
    if strace::is_missing() {
        return;
    }
    // A round in which bd went on before the edit was made shows nothing; the next one has more time.
    let shown = [300, 1_200, 4_800, 19_200, 76_800].into_iter().any(|held: u64| edited_while_it_moves(held).is_some());
    assert!(shown, "bd was never held for long enough");
}

/// Holds `bd` for so many milliseconds. `None` if that was too short.
fn edited_while_it_moves(held: u64) -> Option<()> {
    let sandbox = Sandbox::new();
    let other = sandbox.join(&["other"]).remove(0);
    fs::write(sandbox.ledger(), still("a") + &moving().concat()).unwrap();
    fs::write(&other, still("b")).unwrap();
    let args = ["migrate", "--move-to", "../other", "--filter", "label=moves"];
    // Held before the target is replaced: the lines have been read, and nothing has been written.
    let options = ["-e".to_owned(), format!("inject=renameat2:delay_enter={}:when=1", held * 1_000)];
    let mut running = strace::start(&sandbox, &options, &args);
    let is_temporary = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with(".bd-tmp-");
    let waits = || fs::read_dir(other.parent().unwrap()).unwrap().any(|entry| entry.is_ok_and(is_temporary));
    until("the new file has a name", || waits() || running.is_over());
    let text = fs::read_to_string(sandbox.ledger()).unwrap();
    let beside = sandbox.repo().join("foreign");
    fs::write(&beside, text.replace("Issue m-1", "Edited by hand")).unwrap();
    fs::rename(&beside, sandbox.ledger()).unwrap();
    if fs::read_to_string(&other).unwrap().contains("m-1") {
        return None;
    }
    let output = running.finish();
    assert!(!output.status.success(), "{}", describe(&output));
    let (left, arrived) = (fs::read_to_string(sandbox.ledger()).unwrap(), fs::read_to_string(&other).unwrap());
    assert!(left.contains("Edited by hand") && !left.contains("m-0") && !left.contains("m-2"), "{left}");
    assert!(["m-0", "m-1", "m-2"].iter().all(|id| arrived.contains(id)), "{arrived}");
    sandbox.ok(&args);
    assert_eq!(fs::read_to_string(sandbox.ledger()).unwrap(), still("a"));
    assert!(fs::read_to_string(&other).unwrap().contains("Edited by hand"), "the edit came along");
    Issues::read(&other);
    Some(())
}

/// The locks of several repos are taken in the order of their paths, whatever the order of the arguments. The locks of
/// the journals come after all of them.
#[test]
fn locks_are_taken_in_the_order_of_the_paths() {
    if strace::is_missing() {
        return;
    }
    let sandbox = Sandbox::new();
    let others = sandbox.join(&["other", "z-last"]);
    fs::write(sandbox.ledger(), still("a") + &moving().concat()).unwrap();
    fs::write(&others[0], still("b")).unwrap();
    fs::write(&others[1], still("c")).unwrap();
    let commands: [(usize, &[&str]); 7] = [
        (2, &["update", "a-0", "b-0", "--add-label", "one"]),
        (2, &["update", "b-0", "a-0", "--add-label", "two"]),
        (3, &["close", "c-0", "a-1", "b-1"]),
        (2, &["migrate", "--move-to", "../other", "--filter", "label=moves"]),
        (2, &["migrate", "--move-to", ".", "--filter", "label=moves"]),
        (2, &["migrate", "--move-to", "../z-last", "--filter", "label=moves"]),
        (3, &["dep", "add", "c-1", "a-2"]),
    ];
    for (count, args) in commands {
        let trace = strace::run(&sandbox, &[], args);
        assert!(trace.output.status.success(), "bd {}: {}", args.join(" "), describe(&trace.output));
        let locks = trace.calls.iter().filter(|call| call.name == "flock" && call.args.contains("LOCK_EX"));
        let path = |call: &Call| call.args.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
        let taken: Vec<String> = locks.filter(|call| call.succeeded()).map(path).collect();
        let (ledgers, journals) = taken.split_at(count.min(taken.len()));
        let ordered =
            ledgers.len() == count && ledgers.is_sorted() && ledgers.iter().all(|path| path.ends_with("/.beads"));
        // The user's list of marks is the last one, and held by itself.
        let after =
            journals.iter().all(|path| ["/.git/beads", "/home/state/beads"].iter().any(|end| path.ends_with(end)));
        assert!(ordered && after, "bd {}: {taken:?}", args.join(" "));
    }
}
