//! Ledgers that something went wrong with: what is healthy is shown, what would lose bytes is refused.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::harness::{BD, Env};
use crate::support::process::until_pausing;

const LINES: [&str; 3] = [
    r#"{"id":"bd-a","title":"First","status":"open","priority":2,"updated_at":"2026-01-02T09:00:00Z"}"#,
    r#"{"id":"bd-b","title":"Größe \"B\" \\","status":"open","priority":2,"labels":["x"],"n":-1.5e3}"#,
    r#"{"id":"bd-c","title":"日本","status":"open","priority":2,"deep":{"list":[true,null,{"a":1}]}}"#,
];

fn three() -> Vec<u8> {
    LINES.map(|line| format!("{line}\n")).concat().into_bytes()
}

/// All of these ids are shown, stderr names the places, and nothing was written by looking.
fn shows(env: &Env, ids: &[&str], warnings: &[&str]) {
    let before = env.ledger();
    let run = env.bd(["list", "--all", "--json", "--sort", "id"]).ok();
    assert_eq!(run.ids(), ids, "{}", run.snapshot());
    for warning in warnings {
        assert!(run.talk().contains(warning), "stderr lacks {warning:?}\n{}", run.snapshot());
    }
    if warnings.is_empty() {
        assert_eq!(run.stderr, "");
    }
    assert_eq!(env.ledger(), before);
}

/// A change outside of the damage succeeds and keeps every other line; filing succeeds too.
fn stays_writable(env: &Env) {
    let before = env.ledger();
    env.bd(["update", "bd-a", "--priority", "0"]).ok();
    let after = env.ledger();
    let lines = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let differing = lines(&before).iter().zip(lines(&after)).filter(|(old, new)| **old != *new).count();
    assert_eq!((lines(&before).len(), differing), (lines(&after).len(), 1));
    env.bd(["add", "One more", "--id", "bd-d"]).ok();
    assert_eq!(lines(&env.ledger()).len(), lines(&before).len() + 1);
}

fn is_read_only(env: &Env, texts: &[&str]) {
    let before = env.ledger();
    env.bd(["update", "bd-a", "--priority", "0"]).fails(8, texts);
    env.bd(["add", "One more"]).fails(8, texts);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_file_cut_anywhere() {
    let whole = three();
    let ends: Vec<usize> = (0..whole.len()).filter(|n| whole[*n] == b'\n').collect();
    let env = Env::new();
    for cut in ends[0] + 1..=whole.len() {
        env.put_ledger(&whole[..cut]);
        // The write of the round before is gone on purpose.
        let _ = std::fs::remove_dir_all(env.path(".beads/run"));
        let complete = ends.iter().filter(|end| cut >= **end).count();
        let healthy = ends.iter().any(|end| cut == *end || cut == *end + 1);
        let list = env.bd(["list", "--all", "--json", "--sort", "id"]).ok();
        assert_eq!(list.ids(), &["bd-a", "bd-b", "bd-c"][..complete], "cut at {cut}");
        let write = env.bd(["update", "bd-a", "--priority", "0"]);
        if healthy {
            assert_eq!((write.code, list.stderr.as_str()), (0, ""), "cut at {cut}");
            assert!(env.ledger().ends_with(b"\n"), "cut at {cut}");
            assert_eq!(env.bd(["list", "--json"]).ids().len(), complete, "cut at {cut}");
        } else {
            let place = format!("beads.jsonl:{}: the last line is cut off", complete + 1);
            assert!(list.stderr.contains(&place), "cut at {cut}: {}", list.snapshot());
            write.fails(8, &[&place, "restore the file from version control, or run `bd doctor --fix`"]);
            assert_eq!(env.ledger(), &whole[..cut], "cut at {cut}");
        }
    }
}

#[test]
fn a_fresh_torn_file_is_waited_for() {
    let env = Env::new();
    let whole = three();
    let (start, end) = whole.split_at(whole.len() - 9);
    // It is not waited for longer than two seconds: one who writes later than that shows nothing.
    let is_shown = (0..20).any(|_| {
        let written = Instant::now();
        std::fs::write(env.ledger_path(), start).unwrap();
        let mut file = std::fs::File::options().append(true).open(env.ledger_path()).unwrap();
        let mut command = env.bd_command(BD);
        let reader = command.args(["list", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        until_pausing(reader.id());
        std::io::Write::write_all(&mut file, end).unwrap();
        let in_time = written.elapsed() < Duration::from_secs(1);
        let output = reader.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        let rows = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
        let is_whole = output.status.success() && rows.as_array().map(Vec::len) == Some(3) && text.is_empty();
        assert!(is_whole || !in_time, "{rows} {text}");
        in_time
    });
    assert!(is_shown, "no round was quick enough");
}

#[test]
fn conflict_markers_of_git() {
    let env = Env::new();
    let [a, b, c] = LINES;
    env.put_ledger(format!("{a}\n<<<<<<< HEAD\n{b}\n=======\n{c}\n>>>>>>> feature\n"));
    conflicted(&env, &["beads.jsonl:2: conflict markers, to line 6"]);
}

#[test]
fn conflict_markers_of_diff3() {
    let env = Env::new();
    let [a, b, c] = LINES;
    env.put_ledger(format!("{a}\n<<<<<<< HEAD\n{b}\n||||||| 4f1d2c\n=======\n{c}\n>>>>>>> feature\n"));
    conflicted(&env, &["beads.jsonl:2: conflict markers, to line 7"]);
}

#[test]
fn conflict_markers_of_jj() {
    let env = Env::new();
    let [a, b, c] = LINES;
    env.put_ledger(format!(
        "{a}\n<<<<<<< conflict 1 of 1\n%%%%%%% diff from: base\n\\\\\\\\\\\\\\        to: side\n+{b}\n{b}\n+++++++ other\n{c}\n>>>>>>> conflict 1 of 1 ends\n"
    ));
    conflicted(&env, &["beads.jsonl:2: conflict markers, to line 9"]);
}

/// All three issues are shown; that outside of the region can be changed, nothing else.
fn conflicted(env: &Env, warnings: &[&str]) {
    shows(env, &["bd-a", "bd-b", "bd-c"], warnings);
    let before = env.ledger();
    let remedy = ["beads.jsonl:2: conflict markers", "run `bd resolve` to merge both sides"];
    env.bd(["update", "bd-b", "--priority", "0"]).fails(8, &remedy);
    env.bd(["add", "One more"]).fails(8, &remedy);
    env.bd(["label", "add", "bd-c", "x"]).fails(8, &remedy);
    assert_eq!(env.ledger(), before);
    env.bd(["update", "bd-a", "--priority", "0"]).ok();
    let text = String::from_utf8(before).unwrap();
    let (_, region) = text.split_once('\n').unwrap();
    assert!(env.ledger_text().ends_with(region));
}

#[test]
fn nul_bytes() {
    let env = Env::with_ledger([&three()[..], b"\0\0\0\0\0\0\0\0\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: contains NUL bytes"]);
    stays_writable(&env);
}

#[test]
fn a_tail_of_nul_bytes_is_a_torn_file() {
    let env = Env::with_ledger([&three()[..], &[0; 4096]].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: the last line is cut off (contains NUL bytes)"]);
    is_read_only(&env, &["beads.jsonl:4", "bd doctor --fix"]);
}

#[test]
fn a_byte_order_mark() {
    let env = Env::with_ledger([b"\xef\xbb\xbf", &three()[..]].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &[]);
    stays_writable(&env);
    assert!(env.ledger().starts_with(b"\xef\xbb\xbf{"));
}

#[test]
fn a_byte_order_mark_alone() {
    let env = Env::with_ledger(b"\xef\xbb\xbf");
    env.bd(["add", "One", "--id", "bd-one"]).ok();
    assert!(env.ledger().starts_with(b"\xef\xbb\xbf{\"id\":\"bd-one\""));
    env.put_ledger("\u{feff}");
    env.bd(["doctor", "--fix"]).ok();
    assert_eq!(env.ledger(), b"\n");
}

#[test]
fn carriage_returns() {
    let env = Env::with_ledger(LINES.map(|line| format!("{line}\r\n")).concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &[]);
    stays_writable(&env);
    assert!(env.ledger_text().lines().count() == 4 && env.ledger_text().matches("\r\n").count() == 4);
}

#[test]
fn invalid_utf8() {
    let env = Env::with_ledger([&three()[..], b"{\"id\":\"bd-z\",\"title\":\"caf\xe9\"}\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: not valid UTF-8"]);
    let before = env.ledger();
    env.bd(["update", "bd-z", "-p", "1"]).fails(3, &["bd-z"]);
    env.bd(["add", "x", "--id", "bd-z"]).fails(5, &["bd-z exists already"]);
    assert_eq!(env.ledger(), before);
    stays_writable(&env);
}

#[test]
fn duplicate_ids() {
    let newer = LINES[0].replace("First", "Newer").replace("2026-01-02", "2026-01-03");
    let env = Env::with_ledger([&three()[..], newer.as_bytes(), b"\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:1: bd-a is on 2 lines (1, 4)"]);
    assert_eq!(env.bd(["show", "bd-a", "--json"]).json()[0]["title"], "Newer");
    stays_writable(&env);
    assert!(env.ledger().starts_with(LINES[0].as_bytes()), "the older copy stays");
}

#[test]
fn duplicate_keys() {
    let env =
        Env::with_ledger([&three()[..], br#"{"id":"bd-z","status":"open","st\u0061tus":"closed"}"#, b"\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: duplicate key \"status\""]);
    stays_writable(&env);
}

#[test]
fn a_line_of_16_mib_and_one_byte() {
    let line = |bytes: usize| {
        let frame = r#"{"id":"bd-z","title":"Long","description":""}"#.len();
        format!(r#"{{"id":"bd-z","title":"Long","description":"{}"}}"#, "x".repeat(bytes - frame))
    };
    let env = Env::with_ledger([&three()[..], line((16 << 20) + 1).as_bytes(), b"\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: longer than 16 MiB"]);
    stays_writable(&env);
    let env = Env::with_ledger([&three()[..], line(16 << 20).as_bytes(), b"\n"].concat());
    let before = env.ledger();
    assert_eq!(env.bd(["count"]).ok().stdout, "4\n");
    env.bd(["note", "bd-z", "too much"]).fails(2, &["bd-z", "16 MiB"]);
    assert_eq!(env.ledger(), before);
}

#[test]
fn a_hundred_thousand_levels() {
    let deep = format!(r#"{{"id":"bd-z","x":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let open = format!(r#"{{"id":"bd-y","x":{}"#, "{\"a\":".repeat(100_000));
    let env = Env::with_ledger([&three()[..], open.as_bytes(), b"\n", deep.as_bytes(), b"\n"].concat());
    shows(&env, &["bd-a", "bd-b", "bd-c"], &["beads.jsonl:4: nested deeper", "beads.jsonl:5: nested deeper"]);
    env.bd(["doctor"]).fails(8, &[]);
    stays_writable(&env);
}

#[test]
fn both_ledgers_at_once() {
    let env = Env::with_ledger(three());
    env.write(".beads/issues.jsonl", "{\"id\":\"bd-other\",\"title\":\"Other\"}\n");
    assert_eq!(env.bd(["list", "--json", "--sort", "id"]).ok().ids(), ["bd-a", "bd-b", "bd-c", "bd-other"]);
    is_read_only(&env, &["two ledgers, beads.jsonl and issues.jsonl", "bd doctor --fix"]);
}
