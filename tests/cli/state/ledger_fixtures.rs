//! Every ledger of `fixtures/`: all healthy issues are shown, and one edit changes one line and nothing else.
//!
//! The table is written by hand, like the one in `fixtures/README.md`: the program under test must not compute its own
//! expected output.

use std::path::{Path, PathBuf};

use crate::support::harness::Env;

/// File, the ids that must be shown (the first is edited), and the line of the first.
const CASES: &[(&str, &str, usize)] = &[
    ("valid/comments", "bd-0q9w8e7r|bd-1w2e3r4t", 1),
    ("valid/dependency-types", "bd-b10c4d5e|bd-c21d5e6f|bd-d32e6f7g|bd-e43f7g8h|bd-f54g8h9i|bd-g65h9i0j", 1),
    ("valid/empty", "", 0),
    ("valid/hierarchical-ids", "bd-a3f8|bd-a3f8.1|bd-a3f8.1.2|bd-a3f8.10|bd-a3f8.2", 1),
    ("valid/memory-lines", "bd-4m1c8x2d|bd-7t9b3e5f", 1),
    ("valid/non-ascii-text", "bd-2r7k1v8n|bd-8n4j6t0c|bd-9s5l7u1d", 1),
    ("valid/offsets-and-fractions", "bd-01|bd-02|bd-03|bd-04|bd-05|bd-06", 1),
    ("valid/open-sets", "bd-3d0fa11b|bd-4e1gb22c|bd-5f2hc33d|bd-6g3id44e", 1),
    ("valid/prefix-with-spaces", "Home Lab-3k9|Home Lab-x71|Q4 Plan-0b2", 1),
    ("valid/several-prefixes", "api-1d8|proj-x-9k2|web.ui-77a", 1),
    ("valid/three-dialects", "bd-2k7w0fz1|bd-5c1x9qma|bd-8h3t6yvd|bd-9p4s7nrb", 1),
    ("valid/tombstones", "bd-2a4c6e8g|bd-3b5d7f9h|bd-4c6e8g0i", 1),
    ("valid/unknown-fields-big-numbers", "bd-1f5k8n3q|bd-6g2r9w4z", 1),
    ("valid/unsorted", "bd-9z0a1b2c|bd-0a1b2c3d|bd-5e6f7g8h", 1),
    ("legacy/content-hash-and-source-repo", "bd-20|bd-21", 1),
    ("legacy/export-with-counters", "lab-m2x|lab-c7e|lab-x1a", 1),
    ("legacy/null-fields", "bd-4a|bd-4b", 1),
    ("legacy/numeric-ids", "bd-1|bd-10|bd-11|bd-2", 1),
    ("legacy/priority-missing", "bd-1|bd-2|bd-3", 1),
    ("legacy/string-comment-ids", "bd-7c1|bd-7c2", 1),
    ("legacy/wisp", "bd-w1|bd-w2|bd-w3", 1),
    ("invalid/blank-lines", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/bom", "bd-0c4f8k2p|bd-5h9m3r7v", 1),
    ("invalid/conflict-markers", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/crlf", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/deep-nesting", "bd-0c4f8k2p|bd-5h9m3r7v", 1),
    ("invalid/diff3-markers", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/duplicate-ids", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/duplicate-keys", "bd-0c4f8k2p|bd-9w3b7f1j", 1),
    ("invalid/invalid-utf8", "bd-0c4f8k2p|bd-9w3b7f1j", 1),
    ("invalid/jj-markers", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/lone-surrogate", "bd-0c4f8k2p|bd-9w3b7f1j", 1),
    ("invalid/no-final-newline", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/no-id", "bd-0c4f8k2p|bd-9w3b7f1j", 1),
    ("invalid/nul-bytes", "bd-0c4f8k2p|bd-9w3b7f1j", 1),
    ("invalid/old-tail", "bd-0c4f8k2p|bd-5h9m3r7v|bd-9w3b7f1j", 1),
    ("invalid/prose", "bd-0c4f8k2p|bd-9w3b7f1j", 2),
    ("invalid/torn-last-line", "bd-0c4f8k2p|bd-5h9m3r7v", 1),
];

/// The whole file is read-only (format.md, section 7).
const TORN: &str = "invalid/torn-last-line";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/ledgers")
}

fn env_of(file: &str) -> Env {
    Env::with_ledger(std::fs::read(fixtures().join(file).with_extension("jsonl")).unwrap())
}

fn cases(folder: &str) -> impl Iterator<Item = &'static (&'static str, &'static str, usize)> {
    CASES.iter().filter(move |(file, ..)| file.starts_with(folder))
}

#[test]
fn every_fixture_has_a_case() {
    let mut files = Vec::new();
    for folder in ["valid", "legacy", "invalid"] {
        for entry in std::fs::read_dir(fixtures().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            files.push(format!("{folder}/{}", name.strip_suffix(".jsonl").unwrap()));
        }
    }
    files.sort();
    let mut known: Vec<&str> = CASES.iter().map(|(file, ..)| *file).collect();
    known.sort_unstable();
    assert_eq!(known, files);
}

#[test]
fn valid_ledgers() {
    cases("valid/").for_each(shown_and_edited);
}

#[test]
fn legacy_ledgers() {
    cases("legacy/").for_each(shown_and_edited);
}

#[test]
fn invalid_ledgers() {
    cases("invalid/").filter(|(file, ..)| *file != TORN).for_each(shown_and_edited);
}

fn shown_and_edited((file, ids, line): &(&str, &str, usize)) {
    let env = env_of(file);
    shows(&env, file, ids);
    let id = ids.split('|').next().unwrap();
    if !id.is_empty() {
        edits_one_line(&env, file, id, *line);
    }
}

/// `list --all --deleted --json` shows exactly these, and reading changes nothing.
fn shows(env: &Env, file: &str, ids: &str) {
    let before = env.ledger();
    let run = env.bd(["list", "--all", "--deleted", "--json"]).ok();
    // A number that is legal JSON and fits no double; the program passes it on, this test's reader does not take it.
    let json: serde_json::Value = serde_json::from_str(&run.stdout.replace("1e400", "0")).unwrap();
    let mut shown: Vec<&str> = json.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    let mut expected: Vec<&str> = ids.split('|').filter(|id| !id.is_empty()).collect();
    shown.sort_unstable();
    expected.sort_unstable();
    assert_eq!(shown, expected, "{file}");
    assert_eq!(env.ledger(), before, "{file}");
}

fn edits_one_line(env: &Env, file: &str, id: &str, line: usize) {
    let before = env.ledger();
    let run = env.bd(["update", id, "--priority", "3"]).ok();
    assert_eq!(run.stdout, format!("Updated issue: {id}\n"), "{file}");
    let after = env.ledger();
    let mut old: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    // The one thing that a write adds elsewhere: the line feed that the last line lacks.
    let ended = [*old.last().unwrap(), b"\n"].concat();
    if !before.ends_with(b"\n") {
        *old.last_mut().unwrap() = &ended;
    }
    assert_eq!(old.len(), new.len(), "{file}: lines");
    for (n, (old, new)) in old.iter().zip(&new).enumerate() {
        assert_eq!(old == new, n + 1 != line, "{file}:{}: {}", n + 1, String::from_utf8_lossy(new));
    }
    let old = std::str::from_utf8(old[line - 1]).unwrap();
    let new = std::str::from_utf8(new[line - 1]).unwrap();
    assert_eq!(rest(old), rest(new), "{file}: the rest of the line");
    let kept: Vec<&str> = keys(new).into_iter().filter(|key| keys(old).contains(key)).collect();
    assert_eq!(kept, keys(old), "{file}: no key moves");
    assert!(new.contains("\"priority\":3") || new.contains("\"priority\": 3"), "{file}: {new}");

    let touched = std::fs::metadata(env.ledger_path()).unwrap().modified().unwrap();
    let again = env.bd(["update", id, "--priority", "3"]).ok();
    assert_eq!(again.stdout, format!("Nothing to change: {id}\n"), "{file}");
    assert_eq!(env.ledger(), after, "{file}: the same edit again");
    assert_eq!(std::fs::metadata(env.ledger_path()).unwrap().modified().unwrap(), touched, "{file}");
}

#[test]
fn a_torn_file_is_read_only() {
    let (file, ids, _) = CASES.iter().find(|(file, ..)| *file == TORN).unwrap();
    let env = env_of(file);
    shows(&env, file, ids);
    let before = env.ledger();
    for args in [&["update", "bd-0c4f8k2p", "-p", "3"][..], &["add", "New"], &["close", "bd-5h9m3r7v"]] {
        env.bd(args).fails(8, &["beads.jsonl:3: the last line is cut off", "bd doctor --fix"]);
        assert_eq!(env.ledger(), before);
    }
}

#[test]
fn a_conflict_region_is_read_only() {
    for file in ["invalid/conflict-markers", "invalid/diff3-markers", "invalid/jj-markers"] {
        let env = env_of(file);
        let before = env.ledger();
        for args in [&["update", "bd-5h9m3r7v", "-p", "3"][..], &["add", "New"], &["doctor", "--fix"]] {
            let run = env.bd(args);
            assert_eq!((run.code, env.ledger()), (8, before.clone()), "{file}: {}", run.snapshot());
        }
        edits_one_line(&env, file, "bd-9w3b7f1j", before.iter().filter(|byte| **byte == b'\n').count());
    }
}

#[test]
fn of_two_copies_the_shown_one_is_edited() {
    for (id, line) in [("bd-5h9m3r7v", 2), ("bd-9w3b7f1j", 5)] {
        edits_one_line(&env_of("invalid/duplicate-ids"), "invalid/duplicate-ids", id, line);
    }
}

/// The members of the outermost object: their keys, and where each begins (at its comma) and ends.
fn members(line: &str) -> Vec<(&str, usize, usize)> {
    let (mut found, mut depth, mut quoted, mut escaped, mut begin) = (Vec::new(), 0, false, false, 0);
    for (at, c) in line.char_indices() {
        if quoted {
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => quoted = true,
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        if (matches!(c, '{' | ',') && depth == 1) || (c == '}' && depth == 0) {
            if begin > 0 {
                let key = line[begin..at].split('"').nth(1).unwrap();
                found.push((key, begin - 1, at));
            }
            begin = at + 1;
        }
    }
    found
}

fn keys(line: &str) -> Vec<&str> {
    members(line).into_iter().map(|(key, ..)| key).collect()
}

/// A line without the two members that a change of priority may touch.
fn rest(line: &str) -> String {
    let mut text = line.to_owned();
    for (key, begin, end) in members(line).into_iter().rev() {
        if matches!(key, "priority" | "updated_at") {
            text.replace_range(begin..end, "");
        }
    }
    text
}
