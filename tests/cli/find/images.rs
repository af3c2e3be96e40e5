//! The image of the cache, from the outside: whatever happens to it or to the ledgers, the answers are those of the
//! ledgers. `properties::image` tries random cases.

use std::fs;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::PathBuf;
use std::time::Duration;

use crate::support::effort::pick;
use crate::support::harness::{Env, put_file};
use crate::support::programs::have;
use crate::support::repos::sh;

const QUESTIONS: [&str; 6] =
    ["list --all --json -n 0", "ready --json -n 0", "count --json", "stats --json", "blocked --json", "show bd-0002"];

fn lines(count: usize, prefix: &str) -> Vec<String> {
    let line = |n: usize| {
        let waits = if n % 7 == 3 {
            format!(
                ",\"dependencies\":[{{\"issue_id\":\"{prefix}-{n:04}\",\"depends_on_id\":\"{prefix}-{:04}\",\"type\":\"blocks\"}}]",
                n - 1
            )
        } else {
            String::new()
        };
        format!(
            "{{\"id\":\"{prefix}-{n:04}\",\"title\":\"Issue {n}\",\"status\":\"open\",\"priority\":{},\"issue_type\":\"task\",\
             \"created_at\":\"2026-01-05T09:00:00Z\",\"updated_at\":\"2026-01-05T09:00:00Z\"{waits}}}\n",
            n % 5
        )
    };
    (0..count).map(line).collect()
}

/// A repo that is worth an image.
fn large() -> Env {
    let env = Env::new();
    put_file(&env.ledger_path(), lines(400, "bd").concat().as_bytes());
    env
}

fn images(env: &Env) -> Vec<PathBuf> {
    let entries = fs::read_dir(env.root().join("home/cache/beads")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "image")).collect()
}

fn answers(env: &Env, questions: &[&str]) -> Vec<(i32, String)> {
    let answer = |question: &&str| {
        let run = env.bd(question.split(' '));
        (run.code, run.stdout)
    };
    questions.iter().map(answer).collect()
}

/// `bd`'s answers equal those without an image; asked twice, since the first reader may make another image.
fn agrees(env: &Env, questions: &[&str], after: &str) {
    env.set("BD_NO_IMAGE", "1");
    let plain = answers(env, questions);
    env.set("BD_NO_IMAGE", "0");
    for reader in ["first", "second"] {
        assert_eq!(answers(env, questions), plain, "the {reader} reader after {after}");
    }
}

#[test]
fn an_issue_that_had_two_lines_is_shown_when_one_has_gone() {
    let all = lines(400, "bd");
    let older = all[2].replace("updated_at\":\"2026-01-05", "updated_at\":\"2026-01-04");
    let without = [&all[..2], &all[3..]].concat().concat();
    let env = large();
    for (doubled, then) in [(older.clone(), without + &older), (all[2].clone(), all.concat())] {
        put_file(&env.ledger_path(), (all.concat() + &doubled).as_bytes());
        env.bd(["count"]).ok();
        put_file(&env.ledger_path(), then.as_bytes());
        assert_eq!(env.bd(["count"]).ok().stdout.trim(), "400");
        agrees(&env, &QUESTIONS, "a line has gone");
    }
    put_file(&env.ledger_path(), (all.concat() + &all[2]).as_bytes());
    env.bd(["count"]).ok();
    env.bd(["doctor", "--fix"]).ok();
    assert!(env.bd(["show", "bd-0002"]).ok().stdout.contains("Issue 2"));
    agrees(&env, &QUESTIONS, "bd doctor --fix");
}

#[test]
fn an_issue_that_two_repos_had_is_shown_when_one_has_it_no_more() {
    let env = large();
    let all = lines(400, "bd");
    fs::create_dir_all(env.root().join("q/.beads")).unwrap();
    put_file(&env.root().join("q/.beads/beads.jsonl"), (lines(300, "q").concat() + &all[2]).as_bytes());
    env.given("repo add ../q");
    env.bd(["count"]).ok();
    put_file(&env.ledger_path(), [&all[..2], &all[3..]].concat().concat().as_bytes());
    assert_eq!(env.bd(["count"]).ok().stdout.trim(), "700");
    agrees(&env, &QUESTIONS, "the first repo gave it away");
}

#[test]
fn a_proposal_that_a_branch_holds_is_planned_again_on_the_other() {
    if !have(&["git"]) {
        return;
    }
    let env = large();
    sh(&env, "cd web && git init -q -b main . && git add -A && git commit -qm one");
    env.given("init --contributor");
    let id = env.bd(["q", "Propose me"]).ok().stdout.trim().to_owned();
    sh(&env, "cd web && git checkout -qb proposed");
    env.bd(["propose", &id]).ok();
    sh(&env, "cd web && git add -A && git commit -qm two");
    env.bd(["count"]).ok();
    sh(&env, "cd web && git checkout -q main");
    assert_eq!(env.bd(["count"]).ok().stdout.trim(), "401");
    agrees(&env, &QUESTIONS, "a checkout of the other branch");
}

#[test]
fn an_image_that_turns_out_wrong_is_given_up() {
    let env = large();
    let questions = &QUESTIONS;
    agrees(&env, questions, "the beginning");
    let [image] = <[PathBuf; 1]>::try_from(images(&env)).unwrap();
    let page = 4096;
    let pages = fs::metadata(&image).unwrap().len() as usize / page;
    for n in (1..pages).step_by(pick(12, 6, 1)) {
        // A page that never reached the disk is only noticed when it is read.
        let mut bytes = fs::read(&image).unwrap();
        let end = if n % 2 == 0 { pages } else { n + 1 };
        bytes[n * page..end * page].fill(0);
        fs::write(&image, bytes).unwrap();
        agrees(&env, questions, &format!("page {n} is lost"));
    }
}

#[test]
fn a_write_leaves_no_torn_image_behind() {
    let env = large();
    env.bd(["list"]).ok();
    let [image] = <[PathBuf; 1]>::try_from(images(&env)).unwrap();
    let bytes = fs::read(&image).unwrap();
    let at = memchr::memmem::find(&bytes, b"Issue 7").expect("a title");
    let mut bytes = bytes;
    bytes[at] ^= 1;
    fs::write(&image, bytes).unwrap();
    env.given("update bd-0100 --title Other");
    env.bd(["doctor"]).ok();
    agrees(&env, &["query title~Issue --json", "list --all --json -n 0"], "a write and bd doctor");
}

#[test]
fn a_part_of_a_word_is_found_with_an_image_as_without() {
    let env = large();
    let odd = ["Grüße an \\\"alle\\\"", "50% of it_all", "(AND) \\\"OR\\\" NEAR", "ab", "K\u{212a}elvin"];
    let more = odd.iter().enumerate().map(|(n, title)| {
        format!(
            "{{\"id\":\"zz-{n}\",\"title\":\"{title}\",\"status\":\"open\",\"priority\":1,\"issue_type\":\"task\"}}\n"
        )
    });
    put_file(&env.ledger_path(), (lines(400, "bd").concat() + &more.collect::<String>()).as_bytes());
    let sought = [
        "ssue", "SUE 39", "rüß", "üße", "\"al", "0% o", "it_a", "itxa", "ND) \"O", "ab", "b", "zz-", "elv", "kel",
        "d-00",
    ];
    for text in sought {
        let ask = || env.bd(["search", text, "--json", "-n", "0"]).ok().stdout;
        env.set("BD_NO_IMAGE", "1");
        let plain = ask();
        env.set("BD_NO_IMAGE", "0");
        assert_eq!([ask(), ask()], [plain.clone(), plain], "{text}");
    }
    // And after a write, which the texts follow.
    env.given("update zz-3 --title Wombats");
    let found = env.bd(["search", "omba", "--json"]).ok();
    assert_eq!(found.ids(), ["zz-3"]);
    assert!(env.bd(["search", "b", "--json", "-n", "0"]).ok().ids().contains(&"zz-3".to_owned()));
}

/// So many lines are read by several threads: each keeps its place, and what is damaged is named by its line.
#[test]
fn many_lines_are_read_in_order() {
    let env = Env::new();
    let mut lines = lines(3000, "bd");
    for n in (96..3000).step_by(97) {
        lines[n] = "{\"id\":\"broken\n".to_owned();
    }
    put_file(&env.ledger_path(), lines.concat().as_bytes());
    let ids: Vec<String> = (0..3000).filter(|n| n % 97 != 96).map(|n| format!("bd-{n:04}")).collect();
    for _ in 0..2 {
        let found = env.bd(["list", "--all", "-n", "0", "--sort", "id", "--ids"]).ok().stdout;
        assert_eq!(found.lines().collect::<Vec<_>>(), ids);
        let shown = env.bd(["show", "bd-2999", "--json"]).json();
        assert_eq!(shown[0]["title"], "Issue 2999");
        let told = env.bd(["doctor"]).stdout;
        let named = (96..3000).step_by(97).filter(|n| told.contains(&format!("beads.jsonl:{}: ", n + 1)));
        assert_eq!(named.count(), 30, "{told}");
        assert_eq!(env.bd(["count", "--json"]).json()["count"], ids.len());
    }
}

#[test]
fn long_lives_of_many_issues_are_added_up() {
    let env = Env::new();
    let lives = |line: String| {
        line.replace("\"open\"", "\"closed\"")
            .replace("\"created_at\":\"2026", "\"created_at\":\"0002")
            .replace("\"issue_type\"", "\"closed_at\":\"9002-01-05T09:00:00Z\",\"issue_type\"")
    };
    let ledger: String = lines(400, "bd").into_iter().map(lives).collect();
    put_file(&env.ledger_path(), ledger.as_bytes());
    agrees(&env, &["stats --json", "stats --json"], "nine thousand years");
    assert_eq!(images(&env).len(), 1);
    let stats = env.bd(["stats", "--json"]).ok().json();
    let hours = stats["summary"]["average_lead_time_hours"].as_f64().unwrap();
    assert!((9000.0 * 365.2 * 24.0..9000.0 * 365.3 * 24.0).contains(&hours), "{stats}");
    env.bd(["update", "bd-0007", "--title", "Another"]).ok();
    agrees(&env, &["stats --json"], "a write");
}

#[test]
fn who_finds_a_line_changed_under_the_image_gives_it_up_and_looks_again() {
    let env = large();
    agrees(&env, &QUESTIONS, "the beginning");
    let [image] = <[PathBuf; 1]>::try_from(images(&env)).unwrap();
    let mut bytes = fs::read(&image).unwrap();
    // The line of bd-0002 in its chunk: a hash, which no longer fits, the key and the length.
    let length = lines(3, "bd")[2].trim_end().len() as u32;
    let place = [3_u64.to_le_bytes().as_slice(), &length.to_le_bytes()].concat();
    let at = memchr::memmem::find(&bytes, &place).expect("the line in its chunk");
    bytes[at - 1] ^= 1;
    fs::write(&image, bytes).unwrap();
    let shown = env.bd(["show", "bd-0002", "--json"]).ok().json();
    assert_eq!(shown[0]["id"], "bd-0002", "{shown}");
    agrees(&env, &["show bd-0002", "show bd-0002 --json"], "a line that had changed");
}

/// The label of an image knows what is ready first, and how much is.
#[test]
fn what_is_ready_first_needs_no_database() {
    let env = large();
    let usual = ["ready --json -n 20", "ready -n 50"];
    let others = ["ready --json -n 51", "ready --json -p 1", "ready --json --include-deferred", "ready --sort created"];
    let questions = [usual.as_slice(), &others].concat();
    agrees(&env, &questions, "the beginning");
    for written in [
        "close bd-0002",
        "close bd-0000",
        "create Urgent -p 0",
        "dep add bd-0005 bd-0010",
        "label add bd-0006 baseline-failure",
        "defer bd-0015 --until 2026-01-05T20:00:00Z",
        "update bd-0020 --type epic",
        "create Part --parent bd-0020",
        "--agent other claim bd-0025",
    ] {
        env.given(written);
        agrees(&env, &questions, written);
    }
    for now in ["2026-01-05T19:59:59Z", "2026-01-05T20:00:00Z", "2026-01-04T00:00:00Z", "2027-01-01T00:00:00Z"] {
        env.set("BD_TEST_NOW", now);
        agrees(&env, &questions, now);
    }
    // The database could not be read any more, and that would go unnoticed.
    let [image] = <[PathBuf; 1]>::try_from(images(&env)).unwrap();
    let expected = answers(&env, &usual);
    fs::write(&image, vec![0; fs::metadata(&image).unwrap().len() as usize]).unwrap();
    assert_eq!(answers(&env, &usual), expected);
    assert!(image.with_extension("label").exists(), "the image was not given up");
    agrees(&env, &questions, "the image has gone");
}

/// Above four megabytes a write waits for the clock that stamps files, and the stamp alone tells whether it was the last.
#[test]
fn a_large_ledger_is_as_its_last_writer_left_it() {
    let env = Env::new();
    let padding = "x".repeat(12_000);
    let long = |line: String| line.replace("\"status\"", &format!("\"description\":\"{padding}\",\"status\""));
    let ledger = env.ledger_path();
    put_file(&ledger, lines(400, "bd").into_iter().map(long).collect::<String>().as_bytes());
    assert!(fs::metadata(&ledger).unwrap().len() > 4 << 20);
    let questions = ["show bd-0007 --json", "list --json", "stats --json"];
    agrees(&env, &questions, "the beginning");
    let inodes = || -> Vec<u64> {
        let entries = fs::read_dir(env.root().join("home/cache/beads")).unwrap();
        let mut all: Vec<u64> = entries.map(|entry| entry.unwrap().metadata().unwrap().ino()).collect();
        all.sort();
        all
    };
    for n in 0..pick(4, 12, 60) {
        let title = format!("Written {n}");
        env.bd(["update", "bd-0007", "--title", &title]).ok();
        let left = fs::metadata(&ledger).unwrap();
        if n % 2 == 0 {
            let look = || assert_eq!(env.bd(["show", "bd-0007", "--json"]).ok().json()[0]["title"], title.as_str());
            // The clock that stamps files ticks at least every ten milliseconds.
            std::thread::sleep(Duration::from_millis(20));
            look();
            let kept = inodes();
            look();
            assert_eq!(inodes(), kept, "after the first look at a new image nobody need renew anything");
        }
        // Another program changes bytes in place, right away, and half of the time sets the old time again.
        let bytes = fs::read(&ledger).unwrap();
        let at = memchr::memmem::find(&bytes, title.as_bytes()).expect("the title");
        let file = fs::File::options().write(true).open(&ledger).unwrap();
        file.write_all_at(b"EDITED!", at as u64).unwrap();
        if n % 3 == 0 {
            file.set_modified(left.modified().unwrap()).unwrap();
        }
        assert_eq!(fs::metadata(&ledger).unwrap().len(), left.len());
        assert_eq!(env.bd(["show", "bd-0007", "--json"]).ok().json()[0]["title"], format!("EDITED! {n}").as_str());
        agrees(&env, &questions, "an edit in place");
    }
}
